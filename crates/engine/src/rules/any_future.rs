// SPDX-License-Identifier: MIT OR Apache-2.0
//! Matching `any` into the future: a message serves every activation that it agrees with.

use gnomon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::actions::ActionSet;
use super::instance::{self, RuleInstance, Truth};
use super::instance_table::{RuleInstanceTable, TableLayout};
use super::recorder::RuleRecorder;
use super::{RuleMessage, RulePlan};
use crate::slice::storage::index::{END, Slot};
use crate::slice::storage::values::{Id, ValueInterner};

/// An activation's columns after those of the instance: its group, and the activation after it in its run.
const GROUP: usize = instance::COLUMNS;
const NEXT: usize = GROUP + 1;

/// Activations with equal values get the same messages from their creation on: the older of two has seen everything that the younger
/// has. So each group is divided into few runs of activations that have seen the same actions, and a message changes runs, not
/// activations.
///
/// Example: a context of `a` and `b`. Activations 1 and 2, then `a`, then activation 3: the group has the runs {1, 2} with `a`, and
/// {3} with nothing. `b` completes the first run and leaves {3} with `b`.
///
/// COST: a message costs the groups that it agrees with, times the actions of the context, and each activation that it settles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AnyFutureInstances {
    /// Groups of activations with the same values.
    groups: RuleInstanceTable,
    /// For each group, its activations, oldest first.
    runs: Vec<RunList>,
    /// All activations, oldest first.
    activations: RuleInstanceTable,
    /// Buffer for the groups that a message agrees with.
    #[serde(skip)]
    found: Vec<Slot>,
}

/// Consecutive activations of a group that have seen the same actions.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ActivationRun {
    seen: ActionSet,
    first: Slot,
    last: Slot,
}

/// The runs of a group. Nearly all groups have one, which needs no memory of its own. Saved as a list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<ActivationRun>", into = "Vec<ActivationRun>")]
enum RunList {
    #[default]
    None,
    One(ActivationRun),
    Many(Vec<ActivationRun>),
}

impl RunList {
    #[inline]
    fn as_slice(&self) -> &[ActivationRun] {
        match self {
            RunList::None => &[],
            RunList::One(run) => std::slice::from_ref(run),
            RunList::Many(runs) => runs,
        }
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [ActivationRun] {
        match self {
            RunList::None => &mut [],
            RunList::One(run) => std::slice::from_mut(run),
            RunList::Many(runs) => runs,
        }
    }

    #[inline]
    fn push(&mut self, run: ActivationRun) {
        *self = match std::mem::take(self) {
            RunList::None => RunList::One(run),
            RunList::One(first) => RunList::Many(vec![first, run]),
            RunList::Many(mut runs) => {
                runs.push(run);
                RunList::Many(runs)
            }
        };
    }

    fn remove_first(&mut self) {
        match self {
            RunList::None | RunList::One(_) => *self = RunList::None,
            RunList::Many(runs) => drop(runs.remove(0)),
        }
    }

    fn into_runs(self) -> impl Iterator<Item = ActivationRun> {
        let (one, many) = match self {
            RunList::None => (None, Vec::new()),
            RunList::One(run) => (Some(run), Vec::new()),
            RunList::Many(runs) => (None, runs),
        };
        one.into_iter().chain(many)
    }

    fn bytes(&self) -> usize {
        let listed = if let RunList::Many(runs) = self { runs.capacity() * size_of::<ActivationRun>() } else { 0 };
        listed + self.as_slice().iter().map(|run| run.seen.bytes()).sum::<usize>()
    }
}

impl From<Vec<ActivationRun>> for RunList {
    fn from(runs: Vec<ActivationRun>) -> Self {
        let mut list = RunList::None;
        for run in runs {
            list.push(run);
        }
        list
    }
}

impl From<RunList> for Vec<ActivationRun> {
    fn from(list: RunList) -> Self {
        list.into_runs().collect()
    }
}

impl AnyFutureInstances {
    /// The number of columns of a group: the position of the message that created it.
    pub(crate) const COLUMNS: usize = 2;

    /// Returns the layout of the table of activations.
    pub(crate) fn activations() -> TableLayout {
        TableLayout::new(0, NEXT + 1, &[])
    }

    pub(crate) fn new(rule: &RulePlan) -> Self {
        let (groups, activations) = (RuleInstanceTable::new(&rule.layout), RuleInstanceTable::new(&rule.activations));
        AnyFutureInstances { groups, runs: vec![], activations, found: vec![] }
    }

