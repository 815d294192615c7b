// SPDX-License-Identifier: MIT OR Apache-2.0
//! Storage: the instances of a property, and everything that finds them again.
//!
//! - [`InstanceTable`] has a row and a state per instance, with an index per kind of instances (`storage/index.rs`).
//! - [`KeyedStates`] has the instances of a property whose events all bind its only variable: states by the number of the value.
//! - [`ValueInterner`] numbers the values of bindings and forgets those that no instance holds.
//! - [`Domains`] remembers the values that variables had, where quantifiers need them.
//! - [`Timers`] says which instance must be visited when a time has passed; a [`DeadlineQueue`] sorts the times.
//!
//! Storage knows neither slicing nor quantifiers nor machines: a state is opaque here. Which instance to evict is decided in
//! `slicing.rs`; [`Storage::remove`] frees its row, its timer and its values.

pub(crate) mod chunks;
pub(crate) mod compact;
mod deadlines;
pub(crate) mod domains;
pub(crate) mod index;
pub(crate) mod integer_set;
pub(crate) mod keyed;
pub(crate) mod values;

use gnomon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use self::chunks::{BLANK, ChunkedRows, ChunkedVec};
use self::deadlines::DeadlineQueue;
use self::domains::Domains;
use self::index::{END, InstanceIndex, Mask, Slot, SlotPages, VALUES, agrees, links, mask_of};
use self::keyed::KeyedStates;
use self::values::{Id, NONE, ValueInterner};
use crate::work;

/// The instances of a property, their values and their timers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Storage<S> {
    pub(crate) values: ValueInterner,
    pub(crate) table: InstanceTable<S>,
    pub(crate) keyed: KeyedStates<S>,
    pub(crate) domains: Domains,
    pub(crate) timers: Timers,
    /// The number of instances, apart from the root, that do not bind every variable.
    pub(crate) partials: usize,
    /// An instance that could be evicted, kept for one more event, which is often about the same binding. [`END`] if there is none.
    pub(crate) last_evictable: Slot,
}

impl<S: Clone> Storage<S> {
    /// With `mentions`, the bindings that events name are remembered too.
    pub(crate) fn new(shape: &Shape, mentions: bool) -> Self {
        Storage {
            values: ValueInterner::default(),
            table: InstanceTable::new(shape),
            keyed: KeyedStates::default(),
            domains: Domains::new(shape, mentions),
            timers: Timers::default(),
            partials: 0,
            last_evictable: END,
        }
    }

    /// Removes everything, the root included. Allocated memory is kept.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.table.clear();
        self.keyed.clear();
        self.domains.clear();
        self.timers.clear();
        (self.partials, self.last_evictable) = (0, END);
    }

    /// Adds an instance, which holds its values from now on.
    #[inline]
    pub(crate) fn insert(&mut self, shape: &Shape, kind: InstanceKind, ids: &[Id], state: S) -> Slot {
        self.partials += usize::from(kind.mask != shape.full() && kind.mask != 0);
        self.table.add(shape, kind, ids, state, &mut self.values)
    }

    /// Removes an instance that binds every variable, its timer and its values.
    #[inline]
    pub(crate) fn remove(&mut self, slot: Slot) {
        self.timers.disarm(slot);
        self.table.remove(slot, &mut self.values);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.values.bytes() + self.table.bytes() + self.keyed.bytes() + self.domains.bytes() + self.timers.bytes()
    }

    /// Adds the instances and domains of another shard, except for instances that are in both.
    pub(crate) fn absorb(&mut self, shape: &Shape, mut other: Storage<S>) {
        let (values, foreign) = (&mut self.values, &other.values);
        for slot in other.table.slots() {
            let translate = |id: &Id| if *id == NONE { NONE } else { values.number(&foreign.get(*id)) };
            let ids: Vec<Id> = other.table.ids(slot).iter().map(translate).collect();
            if self.table.find(mask_of(&ids), &ids) == END {
                let kind = other.table.kind(slot);
                self.partials += usize::from(kind.mask != shape.full() && kind.mask != 0);
                self.table.add(shape, kind, &ids, other.table.state(slot).clone(), values);
            }
        }
        for (id, state) in other.keyed.close(&other.values) {
            let id = values.number(&other.values.get(id));
            if self.keyed.is_open() {
                self.keyed.add(id, state, values);
            } else {
                let kind = InstanceKind { mask: shape.full(), quiescent: false };
                self.table.add(shape, kind, &[id], state, values);
            }
        }
        let (ids, foreign) = (other.domains.ids(), &other.values);
        let numbers: Vec<(Id, Id)> = ids.into_iter().map(|id| (id, values.number(&foreign.get(id)))).collect();
        let translate =
            |id: Id| numbers.binary_search_by_key(&id, |(foreign, _)| *foreign).map_or(NONE, |at| numbers[at].1);
        self.domains.absorb(other.domains, translate, values);
        self.values.settle();
    }

    /// Rebuilds what a snapshot leaves out. Returns `false` if the snapshot is damaged.
    pub(crate) fn rebuild(&mut self, shape: &Shape) -> bool {
        self.domains.rebuild();
        self.values.rebuild()
            && self.table.rebuild(shape, &self.values)
            && self.keyed.rebuild(&self.values)
            && self.timers.rebuild(self.table.capacity())
            && self.last_evictable_is_full(shape)
            && self.domains.fits(shape, &self.values)
    }

    fn last_evictable_is_full(&self, shape: &Shape) -> bool {
        let slot = self.last_evictable;
        let is_there = || (slot as usize) < self.table.capacity() && self.table.is_live(slot);
        slot == END || (slot != ROOT && is_there() && self.table.kind(slot).mask == shape.full())
    }
}

