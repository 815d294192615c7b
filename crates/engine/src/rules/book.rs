// SPDX-License-Identifier: MIT OR Apache-2.0
//! All rules of a run: who is told of a message, and when windows close.

use gnomon_core::event::Event;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Origin, Outcome, Violation};
use serde::{Deserialize, Serialize};

use super::messages::{Answers, Messages};
use super::run::Run;
use super::{Compiled, Message};
use crate::noted::Noted;
use crate::slice::values::Values;

/// COST: a message costs the rules that mention its name, and the windows that it finds closed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Book {
    runs: Vec<Run>,
    /// The values that correlate messages, for all rules.
    values: Values,
    messages: u64,
    last_time: Timestamp,
    /// No window ends before this.
    next_deadline: Timestamp,
    #[serde(skip)]
    answers: Answers,
    /// Violations of all rules together, if someone counts them.
    #[serde(skip)]
    pub(crate) noted: Noted,
}

impl Book {
    pub(crate) fn new(rules: &[Compiled], max_violations: usize) -> Self {
        Book {
            runs: rules.iter().map(|rule| Run::new(rule, max_violations)).collect(),
            values: Values::default(),
            messages: 0,
            last_time: Timestamp::MIN,
            next_deadline: Timestamp::MAX,
            answers: Answers::default(),
            noted: Noted::default(),
        }
    }

    /// A message comes.
    #[inline]
    pub(crate) fn step(&mut self, rules: &[Compiled], messages: &Messages, event: &Event<'_>, origin: &Origin) {
        self.pass(rules, origin);
        let Some(named) = messages.of(event.name) else { return };
        let Book { runs, values, answers, next_deadline, noted, .. } = self;
        named.ask(event, answers);
        for own in &named.uses {
            let (supposes, actions) = own.is(answers);
            if !supposes && actions == 0 {
                continue;
            }
            named.correlate(own, event.fields, answers, values);
            let (rule, run) = (&rules[own.rule], &mut runs[own.rule]);
            let before = noted.before(|| run.violated());
            run.step(rule, &Message { origin: *origin, ids: &answers.ids, actions, supposes }, values);
            noted.after(before, || run.violated());
            // What is new ends last of all. Whether it stayed is not worth a look at the rest.
            if let Some(upper) = rule.core.upper {
                *next_deadline = (*next_deadline).min(origin.time.saturating_add(upper));
            }
        }
        values.settle();
    }

    /// A message comes that concerns nobody here: but it shows the time.
    #[inline]
    pub(crate) fn pass(&mut self, rules: &[Compiled], origin: &Origin) {
        self.messages += 1;
        self.last_time = origin.time;
        if self.next_deadline < origin.time {
            self.advance(rules, origin.time);
        }
    }

    /// RULE N9: windows that ended before `to` are closed.
    pub(crate) fn advance(&mut self, rules: &[Compiled], to: Timestamp) {
        if self.next_deadline >= to {
            return;
        }
        let Book { runs, values, next_deadline, noted, .. } = self;
        *next_deadline = Timestamp::MAX;
        for (rule, run) in rules.iter().zip(runs) {
            let before = noted.before(|| run.violated());
            run.close(rule, to, values);
            noted.after(before, || run.violated());
            *next_deadline = (*next_deadline).min(run.deadline(rule));
        }
        values.settle();
    }

    pub(crate) fn finish(self, rules: &[Compiled], end: End) -> Vec<Outcome> {
        let Book { runs, mut values, messages, last_time, .. } = self;
        let outcomes =
            rules.iter().zip(runs).map(|(rule, run)| run.finish(rule, end, last_time, messages, &mut values));
        outcomes.collect()
    }

    pub(crate) fn violated(&self, rule: usize) -> u64 {
        self.runs[rule].violated()
    }

    pub(crate) fn news(&mut self, rule: usize) -> &[Violation] {
        self.runs[rule].news()
    }

    pub(crate) fn tell(&mut self, rule: usize, keep: usize) -> Vec<Violation> {
        self.runs[rule].tell(keep)
    }

    /// The earliest time whose passing may change something.
    pub(crate) fn next_deadline(&self) -> Timestamp {
        self.next_deadline
    }

    /// How many instances of a rule are alive, and what they take, in bytes.
    pub(crate) fn load(&self, rule: usize) -> (usize, usize) {
        // The values belong to all rules: the first carries them.
        let values = if rule == 0 { self.values.bytes() } else { 0 };
        (self.runs[rule].live(), self.runs[rule].bytes() + values)
    }

    /// Makes a restored one whole; `false` if it cannot have been saved like this.
    pub(crate) fn rebuild(&mut self, rules: &[Compiled]) -> bool {
        let bound = self.values.bound();
        self.values.rebuild()
            && self.runs.len() == rules.len()
            && rules.iter().zip(&mut self.runs).all(|(rule, run)| run.rebuild(rule, bound))
    }
}
