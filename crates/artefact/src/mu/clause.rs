// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates a behaviour to clauses: words of a segment after which it is violated, finally or until
//! required events come.
//!
//! Example: `b responds to a` in the scope `globally` has one clause: after every word that ends with `a`, the chain `b` must follow.
//! `absence of a` has a clause without a chain: a word that ends with `a` is a violation, whatever follows.

use gnomon_ir::{Atom, Behaviour, Bounds, CountBound};

use super::SegmentWords;
use super::word::WordSet;
use crate::prepared_pattern::named;
use crate::refusal::Refusal;

/// Words of a segment, and the events that must follow each of them.
pub(super) struct SegmentClause<'c> {
    pub(super) word: WordSet,
    /// The events that must follow; `None` if the words are a violation.
    pub(super) must_follow: Option<RequiredChain<'c>>,
    /// True if a word may begin anywhere in a segment, so that it does not matter which Q opened it.
    pub(super) anywhere: bool,
}

/// Events that must come in this order.
pub(super) struct RequiredChain<'c> {
    pub(super) chain: Vec<&'c Atom>,
    /// The event that must not come between the first and the last of them.
    pub(super) without: Option<&'c Atom>,
}

/// The maximum length of a chain, so that the formula can be parsed again.
const MAX_STEPS: u64 = 50;

/// Returns the clauses of a behaviour.
pub(super) fn clauses<'c>(inside: &SegmentWords<'c, '_>) -> Result<Vec<SegmentClause<'c>>, Refusal> {
    let prepared = inside.prepared;
    let never = |word: WordSet| SegmentClause { word, must_follow: None, anywhere: true };
    let occurs = |event: &'c Atom, times: u64| SegmentClause {
        word: WordSet::NIL,
        must_follow: Some(RequiredChain { chain: vec![event; times as usize], without: None }),
        anywhere: false,
    };
    let any = || inside.letter(&[], &[]).star();
    Ok(match &prepared.behaviour {
        Behaviour::Absence(event) => vec![never(any().then(inside.letter(&[event], &[])))],
        Behaviour::Universality(event) => {
            vec![never(any().then(inside.letter(&[&named(event)], &[event])))]
        }
        Behaviour::Only(events) => {
            let events: Vec<&Atom> = events.iter().collect();
            vec![never(any().then(inside.letter(&[], &events)))]
        }
        Behaviour::Existence { event, within } => {
            untimed(within.as_ref())?;
            vec![occurs(event, 1)]
        }
        Behaviour::Count { amount, number, event } => {
            if *number >= MAX_STEPS {
                return Err(Refusal::new(format!(
                    "the number is too large: the calculus does not count, and a formula for {MAX_STEPS} occurrences is as long as is useful"
                )));
            }
            let once = || inside.letter(&[], &[event]).star().then(inside.letter(&[event], &[]));
            let too_many = (0..=*number).fold(WordSet::NIL, |word, _| word.then(once()));
            let mut clauses = Vec::new();
            if *amount != CountBound::AtMost && *number > 0 {
                clauses.push(occurs(event, *number));
            }
            if *amount != CountBound::AtLeast {
                clauses.push(never(too_many));
            }
            clauses
        }
        Behaviour::Precedence { causes, effects, required, within } => {
            untimed(within.as_ref())?;
            let uncaused =
                SegmentClause { word: uncaused(inside, causes, effects), must_follow: None, anywhere: false };
            let required = if *required { causes.first() } else { None };
            std::iter::once(uncaused).chain(required.map(|cause| occurs(cause, 1))).collect()
        }
        Behaviour::Response { stimuli, responses, without, required, within } => {
            untimed(within.as_ref())?;
            let word = stimuli
                .iter()
                .fold(WordSet::NIL, |word, stimulus| word.then(any()).then(inside.letter(&[stimulus], &[])));
            let must_follow = RequiredChain { chain: responses.iter().collect(), without: without.as_ref() };
            let unanswered = SegmentClause { word, must_follow: Some(must_follow), anywhere: true };
            let required = if *required { stimuli.first() } else { None };
            std::iter::once(unanswered).chain(required.map(|stimulus| occurs(stimulus, 1))).collect()
        }
        Behaviour::Rate { .. } | Behaviour::Recurrence { .. } => return Err(time()),
    })
}