/// The instances: their bindings and states.
///
/// An instance is the state of all bindings that agree with its own and that no more specific instance stands for. The one
/// that binds nothing, the root, is always there.
///
/// INVARIANT: the bindings of the instances are closed under joining compatible ones, so that one of the instances that agree
/// with a full binding is the most specific. `slicing/affected.rs` establishes it, unless states are assembled on demand.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct InstanceTable<S> {
    variables: usize,
    /// For each instance, the number of its kind or [`VACANT`], its values, and its links to others.
    rows: ChunkedRows,
    states: ChunkedVec<S>,
    free: Vec<Slot>,
    live: usize,
    kinds: Vec<InstanceKind>,
    /// The numbers of the kinds, those that bind most first.
    #[serde(skip)]
    kinds_by_size: Vec<usize>,
    /// The kinds by the variables that they bind, with their numbers.
    #[serde(skip)]
    kinds_by_mask: Vec<(Mask, usize)>,
    /// The index of each kind.
    #[serde(skip)]
    indexes: Vec<InstanceIndex>,
    /// Of a single variable: the instance of each value, whatever its kind.
    #[serde(skip)]
    by_value: SlotPages,
}

/// Instances of one kind share an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct InstanceKind {
    /// The variables that they bind.
    pub(crate) mask: Mask,
    /// They behave like the initial state.
    pub(crate) quiescent: bool,
}

/// The column of a row with the kind.
const KIND: usize = 0;

/// The instance that binds nothing: the first one, never evicted.
pub(crate) const ROOT: Slot = 0;

/// The kind of a row without an instance.
const VACANT: u32 = BLANK;

/// The sets of variables that events bind together: there is an index for each.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) variables: usize,
    /// All of them.
    full: Mask,
    /// The sets of variables that atoms bind.
    pub(crate) masks: Vec<Mask>,
    /// The width of a row, with as many links as an instance may need.
    width: usize,
}

impl Shape {
    pub(crate) fn new(variables: usize, masks: Vec<Mask>) -> Self {
        let mut shape = Shape { variables, full: ((1_u64 << variables) - 1) as Mask, masks, width: 0 };
        shape.width = shape.widest();
        shape
    }

    #[inline]
    pub(crate) fn full(&self) -> Mask {
        self.full
    }

    /// An index of the instances that bind these variables: by each set of variables that they share with an event, and
    /// by their own binding.
    fn index(&self, mask: Mask) -> InstanceIndex {
        let mut sets: Vec<Mask> = self.masks.iter().map(|other| other & mask).collect();
        sets.sort_unstable();
        sets.dedup();
        InstanceIndex::new(self.variables, mask, &sets)
    }

