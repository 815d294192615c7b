// SPDX-License-Identifier: MIT OR Apache-2.0
//! `<rule>`: supposition, window, context, correlation.

use gnomon_core::diagnostic::Diagnostic;
use gnomon_core::time::{Quantity, Unit};
use gnomon_ir::pattern::{Argument, Atom};
use gnomon_ir::rule::{Action, Context, Correlation, Matching, Member, Modality, Phase, Rule, Window};
use gnomon_ir::spec::{Body, Importance, Language, Options, Property};

use super::condition::{CONDITIONS, all, count, literal};
use super::event::unit;
use super::form::{BOOLEANS, choice};
use super::query;
use super::report::{Report, misplaced};
use super::xml::{Element, Text};
use crate::specfile::chain::join;
use crate::specfile::literal::{UnitPlace, quantity};

const VERDICTS: &[(&str, Modality)] = &[("true", Modality::Permission), ("false", Modality::Prohibition)];
const MATCHINGS: &[(&str, Matching)] = &[("paired", Matching::Paired), ("any", Matching::Any)];
const SEVERITIES: &[(&str, Importance)] =
    &[("low", Importance::Low), ("medium", Importance::Medium), ("high", Importance::High)];
const PHASES: &[(&str, Phase)] = &[("start", Phase::Start), ("done", Phase::Done)];

