// SPDX-License-Identifier: MIT OR Apache-2.0
//! The meaning of patterns once more, over letters and whole numbers: cut the word, look at each piece.

use gnomon_ir::pattern::ScopeKind;

use super::cell::{PatternBehaviour, ScopedBehaviour, Within};

/// A letter and its time.
pub(super) type TimedLetter = (char, i64);

/// A piece of a word: when it opened and ended, and what is in it.
struct WordSegment<'a> {
    opened: i64,
    ended: i64,
    letters: &'a [TimedLetter],
}

/// Returns true if a complete word satisfies a pattern.
pub(super) fn holds(cell: ScopedBehaviour, word: &[TimedLetter]) -> bool {
    pieces(cell.scope, word).iter().all(|piece| answer(cell.ask, piece))
}

fn pieces(scope: ScopeKind, word: &[TimedLetter]) -> Vec<WordSegment<'_>> {
    let first = word.first().map_or(0, |letter| letter.1);
    let last = word.last().map_or(0, |letter| letter.1);
    let find = |letter: char| word.iter().position(|(other, _)| *other == letter);
    let from = |at: usize| WordSegment { opened: word[at].1, ended: last, letters: &word[at + 1..] };
    let until = |at: usize| WordSegment { opened: first, ended: word[at].1, letters: &word[..at] };
    let whole = || WordSegment { opened: first, ended: last, letters: word };
    match scope {
        ScopeKind::Globally => vec![whole()],
        ScopeKind::Before => find('r').map(until).into_iter().collect(),
        ScopeKind::Until => vec![find('r').map_or_else(whole, until)],
        ScopeKind::After => find('q').map(from).into_iter().collect(),
        ScopeKind::AfterLast => word.iter().rposition(|(letter, _)| *letter == 'q').map(from).into_iter().collect(),
        ScopeKind::Between | ScopeKind::AfterUntil => brackets(scope, word, find_first),
        ScopeKind::BetweenLast | ScopeKind::AfterLastUntil => brackets(scope, word, find_last),
    }
}

fn find_first(part: &[TimedLetter]) -> Option<usize> {
    part.iter().position(|(letter, _)| *letter == 'q')
}

fn find_last(part: &[TimedLetter]) -> Option<usize> {
    part.iter().rposition(|(letter, _)| *letter == 'q')
}

/// Splits a word at `r`: each part up to an `r` or the end has at most one segment.
fn brackets(
    scope: ScopeKind,
    word: &[TimedLetter],
    opening: impl Fn(&[TimedLetter]) -> Option<usize>,
) -> Vec<WordSegment<'_>> {
    let mut found = Vec::new();
    let mut rest = word;
    loop {
        let end = rest.iter().position(|(letter, _)| *letter == 'r');
        let part = &rest[..end.unwrap_or(rest.len())];
        let needs_end = matches!(scope, ScopeKind::Between | ScopeKind::BetweenLast);
        if let Some(at) = opening(part).filter(|_| end.is_some() || !needs_end) {
            let ended = rest[end.unwrap_or(rest.len() - 1)].1;
            found.push(WordSegment { opened: part[at].1, ended, letters: &part[at + 1..] });
        }
        match end {
            Some(end) => rest = &rest[end + 1..],
            None => return found,
        }
    }
}

fn is_in(within: Within, distance: i64) -> bool {
    within.is_none_or(|(lo, hi)| (lo..=hi).contains(&distance))
}

fn answer(ask: PatternBehaviour, piece: &WordSegment<'_>) -> bool {
    let letters = piece.letters;
    let times = || letters.iter().filter(|(letter, _)| *letter == 'p').map(|(_, time)| *time).collect::<Vec<i64>>();
    let has = |wanted: &str| letters.iter().any(|(letter, _)| wanted.contains(*letter));
    match ask {
        PatternBehaviour::Absence => !has("p"),
        PatternBehaviour::Existence(within) => times().iter().any(|time| is_in(within, time - piece.opened)),
        PatternBehaviour::AtMost(number) => times().len() <= number,
        PatternBehaviour::AtLeast(number) => times().len() >= number,
        PatternBehaviour::Exactly(number) => times().len() == number,
        PatternBehaviour::Rate(number, window) => times().windows(number + 1).all(|few| few[number] - few[0] > window),
        PatternBehaviour::Universality => !has("x"),
        PatternBehaviour::Only => letters.iter().all(|(letter, _)| "ps".contains(*letter)),
        PatternBehaviour::Precedence(causes, effects, required, within) => {
            let mut effect = effects.chars();
            let first = effect.next();
            let others = effect.as_str();
            let is_fine = |at: usize| {
                let (letter, time) = letters[at];
                Some(letter) != first
                    || !comes(others, letters[at + 1..].iter())
                    || comes(causes, letters[..at].iter().filter(|(_, before)| is_in(within, time - before)))
            };
            (0..letters.len()).all(is_fine) && (!required || has(causes))
        }
        PatternBehaviour::Response(stimuli, responses, without, required, within) => {
            let (before, last) = stimuli.split_at(stimuli.len() - 1);
            let is_fine = |at: usize| {
                let (letter, time) = letters[at];
                !last.contains(letter)
                    || !comes(before, letters[..at].iter())
                    || is_answered(responses, without, &letters[at + 1..], |then| is_in(within, then - time))
            };
            (0..letters.len()).all(is_fine) && (!required || has(stimuli))
        }
        PatternBehaviour::Recurrence(every) => {
            let moments: Vec<i64> = std::iter::once(piece.opened).chain(times()).chain([piece.ended]).collect();
            moments.windows(2).all(|pair| pair[1] - pair[0] <= every)
        }
    }
}

/// Returns true if these letters occur in this order.
fn comes<'a>(wanted: &str, mut letters: impl Iterator<Item = &'a TimedLetter>) -> bool {
    wanted.chars().all(|wanted| letters.any(|(letter, _)| *letter == wanted))
}

fn is_answered(
    responses: &str,
    without: Option<char>,
    letters: &[TimedLetter],
    is_in_time: impl Fn(i64) -> bool + Copy,
) -> bool {
    let (first, others) = responses.split_at(1);
    (0..letters.len()).any(|at| {
        let (letter, time) = letters[at];
        let later = letters[at + 1..].iter().take_while(|(letter, _)| Some(*letter) != without);
        first.contains(letter) && is_in_time(time) && comes(others, later.filter(|(_, time)| is_in_time(*time)))
    })
}
