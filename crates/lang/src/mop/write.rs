// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a property as a specification of JavaMOP or RV-Monitor, which [`parse_bare`](super::parse_bare) reads as the same property.
//!
//! Pointcuts are made from the names of events and must be adapted to a program: `call(* *.next(..)) && args(i)`.

use gnomon_ir::{
    Argument, Body, EventDeclaration, Linear, LinearBinary, LinearUnary, Logic, Plugin, PluginEvent, Property, Spec,
};

use super::print_logic;
use super::sections::END;
use crate::syntax::lexer::is_plain_word;
use crate::syntax::{print, quantifier};

/// The tool that a specification is written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MopDialect {
    /// JavaMOP: events have pointcuts.
    JavaMop,
    /// RV-Monitor: events have parameters only.
    RvMonitor,
}

/// Writes a property as a specification. Fails with the reason why the tool cannot have it.
pub fn print_specification(spec: &Spec, property: &Property, dialect: MopDialect) -> Result<String, String> {
    let Body::Plugin(plugin) = &property.body else {
        return Err(format!("a `{}` property has no body of these tools", property.language.word()));
    };
    let mut out = String::new();
    for (word, is_set) in
        [("full-binding", plugin.full_binding), ("suffix", plugin.suffix), ("connected", plugin.connected)]
    {
        out.push_str(if is_set { word } else { "" });
        out.push_str(if is_set { " " } else { "" });
    }
    let parameters = quantifier::variables(&property.prefix);
    out.push_str(&identifier(&property.name)?);
    print::list("(", &parameters, ") {\n", &mut out, |name, out| out.extend(["Object ", name]));
    for event in &plugin.events {
        out.push_str(&self::event(spec, plugin, event, dialect)?);
    }
    let kind = plugin.logic.kind().word();
    let body = print_logic(&without_additions(&plugin.logic));
    if body.contains('"') {
        return Err("an event or a state has a name that these tools read as an operator or not as one name".to_owned());
    }
    print::fmt(&mut out, format_args!("\n   {kind}:"));
    for line in body.lines() {
        out.extend([if body.contains('\n') { "\n      " } else { " " }, line]);
    }
    out.push('\n');
    let default = [gnomon_ir::ForbiddenCategory {
        name: gnomon_ir::Variable { name: plugin.logic.kind().default_category().to_owned(), span: property.body_span },
        message: None,
        resets: false,
    }];
    for one in if plugin.forbidden.is_empty() { &default[..] } else { &plugin.forbidden } {
        print::fmt(&mut out, format_args!("\n   @{} {{\n", identifier(&one.name.name)?));
        if let Some(message) = &one.message {
            out.push_str("      System.err.println(");
            print::quoted(message, &mut out);
            out.push_str(");\n");
        }
        out.push_str(if one.resets { "      __RESET;\n" } else { "" });
        out.push_str("   }\n");
    }
    out.push_str("}\n");
    Ok(out)
}

fn event(spec: &Spec, plugin: &Plugin, event: &PluginEvent, dialect: MopDialect) -> Result<String, String> {
    let atom = &event.atom;
    let name = identifier(&atom.name)?;
    let creates = plugin.creation.iter().any(|one| one.name == atom.name);
    let creation = if creates { "creation " } else { "" };
    if event.is_end {
        return match dialect {
            MopDialect::JavaMop => Ok(format!("   {creation}event {name} after() : endProgram() {{}}\n")),
            MopDialect::RvMonitor if atom.name == END => Ok(format!("   {creation}event {name}() {{}}\n")),
            MopDialect::RvMonitor => {
                Err(format!("RV-Monitor has no event for the end of the trace: name `{name}` `{END}`"))
            }
        };
    }
    if atom.condition.is_some() || spec.event(&atom.name).is_some_and(|declared| !is_plain(declared)) {
        return Err(format!("the event `{name}` has a condition on fields or other names in the trace"));
    }
    let declared = spec.event(&atom.name).and_then(|declared| declared.parameters.clone());
    let count = atom.arguments.as_ref().map(Vec::len).or(declared.map(|names| names.len()));
    let Some(count) = count else {
        return Err(format!("the event `{name}` takes any parameters: write how many it has, as in `{name}(_)`"));
    };
    let mut names: Vec<String> = Vec::new();
    for index in 0..count {
        names.push(match atom.arguments.as_ref().and_then(|arguments| arguments.get(index)) {
            Some(Argument::Variable(variable)) => variable.name.clone(),
            Some(Argument::Literal(_)) => return Err(format!("the event `{name}` has a literal as a parameter")),
            Some(Argument::Any) | None => format!("other{}", index + 1),
        });
    }
    let declared: Vec<String> = names.iter().map(|name| format!("Object {name}")).collect();
    let declared = declared.join(", ");
    Ok(match dialect {
        MopDialect::RvMonitor => format!("   {creation}event {name}({declared}) {{}}\n"),
        MopDialect::JavaMop => {
            let arguments = if names.is_empty() { String::new() } else { format!(" && args({})", names.join(", ")) };
            format!("   {creation}event {name} after({declared}) : call(* *.{name}(..)){arguments} {{}}\n")
        }
    })
}

/// Returns true if a declared event is one event of the trace with its own name and fields.
fn is_plain(declared: &EventDeclaration) -> bool {
    declared
        .alternatives
        .iter()
        .all(|one| one.event == declared.name && one.condition.is_none() && one.renames.is_empty())
}

fn identifier(name: &str) -> Result<String, String> {
    let changed = name.replace('-', "_");
    if is_plain_word(&changed) { Ok(changed) } else { Err(format!("`{name}` is not a name in Java")) }
}

/// Writes the operators that the tools lack by those that they have.
fn without_additions(logic: &Logic) -> Logic {
    match logic {
        Logic::Ltl(formula) => Logic::Ltl(plain(formula)),
        Logic::PastLtl(formula) => Logic::PastLtl(plain(formula)),
        other => other.clone(),
    }
}

fn plain(formula: &Linear) -> Linear {
    let boxed = |of: &Linear| Box::new(plain(of));
    match formula {
        Linear::Constant(_) | Linear::Event(_) => formula.clone(),
        Linear::Not(of) => Linear::Not(boxed(of)),
        Linear::Unary(LinearUnary::Historically, of) => {
            let once = Linear::Unary(LinearUnary::Once, Box::new(Linear::Not(boxed(of))));
            Linear::Not(Box::new(once))
        }
        Linear::Unary(operator, of) => Linear::Unary(*operator, boxed(of)),
        Linear::Binary(LinearBinary::WeakUntil, left, right) => {
            let until = Linear::Binary(LinearBinary::Until, boxed(left), boxed(right));
            let always = Linear::Unary(LinearUnary::Always, boxed(left));
            Linear::Binary(LinearBinary::Or, Box::new(until), Box::new(always))
        }
        Linear::Binary(operator, left, right) => Linear::Binary(*operator, boxed(left), boxed(right)),
    }
}
