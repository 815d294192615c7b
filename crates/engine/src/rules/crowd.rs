// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is alive of a rule, found by the values of its correlation sets and by age.

use serde::{Deserialize, Serialize};

use crate::slice::chunks::Rows;
use crate::slice::heads::Heads;
use crate::slice::index::{END, Slot, VALUES, agrees, bits, mask_of};
use crate::slice::matches::Mask;
use crate::slice::values::{Id, NONE, Values};

/// How the rows of a crowd are laid out.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// How many correlation sets there are.
    sets: usize,
    /// Where a member's own data is.
    data: usize,
    /// Where the links are: first those by age, then two for each set of `on`.
    links: usize,
    /// By which sets members can be found at once.
    on: Vec<Mask>,
}

/// With more sets than this, members are found by each set and by the sets that messages are known to have, not by every
/// combination.
const COMBINED: usize = 2;
/// The most combinations that members can be found by.
const MOST_COMBINATIONS: usize = 12;

impl Layout {
    /// `data` columns of a member's own; `asked`: the sets that messages of each kind have.
    pub(crate) fn new(sets: usize, data: usize, asked: &[Mask]) -> Self {
        let mut on: Vec<Mask> = if sets <= COMBINED {
            (1..1 << sets).collect()
        } else {
            (0..sets).map(|set| 1 << set).chain(asked.iter().copied().filter(|mask| *mask != 0)).collect()
        };
        let mut found = Vec::new();
        on.retain(|mask| {
            let is_new = !found.contains(mask);
            found.push(*mask);
            is_new
        });
        on.truncate(MOST_COMBINATIONS.max(sets));
        Layout { sets, data: VALUES + sets, links: VALUES + sets + data, on }
    }

    fn width(&self) -> usize {
        self.links + 2 + 2 * self.on.len()
    }
}

/// The mask of a row that is free.
const FREE: u32 = u32::MAX;

/// COST: a member is added, found and removed in time that does not depend on how many there are, where messages have
/// the sets that the layout was told of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Crowd {
    rows: Rows,
    free: Vec<Slot>,
    live: usize,
    #[serde(skip, default = "nobody")]
    oldest: Slot,
    #[serde(skip, default = "nobody")]
    youngest: Slot,
    /// How many members have values of exactly these sets.
    #[serde(skip)]
    kinds: Vec<Kind>,
}

fn nobody() -> Slot {
    END
}

/// The members that have values of the same sets.
#[derive(Clone, Debug)]
struct Kind {
    mask: Mask,
    count: usize,
    /// For each set of sets by which they can be found, the oldest member of each chain. Chains go from the oldest to the
    /// youngest; the oldest one's link back leads to the youngest.
    heads: Vec<Heads>,
}

impl Crowd {
    pub(crate) fn new(layout: &Layout) -> Self {
        let rows = Rows::new(layout.width(), layout.links);
        Crowd { rows, free: vec![], live: 0, oldest: END, youngest: END, kinds: vec![] }
    }

    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// The oldest member.
    #[inline]
    pub(crate) fn oldest(&self) -> Option<Slot> {
        (self.oldest != END).then_some(self.oldest)
    }

    /// The member that came after this one.
    #[inline]
    pub(crate) fn younger(&self, layout: &Layout, slot: Slot) -> Option<Slot> {
        let next = self.rows.get(slot)[layout.links];
        (next != END).then_some(next)
    }

    #[inline]
    pub(crate) fn data(&self, layout: &Layout, slot: Slot) -> &[u32] {
        &self.rows.get(slot)[layout.data..layout.links]
    }

    #[inline]
    pub(crate) fn data_mut(&mut self, layout: &Layout, slot: Slot) -> &mut [u32] {
        &mut self.rows.get_mut(slot)[layout.data..layout.links]
    }

    /// A member's values, [`NONE`] where it has none.
    #[inline]
    pub(crate) fn values(&self, layout: &Layout, slot: Slot) -> &[Id] {
        &self.rows.get(slot)[VALUES..layout.data]
    }

    /// Whether someone has this number.
    pub(crate) fn is_live(&self, slot: Slot) -> bool {
        self.rows.get(slot)[0] != FREE
    }

    /// One past the greatest number that a member has had.
    pub(crate) fn bound(&self) -> usize {
        self.rows.len()
    }