    fn widest(&self) -> usize {
        let chains = if self.variables > 10 {
            self.masks.len()
        } else {
            (0..=self.full()).map(|mask| self.index(mask).sets().count() - 1).max().unwrap_or(0)
        };
        links(self.variables) + 2 * chains
    }
}

impl<S> InstanceTable<S> {
    pub(crate) fn new(shape: &Shape) -> Self {
        InstanceTable {
            variables: shape.variables,
            rows: ChunkedRows::new(shape.width, links(shape.variables)),
            states: ChunkedVec::default(),
            free: Vec::new(),
            live: 0,
            kinds: Vec::new(),
            kinds_by_size: Vec::new(),
            kinds_by_mask: Vec::new(),
            indexes: Vec::new(),
            by_value: SlotPages::default(),
        }
    }

    /// Removes every instance. Allocated memory is kept, and so are the kinds, which will come again.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.states.clear();
        self.free.clear();
        self.live = 0;
        self.indexes.iter_mut().for_each(InstanceIndex::clear);
        self.by_value.clear();
    }

    /// The number of instances.
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    pub(crate) fn bytes(&self) -> usize {
        let indexes = self.indexes.iter().map(InstanceIndex::bytes).sum::<usize>() + self.by_value.bytes();
        self.rows.bytes() + self.states.bytes() + indexes
    }

    /// The kinds of instances, those that bind most first, each with its number.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (usize, InstanceKind)> {
        self.kinds_by_size.iter().map(|number| (*number, self.kinds[*number]))
    }

    pub(crate) fn kind_count(&self) -> usize {
        self.kinds.len()
    }

    #[inline]
    pub(crate) fn kind_at(&self, number: usize) -> InstanceKind {
        self.kinds[number]
    }

    /// One more than the greatest number ever given.
    pub(crate) fn capacity(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> {
        let numbered = (0..).zip(self.rows.iter());
        numbered.filter(|(_, row)| row[KIND] != VACANT).map(|(slot, _)| slot)
    }

    /// The instances of one kind.
    fn slots_of(&self, kind: usize) -> impl Iterator<Item = Slot> {
        let numbered = (0..).zip(self.rows.iter());
        numbered.filter(move |(_, row)| row[KIND] as usize == kind).map(|(slot, _)| slot)
    }

    #[inline(always)]
    pub(crate) fn kind(&self, slot: Slot) -> InstanceKind {
        self.kinds[self.rows.get(slot)[KIND] as usize]
    }

    /// Returns true if a slot has an instance.
    #[inline]
    pub(crate) fn is_live(&self, slot: Slot) -> bool {
        self.rows.get(slot)[KIND] != VACANT
    }

    #[inline]
    pub(crate) fn state(&self, slot: Slot) -> &S {
        self.states.get(slot)
    }

    /// The state of an instance and its binding.
    #[inline(always)]
    pub(crate) fn parts(&mut self, slot: Slot) -> (&mut S, &[Id]) {
        (self.states.get_mut(slot), &self.rows.get(slot)[VALUES..links(self.variables)])
    }

    #[inline]
    pub(crate) fn state_mut(&mut self, slot: Slot) -> &mut S {
        self.states.get_mut(slot)
    }

    /// The values of an instance, one for each variable.
    #[inline]
    pub(crate) fn ids(&self, slot: Slot) -> &[Id] {
        &self.rows.get(slot)[VALUES..links(self.variables)]
    }

    /// The first instance of a kind that has the values of `binding` for the variables of `on`; [`InstanceTable::next`] gives the others.
    #[inline]
    pub(crate) fn first(&self, kind: usize, on: Mask, binding: &[Id]) -> Slot {
        work::add(1);
        if self.variables == 1 && on == 1 {
            let slot = self.by_value.get(binding[0]);
            let is_it = slot != END && self.rows.get(slot)[KIND] as usize == kind;
            return if is_it { slot } else { END };
        }
        self.indexes[kind].first(on, binding, &self.rows, || self.slots_of(kind))
    }

    #[inline]
    pub(crate) fn next(&self, kind: usize, on: Mask, slot: Slot) -> Slot {
        work::add(1);
        self.indexes[kind].next(on, slot, &self.rows)
    }

    /// Returns an instance with this value of a variable, the first of a chain, if there is an index for it; else [`END`].
    #[inline]
    pub(crate) fn first_with(&self, variable: usize, id: Id) -> Slot {
        if self.variables == 1 {
            return self.by_value.get(id);
        }
        let first = self.indexes.iter().map(|index| index.first_with(variable, id));
        first.filter(|slot| *slot != END).last().unwrap_or(END)
    }

    /// All instances of a kind that have the values of `binding` for the variables of `on`, whether or not there is an
    /// index for just these.
    pub(crate) fn agreeing(&self, kind: usize, on: Mask, binding: &[Id]) -> Vec<Slot> {
        let agrees = |slot: &Slot| agrees(on, binding, self.rows.get(*slot));
        let usable = self.indexes[kind].sets().filter(|set| set & !on == 0);
        let Some(set) = usable.max_by_key(|set| set.count_ones()) else {
            work::add(self.capacity());
            return self.slots_of(kind).filter(agrees).collect();
        };
        let mut found = Vec::new();
        let mut slot = self.first(kind, set, binding);
        while slot != END {
            if agrees(&slot) {
                found.push(slot);
            }
            slot = self.next(kind, set, slot);
        }
        found
    }

    /// The instance with exactly this binding.
    pub(crate) fn find(&self, mask: Mask, binding: &[Id]) -> Slot {
        self.find_with_kind(mask, binding).map_or(END, |(slot, _)| slot)
    }

    /// The instance that binds every variable like this, and its kind.
    #[inline]
    pub(crate) fn find_full(&self, shape: &Shape, binding: &[Id]) -> Option<(Slot, InstanceKind)> {
        if let [id] = *binding {
            let slot = self.by_value.get(id);
            return (slot != END).then(|| (slot, self.kind(slot)));
        }
        self.find_with_kind(shape.full(), binding)
    }

    /// The instance with exactly this binding, and its kind.
    fn find_with_kind(&self, mask: Mask, binding: &[Id]) -> Option<(Slot, InstanceKind)> {
        let from = self.kinds_by_mask.partition_point(|(known, _)| *known < mask);
        for (_, number) in self.kinds_by_mask[from..].iter().take_while(|(known, _)| *known == mask) {
            let slot = self.first(*number, mask, binding);
            if slot != END {
                return Some((slot, self.kinds[*number]));
            }
        }
        None
    }

    /// The most specific instance that agrees with a binding, other than its own.
    pub(crate) fn parent(&self, mask: Mask, binding: &[Id]) -> Slot {
        for (number, kind) in self.kinds() {
            if kind.mask != mask && kind.mask & !mask == 0 {
                let slot = self.first(number, kind.mask, binding);
                if slot != END {
                    return slot;
                }
            }
        }
        END
    }

    /// The parent of a binding, if it would stand for the binding without its own instance: not if two others join to it.
    pub(crate) fn sole_parent(&self, mask: Mask, binding: &[Id]) -> Option<Slot> {
        let mut joined = 0;
        for (number, kind) in self.kinds.iter().enumerate() {
            if kind.mask != mask && kind.mask & !mask == 0 && self.first(number, kind.mask, binding) != END {
                joined |= kind.mask;
            }
        }
        let parent = self.parent(mask, binding);
        (parent != END && self.kind(parent).mask == joined).then_some(parent)
    }

    /// Adds an instance. Its values are held from now on.
    #[inline]
    pub(crate) fn add(
        &mut self,
        shape: &Shape,
        kind: InstanceKind,
        binding: &[Id],
        state: S,
        values: &mut ValueInterner,
    ) -> Slot {
        for id in binding.iter().filter(|id| **id != NONE) {
            values.hold(*id);
        }
        self.live += 1;
        let slot = if let Some(slot) = self.free.pop() {
            *self.states.get_mut(slot) = state;
            slot
        } else {
            assert!(self.rows.len() < END as usize, "fewer than 2^32 instances are alive");
            self.rows.push();
            self.states.push(state);
            self.rows.len() as Slot - 1
        };
        self.rows.get_mut(slot)[VALUES..links(self.variables)].copy_from_slice(binding);
        self.link(shape, slot, kind);
        slot
    }

    #[cold]
    fn add_kind(&mut self, shape: &Shape, kind: InstanceKind) -> usize {
        self.kinds.push(kind);
        self.indexes.push(shape.index(kind.mask));
        self.order_kind(self.kinds.len() - 1);
        self.kinds.len() - 1
    }

    /// Adds a kind to the orders by size and by variables.
    fn order_kind(&mut self, number: usize) {
        let size = |number: usize| self.kinds[number].mask.count_ones();
        let at = self.kinds_by_size.partition_point(|other| size(*other) >= size(number));
        self.kinds_by_size.insert(at, number);
        let entry = (self.kinds[number].mask, number);
        let at = self.kinds_by_mask.partition_point(|other| *other < entry);
        self.kinds_by_mask.insert(at, entry);
    }

    /// Changes the kind of an instance.
    pub(crate) fn change_kind(&mut self, shape: &Shape, slot: Slot, kind: InstanceKind) {
        self.unlink(slot);
        self.link(shape, slot, kind);
    }

    /// Removes an instance. Its state stays in memory, unread, until another takes the place.
    #[inline]
    pub(crate) fn remove(&mut self, slot: Slot, values: &mut ValueInterner) {
        self.unlink(slot);
        let row = self.rows.get_mut(slot);
        row[KIND] = VACANT;
        for id in row[VALUES..links(self.variables)].iter().filter(|id| **id != NONE) {
            values.release(*id);
        }
        self.free.push(slot);
        self.live -= 1;
    }

    #[inline(always)]
    fn link(&mut self, shape: &Shape, slot: Slot, kind: InstanceKind) {
        let known = self.kinds.iter().position(|known| *known == kind);
        let number = known.unwrap_or_else(|| self.add_kind(shape, kind));
        let row = self.rows.get_mut(slot);
        row[KIND] = number as u32;
        if self.variables == 1 && kind.mask == 1 {
            *self.by_value.get_mut(row[VALUES]) = slot;
        }
        self.indexes[number].insert(slot, &mut self.rows);
    }

    #[inline(always)]
    fn unlink(&mut self, slot: Slot) {
        let row = self.rows.get(slot);
        let number = row[KIND] as usize;
        if self.variables == 1 && row[VALUES] != NONE {
            *self.by_value.get_mut(row[VALUES]) = END;
        }
        self.indexes[number].remove(slot, &mut self.rows);
    }

    /// Builds the indexes. Returns `false` if the snapshot is damaged.
    pub(crate) fn rebuild(&mut self, shape: &Shape, values: &ValueInterner) -> bool {
        let known = |id: &Id| *id == NONE || (*id as usize) < values.bound();
        let sound = self.variables == shape.variables
            && self.rows.widen(shape.width, links(shape.variables))
            && self.states.is_sound()
            && self.states.len() == self.rows.len()
            && self.rows.iter().all(|row| row[KIND] == VACANT || (row[KIND] as usize) < self.kinds.len())
            && self.rows.iter().all(|row| row[VALUES..links(shape.variables)].iter().all(known))
            && self.kinds.iter().all(|kind| kind.mask & !shape.full() == 0)
            && self.free.iter().all(|slot| (*slot as usize) < self.rows.len())
            && self.slots().count() == self.live;
        if !sound {
            return false;
        }
        self.by_value = SlotPages::default();
        self.indexes = self.kinds.iter().map(|kind| shape.index(kind.mask)).collect();
        self.kinds_by_size.clear();
        self.kinds_by_mask.clear();
        (0..self.kinds.len()).for_each(|number| self.order_kind(number));
        let slots: Vec<Slot> = self.slots().collect();
        for slot in slots {
            let kind = self.kind(slot);
            if mask_of(self.ids(slot)) != kind.mask {
                return false;
            }
            self.link(shape, slot, kind);
        }
        self.capacity() > 0 && self.is_live(ROOT) && self.kind(ROOT).mask == 0
    }
}

