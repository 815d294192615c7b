// SPDX-License-Identifier: MIT OR Apache-2.0
//! A behaviour as what must not come to pass in a segment: words after which the answer is no, for good or until something
//! mends it.

use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::Atom;
use gnomon_ir::requirement::{Amount, Behaviour};

use super::Inside;
use super::word::Word;
use crate::cell::named;
use crate::refusal::Refusal;

/// Words of a segment, and what is true after each of them.
pub(super) struct Clause<'c> {
    /// The words.
    pub(super) word: Word,
    /// What mends it; `None`: nothing.
    pub(super) owed: Option<Owed<'c>>,
    /// Whether a word that begins later in a segment tells as much: then it does not matter which Q opened it.
    pub(super) anywhere: bool,
}

/// Events that must come one after the other.
pub(super) struct Owed<'c> {
    pub(super) chain: Vec<&'c Atom>,
    /// What must not come after the first of them and before the last.
    pub(super) without: Option<&'c Atom>,
}

/// How many steps a chain may have, so that the formula can be read again.
const MAX_STEPS: u64 = 50;

/// What must not come to pass.
pub(super) fn clauses<'c>(inside: &Inside<'c, '_>) -> Result<Vec<Clause<'c>>, Refusal> {
    let cell = inside.cell;
    let never = |word: Word| Clause { word, owed: None, anywhere: true };
    let occurs = |event: &'c Atom, times: u64| Clause {
        word: Word::Nil,
        owed: Some(Owed { chain: vec![event; times as usize], without: None }),
        anywhere: false,
    };
    let any = || inside.letter(&[], &[]).star();
    Ok(match &cell.behaviour {
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
            let too_many = (0..=*number).fold(Word::Nil, |word, _| word.then(once()));
            let mut clauses = Vec::new();
            if *amount != Amount::AtMost && *number > 0 {
                clauses.push(occurs(event, *number));
            }
            if *amount != Amount::AtLeast {
                clauses.push(never(too_many));
            }
            clauses
        }
        Behaviour::Precedence { causes, effects, required, within } => {
            untimed(within.as_ref())?;
            let uncaused = Clause { word: uncaused(inside, causes, effects), owed: None, anywhere: false };
            let required = if *required { causes.first() } else { None };
            std::iter::once(uncaused).chain(required.map(|cause| occurs(cause, 1))).collect()
        }
        Behaviour::Response { stimuli, responses, without, required, within } => {
            untimed(within.as_ref())?;
            let word =
                stimuli.iter().fold(Word::Nil, |word, stimulus| word.then(any()).then(inside.letter(&[stimulus], &[])));
            let owed = Owed { chain: responses.iter().collect(), without: without.as_ref() };
            let unanswered = Clause { word, owed: Some(owed), anywhere: true };
            let required = if *required { stimuli.first() } else { None };
            std::iter::once(unanswered).chain(required.map(|stimulus| occurs(stimulus, 1))).collect()
        }
        Behaviour::Rate { .. } | Behaviour::Recurrence { .. } => return Err(time()),
    })
}

fn untimed(within: Option<&Bounds>) -> Result<(), Refusal> {
    match within {
        Some(bounds) if Bounds { span: None, ..*bounds } != Bounds::ANY => Err(time()),
        _ => Ok(()),
    }
}

pub(crate) fn time() -> Refusal {
    Refusal::new("it speaks of time, and the mu-calculus has none")
}

/// The effects one after the other, the causes not all being before the first of them.
fn uncaused(inside: &Inside<'_, '_>, causes: &[Atom], effects: &[Atom]) -> Word {
    let Some((first, later)) = effects.split_first() else { return Word::None };
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

/// The words of a segment in which these do not come one after the other.
fn incomplete(inside: &Inside<'_, '_>, chain: &[&Atom]) -> Word {
    chain.iter().rev().fold(Word::None, |rest, step| {
        let going_on = match rest {
            Word::None => Word::Nil,
            rest => Word::Nil.or(inside.letter(&[step], &[]).then(rest)),
        };
        inside.letter(&[], &[step]).star().then(going_on)
    })
}

/// The words of a segment in which what is owed does not come.
pub(super) fn unpaid(inside: &Inside<'_, '_>, owed: &Owed<'_>) -> Word {
    let (Some(spoiler), [first, later @ ..]) = (owed.without, owed.chain.as_slice()) else {
        return incomplete(inside, &owed.chain);
    };
    // Whatever was begun is spoilt at once, so that only how far the best attempt has come matters. A path leads from the first
    // step to where an attempt waits for its next one.
    let (mut to_nothing, mut to_first, mut left) = (Word::None, Word::None, Word::None);
    let mut path = Word::Nil;
    for (index, step) in later.iter().enumerate() {
        let is_last = index + 1 == later.len();
        let waiting = path.then(inside.letter(&[], &[step, spoiler]).star());
        let unless_done: &[&Atom] = if is_last { &[step] } else { &[] };
        let lacks =
            |more: &[&'_ Atom]| -> Vec<Atom> { unless_done.iter().chain(more).map(|atom| (*atom).clone()).collect() };
        let spoilt = |has: &[&Atom], lacks: &[Atom]| inside.letter(has, &lacks.iter().collect::<Vec<_>>());
        to_nothing = to_nothing.or(waiting.clone().then(spoilt(&[spoiler], &lacks(&[first]))));
        to_first = to_first.or(waiting.clone().then(spoilt(&[spoiler, first], &lacks(&[]))));
        left = left.or(waiting.clone());
        path = if is_last { Word::None } else { waiting.then(inside.letter(&[step], &[spoiler])) };
    }
    let idle = || inside.letter(&[], &[first]).star();
    let begun = || inside.letter(&[first], &[]).then(to_first.clone().star());
    let spoilt = idle().then(begun()).then(to_nothing).star();
    spoilt.then(idle()).then(Word::Nil.or(begun().then(left)))
}
