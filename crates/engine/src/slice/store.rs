// SPDX-License-Identifier: MIT OR Apache-2.0
//! The instances that are kept, and how they are found.
//!
//! An instance is the state of all bindings that agree with its own and that no more specific instance stands for. The
//! one that binds nothing is always there.
//
// INVARIANT: the bindings that are kept are closed under joining compatible ones, so that of the instances that agree
// with a full binding one is the most specific. `Slicer::concern` establishes it.

use serde::{Deserialize, Serialize};

use super::chunks::{Chunks, Rows};
use super::heads::Pages;
use super::index::{END, Index, Slot, VALUES, agrees, links};
use super::matches::Mask;
use super::values::{Id, NONE, Values};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Store<S> {
    variables: usize,
    /// For each instance, the number of its kind or [`VACANT`], its values, and its links to others.
    rows: Rows,
    states: Chunks<S>,
    free: Vec<Slot>,
    live: usize,
    kinds: Vec<Kind>,
    /// For each kind, how its instances are found.
    #[serde(skip)]
    indexes: Vec<Index>,
    /// Of a single variable: the instance of each value, whatever its kind.
    #[serde(skip)]
    by_value: Pages,
}

/// What instances are told apart by before their values are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Kind {
    /// The variables that they bind.
    pub(crate) mask: Mask,
    /// Whether they are as if nothing had ever happened to them.
    pub(crate) quiet: bool,
}

/// Where an instance's row has its kind.
const KIND: usize = 0;

/// The instance that binds nothing: it is the first, and stays.
pub(crate) const ROOT: Slot = 0;

const VACANT: u32 = u32::MAX;