    pub(crate) fn live(&self) -> usize {
        self.activations.live()
    }

    pub(crate) fn bytes(&self) -> usize {
        let runs = self.runs.capacity() * size_of::<RunList>() + self.runs.iter().map(RunList::bytes).sum::<usize>();
        self.groups.bytes() + self.activations.bytes() + runs
    }

    /// Returns the time at which the window of the oldest activation ends.
    #[inline]
    pub(crate) fn deadline(&self, rule: &RulePlan) -> Timestamp {
        match (self.activations.oldest(), rule.core.upper) {
            (Some(oldest), Some(upper)) => self.get(rule, oldest).origin.time.saturating_add(upper),
            _ => Timestamp::MAX,
        }
    }

    /// Reads the activations with a value: see [`Monitor::step_block`](crate::Monitor::step_block).
    pub(crate) fn touch(&self, rule: &RulePlan, set: usize, id: Id) {
        if let Some(group) = self.groups.touch(&rule.layout, set, id)
            && let Some(run) = self.runs.get(group as usize).and_then(|runs| runs.as_slice().first())
        {
            self.activations.touch_neighbours(&rule.activations, run.first);
        }
    }

    #[inline]
    fn get(&self, rule: &RulePlan, slot: Slot) -> RuleInstance {
        RuleInstance::unpack(self.activations.data(&rule.activations, slot))
    }

    fn next(&self, rule: &RulePlan, slot: Slot) -> Slot {
        self.activations.data(&rule.activations, slot)[NEXT]
    }

    /// RULE N9
    pub(crate) fn close(&mut self, rule: &RulePlan, now: Timestamp, recorder: &mut RuleRecorder<'_>) {
        while self.deadline(rule) < now {
            let deadline = self.deadline(rule);
            let Some(slot) = self.activations.oldest() else { return };
            let group = self.activations.data(&rule.activations, slot)[GROUP];
            // The oldest activation of all is the oldest of its group.
            let Some(run) = self.runs[group as usize].as_slice().first() else { return };
            let (is_last, seen) = (run.first == run.last, run.seen.clone());
            let open = RuleInstance { seen, ..self.get(rule, slot) };
            recorder.close(rule, &open, deadline, [self.groups.values(&rule.layout, group), &[]]);
            if is_last {
                self.runs[group as usize].remove_first();
            } else {
                let next = self.next(rule, slot);
                if let [run, ..] = self.runs[group as usize].as_mut_slice() {
                    run.first = next;
                }
            }
            self.activations.remove(&rule.activations, slot, recorder.values);
            self.forget_if_empty(rule, group, recorder.values);
        }
    }

    fn forget_if_empty(&mut self, rule: &RulePlan, group: Slot, values: &mut ValueInterner) {
        if self.runs[group as usize].as_slice().is_empty() {
            self.runs[group as usize] = RunList::None;
            self.groups.remove(&rule.layout, group, values);
        }
    }

    /// RULE N8. A message serves the activations, then may create one.
    pub(crate) fn step(&mut self, rule: &RulePlan, message: &RuleMessage<'_>, recorder: &mut RuleRecorder<'_>) {
        if !message.actions.is_empty() {
            let mut found = std::mem::take(&mut self.found);
            self.groups.each(&rule.layout, message.ids, &mut found);
            found.sort_by_key(|group| group_position(self.groups.data(&rule.layout, *group)));
            for group in found.drain(..) {
                self.serve(rule, group, message, recorder);
                self.forget_if_empty(rule, group, recorder.values);
            }
            self.found = found;
        }
        if message.is_supposition {
            self.activate(rule, message, recorder);
        }
    }

    /// Applies a message to the activations of a group.
    fn serve(&mut self, rule: &RulePlan, group: Slot, message: &RuleMessage<'_>, recorder: &mut RuleRecorder<'_>) {
        let before = std::mem::take(&mut self.runs[group as usize]);
        let mut after = RunList::None;
        for run in before.into_runs() {
            let (begun, rest) = if run.seen.is_empty() { self.split(rule, run, message) } else { (Some(run), None) };
            if let Some(mut served) = begun {
                served.seen.extend(message.actions);
                match (rule.context.truth(&served.seen), after.as_mut_slice().last_mut()) {
                    (Truth::Unknown, Some(last)) if last.seen == served.seen => {
                        self.activations.data_mut(&rule.activations, last.last)[NEXT] = served.first;
                        last.last = served.last;
                    }
                    (Truth::Unknown, _) => after.push(served),
                    (truth, _) => self.settle(rule, group, &served, message, truth == Truth::True, recorder),
                }
            }
            if let Some(rest) = rest {
                after.push(rest);
            }
        }
        self.runs[group as usize] = after;
    }

