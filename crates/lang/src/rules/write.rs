// SPDX-License-Identifier: MIT OR Apache-2.0
//! From rules to XML, so that it is read back as the same, spans apart.

use std::collections::BTreeSet;
use std::fmt;

use gnomon_core::diagnostic::Span;
use gnomon_core::value::Value;
use gnomon_ir::pattern::{Argument, Atom, Condition};
use gnomon_ir::rule::{Action, Context, Correlation, Matching, Modality, Rule, Window};
use gnomon_ir::spec::{Body, EventDeclaration, Importance, Participant, Property, Spec};

use super::NAMESPACE;
use super::condition::COMPARISONS;
use super::query;
use super::xml::is_character;

/// Something that XML cannot carry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unwritable {
    /// The character.
    pub character: char,
    /// The property or declaration in which it stands.
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
    let mut out = Writer { text: String::new(), depth: 0, unwritable: None };
    out.text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
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

/// The messages that a rule names.
fn messages(rule: &Rule) -> Vec<&str> {
    let mut messages: Vec<&str> = rule.supposition.iter().map(|action| action.message.name.as_str()).collect();
    rule.context.actions(&mut |action| messages.push(&action.message.name));
    let members = rule.correlations.iter().flat_map(|set| &set.members);
    messages.extend(members.map(|member| member.message.as_str()));
    messages
}

struct Writer {
    text: String,
    depth: usize,
    unwritable: Option<char>,
}

