// SPDX-License-Identifier: MIT OR Apache-2.0
//! Matching `any`, looking ahead: a message serves every activation that it fits.

use gnomon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::context::{Actions, Truth};
use super::crowd::{Crowd, Layout};
use super::desk::Desk;
use super::instance::{self, Instance};
use super::{Compiled, Message};
use crate::slice::index::{END, Slot};
use crate::slice::values::Values;

/// An activation's columns after those of the instance: its group, and the activation after it in its run.
const GROUP: usize = instance::COLUMNS;
const NEXT: usize = GROUP + 1;

/// Activations with equal values get the same messages from the time they are made: of two, the older has seen whatever
/// the younger has. So each group is cut into few runs of activations that have seen the same, and a message changes runs,
/// not activations.
///
/// COST: a message costs the groups that it fits, times the actions of the context, and each activation that it settles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AnyFuture {
    /// Activations with the same values.
    groups: Crowd,
    /// For each group, its activations, oldest first.
    runs: Vec<Vec<Run>>,
    /// All activations, oldest first.
    activations: Crowd,
    /// Groups that a message fits.
    #[serde(skip)]
    found: Vec<Slot>,
}

/// Activations of a group that have seen the same.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Run {
    seen: Actions,
    first: Slot,
    last: Slot,
}

impl AnyFuture {
    /// A group's columns: the place of the message that made it.
    pub(crate) const COLUMNS: usize = 2;

    /// How activations are laid out.
    pub(crate) fn activations() -> Layout {
        Layout::new(0, NEXT + 1, &[])
    }

    pub(crate) fn new(rule: &Compiled) -> Self {
        let (groups, activations) = (Crowd::new(&rule.layout), Crowd::new(&rule.activations));
        AnyFuture { groups, runs: vec![], activations, found: vec![] }
    }

    pub(crate) fn live(&self) -> usize {
        self.activations.live()
    }

    pub(crate) fn bytes(&self) -> usize {
        let runs: usize = self.runs.iter().map(|runs| size_of::<Vec<Run>>() + runs.capacity() * size_of::<Run>()).sum();
        self.groups.bytes() + self.activations.bytes() + runs
    }

    /// When the oldest window ends; what comes later finds it closed.
    #[inline]
    pub(crate) fn deadline(&self, rule: &Compiled) -> Timestamp {
        match (self.activations.oldest(), rule.core.upper) {
            (Some(oldest), Some(upper)) => self.get(rule, oldest).origin.time.saturating_add(upper),
            _ => Timestamp::MAX,
        }
    }

    #[inline]
    fn get(&self, rule: &Compiled, slot: Slot) -> Instance {
        Instance::unpack(self.activations.data(&rule.activations, slot))
    }

    fn next(&self, rule: &Compiled, slot: Slot) -> Slot {
        self.activations.data(&rule.activations, slot)[NEXT]
    }

    /// RULE N9
    pub(crate) fn close(&mut self, rule: &Compiled, now: Timestamp, desk: &mut Desk<'_>) {
        while self.deadline(rule) < now {
            let deadline = self.deadline(rule);
            let Some(slot) = self.activations.oldest() else { return };
            let group = self.activations.data(&rule.activations, slot)[GROUP];
            // The oldest of all is the oldest of its group.
            let Some(run) = self.runs[group as usize].first().copied() else { return };
            let open = Instance { seen: run.seen, ..self.get(rule, slot) };
            desk.close(rule, open, deadline, [self.groups.values(&rule.layout, group), &[]]);
            if run.first == run.last {
                self.runs[group as usize].remove(0);
            } else {
                self.runs[group as usize][0].first = self.next(rule, slot);
            }
            self.activations.remove(&rule.activations, slot, desk.values);
            self.forget_if_empty(rule, group, desk.values);
        }
    }

    fn forget_if_empty(&mut self, rule: &Compiled, group: Slot, values: &mut Values) {
        if self.runs[group as usize].is_empty() {
            self.runs[group as usize] = Vec::new();
            self.groups.remove(&rule.layout, group, values);
        }
    }

    /// RULE N8: a message serves what is there, then may ask for more.
    pub(crate) fn step(&mut self, rule: &Compiled, message: &Message<'_>, desk: &mut Desk<'_>) {
        if message.actions != 0 {
            let mut found = std::mem::take(&mut self.found);
            self.groups.each(&rule.layout, message.ids, &mut found);
            found.sort_by_key(|group| place(self.groups.data(&rule.layout, *group)));
            for group in found.drain(..) {
                self.serve(rule, group, message, desk);
                self.forget_if_empty(rule, group, desk.values);
            }
            self.found = found;
        }
        if message.supposes {
            self.activate(rule, message, desk);
        }
    }