/// Which variables events bind together: what the indexes are made for.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) variables: usize,
    /// All of them.
    full: Mask,
    /// The sets of variables that atoms bind.
    pub(crate) masks: Vec<Mask>,
    /// How wide the rows of instances are: with as many links as one may need.
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

    /// How instances that bind these variables are found: one way for each set of variables that they share with an
    /// event, and one by their own binding.
    fn index(&self, mask: Mask) -> Index {
        let mut sets: Vec<Mask> = self.masks.iter().map(|other| other & mask).collect();
        sets.sort_unstable();
        sets.dedup();
        Index::new(self.variables, mask, &sets)
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

impl<S> Store<S> {
    pub(crate) fn new(shape: &Shape) -> Self {
        Store {
            variables: shape.variables,
            rows: Rows::new(shape.width, links(shape.variables)),
            states: Chunks::default(),
            free: Vec::new(),
            live: 0,
            kinds: Vec::new(),
            indexes: Vec::new(),
            by_value: Pages::default(),
        }
    }

    /// Forgets every instance; the room stays, and so do the kinds, which will come again.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.states.clear();
        self.free.clear();
        self.live = 0;
        self.indexes.iter_mut().for_each(Index::clear);
        self.by_value.clear();
    }

    /// How many instances there are.
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    pub(crate) fn bytes(&self) -> usize {
        let indexes = self.indexes.iter().map(Index::bytes).sum::<usize>() + self.by_value.bytes();
        self.rows.bytes() + self.states.bytes() + indexes
    }

    /// The kinds of instances, those that bind most first, each with its number.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (usize, Kind)> {
        let mut kinds: Vec<(usize, Kind)> = self.kinds.iter().copied().enumerate().collect();
        kinds.sort_by_key(|(_, kind)| std::cmp::Reverse(kind.mask.count_ones()));
        kinds.into_iter()
    }

    pub(crate) fn kind_count(&self) -> usize {
        self.kinds.len()
    }

    #[inline]
    pub(crate) fn kind_at(&self, number: usize) -> Kind {
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

    #[inline]
    pub(crate) fn kind(&self, slot: Slot) -> Kind {
        self.kinds[self.rows.get(slot)[KIND] as usize]
    }

    /// Whether an instance is still there.
    #[inline]
    pub(crate) fn is_live(&self, slot: Slot) -> bool {
        self.rows.get(slot)[KIND] != VACANT
    }

    #[inline]
    pub(crate) fn state(&self, slot: Slot) -> &S {
        self.states.get(slot)
    }

    /// The state of an instance and its binding.
    #[inline]
    pub(crate) fn parts(&mut self, slot: Slot) -> (&mut S, &[Id]) {
        (self.states.get_mut(slot), &self.rows.get(slot)[VALUES..links(self.variables)])
    }

    #[inline]
    pub(crate) fn state_mut(&mut self, slot: Slot) -> &mut S {
        self.states.get_mut(slot)
    }

    #[inline]
    pub(crate) fn id(&self, slot: Slot, variable: usize) -> Id {
        self.rows.get(slot)[VALUES + variable]
    }

    /// The values of an instance, one for each variable.
    #[inline]
    pub(crate) fn ids(&self, slot: Slot) -> &[Id] {
        &self.rows.get(slot)[VALUES..links(self.variables)]
    }

    pub(crate) fn binding(&self, slot: Slot) -> Vec<Id> {
        self.ids(slot).to_vec()
    }

    /// The first instance of a kind that has the values of `binding` for the variables of `on`; [`Store::next`] gives the others.
    #[inline]
    pub(crate) fn first(&self, kind: usize, on: Mask, binding: &[Id]) -> Slot {
        if self.variables == 1 && on == 1 {
            let slot = self.by_value.get(binding[0]);
            let is_it = slot != END && self.rows.get(slot)[KIND] as usize == kind;
            return if is_it { slot } else { END };
        }
        self.indexes[kind].first(on, binding, &self.rows, || self.slots_of(kind))
    }

    #[inline]
    pub(crate) fn next(&self, kind: usize, on: Mask, slot: Slot) -> Slot {
        self.indexes[kind].next(on, slot, &self.rows)
    }

    /// All instances of a kind that have the values of `binding` for the variables of `on`, whether or not there is an
    /// index for just these.
    pub(crate) fn agreeing(&self, kind: usize, on: Mask, binding: &[Id]) -> Vec<Slot> {
        let agrees = |slot: &Slot| agrees(on, binding, self.rows.get(*slot));
        let usable = self.indexes[kind].sets().filter(|set| set & !on == 0);
        let Some(set) = usable.max_by_key(|set| set.count_ones()) else {
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
    pub(crate) fn find_full(&self, shape: &Shape, binding: &[Id]) -> Option<(Slot, Kind)> {
        if let [id] = *binding {
            let slot = self.by_value.get(id);
            return (slot != END).then(|| (slot, self.kind(slot)));
        }
        self.find_with_kind(shape.full(), binding)
    }

    /// The instance with exactly this binding, and its kind.
    fn find_with_kind(&self, mask: Mask, binding: &[Id]) -> Option<(Slot, Kind)> {
        for (number, kind) in self.kinds.iter().enumerate() {
            if kind.mask == mask {
                let slot = self.first(number, mask, binding);
                if slot != END {
                    return Some((slot, *kind));
                }
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

    /// The same, if it would be the most specific one without the binding's own: not if two others join to it.
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
    pub(crate) fn add(&mut self, shape: &Shape, kind: Kind, binding: &[Id], state: S, values: &mut Values) -> Slot {
        for id in binding.iter().filter(|id| **id != NONE) {
            values.hold(*id);
        }
        self.live += 1;
        let slot = if let Some(slot) = self.free.pop() {
            *self.states.get_mut(slot) = state;
            slot
        } else {
            assert!(self.rows.len() < END as usize, "fewer than 2^32 instances are alive");
            self.rows.push(&[VACANT], END);
            self.states.push(state);
            self.rows.len() as Slot - 1
        };
        self.rows.get_mut(slot)[VALUES..links(self.variables)].copy_from_slice(binding);
        self.file(shape, slot, kind);
        slot
    }

    /// Changes the kind of an instance.
    pub(crate) fn refile(&mut self, shape: &Shape, slot: Slot, kind: Kind) {
        self.unfile(slot);
        self.file(shape, slot, kind);
    }

    /// Forgets an instance. Its state stays where it is, unread, until another takes the place.
    pub(crate) fn remove(&mut self, slot: Slot, values: &mut Values) {
        self.unfile(slot);
        let row = self.rows.get_mut(slot);
        row[KIND] = VACANT;
        for id in row[VALUES..links(self.variables)].iter().filter(|id| **id != NONE) {
            values.release(*id);
        }
        self.free.push(slot);
        self.live -= 1;
    }

    fn file(&mut self, shape: &Shape, slot: Slot, kind: Kind) {
        let number = self.kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
            self.kinds.push(kind);
            self.indexes.push(shape.index(kind.mask));
            self.kinds.len() - 1
        });
        let row = self.rows.get_mut(slot);
        row[KIND] = number as u32;
        if self.variables == 1 && kind.mask == 1 {
            *self.by_value.get_mut(row[VALUES]) = slot;
        }
        self.indexes[number].insert(slot, &mut self.rows);
    }

    fn unfile(&mut self, slot: Slot) {
        let row = self.rows.get(slot);
        let number = row[KIND] as usize;
        if self.variables == 1 && row[VALUES] != NONE {
            *self.by_value.get_mut(row[VALUES]) = END;
        }
        self.indexes[number].remove(slot, &mut self.rows);
    }

    /// Makes the indexes of a restored one; `false` if it cannot have been saved like this.
    pub(crate) fn rebuild(&mut self, shape: &Shape, values: &Values) -> bool {
        let known = |id: &Id| *id == NONE || (*id as usize) < values.bound();
        let sound = self.variables == shape.variables
            && self.rows.widen(shape.width, links(shape.variables), END)
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
        self.by_value = Pages::default();
        self.indexes = self.kinds.iter().map(|kind| shape.index(kind.mask)).collect();
        let slots: Vec<Slot> = self.slots().collect();
        for slot in slots {
            let kind = self.kind(slot);
            if super::index::mask_of(&self.binding(slot)) != kind.mask {
                return false;
            }
            self.file(shape, slot, kind);
        }
        true
    }
}