    /// Adds a member, the youngest. It holds its values.
    pub(crate) fn add(&mut self, layout: &Layout, ids: &[Id], data: &[u32], values: &mut Values) -> Slot {
        let mask = mask_of(ids);
        for set in bits(mask) {
            values.hold(ids[set]);
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.rows.push(&[], END);
            self.rows.len() as Slot - 1
        });
        let row = self.rows.get_mut(slot);
        row[0] = mask;
        row[VALUES..layout.data].copy_from_slice(ids);
        row[layout.data..layout.links].copy_from_slice(data);
        self.live += 1;
        self.link_youngest(layout, slot);
        self.enter(layout, slot);
        slot
    }

    /// A member is the youngest from now on.
    pub(crate) fn renew(&mut self, layout: &Layout, slot: Slot) {
        if self.youngest != slot {
            self.unlink(layout, slot);
            self.link_youngest(layout, slot);
        }
    }

    fn link_youngest(&mut self, layout: &Layout, slot: Slot) {
        let last = std::mem::replace(&mut self.youngest, slot);
        let row = self.rows.get_mut(slot);
        (row[layout.links], row[layout.links + 1]) = (END, last);
        match last {
            END => self.oldest = slot,
            last => self.rows.get_mut(last)[layout.links] = slot,
        }
    }

    fn unlink(&mut self, layout: &Layout, slot: Slot) {
        let row = self.rows.get(slot);
        let (next, previous) = (row[layout.links], row[layout.links + 1]);
        match previous {
            END => self.oldest = next,
            previous => self.rows.get_mut(previous)[layout.links] = next,
        }
        match next {
            END => self.youngest = previous,
            next => self.rows.get_mut(next)[layout.links + 1] = previous,
        }
    }

    pub(crate) fn remove(&mut self, layout: &Layout, slot: Slot, values: &mut Values) {
        self.leave(layout, slot);
        self.unlink(layout, slot);
        for set in 0..layout.sets {
            let id = self.rows.get(slot)[VALUES + set];
            if id != NONE {
                values.release(id);
            }
        }
        self.rows.get_mut(slot)[0] = FREE;
        self.live -= 1;
        self.free.push(slot);
    }

    /// A member gets the values of the sets in which it has none. `older` says which of two came first.
    pub(crate) fn learn(
        &mut self,
        layout: &Layout,
        slot: Slot,
        ids: &[Id],
        values: &mut Values,
        older: impl Fn(&[u32], &[u32]) -> bool,
    ) {
        let mask = self.rows.get(slot)[0];
        let new = mask_of(ids) & !mask;
        if new == 0 {
            return;
        }
        self.leave(layout, slot);
        for set in bits(new) {
            values.hold(ids[set]);
            self.rows.get_mut(slot)[VALUES + set] = ids[set];
        }
        self.rows.get_mut(slot)[0] = mask | new;
        self.enter_among(layout, slot, &|left, right| {
            older(&left[layout.data..layout.links], &right[layout.data..layout.links])
        });
    }

    fn kind(&mut self, layout: &Layout, mask: Mask) -> usize {
        if let Some(at) = self.kinds.iter().position(|kind| kind.mask == mask) {
            return at;
        }
        let heads = layout.on.iter().map(|on| Heads::new(*on)).collect();
        self.kinds.push(Kind { mask, count: 0, heads });
        self.kinds.len() - 1
    }

    /// Puts the youngest member into its chains.
    fn enter(&mut self, layout: &Layout, slot: Slot) {
        self.enter_among(layout, slot, &|_, _| true);
    }

    /// Puts a member into its chains, behind those that are older.
    fn enter_among(&mut self, layout: &Layout, slot: Slot, older: &dyn Fn(&[u32], &[u32]) -> bool) {
        let mask = self.rows.get(slot)[0];
        let kind = self.kind(layout, mask);
        let Crowd { rows, kinds, .. } = self;
        let kind = &mut kinds[kind];
        kind.count += 1;
        for (at, on) in layout.on.iter().enumerate().filter(|(_, on)| *on & mask == **on) {
            let (next, previous) = (layout.links + 2 + 2 * at, layout.links + 3 + 2 * at);
            let head = kind.heads[at].first(*on, &rows.get(slot)[VALUES..], rows);
            if head == END {
                kind.heads[at].put(*on, slot, rows);
                let row = rows.get_mut(slot);
                (row[next], row[previous]) = (END, slot);
                continue;
            }
            let youngest = rows.get(head)[previous];
            // Mostly the new member is the youngest of the chain.
            let mut before = youngest;
            while !older(rows.get(before), rows.get(slot)) {
                if before == head {
                    before = END;
                    break;
                }
                before = rows.get(before)[previous];
            }
            if before == END {
                kind.heads[at].replace(*on, head, slot, rows);
                let row = rows.get_mut(slot);
                (row[next], row[previous]) = (head, youngest);
                rows.get_mut(head)[previous] = slot;
                continue;
            }
            let after = std::mem::replace(&mut rows.get_mut(before)[next], slot);
            let row = rows.get_mut(slot);
            (row[next], row[previous]) = (after, before);
            rows.get_mut(if after == END { head } else { after })[previous] = slot;
        }
    }

    /// Takes a member out of its chains.
    fn leave(&mut self, layout: &Layout, slot: Slot) {
        let mask = self.rows.get(slot)[0];
        let kind = self.kind(layout, mask);
        let Crowd { rows, kinds, .. } = self;
        let kind = &mut kinds[kind];
        kind.count -= 1;
        for (at, on) in layout.on.iter().enumerate().filter(|(_, on)| *on & mask == **on) {
            let (next, previous) = (layout.links + 2 + 2 * at, layout.links + 3 + 2 * at);
            let row = rows.get(slot);
            let (after, before) = (row[next], row[previous]);
            if before == slot {
                // Mostly there is no other in the chain.
                kind.heads[at].replace(*on, slot, END, rows);
                continue;
            }
            let head = kind.heads[at].first(*on, &row[VALUES..], rows);
            if head == slot {
                kind.heads[at].replace(*on, slot, after, rows);
                if after != END {
                    // The link back to the youngest.
                    rows.get_mut(after)[previous] = before;
                }
            } else {
                rows.get_mut(before)[next] = after;
                rows.get_mut(if after == END { head } else { after })[previous] = before;
            }
        }
    }

    /// The oldest member that agrees with a message wherever both have a value. `older` says which of two came first.
    #[inline]
    pub(crate) fn candidate(
        &self,
        layout: &Layout,
        ids: &[Id],
        older: impl Fn(&[u32], &[u32]) -> bool,
    ) -> Option<Slot> {
        let asked = mask_of(ids);
        if asked == 0 {
            return self.oldest();
        }
        let mut best: Option<Slot> = None;
        for kind in self.kinds.iter().filter(|kind| kind.count > 0) {
            let Some(slot) = self.agreeing(layout, kind, asked, ids).next() else { continue };
            let is_better = best.is_none_or(|best| older(self.data(layout, slot), self.data(layout, best)));
            best = if is_better { Some(slot) } else { best };
        }
        best
    }

    /// Every member that agrees with a message wherever both have a value.
    pub(crate) fn each(&self, layout: &Layout, ids: &[Id], found: &mut Vec<Slot>) {
        let asked = mask_of(ids);
        for kind in self.kinds.iter().filter(|kind| kind.count > 0) {
            found.extend(self.agreeing(layout, kind, asked, ids));
        }
    }

    /// The member that has these values and no others.
    pub(crate) fn exact(&self, layout: &Layout, ids: &[Id]) -> Option<Slot> {
        let mask = mask_of(ids);
        let kind = self.kinds.iter().find(|kind| kind.mask == mask && kind.count > 0)?;
        self.agreeing(layout, kind, mask, ids).next()
    }

    /// The members of a kind that agree with a message, oldest first.
    fn agreeing<'c>(
        &'c self,
        layout: &'c Layout,
        kind: &'c Kind,
        asked: Mask,
        ids: &'c [Id],
    ) -> impl Iterator<Item = Slot> + 'c {
        let common = kind.mask & asked;
        // The finest chain there is; without one, all are looked at by age.
        let within = layout.on.iter().enumerate().filter(|(_, on)| **on & common == **on);
        let chain = within.max_by_key(|(_, on)| on.count_ones());
        let (first, next) = match chain {
            Some((at, on)) => (kind.heads[at].first(*on, ids, &self.rows), layout.links + 2 + 2 * at),
            None => (self.oldest, layout.links),
        };
        let mut slot = first;
        let is_right = move |row: &[u32]| row[0] == kind.mask && agrees(common, ids, row);
        std::iter::from_fn(move || {
            while slot != END {
                let (found, row) = (slot, self.rows.get(slot));
                slot = row[next];
                if is_right(row) {
                    return Some(found);
                }
            }
            None
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        let heads = self.kinds.iter().flat_map(|kind| &kind.heads).map(Heads::bytes).sum::<usize>();
        self.rows.bytes() + heads
    }

    /// The slots of all members, by age.
    pub(crate) fn by_age<'c>(&'c self, layout: &'c Layout) -> impl Iterator<Item = Slot> + 'c {
        std::iter::successors(self.oldest(), |slot| self.younger(layout, *slot))
    }

    /// Makes the links of a restored one, given the order of age; `false` if it cannot have been saved like this.
    pub(crate) fn rebuild<K: Ord>(&mut self, layout: &Layout, bound: usize, age: impl Fn(&[u32]) -> K) -> bool {
        if !self.rows.widen(layout.width(), layout.links, END) {
            return false;
        }
        let all = 0..self.rows.len() as Slot;
        let is_free = |slot: &Slot| self.rows.get(*slot)[0] == FREE;
        let is_sound = |slot: Slot| {
            let row = self.rows.get(slot);
            let ids = &row[VALUES..layout.data];
            row[0] == FREE || (mask_of(ids) == row[0] && ids.iter().all(|id| *id == NONE || (*id as usize) < bound))
        };
        let mut members: Vec<Slot> = all.clone().filter(|slot| !is_free(slot)).collect();
        let free = self.free.iter().all(|slot| (*slot as usize) < self.rows.len() && is_free(slot));
        if !free
            || members.len() != self.live
            || self.rows.len() != self.live + self.free.len()
            || !all.into_iter().all(is_sound)
        {
            return false;
        }
        members.sort_by_key(|slot| age(&self.rows.get(*slot)[layout.data..layout.links]));
        (self.oldest, self.youngest) = (END, END);
        self.kinds.clear();
        for slot in members {
            self.link_youngest(layout, slot);
            self.enter(layout, slot);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_core::number::Number;
    use gnomon_core::value::Value;

    /// A member as a plain list has it.
    struct Plain {
        slot: Slot,
        born: u32,
        ids: Vec<Id>,
    }

    fn fits(left: &[Id], right: &[Id]) -> bool {
        left.iter().zip(right).all(|(left, right)| *left == NONE || *right == NONE || left == right)
    }

    fn by_birth(left: &[u32], right: &[u32]) -> bool {
        left[0] < right[0]
    }

    /// Members come, learn and go at random; every question gets the answer of a plain list.
    #[test]
    fn is_as_good_as_a_list() {
        for sets in 0..=4 {
            let layout = Layout::new(sets, 1, &[0b11, 0b101]);
            let (mut crowd, mut values, mut list) = (Crowd::new(&layout), Values::default(), Vec::<Plain>::new());
            let known: Vec<Id> = (0..3).map(|whole| values.number(&Value::Number(Number::Int(whole)))).collect();
            for id in &known {
                values.hold(*id);
            }
            let mut seed = 7 + sets as u64;
            let mut random = |below: u64| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 33) % below
            };
            for step in 0..4_000_u32 {
                let ids: Vec<Id> = (0..sets).map(|_| known.get(random(4) as usize).copied().unwrap_or(NONE)).collect();
                let candidate = crowd.candidate(&layout, &ids, by_birth);
                let expected = list.iter().filter(|one| fits(&one.ids, &ids)).min_by_key(|one| one.born);
                assert_eq!(candidate, expected.map(|one| one.slot), "{sets} sets, step {step}");
                let mut all = Vec::new();
                crowd.each(&layout, &ids, &mut all);
                all.sort_unstable();
                let mut agreeing: Vec<Slot> =
                    list.iter().filter(|one| fits(&one.ids, &ids)).map(|one| one.slot).collect();
                agreeing.sort_unstable();
                assert_eq!(all, agreeing);
                match (random(5), candidate) {
                    (0..=1, _) => {
                        let slot = crowd.add(&layout, &ids, &[step], &mut values);
                        list.push(Plain { slot, born: step, ids });
                    }
                    (2, Some(slot)) => {
                        crowd.learn(&layout, slot, &ids, &mut values, by_birth);
                        let one = list.iter_mut().find(|one| one.slot == slot).unwrap();
                        for (own, new) in one.ids.iter_mut().zip(&ids) {
                            *own = if *own == NONE { *new } else { *own };
                        }
                        assert_eq!(crowd.values(&layout, slot), one.ids);
                    }
                    (_, Some(slot)) => {
                        crowd.remove(&layout, slot, &mut values);
                        list.retain(|one| one.slot != slot);
                    }
                    _ => {}
                }
                if step % 97 == 0 {
                    let bytes = postcard::to_stdvec(&crowd).unwrap();
                    crowd = postcard::from_bytes(&bytes).unwrap();
                    assert!(crowd.rebuild(&layout, values.bound(), |data| data[0]));
                }
                assert_eq!(crowd.live(), list.len());
                assert!(crowd.by_age(&layout).eq(list.iter().map(|one| one.slot)));
            }
        }
    }
}
