// SPDX-License-Identifier: MIT OR Apache-2.0
//! Table obligations as the machine of a binding: untimed formulae, in a few bytes.

use gnomon_core::diagnostic::Span;
use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{
    At, Because, Binding, Decided, Durations, End, Origin, Outcome, Verdict, Violation,
};
use gnomon_ir::core::FormulaCore;
use serde::{Deserialize, Serialize};

use super::table::{Clause, State, TRUE, tables};
use crate::slice::machine::{Extent, Machine, Moment, Sink};
use crate::slice::matches::Mask;
use crate::slice::sum::Sum;
use crate::slice::values::{Id, Values};

/// A property of `G(a -> b)`s, each as a table.
#[derive(Clone, Debug)]
pub(crate) struct Obligations {
    core: FormulaCore,
    clauses: Vec<Clause>,
}

impl Obligations {
    /// `None` if the property does not have the form.
    pub(crate) fn new(core: &FormulaCore) -> Option<Self> {
        Some(Obligations { clauses: tables(core)?, core: core.clone() })
    }
}

/// What is open for one binding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Open {
    pending: Pending,
    /// For a binding that counts for itself.
    counted: Option<Box<Sum>>,
    most_listed: u32,
}

/// Nearly always nothing or one thing is open.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
enum Pending {
    #[default]
    None,
    One(Obligation),
    Many(Box<Vec<Group>>),
}

/// Something that was asked for, and what is left of it. Laid out to be small: there may be millions.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Obligation {
    position: u64,
    event_index: u64,
    /// The halves of the time, so that 16 bytes need no alignment of their own.
    time: (u64, u64),
    event: u32,
    /// The last event that changed what is left.
    turn_event: u32,
    turn_index: u64,
    /// Its time, if 64 bits hold it: the story can do without.
    turn_time: i64,
    clause: u8,
    state: State,
    has_turned: bool,
}

/// Obligations of which the same is left: they share their fate.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Group {
    clause: u8,
    state: State,
    /// Those that can be listed.
    listed: Vec<Obligation>,
    /// More of them.
    crowd: Option<Crowd>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Crowd {
    first: At,
    last: At,
    times: i128,
    count: u64,
}

impl Obligation {
    fn new(clause: u8, state: State, position: u64, origin: Origin) -> Self {
        let ticks = origin.time.ticks();
        Obligation {
            position,
            event_index: origin.event_index,
            time: ((ticks >> 64) as u64, ticks as u64),
            event: origin.event.0,
            turn_event: 0,
            turn_index: 0,
            turn_time: 0,
            clause,
            state,
            has_turned: false,
        }
    }

    fn at(&self) -> At {
        let ticks = i128::from(self.time.0 as i64) << 64 | i128::from(self.time.1);
        let time = Timestamp::from_ticks(ticks);
        At {
            position: self.position,
            origin: Origin { event_index: self.event_index, time, event: Name(self.event) },
        }
    }

    fn turn(&mut self, origin: &Origin) {
        if let Ok(time) = i64::try_from(origin.time.ticks()) {
            self.turn_event = origin.event.0;
            self.turn_index = origin.event_index;
            self.turn_time = time;
            self.has_turned = true;
        }
    }

    fn turned(&self) -> Option<Origin> {
        self.has_turned.then(|| Origin {
            event_index: self.turn_index,
            time: Timestamp::from_ticks(i128::from(self.turn_time)),
            event: Name(self.turn_event),
        })
    }
}

/// What became certain, and with what.
#[derive(Clone, Copy, Debug)]
enum Cause<'a> {
    Position { decider: &'a Origin, letter: usize },
    End(Timestamp),
}

impl Cause<'_> {
    fn time(self) -> Timestamp {
        match self {
            Cause::Position { decider, .. } => decider.time,
            Cause::End(time) => time,
        }
    }
}

/// Where things are counted.
struct Desk<'d, 's> {
    machine: &'d Obligations,
    sum: &'d mut Sum,
    found: &'s mut Vec<Violation>,
    room: usize,
}