impl Writer {
    fn check(&self, span: Span) -> Result<(), Unwritable> {
        self.unwritable.map_or(Ok(()), |character| Err(Unwritable { character, span }))
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, String)], end: &str) {
        self.indent();
        self.text.push('<');
        self.text.push_str(name);
        for (name, value) in attributes {
            self.text.push(' ');
            self.text.push_str(name);
            self.text.push_str("=\"");
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

    fn empty(&mut self, name: &str, attributes: &[(&str, String)]) {
        self.tag(name, attributes, "/>\n");
    }

    fn close(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.indent();
        self.text.extend(["</", name, ">\n"]);
    }

    fn escaped(&mut self, value: &str) {
        for character in value.chars() {
            match character {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                // Readers of XML make spaces of these, unless they are written so.
                '\n' => self.text.push_str("&#10;"),
                '\r' => self.text.push_str("&#13;"),
                '\t' => self.text.push_str("&#9;"),
                _ if is_character(character) => self.text.push(character),
                _ => self.unwritable = Some(character),
            }
        }
    }
}

fn time(spec: &Spec, out: &mut Writer) {
    let field = spec.time.field.iter().map(|field| ("field", field.clone()));
    let unit = spec.time.unit.map(|unit| ("unit", unit.symbol().to_owned()));
    let attributes: Vec<_> = field.chain(unit).collect();
    if !attributes.is_empty() {
        out.empty("time", &attributes);
    }
}

fn event(declaration: &EventDeclaration, out: &mut Writer) {
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

fn rule(property: &Property, rule: &Rule, out: &mut Writer) {
    let verdict = match rule.modality {
        Modality::Permission => "true",
        Modality::Prohibition => "false",
    };
    let mut attributes = vec![("id", property.name.clone()), ("verdict", verdict.to_owned())];
    attributes.extend(property.title.iter().map(|title| ("title", title.clone())));
    let severity = property.options.severity.map(|severity| match severity {
        Importance::Low => "low",
        Importance::Medium => "medium",
        Importance::High => "high",
    });
    let chosen = [
        ("matching", (rule.matching == Matching::Any).then_some("any")),
        ("strict-end", rule.strict_end.then_some("true")),
        ("critical", property.options.critical.then_some("true")),
        ("severity", severity),
    ];
    attributes.extend(chosen.into_iter().filter_map(|(name, value)| Some((name, value?.to_owned()))));
    out.open("rule", &attributes);
    out.open("supposition", &[]);
    rule.supposition.iter().for_each(|of| message(of, out));
    out.close("supposition");
    window(&rule.window, out);
    out.open("context", &[]);
    context(&rule.context, out);
    out.close("context");
    rule.correlations.iter().for_each(|set| correlation(set, out));
    out.close("rule");
}

fn message(action: &Action, out: &mut Writer) {
    let Atom { name, arguments, condition: of, .. } = &action.message;
    let attributes = [("name", name.clone()), ("phase", action.phase.word().to_owned())];
    if arguments.is_none() && of.is_none() {
        return out.empty("message", &attributes);
    }
    out.open("message", &attributes);
    if let Some(arguments) = arguments {
        out.open("arguments", &[]);
        for argument in arguments {
            match argument {
                Argument::Literal(value) => out.empty("argument", &literal(value)),
                Argument::Any | Argument::Variable(_) => out.empty("argument", &[]),
            }
        }
        out.close("arguments");
    }
    if let Some(of) = of {
        condition(of, out);
    }
    out.close("message");
}

/// The attributes of a value. Its type is said where it looks like another.
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

fn window(window: &Window, out: &mut Writer) {
    let (from, to, unit) = window.written();
    let unit = unit.map(|unit| ("unit", unit.symbol().to_owned()));
    let attributes: Vec<_> = [("from", from), ("to", to)].into_iter().chain(unit).collect();
    out.empty("window", &attributes);
}

/// As many operands as are grouped from the left when they are read.
const IN_A_ROW: usize = 16;

/// Writes the operands of a chain that is grouped from the left into one element. `open` gives the two operands of its
/// operator.
fn chain<'c, T>(
    name: &str,
    whole: &'c T,
    open: impl Fn(&'c T) -> Option<(&'c T, &'c T)>,
    write: fn(&T, &mut Writer),
    out: &mut Writer,
) {
    let mut operands = Vec::new();
    let mut rest = whole;
    while let Some((left, right)) = open(rest).filter(|_| operands.len() < IN_A_ROW - 1) {
        operands.push(right);
        rest = left;
    }
    out.open(name, &[]);
    write(rest, out);
    operands.into_iter().rev().for_each(|operand| write(operand, out));
    out.close(name);
}

fn context<'c>(of: &'c Context, out: &mut Writer) {
    match of {
        Context::Action(action) if action.negated => {
            out.open("not", &[]);
            message(action, out);
            out.close("not");
        }
        Context::Action(action) => message(action, out),
        Context::And(..) => {
            let open = |of: &'c Context| match of {
                Context::And(left, right) => Some((&**left, &**right)),
                _ => None,
            };
            chain("and", of, open, context, out);
        }
        Context::Or(..) => {
            let open = |of: &'c Context| match of {
                Context::Or(left, right) => Some((&**left, &**right)),
                _ => None,
            };
            chain("or", of, open, context, out);
        }
    }
}

fn condition<'c>(of: &'c Condition, out: &mut Writer) {
    match of {
        Condition::Compare(path, comparison, value) => {
            let is = COMPARISONS.iter().find(|(_, known)| known == comparison).map_or("equal", |(name, _)| *name);
            let mut attributes = vec![("query", query::print(path)), ("is", is.to_owned())];
            attributes.extend(literal(value));
            out.empty("condition", &attributes);
        }
        Condition::Not(of) => {
            out.open("not", &[]);
            condition(of, out);
            out.close("not");
        }
        Condition::And(..) => {
            let open = |of: &'c Condition| match of {
                Condition::And(left, right) => Some((&**left, &**right)),
                _ => None,
            };
            chain("and", of, open, condition, out);
        }
        Condition::Or(..) => {
            let open = |of: &'c Condition| match of {
                Condition::Or(left, right) => Some((&**left, &**right)),
                _ => None,
            };
            chain("or", of, open, condition, out);
        }
    }
}

fn correlation(set: &Correlation, out: &mut Writer) {
    out.open("correlation", &[]);
    for member in &set.members {
        out.tag("query", &[("message", member.message.clone())], ">");
        out.escaped(&query::print(&member.field));
        out.text.push_str("</query>\n");
    }
    out.close("correlation");
}
