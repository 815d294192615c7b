// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints rules as XML that parses back to the same, apart from spans.
//!
//! `gnomon translate` writes such files. The spec notation has binary `&&` and `||`; in XML an `<and>` or `<or>` has any number of
//! operands, which the parser groups from the left. So a chain such as `(a && b) && c` is one element, and `a && (b && c)` is two.
//! XML cannot contain all characters; [`Unwritable`] names the first one that it cannot, and nothing is written.

use std::collections::BTreeSet;
use std::fmt;

use gnomon_core::escape::{XmlContext, write_xml};
use gnomon_core::{Span, Value};
use gnomon_ir::atom::{Argument, Atom, Condition, TimeComparison};
use gnomon_ir::rule::{Correlation, Matching, Modality, Rule, RuleAction, RuleContext, RuleWindow};
use gnomon_ir::spec::{Body, EventDeclaration, Participant, Property, PropertySeverity, Spec};

use super::condition::COMPARISONS;
use super::{NAMESPACE, query};
use crate::syntax::subtree::GROUPED_FROM_LEFT;
use crate::syntax::table;

/// A character that XML cannot contain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unwritable {
    /// The character.
    pub character: char,
    /// The property or declaration that contains it.
    pub span: Span,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "XML has no character U+{:04X}", u32::from(self.character))
    }
}

impl std::error::Error for Unwritable {}

/// Writes rules as a file of their own, with the declarations of the spec that they need. Properties of other languages
/// are left out.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("nomad late { P(start(ask) | O[0,3]s done(reply)) / {{ask.id, reply.id}} }");
/// let written = gnomon_lang::rules::print(&spec, &[&spec.properties[0]]).unwrap();
/// assert!(written.contains(r#"<window from="0" to="3" unit="s"/>"#));
/// let (read, wrong) = gnomon_lang::parse(&written);
/// assert!(wrong.is_empty());
/// assert_eq!(read.properties[0].name, "late");
/// ```
pub fn print(spec: &Spec, properties: &[&Property]) -> Result<String, Unwritable> {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let mut out = RuleWriter { text, depth: 0, unwritable: None };
    out.open("rules", &[("xmlns", NAMESPACE.to_owned())]);
    time(spec, &mut out);
    let rules: Vec<(&Property, &Rule)> = properties
        .iter()
        .filter_map(|property| match &property.body {
            Body::Rule(rule) => Some((*property, rule)),
            _ => None,
        })
        .collect();
    let messages: BTreeSet<&str> = rules.iter().flat_map(|(_, rule)| messages(rule)).collect();
    for declaration in spec.events.iter().filter(|event| messages.contains(event.name.as_str())) {
        event(declaration, &mut out);
        out.check(declaration.name_span)?;
    }
    for (property, rule) in rules {
        self::rule(property, rule, &mut out);
        out.check(property.name_span)?;
    }
    out.close("rules");
    out.check(spec.time.span.unwrap_or_default())?;
    Ok(out.text)
}

/// Lists the messages that a rule names.
fn messages(rule: &Rule) -> Vec<&str> {
    let mut messages: Vec<&str> = rule.supposition.iter().map(|action| action.message.name.as_str()).collect();
    rule.context.actions(&mut |action| messages.push(&action.message.name));
    let members = rule.correlations.iter().flat_map(|set| &set.members);
    messages.extend(members.map(|member| member.message.as_str()));
    messages
}

struct RuleWriter {
    text: String,
    depth: usize,
    unwritable: Option<char>,
}

