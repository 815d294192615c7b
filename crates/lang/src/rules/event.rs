// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads `<time>` and `<event>`, the declarations of a spec file in XML.

use gnomon_core::{Diagnostic, Span, Unit};
use gnomon_ir::{Alternative, EventDeclaration, Participant, TimeDeclaration};

use super::condition::{CONDITIONS, all};
use super::form::misplaced;
use super::query;
use super::xml::{XmlElement, XmlText};
use crate::syntax::{Diagnostics, duplicate, literal, nearest, table};

/// Reads a unit of time. Returns `None` after reporting another text.
pub(super) fn unit(report: &mut Diagnostics, text: &XmlText) -> Option<Unit> {
    text.read(report, "the unit", |cursor| literal::unit(cursor)?.0)
}

/// Reads `<time field="Timestamp" unit="s"/>`.
pub(super) fn time(report: &mut Diagnostics, element: &XmlElement) -> TimeDeclaration {
    let [field, unit] = element.leaf_attributes(report, ["field", "unit"]);
    TimeDeclaration {
        field: field.map(|field| field.value.clone()),
        unit: unit.and_then(|text| self::unit(report, text)),
        span: Some(element.span),
        ..TimeDeclaration::default()
    }
}

/// Reads `<event name="pay" from="client" to="bank">` with its parameters and the messages it stands for.
pub(super) fn event(report: &mut Diagnostics, element: &XmlElement) -> Option<EventDeclaration> {
    let [name, from, to] = element.attributes(report, ["name", "from", "to"]);
    let children = element.elements(report, &["parameter", "message"]);
    let name = element.needed(report, "name", name);
    let mut parameters: Vec<&XmlText> = Vec::new();
    for child in children.iter().filter(|child| child.name == "parameter") {
        let [name] = child.leaf_attributes(report, ["name"]);
        let Some(name) = child.needed(report, "name", name) else { continue };
        if let Some(before) = parameters.iter().find(|known| known.value == name.value) {
            twice(report, &name.value, name.span, before.span);
        }
        parameters.push(name);
    }
    let messages = children.into_iter().filter(|child| child.name == "message");
    let mut alternatives = table::collect_all(messages.map(|child| alternative(report, child, &parameters)))?;
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

fn twice(report: &mut Diagnostics, name: &str, span: Span, before: Span) {
    let diagnostic = duplicate("G0202", span, before, format!("the parameter `{name}` occurs twice"), "named");
    report.add(diagnostic.help("give each parameter a different name, and take it from one field"));
}

/// Reads `<message name="payment">` with the fields behind the parameters, and conditions.
fn alternative(report: &mut Diagnostics, element: &XmlElement, parameters: &[&XmlText]) -> Option<Alternative> {
    let [name] = element.attributes(report, ["name"]);
    let children = element.elements(report, &["field", "condition", "and", "or", "not"]);
    let name = element.needed(report, "name", name)?;
    let message = Some(name.value.as_str());
    let mut renames = Vec::new();
    let mut named: Vec<&XmlText> = Vec::new();
    let mut understood = true;
    for child in children.iter().filter(|child| child.name == "field") {
        let [query, parameter] = child.leaf_attributes(report, ["query", "as"]);
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

fn known_parameter(report: &mut Diagnostics, parameter: &XmlText, parameters: &[&XmlText]) {
    let name = &parameter.value;
    if parameters.iter().any(|known| known.value == *name) || report.is_full() {
        return;
    }
    let diagnostic = Diagnostic::error("G0205", parameter.span, format!("`{name}` is not a parameter of this event"))
        .label("not among its parameters");
    report.add(match nearest(name, parameters.iter().map(|known| known.value.as_str())) {
        Some(meant) => diagnostic.edit(format!("a parameter `{meant}` exists"), parameter.span, meant),
        None => diagnostic.help(format!("declare it: `<parameter name=\"{name}\"/>`")),
    });
}

/// Reads the sender and the receiver, if they are there. Returns `None` after reporting that only one of them is.
fn participants(
    report: &mut Diagnostics,
    element: &XmlElement,
    from: Option<&XmlText>,
    to: Option<&XmlText>,
) -> Option<Option<(Participant, Participant)>> {
    match (from, to) {
        (None, None) => Some(None),
        (Some(from), Some(to)) => Some(Some((participant(from), participant(to)))),
        _ => {
            report.add(
                misplaced(element.tag, "only one end of the message is named")
                    .label("`from` and `to` belong together")
                    .help("name the sender and the receiver: `from=\"client\" to=\"bank\"`"),
            );
            None
        }
    }
}

/// Reads a participant: `$field` is the one that the field names; a doubled `$` is a name that begins with `$`.
fn participant(text: &XmlText) -> Participant {
    match text.value.strip_prefix('$') {
        Some(name) if name.starts_with('$') => Participant::Named(name.to_owned()),
        Some(field) => Participant::Field(field.to_owned()),
        None => Participant::Named(text.value.clone()),
    }
}
