// SPDX-License-Identifier: MIT OR Apache-2.0
//! `<time>` and `<event>`: what a spec file declares, in XML.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::time::Unit;
use gnomon_ir::spec::{Alternative, EventDeclaration, Participant, TimeDeclaration};

use super::condition::{CONDITIONS, all};
use super::query;
use super::report::{Report, misplaced};
use super::xml::{Element, Text};
use crate::specfile::literal::unknown_unit;
use crate::specfile::similar::nearest;

/// A unit of time; `None` if it is none, which has been reported.
pub(super) fn unit(report: &mut Report, text: &Text) -> Option<Unit> {
    report.snippet(text, "the unit", |cursor| {
        let Some(word) = cursor.word() else {
            cursor.expected("a unit: `ns us ms s m h D`");
            return None;
        };
        let span = cursor.bump().span;
        let unit = Unit::parse(word);
        if unit.is_none() {
            unknown_unit(cursor, span);
        }
        unit
    })
}

/// `<time field="Timestamp" unit="s"/>`
pub(super) fn time(report: &mut Report, element: &Element) -> TimeDeclaration {
    let [field, unit] = element.known(report, ["field", "unit"]);
    element.nothing_inside(report);
    TimeDeclaration {
        field: field.map(|field| field.value.clone()),
        unit: unit.and_then(|text| self::unit(report, text)),
        span: Some(element.span),
    }
}

/// `<event name="pay" from="client" to="bank">` with parameters and the messages it stands for.
pub(super) fn event(report: &mut Report, element: &Element) -> Option<EventDeclaration> {
    let [name, from, to] = element.known(report, ["name", "from", "to"]);
    let children = element.elements(report, &["parameter", "message"]);
    let name = element.needed(report, "name", name);
    let mut parameters: Vec<&Text> = Vec::new();
    for child in children.iter().filter(|child| child.name == "parameter") {
        let [name] = child.known(report, ["name"]);
        child.nothing_inside(report);
        let Some(name) = child.needed(report, "name", name) else { continue };
        if let Some(before) = parameters.iter().find(|known| known.value == name.value) {
            twice(report, &name.value, name.span, before.span);
        }
        parameters.push(name);
    }
    let messages = children.into_iter().filter(|child| child.name == "message");
    let alternatives: Vec<Option<Alternative>> =
        messages.map(|child| alternative(report, child, &parameters)).collect();
    let mut alternatives: Vec<Alternative> = alternatives.into_iter().collect::<Option<_>>()?;
    let participants = participants(report, element, from, to)?;
    let name = name?;
    if alternatives.is_empty() {
        let event = name.value.clone();
        alternatives.push(Alternative { event, condition: None, renames: vec![], span: name.span });
    }
    Some(EventDeclaration {
        name: name.value.clone(),
        name_span: name.span,
        parameters: (!parameters.is_empty()).then(|| parameters.iter().map(|name| name.value.clone()).collect()),
        alternatives,
        participants,
    })
}

fn twice(report: &mut Report, name: &str, span: Span, before: Span) {
    report.add(
        Diagnostic::error("G0202", span, format!("the parameter `{name}` is there twice"))
            .label("named again here")
            .also(before, "named here first")
            .help("give each parameter a name of its own, and take it from one field"),
    );
}

/// `<message name="payment">` with the fields behind the parameters, and conditions.
fn alternative(report: &mut Report, element: &Element, parameters: &[&Text]) -> Option<Alternative> {
    let [name] = element.known(report, ["name"]);
    let children = element.elements(report, &["field", "condition", "and", "or", "not"]);
    let name = element.needed(report, "name", name)?;
    let message = Some(name.value.as_str());
    let mut renames = Vec::new();
    let mut named: Vec<&Text> = Vec::new();
    let mut understood = true;
    for child in children.iter().filter(|child| child.name == "field") {
        let [query, parameter] = child.known(report, ["query", "as"]);
        child.nothing_inside(report);
        let path = child.needed(report, "query", query).and_then(|text| query::read(report, text, message));
        let parameter = child.needed(report, "as", parameter);
        let (Some(path), Some(parameter)) = (path, parameter) else {
            understood = false;
            continue;
        };
        if let Some(before) = named.iter().find(|known| known.value == parameter.value) {
            twice(report, &parameter.value, parameter.span, before.span);
        }
        known_parameter(report, parameter, parameters);
        named.push(parameter);
        renames.push((path, parameter.value.clone()));
    }
    let conditions = children.into_iter().filter(|child| CONDITIONS.contains(&child.name.as_str()));
    let condition = all(report, conditions, message)?;
    understood.then(|| Alternative { event: name.value.clone(), condition, renames, span: element.tag })
}

fn known_parameter(report: &mut Report, parameter: &Text, parameters: &[&Text]) {
    let name = &parameter.value;
    if parameters.iter().any(|known| known.value == *name) || report.is_full() {
        return;
    }
    let diagnostic = Diagnostic::error("G0205", parameter.span, format!("`{name}` is no parameter of this event"))
        .label("not among its parameters");
    report.add(match nearest(name, parameters.iter().map(|known| known.value.as_str())) {
        Some(meant) => diagnostic.edit(format!("a parameter `{meant}` exists"), parameter.span, meant),
        None => diagnostic.help(format!("declare it: `<parameter name=\"{name}\"/>`")),
    });
}

/// The outer `None`: only one of them is there.
#[expect(clippy::option_option, reason = "absent and wrong are two things")]
fn participants(
    report: &mut Report,
    element: &Element,
    from: Option<&Text>,
    to: Option<&Text>,
) -> Option<Option<(Participant, Participant)>> {
    match (from, to) {
        (None, None) => Some(None),
        (Some(from), Some(to)) => Some(Some((participant(from), participant(to)))),
        _ => {
            report.add(
                misplaced(element.tag, "only one end of the message is named")
                    .label("`from` and `to` stand together")
                    .help("name the sender and the receiver: `from=\"client\" to=\"bank\"`"),
            );
            None
        }
    }
}

/// `$field` is the participant that the field names; a doubled `$` is a name that begins with one.
fn participant(text: &Text) -> Participant {
    match text.value.strip_prefix('$') {
        Some(name) if name.starts_with('$') => Participant::Named(name.to_owned()),
        Some(field) => Participant::Field(field.to_owned()),
        None => Participant::Named(text.value.clone()),
    }
}
