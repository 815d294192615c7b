// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads `<rule>`: supposition, window, context, correlation.

use gnomon_core::{Diagnostic, Quantity, Unit};
use gnomon_ir::{
    ActionPhase, Argument, Atom, Body, Correlation, CorrelationMember, Language, Matching, Modality, Options, Property,
    PropertySeverity, Rule, RuleAction, RuleContext, RuleWindow,
};

use super::condition::{CONDITIONS, all, count, literal};
use super::event::unit;
use super::form::{BOOLEANS, choice, misplaced};
use super::query;
use super::xml::{XmlElement, XmlText};
use crate::syntax::{Diagnostics, UnitPlace, join_boxed, quantity, table};

const VERDICTS: &[(&str, Modality)] = &[("true", Modality::Permission), ("false", Modality::Prohibition)];

/// Reads a rule. Returns `None` after reporting an error.
pub(super) fn rule(report: &mut Diagnostics, element: &XmlElement) -> Option<Property> {
    let names = ["id", "verdict", "title", "matching", "strict-end", "critical", "severity"];
    let [id, verdict, title, matching, strict_end, critical, severity] = element.attributes(report, names);
    let children = element.elements(report, &["supposition", "window", "context", "correlation"]);
    let id = element.needed(report, "id", id);
    let modality = element.needed(report, "verdict", verdict).and_then(|text| choice(report, text, VERDICTS));
    let mut boolean = |text: Option<&XmlText>| text.map_or(Some(false), |text| choice(report, text, BOOLEANS));
    let (strict_end, critical) = (boolean(strict_end), boolean(critical));
    let matching = matching.map_or(Some(Matching::Paired), |text| choice(report, text, &Matching::WORDS));
    let severity = severity.map_or(Some(None), |text| choice(report, text, &PropertySeverity::WORDS).map(Some));
    let part = "write one, as in `<supposition><message name=\"loginReq\"/></supposition>`";
    let supposition = element.one(report, "supposition", part).and_then(|part| supposition(report, part));
    let part = "write one, as in `<window from=\"0\" to=\"10\" unit=\"s\"/>`";
    let window = element.one(report, "window", part).and_then(|part| window(report, part));
    let part = "write one, as in `<context><message name=\"loginRes\"/></context>`";
    let context = element.one(report, "context", part).and_then(|part| whole_context(report, part));
    let sets = children.into_iter().filter(|child| child.name == "correlation");
    let correlations = table::collect_all(sets.map(|part| correlation(report, part)));
    let body = Rule {
        modality: modality?,
        supposition: supposition?,
        window: window?,
        context: context?,
        correlations: correlations?,
        matching: matching?,
        strict_end: strict_end?,
    };
    let (severity, id) = (severity?, id?);
    Some(Property {
        name: id.value.clone(),
        name_span: id.span,
        title: title.map(|title| title.value.clone()),
        language: Language::Nomad,
        options: Options { critical: critical?, severity, simultaneous: None },
        prefix: vec![],
        body: Body::Rule(body),
        body_span: element.span,
    })
}

/// Reads the supposition: one message or several, perhaps in an `<or>`.
fn supposition(report: &mut Diagnostics, element: &XmlElement) -> Option<Vec<RuleAction>> {
    let mut inside = element.bare_elements(report, &["message", "or"]);
    if let [only] = inside.as_slice()
        && only.name == "or"
    {
        inside = only.bare_elements(report, &["message"]);
    }
    let actions = table::collect_all(inside.into_iter().map(|element| {
        if element.name == "message" {
            return action(report, element, ActionPhase::Start);
        }
        let diagnostic = misplaced(element.tag, "a supposition is one list of messages");
        report.add(diagnostic.label("there are messages beside this").help("put all of them into one `<or>`, or none"));
        None
    }))?;
    if actions.is_empty() {
        return count(report, element, "at least one message");
    }
    Some(actions)
}

/// Reads `<window from="1" to="0" unit="D"/>`.
fn window(report: &mut Diagnostics, element: &XmlElement) -> Option<RuleWindow> {
    let [from, to, unit] = element.leaf_attributes(report, ["from", "to", "unit"]);
    let (from, to) = (element.needed(report, "from", from), element.needed(report, "to", to));
    let unit = unit.map_or(Some(None), |text| self::unit(report, text).map(Some));
    let mut bound = |text: Option<&XmlText>| text.and_then(|text| bound(report, text, unit.flatten()));
    let (from, to) = (bound(from), bound(to));
    let (from, to, _) = (from?, to?, unit?);
    if from.is_none() && to.is_none() {
        report.add(
            Diagnostic::error("G0320", element.tag, "both ends of the window are infinite")
                .label("it would look neither ahead nor back")
                .help("write `from=\"0\" to=\"inf\"` for any time after, `from=\"inf\" to=\"0\"` for any time before"),
        );
        return None;
    }
    Some(RuleWindow { from, to, span: element.span })
}

