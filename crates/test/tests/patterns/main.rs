// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every scope with every behaviour: the segments written directly, the oracle, the engine, the `mtl` formula under the
//! oracle and, where a prefix can violate the pattern, the monitor of its mu-calculus formula say the same, on all short
//! traces and on long choices ones.

mod cell;
mod direct;
mod mona;

use gnomon_artefact::{mtl, mu};
use gnomon_core::diagnostic::Severity;
use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Verdict};
use gnomon_engine::Monitor;
use gnomon_ir::check::check;
use gnomon_ir::core::Core;
use gnomon_ir::pattern::ScopeKind;
use gnomon_ir::spec::{Body, Language, Property, Spec};
use gnomon_oracle::{OracleEvent, Trace, Truth, spec, value};
use gnomon_test::case::at;
use gnomon_test::choices::Choices;
use gnomon_test::drive::Drive;
use gnomon_test::property::{for_all_in, scaled, scaled_length};

use cell::{PatternBehaviour, ScopedBehaviour, TIMED, UNTIMED, cells};
use direct::{TimedLetter, holds};

/// A combination of scope and behaviour with all its forms.
struct Witnesses {
    cell: ScopedBehaviour,
    spec: Spec,
    core: Core,
    /// The pattern as an MTL formula.
    formula: Option<Property>,
    /// The pattern as a mu-calculus formula.
    words: Option<Core>,
}

impl Witnesses {
    fn new(cell: ScopedBehaviour) -> Witnesses {
        let text = format!("pattern cell {{ {} }}", cell.text());
        let (spec, diagnostics) = gnomon_lang::parse(&text);
        let wrong = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        assert!(wrong.is_none(), "{text}: {wrong:?}");
        let property = &spec.properties[0];
        let core = check(&spec, property).0.expect("the pattern passes the checker");
        let formula = mtl(&spec, property).ok();
        let modal = mu(&spec, property).ok().and_then(|text| text.modal);
        let words = modal.map(|modal| {
            let property = Property { language: Language::Mu, body: Body::Modal(modal), ..property.clone() };
            check(&spec, &property).0.expect("the formula passes the checker")
        });
        Witnesses { cell, spec, core, formula, words }
    }

    fn mismatch(&self, word: &[TimedLetter], what: &str) -> ! {
        panic!("`{}` on {word:?}: {what}", self.cell.text())
    }

    /// Evaluates the word with the oracle, by pattern and, on request, by formula.
    fn check_oracle(&self, word: &[TimedLetter], with_formula: bool) {
        let trace = Trace::new(events(word));
        let expected = holds(self.cell, word);
        if value(&self.core, &trace, End::Complete) != Truth::from(expected) {
            self.mismatch(word, &format!("directly {expected}, the oracle says otherwise"));
        }
        if let Some(formula) = self.formula.as_ref().filter(|_| with_formula)
            && spec::holds(&self.spec, formula, &trace) != expected
        {
            let text = gnomon_lang::mtl::print(formula);
            self.mismatch(word, &format!("directly {expected}, the formula says otherwise: {text}"));
        }
    }

    /// Returns the verdicts of monitors after the word.
    fn check_engine(&self, word: &[TimedLetter], pattern: &Monitor, words: Option<&Monitor>) -> Verdict {
        let expected = holds(self.cell, word);
        let complete = Drive::finish(pattern.clone(), End::Complete).verdict;
        if (complete == Verdict::Holds) != expected {
            self.mismatch(word, &format!("directly {expected}, the engine says {complete}"));
        }
        let prefix = Drive::finish(pattern.clone(), End::Prefix).verdict;
        let by_oracle = value(&self.core, &Trace::new(events(word)), End::Prefix);
        let verdict = match by_oracle {
            Truth::True => Verdict::Holds,
            Truth::False => Verdict::Violated,
            Truth::Unknown => Verdict::Inconclusive,
        };
        if prefix != verdict {
            self.mismatch(word, &format!("as a prefix the oracle says {verdict}, the engine {prefix}"));
        }
        if let Some(words) = words {
            let seen = Drive::finish(words.clone(), End::Prefix).verdict;
            if (seen == Verdict::Violated) != (prefix == Verdict::Violated) {
                self.mismatch(word, &format!("as a prefix {prefix}, by the words {seen}"));
            }
        }
        prefix
    }

