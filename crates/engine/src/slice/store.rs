// SPDX-License-Identifier: MIT OR Apache-2.0
//! The instances that are kept, and how they are found.
//!
//! An instance is the state of all bindings that agree with its own and that no more specific instance stands for. The
//! one that binds nothing is always there.
//
// INVARIANT: the bindings that are kept are closed under joining compatible ones, so that of the instances that agree
// with a full binding one is the most specific. `Slicer::concern` establishes it.

use serde::{Deserialize, Serialize};

use super::chunks::Chunks;
use super::index::{END, Index, Link, Slot, Tables};
use super::matches::Mask;
use super::values::{Id, NONE, Values};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Store<S> {
    variables: usize,
    /// For each instance, its group, or [`VACANT`].
    groups_of: Chunks<u16>,
    states: Chunks<S>,
    bindings: Chunks<Id>,
    free: Vec<Slot>,
    live: usize,
    kinds: Vec<Kind>,
    /// For each kind, its indexes.
    #[serde(skip)]
    indexes: Vec<Vec<Index>>,
    #[serde(skip)]
    links: Chunks<Link>,
    #[serde(skip)]
    stride: usize,
}

/// What instances are told apart by before their values are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Kind {
    /// The variables that they bind.
    pub(crate) mask: Mask,
    /// Whether they are as if nothing had ever happened to them.
    pub(crate) quiet: bool,
}

const VACANT: u16 = u16::MAX;

/// Which variables events bind together: what the indexes are made for.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) variables: usize,
    /// The sets of variables that atoms bind.
    pub(crate) masks: Vec<Mask>,
}

impl Shape {
    pub(crate) fn full(&self) -> Mask {
        ((1_u64 << self.variables) - 1) as Mask
    }

    /// The indexes of instances that bind these variables: one for each way to share variables with an event, and one
    /// for their own binding.
    fn indexes(&self, mask: Mask) -> Vec<Index> {
        let mut sets: Vec<Mask> = self.masks.iter().map(|other| other & mask).chain([mask]).collect();
        sets.sort_unstable();
        sets.dedup();
        sets.into_iter().map(Index::new).collect()
    }

    /// The most links that an instance may need.
    fn stride(&self) -> usize {
        let masks = self.masks.len() + 1;
        if self.variables > 10 {
            return masks;
        }
        (0..=self.full()).map(|mask| self.indexes(mask).len()).max().unwrap_or(masks)
    }
}

impl<S> Store<S> {
    pub(crate) fn new(shape: &Shape) -> Self {
        Store {
            variables: shape.variables,
            groups_of: Chunks::default(),
            states: Chunks::default(),
            bindings: Chunks::default(),
            free: Vec::new(),
            live: 0,
            kinds: Vec::new(),
            indexes: Vec::new(),
            links: Chunks::default(),
            stride: shape.stride(),
        }
    }