/// Reads `inf`, which is the inner `None`, or an amount of time. Returns `None` after reporting another text.
fn bound(report: &mut Diagnostics, text: &XmlText, unit: Option<Unit>) -> Option<Option<Quantity>> {
    if matches!(text.value.trim(), "inf" | "INF" | "+inf" | "∞") {
        return Some(None);
    }
    let mut amount = text.read(report, "the bound", |cursor| {
        quantity(cursor, UnitPlace::Sure, "a number, with or without a unit, or `inf`").map(|(amount, _)| amount)
    })?;
    if amount.billionths < 0 {
        let written = text.value.trim();
        let advice = "leave out the sign; a window looks back if `from` is greater than `to`";
        let diagnostic = Diagnostic::error("G0309", text.span, format!("`{written}` is negative"));
        let positive = written.trim_start_matches(['-', '−', ' ']);
        report.add(diagnostic.label("distances are not negative").edit(advice, text.span, positive));
        return None;
    }
    if let Some(unit) = unit {
        if amount.unit.is_some() {
            report.add(
                Diagnostic::error("G0302", text.span, "the window has two units")
                    .label("this bound has a unit of its own")
                    .help("leave out the attribute `unit`, or the unit here"),
            );
            return None;
        }
        amount.unit = Some(unit);
    }
    Some(Some(amount))
}

/// The elements of a context.
const PARTS: &[&str] = &["message", "and", "or", "not"];

fn whole_context(report: &mut Diagnostics, element: &XmlElement) -> Option<RuleContext> {
    match element.bare_elements(report, PARTS).as_slice() {
        [only] => context(report, only),
        _ => count(report, element, "one message, `<and>`, `<or>` or `<not>`"),
    }
}

fn context(report: &mut Diagnostics, element: &XmlElement) -> Option<RuleContext> {
    let both = match element.name.as_str() {
        "message" => return action(report, element, ActionPhase::Done).map(RuleContext::Action),
        "not" => return negated(report, element),
        "and" => RuleContext::And,
        _ => RuleContext::Or,
    };
    let parts = element.bare_elements(report, PARTS).into_iter();
    let parts = table::collect_all(parts.map(|part| context(report, part)))?;
    join_boxed(parts, both).or_else(|| count(report, element, "at least one message"))
}

/// Reads `<not>`, which holds one message.
fn negated(report: &mut Diagnostics, element: &XmlElement) -> Option<RuleContext> {
    match element.bare_elements(report, PARTS).as_slice() {
        [message] if message.name == "message" => {
            let action = action(report, message, ActionPhase::Done)?;
            Some(RuleContext::Action(RuleAction { negated: true, span: element.span, ..action }))
        }
        [compound] => {
            let help = match compound.name.as_str() {
                "not" => "leave out both `<not>`",
                "and" => "write `<or>` with `<not>` around each message",
                _ => "write `<and>` with `<not>` around each message",
            };
            let diagnostic = Diagnostic::error("G0119", element.tag, "only a message can be negated");
            report.add(diagnostic.label(format!("this negates the `<{}>` in it", compound.name)).help(help));
            None
        }
        _ => count(report, element, "one message"),
    }
}

/// Reads `<message name="pay" phase="done">` with arguments and conditions.
fn action(report: &mut Diagnostics, element: &XmlElement, otherwise: ActionPhase) -> Option<RuleAction> {
    let [name, phase] = element.attributes(report, ["name", "phase"]);
    let children = element.elements(report, &["arguments", "condition", "and", "or", "not"]);
    let phase = phase.map_or(Some(otherwise), |text| choice(report, text, &ActionPhase::WORDS));
    let name = element.needed(report, "name", name);
    let message = name.map(|name| name.value.as_str());
    let conditions = children.iter().copied().filter(|child| CONDITIONS.contains(&child.name.as_str()));
    let condition = all(report, conditions, message);
    let mut lists = children.into_iter().filter(|child| child.name == "arguments");
    let arguments = lists.next().map_or(Some(None), |list| arguments(report, list).map(Some));
    if let Some(second) = lists.next() {
        report.add(misplaced(second.name_span, "`<arguments>` occurs twice").help("leave one of them out"));
    }
    let name = name?;
    let message = Atom {
        name: name.value.clone(),
        name_span: name.span,
        arguments: arguments?,
        condition: condition?,
        span: element.span,
    };
    Some(RuleAction { phase: phase?, negated: false, message, span: element.span })
}

/// Reads `<arguments>` with `<argument/>` for any value and `<argument value="ann"/>`.
fn arguments(report: &mut Diagnostics, element: &XmlElement) -> Option<Vec<Argument>> {
    let parts = element.bare_elements(report, &["argument"]).into_iter();
    table::collect_all(parts.map(|part| {
        let [text, kind] = part.leaf_attributes(report, ["value", "type"]);
        if text.is_none() && kind.is_none() {
            return Some(Argument::Any);
        }
        literal(report, part, text, kind).map(Argument::Literal)
    }))
}

/// Reads `<correlation>` with one `<query message="login">sid</query>` per message.
fn correlation(report: &mut Diagnostics, element: &XmlElement) -> Option<Correlation> {
    let queries = element.bare_elements(report, &["query"]).into_iter();
    let members = table::collect_all(queries.map(|query| member(report, query)))?;
    if members.is_empty() {
        return count(report, element, "a query for each message");
    }
    Some(Correlation { members, span: element.tag })
}

fn member(report: &mut Diagnostics, element: &XmlElement) -> Option<CorrelationMember> {
    let [message] = element.attributes(report, ["message"]);
    if let Some(inside) = element.children.first() {
        let diagnostic = misplaced(inside.name_span, "a query is a text");
        report.add(diagnostic.label("no element is expected here").help("leave it out"));
        return None;
    }
    let message = element.needed(report, "message", message);
    if element.text.value.is_empty() {
        return count(report, element, "a path");
    }
    let field = query::read(report, &element.text, message.map(|message| message.value.as_str()));
    Some(CorrelationMember { message: message?.value.clone(), field: field?, span: element.span })
}