fn untimed(within: Option<&Bounds>) -> Result<(), Refusal> {
    match within {
        Some(bounds) if !bounds.is_any() => Err(time()),
        _ => Ok(()),
    }
}

pub(crate) fn time() -> Refusal {
    Refusal::new("it limits times, and the mu-calculus has no time")
}

/// Returns the words with the effects in order, and not all causes before the first of them.
fn uncaused(inside: &SegmentWords<'_, '_>, causes: &[Atom], effects: &[Atom]) -> WordSet {
    let Some((first, later)) = effects.split_first() else { return WordSet::NONE };
    let causes: Vec<&Atom> = causes.iter().collect();
    let begins = match (causes.as_slice(), later) {
        // One event may be both.
        ([cause], []) => inside.letter(&[], &[cause]).star().then(inside.letter(&[first], &[cause])),
        _ => incomplete(inside, &causes).then(inside.letter(&[first], &[])),
    };
    later.iter().fold(begins, |word, effect| {
        word.then(inside.letter(&[], &[effect]).star()).then(inside.letter(&[effect], &[]))
    })
}

/// Returns the words of a segment in which the events of the chain do not come in order.
fn incomplete(inside: &SegmentWords<'_, '_>, chain: &[&Atom]) -> WordSet {
    chain.iter().rev().fold(WordSet::NONE, |rest, step| {
        let continuation = match rest {
            WordSet(None) => WordSet::NIL,
            rest => WordSet::NIL.or(inside.letter(&[step], &[]).then(rest)),
        };
        inside.letter(&[], &[step]).star().then(continuation)
    })
}

/// Returns the words of a segment that do not contain the events of a chain in order.
pub(super) fn words_without(inside: &SegmentWords<'_, '_>, required: &RequiredChain<'_>) -> WordSet {
    let (Some(excluded), [first, later @ ..]) = (required.without, required.chain.as_slice()) else {
        return incomplete(inside, &required.chain);
    };
    // The excluded event cancels every attempt, so only the progress of the best attempt matters. `path` leads from the first event to
    // the point where an attempt waits for its next one.
    let (mut to_nothing, mut to_first, mut left) = (WordSet::NONE, WordSet::NONE, WordSet::NONE);
    let mut path = WordSet::NIL;
    for (index, step) in later.iter().enumerate() {
        let is_last = index + 1 == later.len();
        let waiting = path.then(inside.letter(&[], &[step, excluded]).star());
        let unless_done: &[&Atom] = if is_last { &[step] } else { &[] };
        let lacks =
            |more: &[&'_ Atom]| -> Vec<Atom> { unless_done.iter().chain(more).map(|atom| (*atom).clone()).collect() };
        let cancel = |has: &[&Atom], lacks: &[Atom]| inside.letter(has, &lacks.iter().collect::<Vec<_>>());
        to_nothing = to_nothing.or(waiting.clone().then(cancel(&[excluded], &lacks(&[first]))));
        to_first = to_first.or(waiting.clone().then(cancel(&[excluded, first], &lacks(&[]))));
        left = left.or(waiting.clone());
        path = if is_last { WordSet::NONE } else { waiting.then(inside.letter(&[step], &[excluded])) };
    }
    let idle = || inside.letter(&[], &[first]).star();
    let begun = || inside.letter(&[first], &[]).then(to_first.clone().star());
    let cancelled = idle().then(begun()).then(to_nothing).star();
    cancelled.then(idle()).then(WordSet::NIL.or(begun().then(left)))
}
