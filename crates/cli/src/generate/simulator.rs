// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a model and generates its events one by one. It has an explicit stack, so it needs no more memory than the depth of
//! the model, however long the trace.

use std::collections::VecDeque;

use gnomon::number::Number;
use gnomon::random::Random;
use gnomon::trace::FieldEntry;
use gnomon::value::Value;

use super::model::{Activity, CERTAIN, Chance, FieldValue, Model, ProcessStep, Repeat};

/// Limit of steps without an event; a model that exceeds it would run forever without an event.
const MAX_IDLE_STEPS: u64 = 1_000_000;

/// A generated event.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct GeneratedEvent<'m> {
    pub(super) name: &'m str,
    pub(super) time: i64,
    /// The other fields, in the model's order.
    pub(super) fields: Vec<FieldEntry<'m>>,
    pub(super) case: u64,
}

/// Reason why a trace ended before its last case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StopReason {
    /// Too many steps without an event.
    Idle,
    /// The time exceeds a 64-bit number.
    Time,
}

/// A block on the stack.
struct BlockFrame {
    block: usize,
    at: usize,
    rounds: RemainingRounds,
}

/// The further rounds of a block.
enum RemainingRounds {
    None,
    Left(u64),
    While { repeat: Repeat, done: u64 },
}

/// A run of a model.
pub(super) struct Simulator<'m> {
    model: &'m Model,
    random: Random,
    stack: Vec<BlockFrame>,
    time: i64,
    case: u64,
    /// Number of cases; `None` is unlimited.
    cases: Option<u64>,
    pending: VecDeque<GeneratedEvent<'m>>,
    idle: u64,
    /// The reason for an early end.
    pub(super) stopped: Option<StopReason>,
}

impl<'m> Simulator<'m> {
    pub(super) fn new(model: &'m Model, seed: u64, cases: Option<u64>) -> Simulator<'m> {
        let (stack, pending) = (Vec::new(), VecDeque::new());
        let random = Random::new(seed);
        Simulator { model, random, stack, time: 0, case: 0, cases, pending, idle: 0, stopped: None }
    }

    /// Performs one step of the model; returns false if there is none left.
    fn step(&mut self) -> bool {
        self.idle += 1;
        if self.idle > MAX_IDLE_STEPS {
            self.stopped = Some(StopReason::Idle);
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
        self.enter(self.model.process, RemainingRounds::None);
        true
    }

    fn enter(&mut self, block: usize, rounds: RemainingRounds) {
        // A loop begins at the end of its block, where the next round is decided.
        let at = if matches!(rounds, RemainingRounds::None) { 0 } else { self.model.blocks[block].len() };
        self.stack.push(BlockFrame { block, at, rounds });
    }

    fn another_round(&mut self) -> bool {
        let Some(frame) = self.stack.last_mut() else { return false };
        let another = match &mut frame.rounds {
            RemainingRounds::None | RemainingRounds::Left(0) => false,
            RemainingRounds::Left(left) => {
                *left -= 1;
                true
            }
            RemainingRounds::While { repeat, done } => {
                let chance = repeat.another;
                let open = repeat.high.is_none_or(|high| *done < high);
                let another =
                    *done < repeat.low || open && chance.is_none_or(|chance| chance.happens(&mut self.random));
                *done += u64::from(another);
                another
            }
        };
        if another {
            frame.at = 0;
        }
        another
    }

    fn run(&mut self, step: &'m ProcessStep) {
        match step {
            ProcessStep::Do(activity) => self.act(&self.model.activities[*activity]),
            ProcessStep::Part(block) => self.enter(*block, RemainingRounds::None),
            ProcessStep::Wait(range) => {
                let length = range.draw(&mut self.random);
                self.pass(length);
            }
            ProcessStep::Maybe(chance, block) => {
                if chance.happens(&mut self.random) {
                    self.enter(*block, RemainingRounds::None);
                }
            }
            ProcessStep::Choose(branches) => {
                let drawn = self.random.below(CERTAIN);
                if let Some((_, block)) = branches.iter().find(|(upto, _)| drawn < *upto) {
                    self.enter(*block, RemainingRounds::None);
                }
            }
            ProcessStep::Repeat(repeat) => {
                let rounds = match (repeat.high, repeat.another) {
                    (Some(high), None) => {
                        let count = high.saturating_sub(repeat.low).saturating_add(1);
                        RemainingRounds::Left(repeat.low + self.random.below(count))
                    }
                    _ => RemainingRounds::While { repeat: *repeat, done: 0 },
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
            Some((chance, slow)) if chance.happens(&mut self.random) => slow,
            _ => activity.takes,
        };
        let takes = takes.draw(&mut self.random);
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

    fn log(&mut self, activity: &'m Activity, mut fields: Vec<FieldEntry<'m>>) {
        if let Some(field) = &self.model.case_field {
            fields.insert(0, entry(field, Value::Number(Number::Int(self.case.cast_signed()))));
        }
        self.pending.push_back(GeneratedEvent { name: &activity.name, time: self.time, fields, case: self.case });
        self.idle = 0;
    }

    /// Advances the time; returns false if it would exceed its range.
    fn pass(&mut self, length: i64) -> bool {
        match self.time.checked_add(length).filter(|_| self.stopped.is_none()) {
            Some(time) => self.time = time,
            None => self.stopped = Some(StopReason::Time),
        }
        self.stopped.is_none()
    }

    fn happens(&mut self, chance: Option<Chance>) -> bool {
        chance.is_some_and(|chance| chance.happens(&mut self.random))
    }

    fn draw(&mut self, value: &'m [FieldValue]) -> Value<'m> {
        // A single value needs no random number; so adding a constant field does not change the rest of the trace.
        let index = if value.len() > 1 { self.random.below(value.len() as u64) as usize } else { 0 };
        match value.get(index) {
            Some(FieldValue::Constant(value)) => value.clone(),
            Some(FieldValue::Number(range)) => Value::Number(Number::Int(range.draw(&mut self.random))),
            None => Value::Null,
        }
    }
}

fn entry<'m>(key: &'m str, value: Value<'m>) -> FieldEntry<'m> {
    FieldEntry { key: key.into(), value, is_time: false }
}

impl<'m> Iterator for Simulator<'m> {
    type Item = GeneratedEvent<'m>;

    fn next(&mut self) -> Option<GeneratedEvent<'m>> {
        while self.pending.is_empty() && self.step() {}
        self.pending.pop_front()
    }
}