/// The times at which instances must be visited.
///
/// The next visit of each instance is stored apart from its state: most timers expire without an effect, and then the
/// state need not be touched.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Timers {
    /// For each instance, the time that counts. Other deadlines of the instance are ignored when they pass.
    armed: Vec<Timestamp>,
    deadlines: DeadlineQueue,
}

impl Timers {
    /// Sets a timer for an instance, unless an earlier one is set.
    #[inline]
    pub(crate) fn arm(&mut self, at: Timestamp, slot: Slot) {
        if at == Timestamp::MAX {
            return;
        }
        let place = slot as usize;
        match self.armed.get_mut(place) {
            Some(armed) if at >= *armed => return,
            Some(armed) => *armed = at,
            None => {
                self.armed.resize(place, Timestamp::MAX);
                self.armed.push(at);
            }
        }
        self.deadlines.push(at, slot);
    }

    /// Removes every timer.
    pub(crate) fn clear(&mut self) {
        self.armed.clear();
        self.deadlines.clear();
    }

    /// Cancels the timer of an instance.
    #[inline]
    pub(crate) fn disarm(&mut self, slot: Slot) {
        if let Some(armed) = self.armed.get_mut(slot as usize) {
            *armed = Timestamp::MAX;
        }
    }

    /// The earliest time; [`Timestamp::MAX`] if none is set.
    #[inline]
    pub(crate) fn next(&self) -> Timestamp {
        self.deadlines.next()
    }

