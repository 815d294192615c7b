// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a property as a specification of JavaMOP or RV-Monitor, which [`parse_bare`](super::parse_bare) reads as the same property.
//!
//! Pointcuts are made from the names of events and must be adapted to a program: `call(* *.next(..)) && args(i)`.

use gnomon_ir::{
    Argument, Body, EventDeclaration, GrammarRule, Linear, LinearBinary, LinearUnary, Logic, Plugin, PluginEvent,
    Property, Spec, Variable,
};

use super::print::{Surroundings, print_body};
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
    let plugin = &match dialect {
        MopDialect::JavaMop => plugin.clone(),
        MopDialect::RvMonitor => with_usual_end(plugin)?,
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
    let body = print_body(&without_additions(&plugin.logic), Surroundings::Specification);
    if body.contains('"') {
        return Err("an event or a state has a name that these tools read as an operator or not as one name".to_owned());
    }
    print::fmt(&mut out, format_args!("\n   {kind}:"));
    for line in body.lines() {
        out.extend([if body.contains('\n') { "\n      " } else { " " }, line]);
    }
    out.push('\n');
    let default = [gnomon_ir::ForbiddenCategory {
        name: Variable { name: plugin.logic.kind().default_category().to_owned(), span: property.body_span },
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

/// Returns the plug-in with the name that the end of the trace has in RV-Monitor, which knows it by that alone.
fn with_usual_end(plugin: &Plugin) -> Result<Plugin, String> {
    let mut plugin = plugin.clone();
    let Some(end) = plugin.events.iter_mut().find(|event| event.is_end) else { return Ok(plugin) };
    let own = std::mem::replace(&mut end.atom.name, END.to_owned());
    let is_taken = |name: &Variable| name.name == END;
    let has_rule = matches!(&plugin.logic, Logic::Cfg(rules) if rules.iter().any(|rule| is_taken(&rule.name)));
    if own != END && (has_rule || plugin.events.iter().any(|event| !event.is_end && event.atom.name == END)) {
        return Err(format!("RV-Monitor calls the end of the trace `{END}`, and this is the name of something else"));
    }
    let renamed = |name: &Variable| {
        let word = if name.name == own { END } else { &name.name };
        Variable { name: word.to_owned(), span: name.span }
    };
    plugin.creation.iter_mut().for_each(|name| *name = renamed(name));
    plugin.logic = match &plugin.logic {
        Logic::Ere(ere) => Logic::Ere(ere.map(&mut |name| renamed(name))),
        Logic::Fsm(fsm) => {
            let mut fsm = fsm.clone();
            let transitions = fsm.states.iter_mut().flat_map(|state| &mut state.transitions);
            transitions.for_each(|(event, _)| *event = renamed(event));
            Logic::Fsm(fsm)
        }
        Logic::Cfg(rules) => {
            let right = |rule: &GrammarRule| rule.right.map(&mut |name| renamed(name));
            Logic::Cfg(rules.iter().map(|rule| GrammarRule { name: rule.name.clone(), right: right(rule) }).collect())
        }
        Logic::Ltl(formula) => Logic::Ltl(with_events(formula, &renamed)),
        Logic::PastLtl(formula) => Logic::PastLtl(with_events(formula, &renamed)),
    };
    Ok(plugin)
}

/// Returns a formula with other names of events.
fn with_events(formula: &Linear, renamed: &dyn Fn(&Variable) -> Variable) -> Linear {
    let boxed = |of: &Linear| Box::new(with_events(of, renamed));
    match formula {
        Linear::Constant(value) => Linear::Constant(*value),
        Linear::Event(event) => Linear::Event(renamed(event)),
        Linear::Not(of) => Linear::Not(boxed(of)),
        Linear::Unary(operator, of) => Linear::Unary(*operator, boxed(of)),
        Linear::Binary(operator, left, right) => Linear::Binary(*operator, boxed(left), boxed(right)),
    }
}

fn event(spec: &Spec, plugin: &Plugin, event: &PluginEvent, dialect: MopDialect) -> Result<String, String> {
    let atom = &event.atom;
    let name = identifier(&atom.name)?;
    let creates = plugin.creation.iter().any(|one| one.name == atom.name);
    let creation = if creates { "creation " } else { "" };
    if event.is_end {
        return match dialect {
            MopDialect::JavaMop => Ok(format!("   {creation}event {name} after() : endProgram() {{}}\n")),
            MopDialect::RvMonitor => Ok(format!("   {creation}event {name}() {{}}\n")),
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