    /// Judges every word over the letters of the cell, up to a length.
    fn check_all(&self, longest: usize, with_formula: usize) {
        let letters = self.cell.letters();
        let alphabet: Vec<OracleEvent> = letters.iter().map(|letter| event((*letter, 0))).collect();
        let drive = Drive::new(&self.core, &alphabet);
        let words = self.words.as_ref().map(|core| Drive::new(core, &alphabet));
        let start = (drive.start(), words.as_ref().map(Drive::start));
        let mut tree = WordTree { witnesses: self, drive, words, letters, longest, with_formula };
        tree.walk(&mut vec![], &start);
    }
}

/// Enumerates all words, each after its prefixes.
struct WordTree<'a> {
    witnesses: &'a Witnesses,
    drive: Drive,
    words: Option<Drive>,
    letters: Vec<char>,
    longest: usize,
    with_formula: usize,
}

/// The verdicts reached by extensions of a word.
struct ReachedVerdicts {
    some_hold: bool,
    some_violate: bool,
}

impl WordTree<'_> {
    fn walk(&mut self, word: &mut Vec<TimedLetter>, (pattern, words): &(Monitor, Option<Monitor>)) -> ReachedVerdicts {
        let witnesses = self.witnesses;
        witnesses.check_oracle(word, word.len() <= self.with_formula);
        let certain = witnesses.check_engine(word, pattern, words.as_ref());
        let holds = holds(witnesses.cell, word);
        let mut seen = ReachedVerdicts { some_hold: holds, some_violate: !holds };
        if word.len() < self.longest {
            for index in 0..self.letters.len() {
                let mut next = (pattern.clone(), words.clone());
                word.push((self.letters[index], word.len() as i64));
                step(&self.drive, &mut next.0, index, word);
                if let (Some(drive), Some(monitor)) = (&self.words, &mut next.1) {
                    step(drive, monitor, index, word);
                }
                let after = self.walk(word, &next);
                word.pop();
                seen.some_hold |= after.some_hold;
                seen.some_violate |= after.some_violate;
            }
        }
        // No verdict comes before its time and, as far as can be seen from here, none comes too late.
        let sees_enough = !word.is_empty() && word.len() + witnesses.cell.ahead() <= self.longest;
        match certain {
            Verdict::Violated if seen.some_hold => witnesses.mismatch(word, "violated for certain, but may hold"),
            Verdict::Holds if seen.some_violate => witnesses.mismatch(word, "holds for certain, but may not"),
            Verdict::Inconclusive if !seen.some_hold && sees_enough => {
                witnesses.mismatch(word, "no longer word holds, but that is not reported");
            }
            _ => seen,
        }
    }
}

/// Pushes the letter at this place of the alphabet, at the end of the word.
fn step(drive: &Drive, monitor: &mut Monitor, index: usize, word: &[TimedLetter]) {
    let time = word.last().map_or(0, |letter| letter.1);
    drive.step_at(monitor, index, word.len() as u64 - 1, at(time));
}

fn event((letter, time): TimedLetter) -> OracleEvent {
    let value = match letter {
        'p' => Some(1),
        'x' => Some(2),
        _ => None,
    };
    let name = if letter == 'x' { 'p' } else { letter };
    let fields = value.map(|value| ("v".to_owned(), Some(Value::Number(Number::Int(value)))));
    OracleEvent { name: name.to_string(), time: at(time), fields: fields.into_iter().collect() }
}

fn events(word: &[TimedLetter]) -> Vec<OracleEvent> {
    word.iter().map(|letter| event(*letter)).collect()
}

fn on_all_short_words(scopes: &[ScopeKind]) {
    for cell in cells(&UNTIMED).filter(|cell| scopes.contains(&cell.scope)) {
        let longest = if cell.letters().len() > 4 { 5 } else { 6 };
        Witnesses::new(cell).check_all(scaled_length(longest), scaled_length(3));
    }
}

#[test]
fn untimed_cells_on_all_short_words() {
    on_all_short_words(&ScopeKind::ALL[..6]);
}