/// Reads a rule; `None` if a part of it could not be understood, which has been reported.
pub(super) fn rule(report: &mut Report, element: &Element) -> Option<Property> {
    let names = ["id", "verdict", "title", "matching", "strict-end", "critical", "severity"];
    let [id, verdict, title, matching, strict_end, critical, severity] = element.known(report, names);
    let children = element.elements(report, &["supposition", "window", "context", "correlation"]);
    let id = element.needed(report, "id", id);
    let modality = element.needed(report, "verdict", verdict).and_then(|text| choice(report, text, VERDICTS));
    let mut boolean = |text: Option<&Text>| text.map_or(Some(false), |text| choice(report, text, BOOLEANS));
    let (strict_end, critical) = (boolean(strict_end), boolean(critical));
    let matching = matching.map_or(Some(Matching::Paired), |text| choice(report, text, MATCHINGS));
    let severity = severity.map(|text| choice(report, text, SEVERITIES));
    let part = "write one, as in `<supposition><message name=\"loginReq\"/></supposition>`";
    let supposition = element.one(report, "supposition", part).and_then(|part| supposition(report, part));
    let part = "write one, as in `<window from=\"0\" to=\"10\" unit=\"s\"/>`";
    let window = element.one(report, "window", part).and_then(|part| window(report, part));
    let part = "write one, as in `<context><message name=\"loginRes\"/></context>`";
    let context = element.one(report, "context", part).and_then(|part| whole_context(report, part));
    let sets = children.into_iter().filter(|child| child.name == "correlation");
    let sets: Vec<Option<Correlation>> = sets.map(|part| correlation(report, part)).collect();
    let correlations = sets.into_iter().collect::<Option<_>>();
    let body = Rule {
        modality: modality?,
        supposition: supposition?,
        window: window?,
        context: context?,
        correlations: correlations?,
        matching: matching?,
        strict_end: strict_end?,
    };
    let severity = match severity {
        None => None,
        Some(severity) => Some(severity?),
    };
    let id = id?;
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

/// One message or several, perhaps in an `<or>`.
fn supposition(report: &mut Report, element: &Element) -> Option<Vec<Action>> {
    let [] = element.known(report, []);
    let mut inside = element.elements(report, &["message", "or"]);
    if let [only] = inside.as_slice()
        && only.name == "or"
    {
        let or = *only;
        let [] = or.known(report, []);
        inside = or.elements(report, &["message"]);
    }
    let actions: Vec<Option<Action>> = inside
        .into_iter()
        .map(|element| {
            if element.name == "message" {
                return action(report, element, Phase::Start);
            }
            report.add(
                misplaced(element.tag, "a supposition is one list of messages")
                    .label("messages stand beside this")
                    .help("put all of them into one `<or>`, or none"),
            );
            None
        })
        .collect();
    if actions.is_empty() {
        return count(report, element, "at least one message");
    }
    actions.into_iter().collect()
}

/// `<window from="1" to="0" unit="D"/>`
fn window(report: &mut Report, element: &Element) -> Option<Window> {
    let [from, to, unit] = element.known(report, ["from", "to", "unit"]);
    element.nothing_inside(report);
    let (from, to) = (element.needed(report, "from", from), element.needed(report, "to", to));
    let unit = match unit {
        None => Some(None),
        Some(text) => self::unit(report, text).map(Some),
    };
    let mut bound = |text: Option<&Text>| text.and_then(|text| bound(report, text, unit.flatten()));
    let (from, to) = (bound(from), bound(to));
    let (from, to, _) = (from?, to?, unit?);
    if from.is_none() && to.is_none() {
        report.add(
            Diagnostic::error("G0320", element.tag, "both ends of the window are infinite")
                .label("this says neither before nor after")
                .help("write `from=\"0\" to=\"inf\"` for any time after, `from=\"inf\" to=\"0\"` for any time before"),
        );
        return None;
    }
    Some(Window { from, to, span: element.span })
}

/// `inf`, or an amount of time; the outer `None`: neither.
#[expect(clippy::option_option, reason = "infinite and wrong are two things")]
fn bound(report: &mut Report, text: &Text, unit: Option<Unit>) -> Option<Option<Quantity>> {
    if matches!(text.value.trim(), "inf" | "INF" | "+inf" | "∞") {
        return Some(None);
    }
    let mut amount = report.snippet(text, "the bound", |cursor| {
        quantity(cursor, UnitPlace::Sure, "a number, with or without a unit, or `inf`").map(|(amount, _)| amount)
    })?;
    if amount.billionths < 0 {
        report.add(
            Diagnostic::error("G0309", text.span, format!("`{}` is negative", text.value.trim()))
                .label("distances are not negative")
                .edit(
                    "leave out the sign; a window looks back if `from` is greater than `to`",
                    text.span,
                    text.value.trim().trim_start_matches(['-', '−', ' ']),
                ),
        );
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

fn whole_context(report: &mut Report, element: &Element) -> Option<Context> {
    let [] = element.known(report, []);
    match element.elements(report, PARTS).as_slice() {
        [only] => context(report, only),
        _ => count(report, element, "one message, `<and>`, `<or>` or `<not>`"),
    }
}

fn context(report: &mut Report, element: &Element) -> Option<Context> {
    let both = match element.name.as_str() {
        "message" => return action(report, element, Phase::Done).map(Context::Action),
        "not" => return negated(report, element),
        "and" => Context::And,
        _ => Context::Or,
    };
    let [] = element.known(report, []);
    let parts = element.elements(report, PARTS).into_iter();
    let parts: Vec<Option<Context>> = parts.map(|part| context(report, part)).collect();
    let parts: Vec<Context> = parts.into_iter().collect::<Option<_>>()?;
    let joined = join(parts, &mut |left, right| both(Box::new(left), Box::new(right)));
    joined.or_else(|| count(report, element, "at least one message"))
}

/// `<not>` holds one message.
fn negated(report: &mut Report, element: &Element) -> Option<Context> {
    let [] = element.known(report, []);
    match element.elements(report, PARTS).as_slice() {
        [message] if message.name == "message" => {
            let action = action(report, message, Phase::Done)?;
            Some(Context::Action(Action { negated: true, span: element.span, ..action }))
        }
        [compound] => {
            let help = match compound.name.as_str() {
                "not" => "leave out both `<not>`",
                "and" => "write `<or>` with `<not>` around each message",
                _ => "write `<and>` with `<not>` around each message",
            };
            report.add(
                Diagnostic::error("G0119", element.tag, "only a message can be negated")
                    .label(format!("this negates the `<{}>` in it", compound.name))
                    .help(help),
            );
            None
        }
        _ => count(report, element, "one message"),
    }
}

/// `<message name="pay" phase="done">` with arguments and conditions.
fn action(report: &mut Report, element: &Element, otherwise: Phase) -> Option<Action> {
    let [name, phase] = element.known(report, ["name", "phase"]);
    let children = element.elements(report, &["arguments", "condition", "and", "or", "not"]);
    let phase = phase.map_or(Some(otherwise), |text| choice(report, text, PHASES));
    let name = element.needed(report, "name", name);
    let message = name.map(|name| name.value.as_str());
    let conditions = children.iter().copied().filter(|child| CONDITIONS.contains(&child.name.as_str()));
    let condition = all(report, conditions, message);
    let mut lists = children.into_iter().filter(|child| child.name == "arguments");
    let arguments = match lists.next() {
        None => Some(None),
        Some(list) => arguments(report, list).map(Some),
    };
    if let Some(second) = lists.next() {
        report.add(misplaced(second.name_span, "`<arguments>` is there twice").help("leave one of them out"));
    }
    let name = name?;
    let message = Atom {
        name: name.value.clone(),
        name_span: name.span,
        arguments: arguments?,
        condition: condition?,
        span: element.span,
    };
    Some(Action { phase: phase?, negated: false, message, span: element.span })
}

/// `<arguments>` with `<argument/>` for any value and `<argument value="ann"/>`
fn arguments(report: &mut Report, element: &Element) -> Option<Vec<Argument>> {
    let [] = element.known(report, []);
    let parts = element.elements(report, &["argument"]).into_iter();
    let read: Vec<Option<Argument>> = parts
        .map(|part| {
            let [text, kind] = part.known(report, ["value", "type"]);
            part.nothing_inside(report);
            if text.is_none() && kind.is_none() {
                return Some(Argument::Any);
            }
            literal(report, part, text, kind).map(Argument::Literal)
        })
        .collect();
    read.into_iter().collect()
}

/// `<correlation>` with one `<query message="login">sid</query>` per message.
fn correlation(report: &mut Report, element: &Element) -> Option<Correlation> {
    let [] = element.known(report, []);
    let queries = element.elements(report, &["query"]).into_iter();
    let members: Vec<Option<Member>> = queries.map(|query| member(report, query)).collect();
    if members.is_empty() {
        return count(report, element, "a query for each message");
    }
    Some(Correlation { members: members.into_iter().collect::<Option<_>>()?, span: element.tag })
}

fn member(report: &mut Report, element: &Element) -> Option<Member> {
    let [message] = element.known(report, ["message"]);
    if let Some(inside) = element.children.first() {
        report.add(
            misplaced(inside.name_span, "a query is a text").label("no element is expected here").help("leave it out"),
        );
        return None;
    }
    let message = element.needed(report, "message", message);
    if element.text.value.is_empty() {
        return count(report, element, "a path");
    }
    let field = query::read(report, &element.text, message.map(|message| message.value.as_str()));
    Some(Member { message: message?.value.clone(), field: field?, span: element.span })
}