impl Desk<'_, '_> {
    fn settle(&mut self, one: &Obligation, value: bool, cause: Cause<'_>) {
        let at = one.at();
        if value {
            self.satisfied(one.clause, 1, at.origin.time, at.origin.time, at.origin.time.ticks(), cause);
        } else {
            self.sum.violated += 1;
            self.list(one.clause, at, None, one.turned(), cause);
        }
    }

    fn settle_crowd(&mut self, clause: u8, crowd: &Crowd, value: bool, cause: Cause<'_>) {
        if value {
            let (first, last) = (crowd.first.origin.time, crowd.last.origin.time);
            self.satisfied(clause, crowd.count, first, last, crowd.times, cause);
            return;
        }
        self.sum.violated += crowd.count;
        if crowd.last.position - crowd.first.position + 1 == crowd.count {
            self.list(clause, crowd.first, Some(crowd.last.position), None, cause);
        }
    }

    fn satisfied(&mut self, clause: u8, count: u64, first: Timestamp, last: Timestamp, times: i128, cause: Cause<'_>) {
        let until = if self.machine.clauses[clause as usize].takes_time { cause.time() } else { last };
        let sum = until.ticks() * i128::from(count) - times;
        self.sum.satisfied += count;
        self.sum.measure(Durations { min: until - last, max: until - first, sum, count });
    }

    fn list(&mut self, clause: u8, at: At, to: Option<u64>, turn: Option<Origin>, cause: Cause<'_>) {
        if self.found.len() >= self.room {
            return;
        }
        let mut because = vec![Because { origin: at.origin, note: "asked for from here on".to_owned() }];
        if let Some(turn) = turn.filter(|turn| turn.event_index != at.origin.event_index) {
            because.push(Because { origin: turn, note: "then this".to_owned() });
        }
        let (decided, summary) = match cause {
            Cause::Position { decider, letter } => {
                if decider.event_index != at.origin.event_index {
                    because.push(Because { origin: *decider, note: "broken here".to_owned() });
                }
                (Decided::Event(*decider), format!("{} came", self.machine.name(letter)))
            }
            Cause::End(time) => (Decided::End(time), "not met before the trace ended".to_owned()),
        };
        because.dedup_by_key(|because| because.origin.event_index);
        let failed = self.machine.clauses[clause as usize].consequent;
        let until_position = to.filter(|to| *to > at.position);
        let binding = Binding::default();
        self.found.push(Violation { at, until_position, decided, binding, failed, summary, because });
    }
}

impl Obligations {
    /// The atoms of a position in words.
    fn name(&self, letter: usize) -> String {
        let atoms = self.core.atoms.iter().enumerate().filter(|(atom, _)| letter >> atom & 1 == 1);
        atoms.map(|(_, atom)| format!("`{}`", atom.name)).collect::<Vec<_>>().join(" and ")
    }

    fn letter(moment: &Moment<'_>) -> usize {
        moment.matches().fold(0, |letter, one| letter | 1 << one.atom().0)
    }

    /// What is left after a position; settles what nothing is left of.
    fn progress(&self, pending: &mut Pending, letter: usize, decider: &Origin, desk: &mut Desk<'_, '_>) {
        let cause = Cause::Position { decider, letter };
        match pending {
            Pending::None => {}
            Pending::One(one) => {
                let next = self.clauses[one.clause as usize].step(one.state, letter);
                if next <= TRUE {
                    desk.settle(one, next == TRUE, cause);
                    *pending = Pending::None;
                } else if next != one.state {
                    one.state = next;
                    one.turn(decider);
                }
            }
            Pending::Many(groups) => {
                for group in groups.iter_mut() {
                    let next = self.clauses[group.clause as usize].step(group.state, letter);
                    if next == group.state {
                        continue;
                    }
                    group.state = next;
                    if next <= TRUE {
                        group.listed.sort_by_key(|one| one.position);
                        group.listed.iter().for_each(|one| desk.settle(one, next == TRUE, cause));
                        if let Some(crowd) = &group.crowd {
                            desk.settle_crowd(group.clause, crowd, next == TRUE, cause);
                        }
                    } else {
                        group.listed.iter_mut().for_each(|one| one.turn(decider));
                    }
                }
                groups.retain(|group| group.state > TRUE);
                merge(groups);
                if groups.is_empty() {
                    *pending = Pending::None;
                }
            }
        }
    }