    /// Splits a run into the activations whose window has begun and the rest.
    fn split(
        &mut self,
        rule: &RulePlan,
        run: ActivationRun,
        message: &RuleMessage<'_>,
    ) -> (Option<ActivationRun>, Option<ActivationRun>) {
        let has_begun = |slot| message.origin.time - self.get(rule, slot).origin.time >= rule.core.lower;
        if has_begun(run.last) {
            return (Some(run), None);
        }
        let (mut last, mut slot) = (END, run.first);
        while has_begun(slot) {
            last = slot;
            slot = self.next(rule, slot);
        }
        let begun = (last != END).then(|| ActivationRun { last, ..run.clone() });
        (begun, Some(ActivationRun { first: slot, ..run }))
    }

    fn settle(
        &mut self,
        rule: &RulePlan,
        group: Slot,
        run: &ActivationRun,
        message: &RuleMessage<'_>,
        came_true: bool,
        recorder: &mut RuleRecorder<'_>,
    ) {
        let mut slot = run.first;
        loop {
            let open = RuleInstance { seen: run.seen.clone(), ..self.get(rule, slot) };
            let next = self.next(rule, slot);
            recorder.serve(rule, &open, message, [self.groups.values(&rule.layout, group), &[]], came_true);
            self.activations.remove(&rule.activations, slot, recorder.values);
            if slot == run.last {
                return;
            }
            slot = next;
        }
    }

    fn activate(&mut self, rule: &RulePlan, message: &RuleMessage<'_>, recorder: &mut RuleRecorder<'_>) {
        recorder.record.totals.activated += 1;
        let group = self.groups.exact(&rule.layout, message.ids).unwrap_or_else(|| {
            let position = message.position;
            self.groups.add(&rule.layout, message.ids, &[position as u32, (position >> 32) as u32], recorder.values)
        });
        if self.runs.len() <= group as usize {
            self.runs.resize_with(group as usize + 1, RunList::default);
        }
        let mut data = [END; NEXT + 1];
        data[..instance::COLUMNS].copy_from_slice(&message.columns(&ActionSet::EMPTY));
        data[GROUP] = group;
        let slot = self.activations.add(&rule.activations, &[], &data, recorder.values);
        match self.runs[group as usize].as_mut_slice().last_mut() {
            Some(run) if run.seen.is_empty() => {
                self.activations.data_mut(&rule.activations, run.last)[NEXT] = slot;
                run.last = slot;
            }
            _ => self.runs[group as usize].push(ActivationRun { seen: ActionSet::EMPTY, first: slot, last: slot }),
        }
    }

    /// RULE N9
    pub(crate) fn end(&self, rule: &RulePlan, last: Timestamp, recorder: &mut RuleRecorder<'_>) {
        for slot in self.activations.by_age(&rule.activations) {
            let group = self.activations.data(&rule.activations, slot)[GROUP];
            recorder.leave_open(rule, &self.get(rule, slot), last, [self.groups.values(&rule.layout, group), &[]]);
        }
    }

    pub(crate) fn rebuild(&mut self, rule: &RulePlan, bound: usize) -> bool {
        self.groups.rebuild(&rule.layout, bound, group_position)
            && self.activations.rebuild(&rule.activations, bound, instance::position)
            && self.is_sound(rule)
    }

    /// Returns true if the runs of the groups contain every activation exactly once.
    fn is_sound(&self, rule: &RulePlan) -> bool {
        let is_live = |slot: Slot| (slot as usize) < self.activations.bound() && self.activations.is_live(slot);
        let mut count = 0;
        for (group, runs) in (0..).zip(self.runs.iter().map(RunList::as_slice)) {
            for run in runs {
                let mut slot = run.first;
                loop {
                    count += 1;
                    let is_own = is_live(slot) && self.activations.data(&rule.activations, slot)[GROUP] == group;
                    if !is_own || count > self.activations.live() {
                        return false;
                    }
                    if slot == run.last {
                        break;
                    }
                    slot = self.next(rule, slot);
                }
            }
            if runs.is_empty() == (self.groups.bound() > group as usize && self.groups.is_live(group)) {
                return false;
            }
        }
        count == self.activations.live() && self.runs.len() >= self.groups.bound()
    }
}

/// Returns the position that orders groups by age.
fn group_position(data: &[u32]) -> u64 {
    u64::from(data[0]) | u64::from(data[1]) << 32
}