    /// How many instances there are.
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    pub(crate) fn bytes(&self) -> usize {
        let indexes = self.indexes.iter().flatten().map(Index::bytes).sum::<usize>();
        self.groups_of.bytes() + self.states.bytes() + self.bindings.bytes() + self.links.bytes() + indexes
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
        self.groups_of.len()
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> {
        (0..self.groups_of.len() as Slot).filter(|slot| *self.groups_of.get(*slot) != VACANT)
    }

    #[inline]
    pub(crate) fn kind(&self, slot: Slot) -> Kind {
        self.kinds[*self.groups_of.get(slot) as usize]
    }

    /// Whether an instance is still there.
    #[inline]
    pub(crate) fn is_live(&self, slot: Slot) -> bool {
        *self.groups_of.get(slot) != VACANT
    }

    #[inline]
    pub(crate) fn state(&self, slot: Slot) -> &S {
        self.states.get(slot)
    }

    #[inline]
    pub(crate) fn state_mut(&mut self, slot: Slot) -> &mut S {
        self.states.get_mut(slot)
    }

    #[inline]
    pub(crate) fn id(&self, slot: Slot, variable: usize) -> Id {
        *self.bindings.get((slot as usize * self.variables + variable) as u32)
    }

    pub(crate) fn binding(&self, slot: Slot) -> Vec<Id> {
        (0..self.variables).map(|variable| self.id(slot, variable)).collect()
    }

    /// The first instance of a kind that has the values of `binding` for the variables of `on`; [`Store::next`] gives the others.
    #[inline]
    pub(crate) fn first(&self, kind: usize, on: Mask, binding: &[Id]) -> Slot {
        self.indexes[kind].iter().find(|index| index.on == on).map_or(END, |index| index.first(binding, &self.bindings))
    }

    #[inline]
    pub(crate) fn next(&self, kind: usize, on: Mask, slot: Slot) -> Slot {
        let offset = self.indexes[kind].iter().position(|index| index.on == on).unwrap_or(0);
        self.links.get((slot as usize * self.stride + offset) as u32).next
    }

    /// All instances of a kind that have the values of `binding` for the variables of `on`, whether or not there is an
    /// index for just these.
    pub(crate) fn agreeing(&self, kind: usize, on: Mask, binding: &[Id]) -> Vec<Slot> {
        let usable = self.indexes[kind].iter().filter(|index| index.on & !on == 0);
        let Some(index) = usable.max_by_key(|index| index.on.count_ones()) else {
            let own = |slot: &Slot| *self.groups_of.get(*slot) as usize == kind && self.agrees(*slot, on, binding);
            return self.slots().filter(own).collect();
        };
        let mut found = Vec::new();
        let mut slot = index.first(binding, &self.bindings);
        while slot != END {
            if self.agrees(slot, on, binding) {
                found.push(slot);
            }
            slot = self.next(kind, index.on, slot);
        }
        found
    }

    fn agrees(&self, slot: Slot, on: Mask, binding: &[Id]) -> bool {
        super::index::bits(on).all(|variable| self.id(slot, variable) == binding[variable])
    }

    /// The instance with exactly this binding.
    pub(crate) fn find(&self, mask: Mask, binding: &[Id]) -> Slot {
        for (number, kind) in self.kinds.iter().enumerate() {
            if kind.mask == mask {
                let slot = self.first(number, mask, binding);
                if slot != END {
                    return slot;
                }
            }
        }
        END
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
        let slot = match self.free.pop() {
            Some(slot) => {
                for (variable, id) in binding.iter().enumerate() {
                    *self.bindings.get_mut((slot as usize * self.variables + variable) as u32) = *id;
                }
                *self.states.get_mut(slot) = state;
                slot
            }
            None => {
                let slot = self.groups_of.len() as Slot;
                assert!(slot < END, "fewer than 2^32 instances are alive");
                self.groups_of.push(VACANT);
                self.states.push(state);
                binding.iter().for_each(|id| self.bindings.push(*id));
                (0..self.stride).for_each(|_| self.links.push(Link::LOOSE));
                slot
            }
        };
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
        *self.groups_of.get_mut(slot) = VACANT;
        for variable in 0..self.variables {
            let id = self.id(slot, variable);
            if id != NONE {
                values.release(id);
            }
        }
        self.free.push(slot);
        self.live -= 1;
    }

    fn file(&mut self, shape: &Shape, slot: Slot, kind: Kind) {
        let number = self.kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
            self.kinds.push(kind);
            self.indexes.push(shape.indexes(kind.mask));
            self.kinds.len() - 1
        });
        assert!(number < VACANT as usize, "at most 16 variables, and few sets of them at once");
        *self.groups_of.get_mut(slot) = number as u16;
        let Store { bindings, links, stride, variables, indexes, .. } = self;
        for (offset, index) in indexes[number].iter_mut().enumerate() {
            index.insert(slot, &mut Tables { bindings, variables: *variables, links, stride: *stride, offset });
        }
    }

    fn unfile(&mut self, slot: Slot) {
        let number = *self.groups_of.get(slot) as usize;
        let Store { bindings, links, stride, variables, indexes, .. } = self;
        for (offset, index) in indexes[number].iter_mut().enumerate() {
            index.remove(slot, &mut Tables { bindings, variables: *variables, links, stride: *stride, offset });
        }
    }

    /// Makes the indexes of a restored one; `false` if it cannot have been saved like this.
    pub(crate) fn rebuild(&mut self, shape: &Shape, values: &Values) -> bool {
        let sound = self.variables == shape.variables
            && self.groups_of.is_sound()
            && self.states.is_sound()
            && self.bindings.is_sound()
            && self.states.len() == self.groups_of.len()
            && self.bindings.len() == self.groups_of.len() * self.variables
            && self.groups_of.iter().all(|group| *group == VACANT || (*group as usize) < self.kinds.len())
            && self.kinds.iter().all(|kind| kind.mask & !shape.full() == 0)
            && self.bindings.iter().all(|id| *id == NONE || (*id as usize) < values.bound())
            && self.free.iter().all(|slot| (*slot as usize) < self.groups_of.len())
            && self.slots().count() == self.live;
        if !sound {
            return false;
        }
        self.stride = shape.stride();
        self.indexes = self.kinds.iter().map(|kind| shape.indexes(kind.mask)).collect();
        self.links = Chunks::default();
        (0..self.groups_of.len() * self.stride).for_each(|_| self.links.push(Link::LOOSE));
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