    /// Something is asked for.
    fn ask(&self, pending: &mut Pending, one: Obligation, most_listed: usize) {
        match pending {
            Pending::None => *pending = Pending::One(one),
            Pending::One(first) => {
                let mut groups = vec![Group::of(*first)];
                add(&mut groups, one, most_listed);
                *pending = Pending::Many(Box::new(groups));
            }
            Pending::Many(groups) => add(groups, one, most_listed),
        }
    }
}

impl Group {
    fn of(one: Obligation) -> Self {
        Group { clause: one.clause, state: one.state, listed: vec![one], crowd: None }
    }
}

fn add(groups: &mut Vec<Group>, one: Obligation, most_listed: usize) {
    let Some(group) = groups.iter_mut().find(|group| (group.clause, group.state) == (one.clause, one.state)) else {
        groups.push(Group::of(one));
        return;
    };
    if group.listed.len() < most_listed {
        group.listed.push(one);
        return;
    }
    let at = one.at();
    let crowd = group.crowd.get_or_insert(Crowd { first: at, last: at, times: 0, count: 0 });
    let times = crowd.times + at.origin.time.ticks();
    *crowd = Crowd { last: at, times, count: crowd.count + 1, ..*crowd };
}

/// Joins groups of which the same is left now.
fn merge(groups: &mut Vec<Group>) {
    let mut index = 0;
    while index < groups.len() {
        let key = (groups[index].clause, groups[index].state);
        if let Some(other) = (index + 1..groups.len()).find(|other| (groups[*other].clause, groups[*other].state) == key) {
            let taken = groups.swap_remove(other);
            let group = &mut groups[index];
            group.listed.extend(taken.listed);
            group.crowd = match (group.crowd, taken.crowd) {
                (Some(left), Some(right)) => Some(Crowd {
                    first: if left.first.position < right.first.position { left.first } else { right.first },
                    last: if left.last.position > right.last.position { left.last } else { right.last },
                    times: left.times + right.times,
                    count: left.count + right.count,
                }),
                (left, right) => left.or(right),
            };
        } else {
            index += 1;
        }
    }
}

impl Machine for Obligations {
    type State = Open;
    type Scratch = ();

    fn scratch(&self) {}

    fn start(&self, max_violations: usize) -> Open {
        Open { pending: Pending::None, counted: None, most_listed: max_violations as u32 }
    }

    fn visit(&self, state: &mut Open, (): &mut (), moment: &Moment<'_>, sink: &mut Sink<'_>) {
        let letter = Self::letter(moment);
        if letter == 0 {
            return;
        }
        let Open { pending, counted, most_listed } = state;
        let most_listed = *most_listed as usize;
        let decider = moment.matches().next().map_or(*moment.first, |one| one.origin);
        let asks = self.clauses.iter().any(|clause| clause.asks[letter]);
        if matches!(pending, Pending::None) && !asks {
            return;
        }
        let mut own = Vec::new();
        let is_own = sink.sum.is_none();
        let sum = match &mut sink.sum {
            Some(sum) => &mut **sum,
            None => counted.get_or_insert_with(|| Box::new(Sum::new(most_listed))),
        };
        let found = if is_own { &mut own } else { &mut *sink.found };
        let desk = &mut Desk { machine: self, sum, found, room: most_listed };
        self.progress(pending, letter, &decider, desk);
        for (number, clause) in self.clauses.iter().enumerate() {
            if !clause.asks[letter] {
                continue;
            }
            desk.sum.activated += 1;
            let left = clause.open(letter);
            let one = Obligation::new(number as u8, left, moment.position, decider);
            if left <= TRUE {
                desk.settle(&one, left == TRUE, Cause::Position { decider: &decider, letter });
            } else {
                self.ask(pending, one, most_listed);
            }
        }
        if is_own && let Some(counted) = counted {
            counted.list(own.into_iter());
        }
    }

