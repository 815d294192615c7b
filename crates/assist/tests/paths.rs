// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every path of the question tree ends in a property, and everything can be made of it that is made of properties.

use std::collections::BTreeSet;

use gnomon_artefact as artefact;
use gnomon_assist::{FinishedProperty, Prompt, Session, SessionContext};
use gnomon_core::verdict::Verdict;
use gnomon_ir::pattern::{Behaviour, ScopeKind};
use gnomon_ir::spec::{Body, ExampleEvent};
use gnomon_run::examples::judge_events;

/// The questions at which a walk does not branch: paths that differ in these answers give properties that differ in nothing else.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Breadth {
    /// Every answer to every question.
    Full,
    /// One unit, no data but where it must be.
    Forms,
}

/// Walks all paths; a question is asked at most twice on one of them, those about data once.
fn walk(session: &Session, breadth: Breadth, past: &mut Vec<String>, leaf: &mut dyn FnMut(&Session)) {
    let Some(asked) = session.question() else { return leaf(session) };
    let visits = past.iter().filter(|id| **id == asked.id).count();
    for answer in answers(&asked, breadth, visits, session.transcript().answers.len()) {
        let mut next = session.clone();
        next.answer(&answer).unwrap_or_else(|wrong| panic!("`{answer}` to `{}`: {wrong}", asked.id));
        past.push(asked.id.clone());
        walk(&next, breadth, past, leaf);
        past.pop();
    }
}

fn answers(asked: &Prompt, breadth: Breadth, visits: usize, depth: usize) -> Vec<String> {
    let forms = breadth == Breadth::Forms;
    let one = |answer: &str| vec![answer.to_owned()];
    match asked.id.as_str() {
        "unit" if forms => one("s"),
        "data" if forms => one("no"),
        "data-more" => one("no"),
        // The second time round there is no third.
        id if id.ends_with("-more") && visits > 0 => one("no"),
        _ if !asked.answers.is_empty() => asked.answers.iter().map(|offer| offer.id.clone()).collect(),
        "field" | "universal-field" | "measured-field" => one("id"),
        "carriers" => one("none"),
        "statistic-bound" => one("5"),
        "fixed" => one("7"),
        "variable" => one("x"),
        "number" | "rate-number" => one("2"),
        "least" | "from" | "shortest-time" => one("2s"),
        "most" | "to" | "longest-time" | "rate-span" | "recurring-span" | "statistic-window" => one("10s"),
        "name" => one(asked.default.as_deref().unwrap_or_default()),
        // Every event has a name of its own.
        _ => one(&format!("e{depth}")),
    }
}

/// The scope and the behaviour of a pattern, by name; `None` for a limit on a statistic, which has no scope.
fn cell(finished: &FinishedProperty) -> Option<(ScopeKind, &'static str)> {
    let Body::Pattern(pattern) = &finished.property.body else { return None };
    let behaviour = match &pattern.behaviour {
        Behaviour::Absence(_) => "absence",
        Behaviour::Existence { .. } => "existence",
        Behaviour::Count { amount, .. } => amount.words(),
        Behaviour::Rate { .. } => "rate",
        Behaviour::Universality(_) => "universality",
        Behaviour::Only(_) => "only",
        Behaviour::Precedence { causes, effects, required, .. } => match (causes.len(), effects.len(), required) {
            (1, 1, false) => "precedence",
            (1, 1, true) => "precedence, required",
            (1, _, _) => "precedence chain, effects",
            (_, 1, _) => "precedence chain, causes",
            _ => "precedence chain, both",
        },
        Behaviour::Response { stimuli, responses, without, required, .. } => {
            match (stimuli.len(), responses.len(), without, required) {
                (1, 1, _, false) => "response",
                (1, 1, _, true) => "response, required",
                (1, _, None, _) => "response chain, responses",
                (1, _, Some(_), _) => "response chain, constrained",
                (_, 1, _, _) => "response chain, stimuli",
                _ => "response chain, both",
            }
        }
        Behaviour::Recurrence { .. } => "recurrence",
    };
    Some((pattern.scope.kind, behaviour))
}

fn finished(session: &Session) -> FinishedProperty {
    let answers: Vec<String> = session.transcript().answers.into_iter().map(|reply| reply.answer).collect();
    session.finish().unwrap_or_else(|wrong| panic!("{answers:?}: {wrong}"))
}

#[test]
fn every_path_ends_in_a_property() {
    let (mut paths, mut cells, mut statistics) = (0, BTreeSet::new(), BTreeSet::new());
    let mut always = Session::new(SessionContext::default());
    always.answer("always").unwrap();
    let mut leaf = |session: &Session| {
        paths += 1;
        let finished = finished(session);
        match cell(&finished) {
            Some(cell) => _ = cells.insert(cell),
            None => _ = statistics.insert(finished.block.split('[').next().unwrap_or_default().to_owned()),
        }
    };
    // What comes after the scope does not depend on it.
    walk(&always, Breadth::Full, &mut vec![], &mut leaf);
    walk(&Session::new(SessionContext::default()), Breadth::Forms, &mut vec![], &mut leaf);
    assert!(paths > 8_000, "{paths}");
    let behaviours: BTreeSet<&str> = cells.iter().map(|(_, behaviour)| *behaviour).collect();
    assert_eq!(behaviours.len(), 20, "{behaviours:?}");
    assert_eq!(cells.len(), 9 * behaviours.len(), "some behaviour is not to be had in every scope");
    assert_eq!(statistics.len(), 7, "{statistics:?}");
}

#[test]
fn everything_can_be_made_of_every_form() {
    let mut forms = 0;
    walk(&Session::new(SessionContext::default()), Breadth::Forms, &mut vec![], &mut |session| {
        let finished = finished(session);
        let Some((_, behaviour)) = cell(&finished) else {
            let FinishedProperty { property, spec, block, .. } = finished;
            assert!(!artefact::english(&spec, &property).unwrap().is_empty(), "{block}");
            assert!(artefact::mtl(&spec, &property).is_ok(), "{block}");
            return;
        };
        let is_chain = behaviour.contains("chain");
        let FinishedProperty { property, spec, block, .. } = finished;
        let is_timed = block.contains(" within ") || block.contains(" in ") || block.contains(" every ");
        let made = [
            ("words", artefact::english(&spec, &property), true),
            ("mtl", artefact::mtl(&spec, &property).map(|_| "there".to_owned()), !is_timed || !is_chain),
            ("mu", artefact::mu(&spec, &property).map(|mu| mu.text), !is_timed),
            ("mermaid", artefact::mermaid(&spec, &property), true),
            ("plantuml", artefact::plantuml(&spec, &property), true),
            ("svg", artefact::svg(&spec, &property), true),
            ("mcrl2", artefact::mcrl2(&spec, &property), false),
        ];
        for (what, made, must) in made {
            match made {
                Ok(text) => assert!(!text.trim().is_empty(), "{what} of {block}"),
                Err(refusal) => assert!(!must && !refusal.reason.is_empty(), "{what} of {block}: {refusal}"),
            }
        }
        let mut verdict = |events: &[ExampleEvent]| {
            judge_events(&spec, &property.name, events).expect("examples can be judged").outcomes[0].verdict
        };
        let examples = artefact::examples(&spec, &property, &mut verdict);
        let examples = examples.unwrap_or_else(|refusal| panic!("examples of {block}: {refusal}"));
        assert_eq!(verdict(&examples.accepts), Verdict::Holds, "{block}");
        assert_eq!(verdict(&examples.rejects), Verdict::Violated, "{block}");
        forms += 1;
    });
    assert!(forms > 950, "{forms}");
}
