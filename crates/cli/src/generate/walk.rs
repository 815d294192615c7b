// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a model: an event after the other, with a stack of its own, so that neither deep models nor long traces need
//! more than the model's depth in memory.

use std::collections::VecDeque;

use gnomon::number::Number;
use gnomon::trace::Entry;
use gnomon::value::Value;

use super::model::{Activity, CERTAIN, Chance, Content, Model, Repeat, Step};
use super::random::Random;

/// How many steps may pass without an event: more of them are a model that does nothing, for ever.
const IDLE: u64 = 1_000_000;

/// An event of the trace.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Happening<'m> {
    pub(super) name: &'m str,
    pub(super) time: i64,
    /// The other fields, in the model's order.
    pub(super) fields: Vec<Entry<'m>>,
    pub(super) case: u64,
}

/// Why a trace ended before its last case did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// Steps and steps, and no event.
    Idle,
    /// The time does not fit a 64-bit number.
    Time,
}

/// A block being run.
struct Frame {
    block: usize,
    at: usize,
    rounds: Rounds,
}

/// How often a block is run again.
enum Rounds {
    None,
    Left(u64),
    While { repeat: Repeat, done: u64 },
}

/// A run of a model.
pub(super) struct Walk<'m> {
    model: &'m Model,
    random: Random,
    stack: Vec<Frame>,
    time: i64,
    case: u64,
    /// How many cases there shall be; `None`: until nobody asks any more.
    cases: Option<u64>,
    pending: VecDeque<Happening<'m>>,
    idle: u64,
    /// Why it stopped, if not because the last case ended.
    pub(super) stopped: Option<Stop>,
}

impl<'m> Walk<'m> {
    pub(super) fn new(model: &'m Model, seed: u64, cases: Option<u64>) -> Walk<'m> {
        Walk {
            model,
            random: Random::new(seed),
            stack: Vec::new(),
            time: 0,
            case: 0,
            cases,
            pending: VecDeque::new(),
            idle: 0,
            stopped: None,
        }
    }

    /// One step of the model; false if there is none left.
    fn step(&mut self) -> bool {
        self.idle += 1;
        if self.idle > IDLE {
            self.stopped = Some(Stop::Idle);
        }
        if self.stopped.is_some() {
            return false;
        }
        let Some(frame) = self.stack.last_mut() else { return self.next_case() };
        let model = self.model;
        let block = &model.blocks[frame.block];
        match block.get(frame.at) {
            Some(step) => {
                frame.at += 1;
                self.run(step);
            }
            None if self.another_round() => {}
            None => {
                self.stack.pop();
            }
        }
        true
    }

    fn next_case(&mut self) -> bool {
        if self.cases.is_some_and(|cases| self.case >= cases) {
            return false;
        }
        self.case += 1;
        self.enter(self.model.process, Rounds::None);
        true
    }

    fn enter(&mut self, block: usize, rounds: Rounds) {
        // A loop begins at the end of its block, where it is decided whether there is another round.
        let at = if matches!(rounds, Rounds::None) { 0 } else { self.model.blocks[block].len() };
        self.stack.push(Frame { block, at, rounds });
    }

    fn another_round(&mut self) -> bool {
        let Some(frame) = self.stack.last_mut() else { return false };
        let another = match &mut frame.rounds {
            Rounds::None | Rounds::Left(0) => false,
            Rounds::Left(left) => {
                *left -= 1;
                true
            }
            Rounds::While { repeat, done } => {
                let chance = repeat.another;
                let open = repeat.high.is_none_or(|high| *done < high);
                let another = *done < repeat.low || open && chance.is_none_or(|chance| self.random.happens(chance));
                *done += u64::from(another);
                another
            }
        };
        if another {
            frame.at = 0;
        }
        another
    }

    fn run(&mut self, step: &'m Step) {
        match step {
            Step::Do(activity) => self.act(&self.model.activities[*activity]),
            Step::Part(block) => self.enter(*block, Rounds::None),
            Step::Wait(range) => {
                let length = self.random.within(*range);
                self.pass(length);
            }
            Step::Maybe(chance, block) => {
                if self.random.happens(*chance) {
                    self.enter(*block, Rounds::None);
                }
            }
            Step::Choose(branches) => {
                let drawn = self.random.below(CERTAIN);
                if let Some((_, block)) = branches.iter().find(|(upto, _)| drawn < *upto) {
                    self.enter(*block, Rounds::None);
                }
            }
            Step::Repeat(repeat) => {
                let rounds = match (repeat.high, repeat.another) {
                    (Some(high), None) => {
                        let count = high.saturating_sub(repeat.low).saturating_add(1);
                        Rounds::Left(repeat.low + self.random.below(count))
                    }
                    _ => Rounds::While { repeat: *repeat, done: 0 },
                };
                self.enter(repeat.body, rounds);
            }
        }
    }

    fn act(&mut self, activity: &'m Activity) {
        if self.happens(activity.skipped) {
            return;
        }
        let times = if self.happens(activity.repeated) { 2 } else { 1 };
        for _ in 0..times {
            self.act_once(activity);
        }
    }

    fn act_once(&mut self, activity: &'m Activity) {
        let fails = self.happens(activity.fails);
        let takes = match activity.slow {
            Some((chance, slow)) if self.random.happens(chance) => slow,
            _ => activity.takes,
        };
        let takes = self.random.within(takes);
        let start: Vec<_> = activity.fields.iter().map(|field| entry(&field.name, self.draw(&field.value))).collect();
        if activity.is_pair() {
            let mut end = start.clone();
            for (entry, field) in end.iter_mut().zip(&activity.fields) {
                if let Some(other) = &field.end {
                    entry.value = self.draw(other);
                }
            }
            if self.pass(1) {
                self.log(activity, start);
            }
            if self.pass(takes) && !fails {
                self.log(activity, end);
            }
        } else if self.pass(takes) && !fails {
            self.log(activity, start);
        }
    }

    fn log(&mut self, activity: &'m Activity, mut fields: Vec<Entry<'m>>) {
        if let Some(field) = &self.model.case_field {
            fields.insert(0, entry(field, Value::Number(Number::Int(self.case.cast_signed()))));
        }
        self.pending.push_back(Happening { name: &activity.name, time: self.time, fields, case: self.case });
        self.idle = 0;
    }

    /// Lets time pass; false if there is no more of it.
    fn pass(&mut self, length: i64) -> bool {
        match self.time.checked_add(length).filter(|_| self.stopped.is_none()) {
            Some(time) => self.time = time,
            None => self.stopped = Some(Stop::Time),
        }
        self.stopped.is_none()
    }

    fn happens(&mut self, chance: Option<Chance>) -> bool {
        chance.is_some_and(|chance| self.random.happens(chance))
    }

    fn draw(&mut self, value: &'m [Content]) -> Value<'m> {
        // A constant needs no luck; drawing none keeps traces with and without constants alike.
        let index = if value.len() > 1 { self.random.below(value.len() as u64) as usize } else { 0 };
        match value.get(index) {
            Some(Content::Constant(value)) => value.clone(),
            Some(Content::Number(range)) => Value::Number(Number::Int(self.random.within(*range))),
            None => Value::Null,
        }
    }
}

fn entry<'m>(key: &'m str, value: Value<'m>) -> Entry<'m> {
    Entry { key: key.into(), value, is_time: false }
}

impl<'m> Iterator for Walk<'m> {
    type Item = Happening<'m>;

    fn next(&mut self) -> Option<Happening<'m>> {
        while self.pending.is_empty() && self.step() {}
        self.pending.pop_front()
    }
}