    fn reacts(&self, state: &Open, moment: &Moment<'_>) -> bool {
        let letter = Self::letter(moment);
        let changes = |clause: u8, state: State| self.clauses[clause as usize].step(state, letter) != state;
        self.clauses.iter().any(|clause| clause.asks[letter])
            || match &state.pending {
                Pending::None => false,
                Pending::One(one) => changes(one.clause, one.state),
                Pending::Many(groups) => groups.iter().any(|group| changes(group.clause, group.state)),
            }
    }

    fn splits(&self) -> Mask {
        0
    }

    fn replay(&self, from: &Open, _: &[Id], _: &Values) -> Open {
        from.clone()
    }

    fn advance(&self, _: &mut Open, (): &mut (), _: Timestamp) {}

    fn skips_idle(&self, _: &Open) -> bool {
        true
    }

    fn deadline(&self, _: &Open) -> Timestamp {
        Timestamp::MAX
    }

    fn busy_until(&self, state: &Open) -> Timestamp {
        if matches!(state.pending, Pending::None) { Timestamp::MIN } else { Timestamp::MAX }
    }

    fn alarm<'s>(&self, _: &'s mut Open) -> Option<&'s mut Timestamp> {
        None
    }

    fn is_settled(&self, _: &Open) -> bool {
        false
    }

    fn has_counted(&self, state: &Open) -> bool {
        state.counted.is_some()
    }

    fn violations<'s>(&self, state: &'s Open) -> (u64, &'s [Violation]) {
        state.counted.as_ref().map_or((0, &[]), |counted| (counted.violated, counted.violations()))
    }

    fn outcome(&self, state: &Open) -> Outcome {
        let sum = state.counted.as_ref().map_or_else(|| Sum::new(0), |counted| (**counted).clone());
        sum.outcome(Verdict::Inconclusive, None, 0)
    }

    fn finish(&self, state: &mut Open, (): &mut (), extent: Extent, end: End) -> Outcome {
        let Open { pending, counted, most_listed } = state;
        let sum = counted.get_or_insert_with(|| Box::new(Sum::new(*most_listed as usize)));
        let groups = match std::mem::take(pending) {
            Pending::None => vec![],
            Pending::One(one) => vec![Group::of(one)],
            Pending::Many(groups) => *groups,
        };
        let met = |group: &Group| self.clauses[group.clause as usize].met_at_end[group.state as usize];
        let size = |group: &Group| group.listed.len() as u64 + group.crowd.map_or(0, |crowd| crowd.count);
        let if_complete = sum.violated == 0 && groups.iter().all(met);
        if end == End::Prefix {
            sum.pending = groups.iter().map(size).sum();
        } else {
            let mut found = Vec::new();
            let room = *most_listed as usize;
            let desk = &mut Desk { machine: self, sum, found: &mut found, room };
            let cause = Cause::End(extent.last_time);
            for mut group in groups {
                let value = met(&group);
                group.listed.sort_by_key(|one| one.position);
                group.listed.iter().for_each(|one| desk.settle(one, value, cause));
                if let Some(crowd) = &group.crowd {
                    desk.settle_crowd(group.clause, crowd, value, cause);
                }
            }
            sum.list(found.into_iter());
        }
        let verdict = match end {
            _ if sum.violated > 0 => Verdict::Violated,
            End::Complete => Verdict::Holds,
            End::Prefix => Verdict::Inconclusive,
        };
        let presumably = (verdict == Verdict::Inconclusive).then_some(if_complete);
        (**sum).clone().outcome(verdict, presumably, extent.positions)
    }

    fn finish_class(&self, state: &mut Open, scratch: &mut (), extent: Extent, end: End, _: Option<Origin>) -> Outcome {
        self.finish(state, scratch, extent, end)
    }

    fn admits(&self, _: &[Id], _: &Values) -> bool {
        true
    }

    fn is_choosy(&self) -> bool {
        false
    }

    fn whole(&self) -> (Span, bool) {
        let span = self.core.span(self.core.formula.node);
        (span, true)
    }

    fn remembers_all(&self) -> bool {
        false
    }

    fn is_steady(&self) -> bool {
        true
    }

    fn weight(&self) -> usize {
        0
    }
}

/// Kept here so that a change of the layout is noticed.
const _: () = assert!(size_of::<Obligation>() <= 72);