    /// A message comes to the activations of a group.
    fn serve(&mut self, rule: &Compiled, group: Slot, message: &Message<'_>, desk: &mut Desk<'_>) {
        let before = std::mem::take(&mut self.runs[group as usize]);
        let mut after: Vec<Run> = Vec::with_capacity(before.len() + 1);
        for run in before {
            let (near, far) = if run.seen == 0 { self.split(rule, run, message) } else { (Some(run), None) };
            if let Some(near) = near {
                let served = Run { seen: near.seen | message.actions, ..near };
                match (rule.context.truth(served.seen), after.last_mut()) {
                    (Truth::Unknown, Some(last)) if last.seen == served.seen => {
                        self.activations.data_mut(&rule.activations, last.last)[NEXT] = served.first;
                        last.last = served.last;
                    }
                    (Truth::Unknown, _) => after.push(served),
                    (truth, _) => self.settle(rule, group, served, message, truth == Truth::True, desk),
                }
            }
            after.extend(far);
        }
        self.runs[group as usize] = after;
    }

    /// The part of a run that the window has begun for, and the rest.
    fn split(&mut self, rule: &Compiled, run: Run, message: &Message<'_>) -> (Option<Run>, Option<Run>) {
        let is_near = |slot| message.origin.time - self.get(rule, slot).origin.time >= rule.core.lower;
        if is_near(run.last) {
            return (Some(run), None);
        }
        let (mut last, mut slot) = (END, run.first);
        while is_near(slot) {
            last = slot;
            slot = self.next(rule, slot);
        }
        let near = (last != END).then_some(Run { last, ..run });
        (near, Some(Run { first: slot, ..run }))
    }

    fn settle(
        &mut self,
        rule: &Compiled,
        group: Slot,
        run: Run,
        message: &Message<'_>,
        came_true: bool,
        desk: &mut Desk<'_>,
    ) {
        let mut slot = run.first;
        loop {
            let open = Instance { seen: run.seen, ..self.get(rule, slot) };
            let next = self.next(rule, slot);
            desk.serve(rule, open, message, [self.groups.values(&rule.layout, group), &[]], came_true);
            self.activations.remove(&rule.activations, slot, desk.values);
            if slot == run.last {
                return;
            }
            slot = next;
        }
    }

    fn activate(&mut self, rule: &Compiled, message: &Message<'_>, desk: &mut Desk<'_>) {
        desk.tally.activated += 1;
        let group = self.groups.exact(&rule.layout, message.ids).unwrap_or_else(|| {
            let index = message.origin.event_index;
            self.groups.add(&rule.layout, message.ids, &[index as u32, (index >> 32) as u32], desk.values)
        });
        if self.runs.len() <= group as usize {
            self.runs.resize_with(group as usize + 1, Vec::new);
        }
        let mut data = [END; NEXT + 1];
        data[..instance::COLUMNS].copy_from_slice(&Instance { origin: message.origin, seen: 0 }.pack());
        data[GROUP] = group;
        let slot = self.activations.add(&rule.activations, &[], &data, desk.values);
        match self.runs[group as usize].last_mut() {
            Some(run) if run.seen == 0 => {
                self.activations.data_mut(&rule.activations, run.last)[NEXT] = slot;
                run.last = slot;
            }
            _ => self.runs[group as usize].push(Run { seen: 0, first: slot, last: slot }),
        }
    }

    /// RULE N9
    pub(crate) fn end(&self, rule: &Compiled, last: Timestamp, desk: &mut Desk<'_>) {
        for slot in self.activations.by_age(&rule.activations) {
            let group = self.activations.data(&rule.activations, slot)[GROUP];
            desk.leave_open(rule, self.get(rule, slot), last, [self.groups.values(&rule.layout, group), &[]]);
        }
    }

    pub(crate) fn rebuild(&mut self, rule: &Compiled, bound: usize) -> bool {
        self.groups.rebuild(&rule.layout, bound, place)
            && self.activations.rebuild(&rule.activations, bound, instance::index)
            && self.is_sound(rule)
    }

    /// Whether the runs of the groups hold every activation once.
    fn is_sound(&self, rule: &Compiled) -> bool {
        let is_live = |slot: Slot| (slot as usize) < self.activations.bound() && self.activations.is_live(slot);
        let mut count = 0;
        for (group, runs) in (0..).zip(&self.runs) {
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

fn place(data: &[u32]) -> u64 {
    u64::from(data[0]) | u64::from(data[1]) << 32
}