impl RuleWriter {
    fn check(&self, span: Span) -> Result<(), Unwritable> {
        self.unwritable.map_or(Ok(()), |character| Err(Unwritable { character, span }))
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, String)], end: &str) {
        self.indent();
        self.text.extend(["<", name]);
        for (name, value) in attributes {
            self.text.extend([" ", name, "=\""]);
            self.escaped(value);
            self.text.push('"');
        }
        self.text.push_str(end);
    }

    fn indent(&mut self) {
        self.text.extend(std::iter::repeat_n("  ", self.depth));
    }

    fn open(&mut self, name: &str, attributes: &[(&str, String)]) {
        self.tag(name, attributes, ">\n");
        self.depth += 1;
    }

    /// Writes an element without attributes around what `content` writes.
    fn wrap(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.open(name, &[]);
        content(self);
        self.close(name);
    }

    fn empty(&mut self, name: &str, attributes: &[(&str, String)]) {
        self.tag(name, attributes, "/>\n");
    }

    fn close(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.indent();
        self.text.extend(["</", name, ">\n"]);
    }

    fn escaped(&mut self, value: &str) {
        self.unwritable = write_xml(&mut self.text, value, XmlContext::Attribute).or(self.unwritable);
    }
}

fn time(spec: &Spec, out: &mut RuleWriter) {
    let field = spec.time.field.iter().map(|field| ("field", field.clone()));
    let unit = spec.time.unit.map(|unit| ("unit", unit.symbol().to_owned()));
    let attributes: Vec<_> = field.chain(unit).collect();
    if !attributes.is_empty() {
        out.empty("time", &attributes);
    }
}

fn event(declaration: &EventDeclaration, out: &mut RuleWriter) {
    let mut attributes = vec![("name", declaration.name.clone())];
    if let Some((from, to)) = &declaration.participants {
        attributes.push(("from", participant(from)));
        attributes.push(("to", participant(to)));
    }
    out.open("event", &attributes);
    for parameter in declaration.parameters.iter().flatten() {
        out.empty("parameter", &[("name", parameter.clone())]);
    }
    for alternative in &declaration.alternatives {
        let attributes = [("name", alternative.event.clone())];
        if alternative.renames.is_empty() && alternative.condition.is_none() {
            out.empty("message", &attributes);
            continue;
        }
        out.open("message", &attributes);
        for (path, parameter) in &alternative.renames {
            out.empty("field", &[("query", query::print(path)), ("as", parameter.clone())]);
        }
        alternative.condition.iter().for_each(|of| condition(of, out));
        out.close("message");
    }
    out.close("event");
}

fn participant(participant: &Participant) -> String {
    match participant {
        Participant::Field(field) => format!("${field}"),
        Participant::Named(name) if name.starts_with('$') => format!("${name}"),
        Participant::Named(name) => name.clone(),
    }
}

fn rule(property: &Property, rule: &Rule, out: &mut RuleWriter) {
    let verdict = match rule.modality {
        Modality::Permission => "true",
        Modality::Prohibition => "false",
    };
    let mut attributes = vec![("id", property.name.clone()), ("verdict", verdict.to_owned())];
    attributes.extend(property.title.iter().map(|title| ("title", title.clone())));
    let severity = property.options.severity.map(PropertySeverity::word);
    let chosen = [
        ("matching", (rule.matching == Matching::Any).then_some("any")),
        ("strict-end", rule.strict_end.then_some("true")),
        ("critical", property.options.critical.then_some("true")),
        ("severity", severity),
    ];
    attributes.extend(chosen.into_iter().filter_map(|(name, value)| Some((name, value?.to_owned()))));
    out.open("rule", &attributes);
    out.wrap("supposition", |out| rule.supposition.iter().for_each(|of| message(of, out)));
    window(&rule.window, out);
    out.wrap("context", |out| context(&rule.context, out));
    rule.correlations.iter().for_each(|set| correlation(set, out));
    out.close("rule");
}

fn message(action: &RuleAction, out: &mut RuleWriter) {
    let Atom { name, arguments, condition: of, .. } = &action.message;
    let attributes = [("name", name.clone()), ("phase", action.phase.word().to_owned())];
    if arguments.is_none() && of.is_none() {
        return out.empty("message", &attributes);
    }
    out.open("message", &attributes);
    if let Some(arguments) = arguments {
        out.wrap("arguments", |out| {
            for argument in arguments {
                match argument {
                    Argument::Literal(value) => out.empty("argument", &literal(value)),
                    Argument::Any | Argument::Variable(_) => out.empty("argument", &[]),
                }
            }
        });
    }
    if let Some(of) = of {
        condition(of, out);
    }
    out.close("message");
}

