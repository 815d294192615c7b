// SPDX-License-Identifier: MIT OR Apache-2.0
//! Table obligations as the machine of a binding: untimed formulae, in a few bytes.

use gnomon_core::diagnostic::Span;
use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{At, Because, End, Origin, Outcome, Verdict, Violation};
use gnomon_ir::core::FormulaCore;
use serde::{Deserialize, Serialize};

use super::desk::{Asked, Cause, Counted, Desk};
use super::table::{Clause, State, TRUE, tables};
use crate::slice::Named;
use crate::slice::machine::{Extent, Machine, Moment, Sink};
use crate::slice::matches::Mask;
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
    counted: Option<Box<Counted>>,
}

/// Nearly always nothing or one thing is open.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
enum Pending {
    #[default]
    None,
    One(Obligation),
    Many(Vec<Group>),
}

/// Something that was asked for, and what is left of it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Obligation {
    asked: Asked,
    turn_index: u64,
    /// The time of the last event that changed what is left, if 64 bits hold it: the story can do without.
    turn_time: i64,
    turn_event: u32,
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
    fn new(asked: Asked, state: State) -> Self {
        Obligation { asked, turn_index: 0, turn_time: 0, turn_event: 0, state, has_turned: false }
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

impl Obligations {
    fn settle(&self, one: &Obligation, value: bool, why: Cause<'_>, desk: &mut Desk<'_>) {
        let Obligation { asked, .. } = one;
        if value {
            let time = asked.time();
            self.satisfy(asked.clause, 1, (time, time), time.ticks(), why, desk);
        } else {
            desk.sum.violated += 1;
            self.list(asked.clause, asked.at(), asked.position(), one.turned(), why, desk);
        }
    }

    fn settle_crowd(&self, clause: u8, crowd: &Crowd, value: bool, why: Cause<'_>, desk: &mut Desk<'_>) {
        if value {
            let ends = (crowd.first.origin.time, crowd.last.origin.time);
            self.satisfy(clause, crowd.count, ends, crowd.times, why, desk);
            return;
        }
        desk.sum.violated += crowd.count;
        if crowd.last.position - crowd.first.position + 1 == crowd.count {
            self.list(clause, crowd.first, crowd.last.position, None, why, desk);
        }
    }

    fn satisfy(
        &self,
        clause: u8,
        count: u64,
        (first, last): (Timestamp, Timestamp),
        times: i128,
        why: Cause<'_>,
        desk: &mut Desk<'_>,
    ) {
        let until = if self.clauses[clause as usize].takes_time { why.time() } else { last };
        desk.satisfy(count, first, last, times, until);
    }

    fn list(&self, clause: u8, at: At, to: u64, turn: Option<Origin>, why: Cause<'_>, desk: &mut Desk<'_>) {
        let failed = self.clauses[clause as usize].consequent;
        desk.list(at, to, failed, why, || {
            let mut because = vec![Because { origin: at.origin, note: "asked for from here on".to_owned() }];
            if let Some(turn) = turn.filter(|turn| turn.event_index != at.origin.event_index) {
                because.push(Because { origin: turn, note: "then this".to_owned() });
            }
            let summary = if let Cause::Position { decider, letter, .. } = why {
                if decider.event_index != at.origin.event_index {
                    because.push(Because { origin: *decider, note: "broken here".to_owned() });
                }
                format!("{} came", self.name(letter))
            } else {
                "not met before the trace ended".to_owned()
            };
            because.dedup_by_key(|because| because.origin.event_index);
            (summary, because)
        });
    }
}

impl Obligations {
    /// The atoms of a position in words.
    fn name(&self, letter: usize) -> String {
        let atoms = self.core.atoms.iter().enumerate().filter(|(atom, _)| letter >> atom & 1 == 1);
        atoms.map(|(_, atom)| format!("`{}`", atom.name)).collect::<Vec<_>>().join(" and ")
    }

    /// What is left after a position; settles what nothing is left of.
    fn progress(&self, pending: &mut Pending, letter: usize, decider: &Origin, why: Cause<'_>, desk: &mut Desk<'_>) {
        match pending {
            Pending::None => {}
            Pending::One(one) => {
                let next = self.clauses[one.asked.clause as usize].step(one.state, letter);
                if next <= TRUE {
                    self.settle(one, next == TRUE, why, desk);
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
                        self.settle_group(group, next == TRUE, why, desk);
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

    fn settle_group(&self, group: &mut Group, value: bool, why: Cause<'_>, desk: &mut Desk<'_>) {
        group.listed.sort_by_key(|one| one.asked.position());
        group.listed.iter().for_each(|one| self.settle(one, value, why, desk));
        if let Some(crowd) = &group.crowd {
            self.settle_crowd(group.clause, crowd, value, why, desk);
        }
    }

    /// Something is asked for.
    fn ask(pending: &mut Pending, one: Obligation, most_listed: usize) {
        match pending {
            Pending::None => *pending = Pending::One(one),
            Pending::One(first) => {
                let mut groups = vec![Group::of(*first)];
                add(&mut groups, one, most_listed);
                *pending = Pending::Many(groups);
            }
            Pending::Many(groups) => add(groups, one, most_listed),
        }
    }
}

impl Group {
    fn of(one: Obligation) -> Self {
        Group { clause: one.asked.clause, state: one.state, listed: vec![one], crowd: None }
    }
}

fn add(groups: &mut Vec<Group>, one: Obligation, most_listed: usize) {
    let key = (one.asked.clause, one.state);
    let Some(group) = groups.iter_mut().find(|group| (group.clause, group.state) == key) else {
        groups.push(Group::of(one));
        return;
    };
    if group.listed.len() < most_listed {
        group.listed.push(one);
        return;
    }
    let at = one.asked.at();
    let crowd = group.crowd.get_or_insert(Crowd { first: at, last: at, times: 0, count: 0 });
    let times = crowd.times + at.origin.time.ticks();
    *crowd = Crowd { last: at, times, count: crowd.count + 1, ..*crowd };
}

/// Joins groups of which the same is left now.
fn merge(groups: &mut Vec<Group>) {
    let mut index = 0;
    while index < groups.len() {
        let key = (groups[index].clause, groups[index].state);
        if let Some(other) =
            (index + 1..groups.len()).find(|other| (groups[*other].clause, groups[*other].state) == key)
        {
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
    const COUNTS_IN_SINK: bool = true;

    fn scratch(&self) {}

    fn start(&self, _: usize) -> Open {
        Open { pending: Pending::None, counted: None }
    }

    fn visit(&self, state: &mut Open, (): &mut (), moment: &Moment<'_>, sink: &mut Sink<'_>) {
        let letter = moment.letter() as usize;
        if letter == 0 {
            return;
        }
        let Open { pending, counted } = state;
        let most_listed = sink.most_listed;
        let decider = moment.matches().next().map_or(*moment.first, |one| one.origin);
        let asks = self.clauses.iter().any(|clause| clause.asks[letter]);
        if matches!(pending, Pending::None) && !asks {
            return;
        }
        Desk::with(sink, counted, |desk| {
            let why = Cause::Position { position: moment.position, decider: &decider, letter };
            self.progress(pending, letter, &decider, why, desk);
            for (number, clause) in self.clauses.iter().enumerate() {
                if !clause.asks[letter] {
                    continue;
                }
                desk.sum.activated += 1;
                let left = clause.open(letter);
                let one = Obligation::new(Asked::new(number as u8, moment.position, &decider), left);
                if left <= TRUE {
                    self.settle(&one, left == TRUE, why, desk);
                } else {
                    Self::ask(pending, one, most_listed);
                }
            }
        });
    }

    fn reacts(&self, state: &Open, moment: &Moment<'_>) -> bool {
        let letter = moment.letter() as usize;
        let changes = |clause: u8, state: State| self.clauses[clause as usize].step(state, letter) != state;
        self.clauses.iter().any(|clause| clause.asks[letter])
            || match &state.pending {
                Pending::None => false,
                Pending::One(one) => changes(one.asked.clause, one.state),
                Pending::Many(groups) => groups.iter().any(|group| changes(group.clause, group.state)),
            }
    }

    fn splits(&self) -> Mask {
        0
    }

    fn replay(&self, from: &Open, _: &[Id], _: &Values) -> Open {
        from.clone()
    }

    fn advance(&self, _: &mut Open, (): &mut (), _: Timestamp, _: usize) {}

    fn skips_idle(&self, _: &Open) -> bool {
        true
    }

    fn rests(&self) -> bool {
        true
    }

    fn deadline(&self, _: &Open) -> Timestamp {
        Timestamp::MAX
    }

    fn busy_until(&self, state: &Open) -> Timestamp {
        if matches!(state.pending, Pending::None) { Timestamp::MIN } else { Timestamp::MAX }
    }

    fn is_settled(&self, _: &Open) -> bool {
        false
    }

    fn has_counted(&self, state: &Open) -> bool {
        state.counted.is_some()
    }

    fn violations<'s>(&self, state: &'s Open) -> (u64, &'s [Violation]) {
        state.counted.as_ref().map_or((0, &[]), |counted| counted.violations())
    }

    fn trim(&self, state: &mut Open, keep: usize) {
        Counted::trim(&mut state.counted, keep);
    }

    fn outcome(&self, state: &Open) -> Outcome {
        let counted = state.counted.as_ref().map_or_else(|| Counted::new(0), |counted| (**counted).clone());
        counted.outcome(Verdict::Inconclusive, None, 0)
    }

    fn finish(&self, state: &mut Open, (): &mut (), extent: Extent, end: End) -> Outcome {
        let Open { pending, counted } = state;
        let mut counted = counted.take().map_or_else(|| Counted::new(extent.most_listed), |counted| *counted);
        let groups = match std::mem::take(pending) {
            Pending::None => vec![],
            Pending::One(one) => vec![Group::of(one)],
            Pending::Many(groups) => groups,
        };
        let met = |group: &Group| self.clauses[group.clause as usize].met_at_end[group.state as usize];
        let size = |group: &Group| group.listed.len() as u64 + group.crowd.map_or(0, |crowd| crowd.count);
        let if_complete = counted.sum.violated == 0 && groups.iter().all(met);
        if end == End::Prefix {
            counted.sum.pending = groups.iter().map(size).sum();
        } else {
            let why = Cause::End(extent.last_time);
            for mut group in groups {
                let value = met(&group);
                self.settle_group(&mut group, value, why, &mut counted.desk());
            }
        }
        counted.conclude(end, if_complete, extent.positions)
    }

    fn name(&self, _: &mut Open, _: Named) {}

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