    /// Removes the earliest timer before a time. Returns its instance.
    #[inline]
    pub(crate) fn take(&mut self, before: Timestamp) -> Option<Slot> {
        while let Some((at, slot)) = self.deadlines.take(before) {
            if self.armed.get(slot as usize) == Some(&at) {
                self.disarm(slot);
                return Some(slot);
            }
        }
        None
    }

    /// Rebuilds what a snapshot leaves out. Returns `false` if an instance is not below `slots`.
    pub(crate) fn rebuild(&mut self, slots: usize) -> bool {
        self.armed.len() <= slots && self.deadlines.rebuild(slots)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.deadlines.bytes() + self.armed.capacity() * size_of::<Timestamp>()
    }
}

#[cfg(test)]
mod tests {
    use gnomon_core::value::Value;

    use super::*;

    #[test]
    fn removed_instances_free_their_row_timer_and_values() {
        let shape = Shape::new(2, vec![0b01, 0b11]);
        let mut storage: Storage<u8> = Storage::new(&shape, false);
        storage.insert(&shape, InstanceKind { mask: 0, quiescent: true }, &[NONE, NONE], 0);
        let ids: Vec<Id> = ["c", "i"].iter().map(|text| storage.values.number(&Value::Text((*text).into()))).collect();
        let slot = storage.insert(&shape, InstanceKind { mask: 0b11, quiescent: false }, &ids, 1);
        storage.timers.arm(Timestamp::from_ticks(5), slot);
        storage.values.settle();
        assert_eq!(storage.table.find(0b11, &ids), slot);
        assert_eq!(storage.table.parent(0b11, &ids), ROOT);
        storage.remove(slot);
        assert_eq!(storage.table.find(0b11, &ids), END);
        assert_eq!(storage.timers.take(Timestamp::MAX), None, "the timer was cancelled");
        storage.values.settle();
        let other = storage.values.number(&Value::Text("other".into()));
        assert!(ids.contains(&other), "the number of a removed value is used again");
        assert_eq!(storage.insert(&shape, InstanceKind { mask: 0b11, quiescent: true }, &[other, other], 2), slot);
    }

    #[test]
    fn timers_ring_in_order_and_once() {
        let mut timers = Timers::default();
        let at = Timestamp::from_ticks;
        for (ticks, slot) in [(5, 1), (9, 2), (3, 3), (4, 2), (7, 2)] {
            timers.arm(at(ticks), slot);
        }
        timers.disarm(3);
        let mut rung = Vec::new();
        while let Some(slot) = timers.take(at(8)) {
            rung.push(slot);
        }
        assert_eq!(rung, [2, 1], "the earliest time of an instance counts, others are ignored");
        assert_eq!(timers.take(at(100)), None);
    }

    #[test]
    fn damaged_snapshots_are_refused() {
        let shape = Shape::new(1, vec![1]);
        let mut empty: Storage<u8> = Storage::new(&shape, false);
        assert!(!empty.rebuild(&shape), "the root is missing");
    }
}