#[test]
fn untimed_cells_with_two_delimiters_on_all_short_words() {
    on_all_short_words(&ScopeKind::ALL[6..]);
}

#[test]
fn every_cell_has_the_witnesses_it_can_have() {
    let all: Vec<Witnesses> = cells(&UNTIMED).map(Witnesses::new).collect();
    assert!(all.iter().all(|witnesses| witnesses.formula.is_some()), "every cell has a formula");
    let monitored = all.iter().filter(|witnesses| witnesses.words.is_some()).count();
    assert!(monitored > 90, "only {monitored} cells have a monitor of words");
}

fn random_word(choices: &mut Choices, cell: ScopedBehaviour, longest: i64) -> Vec<TimedLetter> {
    let letters = cell.letters();
    let mut time = choices.between(0, 3);
    let mut word = Vec::new();
    for _ in 0..choices.between(0, longest) {
        word.push((*choices.pick(&letters), time));
        time += *choices.pick(&[0, 1, 1, 1, 2, 3, 4]);
    }
    word
}

fn on_random_words(asks: &[PatternBehaviour], count: u64, longest: i64, with_formula: usize) {
    for cell in cells(asks) {
        let witnesses = Witnesses::new(cell);
        for seed in 0..scaled(count) {
            let mut choices = Choices::new(seed * 31 + cell.scope as u64);
            let word = random_word(&mut choices, cell, longest);
            witnesses.check_oracle(&word, word.len() <= with_formula);
            let events = events(&word);
            let drive = Drive::new(&witnesses.core, &events);
            let words = witnesses.words.as_ref().map(|core| Drive::new(core, &events));
            let mut monitors = (drive.start(), words.as_ref().map(Drive::start));
            for index in 0..=word.len() {
                witnesses.check_engine(&word[..index], &monitors.0, monitors.1.as_ref());
                if index < word.len() {
                    drive.step(&mut monitors.0, index);
                    if let (Some(drive), Some(monitor)) = (&words, &mut monitors.1) {
                        drive.step(monitor, index);
                    }
                }
            }
        }
    }
}

#[test]
fn untimed_cells_on_random_words() {
    on_random_words(&UNTIMED, 25, 24, 12);
}

#[test]
fn timed_cells_on_random_words() {
    on_random_words(&TIMED, 60, 14, 14);
}

/// With variables, wildcards, events of several atoms and delimiters that count as well.
#[test]
fn translations_of_generated_patterns_say_the_same() {
    let mut compared = [0; 2];
    let count = std::cell::RefCell::new(&mut compared);
    for_all_in(Language::Pattern, "translations", 4_000, |case| {
        let (core, property) = (case.core()?, case.property());
        let formula = mtl(&case.spec, property);
        let modal = mu(&case.spec, property).ok().and_then(|text| text.modal);
        count.borrow_mut()[0] += usize::from(formula.is_ok());
        count.borrow_mut()[1] += usize::from(modal.is_some());
        let words = modal.map(|modal| {
            let body = Body::Modal(modal);
            Property { language: Language::Mu, prefix: vec![], body, ..property.clone() }
        });
        for events in 0..=case.events.len() {
            let trace = case.cut(events).trace();
            let expected = value(&core, &trace, End::Complete);
            if let Ok(formula) = &formula
                && Truth::from(spec::holds(&case.spec, formula, &trace)) != expected
            {
                let text = gnomon_lang::mtl::print(formula);
                return Err(format!("{expected:?} after {events} events, the formula says otherwise: {text}"));
            }
            if let Some(words) = &words {
                let is_violated = value(&core, &trace, End::Prefix) == Truth::False;
                let is_seen = spec::truth(&case.spec, words, &trace, End::Prefix) == Truth::False;
                if is_violated != is_seen {
                    let text = gnomon_lang::mu::print(words);
                    return Err(format!(
                        "violated after {events} events: {is_violated}, by the words {is_seen}: {text}"
                    ));
                }
            }
        }
        Ok(())
    });
    assert!(compared[0] as u64 > scaled(2_000) && compared[1] as u64 > scaled(1_000), "{compared:?}");
}