/// Returns the attributes of a value. A text that looks like another type gets an explicit type.
fn literal(value: &Value<'_>) -> Vec<(&'static str, String)> {
    match value {
        Value::Text(text) => {
            let mut attributes = vec![("value", text.clone().into_owned())];
            if !matches!(Value::from_cell(text.clone()), Value::Text(_)) {
                attributes.push(("type", "text".to_owned()));
            }
            attributes
        }
        other => vec![("value", other.to_string())],
    }
}

fn window(window: &RuleWindow, out: &mut RuleWriter) {
    let (from, to, unit) = window.written();
    let unit = unit.map(|unit| ("unit", unit.symbol().to_owned()));
    let attributes: Vec<_> = [("from", from), ("to", to)].into_iter().chain(unit).collect();
    out.empty("window", &attributes);
}

/// Writes the operands of a chain that is grouped from the left into one element, as many as the parser groups so.
/// `open` returns the name of an operator and its two operands.
fn chain<'c, T>(
    whole: &'c T,
    open: fn(&'c T) -> Option<(&'static str, &'c T, &'c T)>,
    write: fn(&T, &mut RuleWriter),
    out: &mut RuleWriter,
) {
    let Some((name, ..)) = open(whole) else { return };
    let mut operands = Vec::new();
    let mut rest = whole;
    while let Some((_, left, right)) =
        open(rest).filter(|(found, ..)| *found == name && operands.len() < GROUPED_FROM_LEFT - 1)
    {
        operands.push(right);
        rest = left;
    }
    out.wrap(name, |out| {
        write(rest, out);
        operands.into_iter().rev().for_each(|operand| write(operand, out));
    });
}

fn joined_contexts(of: &RuleContext) -> Option<(&'static str, &RuleContext, &RuleContext)> {
    match of {
        RuleContext::And(left, right) => Some(("and", left, right)),
        RuleContext::Or(left, right) => Some(("or", left, right)),
        RuleContext::Action(_) => None,
    }
}

fn context(of: &RuleContext, out: &mut RuleWriter) {
    match of {
        RuleContext::Action(action) if action.negated => out.wrap("not", |out| message(action, out)),
        RuleContext::Action(action) => message(action, out),
        RuleContext::And(..) | RuleContext::Or(..) => chain(of, joined_contexts, context, out),
    }
}

fn joined_conditions(of: &Condition) -> Option<(&'static str, &Condition, &Condition)> {
    match of {
        Condition::And(left, right) => Some(("and", left, right)),
        Condition::Or(left, right) => Some(("or", left, right)),
        _ => None,
    }
}

fn condition(of: &Condition, out: &mut RuleWriter) {
    match of {
        Condition::Compare(path, comparison, value) => {
            let is = table::spelling(COMPARISONS, *comparison);
            let mut attributes = vec![("query", query::print(path)), ("is", is.to_owned())];
            attributes.extend(literal(value));
            out.empty("condition", &attributes);
        }
        Condition::Time(time) => {
            let TimeComparison { part, comparison, literal: right, .. } = &**time;
            let is = table::spelling(COMPARISONS, *comparison);
            let mut attributes = vec![("time", part.word().to_owned()), ("is", is.to_owned())];
            attributes.extend(literal(right));
            out.empty("condition", &attributes);
        }
        Condition::Not(of) => out.wrap("not", |out| condition(of, out)),
        Condition::And(..) | Condition::Or(..) => chain(of, joined_conditions, condition, out),
    }
}

fn correlation(set: &Correlation, out: &mut RuleWriter) {
    out.wrap("correlation", |out| {
        for member in &set.members {
            out.tag("query", &[("message", member.message.clone())], ">");
            out.escaped(&query::print(&member.field));
            out.text.push_str("</query>\n");
        }
    });
}
