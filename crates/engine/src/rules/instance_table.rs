// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of live instances of a rule, indexed by the values of its correlation sets and by age.
//!
//! A message must find the *oldest* instance that agrees with it, or all of them, where "agrees" means: equal in every correlation set
//! in which both have a value. A plain list would cost a scan per message. The table answers from indices:
//!
//! - Rows have fixed-width columns: the mask of sets with a value, the values, the member's own data, and links.
//! - All members are linked by age, oldest first.
//! - Members with the same mask form a group ([`MemberGroup`]). For each indexed combination of sets, the members of a group with the
//!   same values in it form a chain from oldest to youngest, and a hash index ([`ChainIndex`]) finds its head.
//!
//! A lookup visits each group (there are few masks), takes the finest indexed combination that group and message have in common, and
//! reads its chain from the oldest. With one or two sets every combination is indexed, so the head is the answer.
//!
//! Example with the sets `user` and `session`: members A (user 1), B (user 1, session 7), C (session 7), in this order. A message with
//! session 7 asks three groups: `{user}` has nothing in common with it, so A agrees; `{user, session}` finds B by `session`;
//! `{session}` finds C. The candidate is A, the oldest. A message with user 2 and session 7 disagrees with A and B, and finds C.
//!
//! A member that learns a value moves to another group, and must be inserted into its new chains behind the older members. Values are
//! interned ([`ValueInterner`]); a member holds its values and releases them when it is removed.

use std::hint::black_box;

use serde::{Deserialize, Serialize};

use crate::slice::storage::chunks::ChunkedRows;
use crate::slice::storage::index::Mask;
use crate::slice::storage::index::{ChainIndex, END, Slot, VALUES, agrees, bits, mask_of};
use crate::slice::storage::values::{Id, NONE, ValueInterner};

/// The columns of a table and the sets by which its members are indexed.
#[derive(Clone, Debug)]
pub(crate) struct TableLayout {
    /// Number of correlation sets.
    sets: usize,
    /// The first column of a member's own data.
    data: usize,
    /// The first column of the links: two by age, then two for each mask of `on`.
    links: usize,
    /// The indexed combinations of sets.
    on: Vec<Mask>,
}

/// Up to this number of sets every combination is indexed. With more sets, each single set and the combinations that messages have.
const COMBINED: usize = 2;
/// The maximum number of indexed combinations.
const MOST_COMBINATIONS: usize = 12;

impl TableLayout {
    /// Lays out rows with `data` columns of a member's own. `lookups` are the combinations of sets that messages have.
    pub(crate) fn new(sets: usize, data: usize, lookups: &[Mask]) -> Self {
        let mut on: Vec<Mask> = if sets <= COMBINED {
            (1..1 << sets).collect()
        } else {
            (0..sets).map(|set| 1 << set).chain(lookups.iter().copied().filter(|mask| *mask != 0)).collect()
        };
        let mut found = Vec::new();
        on.retain(|mask| {
            let is_new = !found.contains(mask);
            found.push(*mask);
            is_new
        });
        on.truncate(MOST_COMBINATIONS.max(sets));
        TableLayout { sets, data: VALUES + sets, links: VALUES + sets + data, on }
    }

    fn width(&self) -> usize {
        self.links + 2 + 2 * self.on.len()
    }

    /// Returns the number of the indexed combination with the most of these sets, and the combination.
    #[inline]
    fn finest(&self, common: Mask) -> Option<(usize, Mask)> {
        if self.sets <= COMBINED {
            // Every combination is indexed, in the order of masks.
            return (common as usize).checked_sub(1).map(|at| (at, common));
        }
        let within = self.on.iter().copied().enumerate().filter(|(_, on)| on & common == *on);
        within.max_by_key(|(_, on)| on.count_ones())
    }
}

/// The mask of a free row.
const FREE: u32 = u32::MAX;

/// The live instances of a rule, or groups of them.
///
/// COST: a member is added, found and removed in constant time, where the combination of sets is indexed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RuleInstanceTable {
    rows: ChunkedRows,
    free: Vec<Slot>,
    live: usize,
    #[serde(skip, default = "no_slot")]
    oldest: Slot,
    #[serde(skip, default = "no_slot")]
    youngest: Slot,
    #[serde(skip)]
    groups: Vec<MemberGroup>,
}

fn no_slot() -> Slot {
    END
}

/// The members that have values in exactly these sets.
#[derive(Clone, Debug)]
struct MemberGroup {
    mask: Mask,
    count: usize,
    /// For each indexed combination, the oldest member of each chain. Chains go from the oldest to the youngest; the oldest
    /// member's link back leads to the youngest.
    chains: Vec<ChainIndex>,
}

impl RuleInstanceTable {
    pub(crate) fn new(layout: &TableLayout) -> Self {
        let rows = ChunkedRows::new(layout.width(), layout.links);
        RuleInstanceTable { rows, free: vec![], live: 0, oldest: END, youngest: END, groups: vec![] }
    }

    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// Returns the oldest member.
    #[inline]
    pub(crate) fn oldest(&self) -> Option<Slot> {
        (self.oldest != END).then_some(self.oldest)
    }

    #[inline]
    fn younger(&self, layout: &TableLayout, slot: Slot) -> Option<Slot> {
        let next = self.rows.get(slot)[layout.links];
        (next != END).then_some(next)
    }

    #[inline]
    pub(crate) fn data(&self, layout: &TableLayout, slot: Slot) -> &[u32] {
        &self.rows.get(slot)[layout.data..layout.links]
    }

    #[inline]
    pub(crate) fn data_mut(&mut self, layout: &TableLayout, slot: Slot) -> &mut [u32] {
        &mut self.rows.get_mut(slot)[layout.data..layout.links]
    }

    /// Returns a member's values, [`NONE`] where it has none.
    #[inline]
    pub(crate) fn values(&self, layout: &TableLayout, slot: Slot) -> &[Id] {
        &self.rows.get(slot)[VALUES..layout.data]
    }

    /// Returns true if a member has this slot.
    pub(crate) fn is_live(&self, slot: Slot) -> bool {
        self.rows.get(slot)[0] != FREE
    }

    /// Returns one past the greatest slot that a member has had.
    pub(crate) fn bound(&self) -> usize {
        self.rows.len()
    }

    /// Adds a member, which is the youngest and holds its values. Columns beyond those of `data` keep any content.
    pub(crate) fn add<const COLUMNS: usize>(
        &mut self,
        layout: &TableLayout,
        ids: &[Id],
        data: &[u32; COLUMNS],
        values: &mut ValueInterner,
    ) -> Slot {
        let mask = mask_of(ids);
        for set in bits(mask) {
            values.hold(ids[set]);
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.rows.push();
            self.rows.len() as Slot - 1
        });
        let row = self.rows.get_mut(slot);
        row[0] = mask;
        // Too few for a call that copies memory.
        row[VALUES..layout.data].iter_mut().zip(ids).for_each(|(column, id)| *column = *id);
        row[layout.data..layout.data + COLUMNS].copy_from_slice(data);
        self.live += 1;
        self.link_youngest(layout, slot);
        self.enter(layout, slot);
        slot
    }

    /// Makes a member the youngest.
    pub(crate) fn renew(&mut self, layout: &TableLayout, slot: Slot) {
        if self.youngest != slot {
            self.unlink(layout, slot);
            self.link_youngest(layout, slot);
        }
    }

    #[inline]
    fn link_youngest(&mut self, layout: &TableLayout, slot: Slot) {
        let last = std::mem::replace(&mut self.youngest, slot);
        let row = self.rows.get_mut(slot);
        (row[layout.links], row[layout.links + 1]) = (END, last);
        match last {
            END => self.oldest = slot,
            last => self.rows.get_mut(last)[layout.links] = slot,
        }
    }

    fn unlink(&mut self, layout: &TableLayout, slot: Slot) {
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

    pub(crate) fn remove(&mut self, layout: &TableLayout, slot: Slot, values: &mut ValueInterner) {
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

    /// Adds values to a member in the sets in which it has none. `older` compares the data of two members by age.
    pub(crate) fn learn(
        &mut self,
        layout: &TableLayout,
        slot: Slot,
        ids: &[Id],
        values: &mut ValueInterner,
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
        self.enter_among(layout, slot, |left, right| {
            older(&left[layout.data..layout.links], &right[layout.data..layout.links])
        });
    }

    /// Returns the index of the group with this mask, creating it if it is new.
    #[inline]
    fn group(&mut self, layout: &TableLayout, mask: Mask) -> usize {
        if let Some(at) = self.groups.iter().position(|group| group.mask == mask) {
            return at;
        }
        let chains = layout.on.iter().map(|on| ChainIndex::new(*on)).collect();
        self.groups.push(MemberGroup { mask, count: 0, chains });
        self.groups.len() - 1
    }

    /// Inserts the youngest member into its chains.
    fn enter(&mut self, layout: &TableLayout, slot: Slot) {
        self.enter_among(layout, slot, |_, _| true);
    }

    /// Inserts a member into its chains, behind the older ones.
    #[inline]
    fn enter_among(&mut self, layout: &TableLayout, slot: Slot, older: impl Fn(&[u32], &[u32]) -> bool) {
        let mask = self.rows.get(slot)[0];
        let group = self.group(layout, mask);
        let RuleInstanceTable { rows, groups, .. } = self;
        let group = &mut groups[group];
        group.count += 1;
        for (at, on) in layout.on.iter().enumerate().filter(|(_, on)| *on & mask == **on) {
            let (next, previous) = (layout.links + 2 + 2 * at, layout.links + 3 + 2 * at);
            let head = group.chains[at].first_or_put(*on, slot, rows);
            if head == END {
                let row = rows.get_mut(slot);
                (row[next], row[previous]) = (END, slot);
                continue;
            }
            let youngest = rows.get(head)[previous];
            // Usually the new member is the youngest of the chain.
            let mut before = youngest;
            while !older(rows.get(before), rows.get(slot)) {
                if before == head {
                    before = END;
                    break;
                }
                before = rows.get(before)[previous];
            }
            if before == END {
                group.chains[at].replace(*on, head, slot, rows);
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

    /// Removes a member from its chains.
    fn leave(&mut self, layout: &TableLayout, slot: Slot) {
        let mask = self.rows.get(slot)[0];
        let group = self.group(layout, mask);
        let RuleInstanceTable { rows, groups, .. } = self;
        let group = &mut groups[group];
        group.count -= 1;
        for (at, on) in layout.on.iter().enumerate().filter(|(_, on)| *on & mask == **on) {
            let (next, previous) = (layout.links + 2 + 2 * at, layout.links + 3 + 2 * at);
            let row = rows.get(slot);
            let (after, before) = (row[next], row[previous]);
            if before == slot {
                // Usually the chain has one member.
                group.chains[at].replace(*on, slot, END, rows);
                continue;
            }
            let head = group.chains[at].first(*on, &row[VALUES..], rows);
            if head == slot {
                group.chains[at].replace(*on, slot, after, rows);
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

    /// Returns the oldest member that agrees with a message. `older` compares the data of two members by age.
    #[inline]
    pub(crate) fn candidate(
        &self,
        layout: &TableLayout,
        ids: &[Id],
        older: impl Fn(&[u32], &[u32]) -> bool,
    ) -> Option<Slot> {
        let mask = mask_of(ids);
        if mask == 0 {
            return self.oldest();
        }
        let mut best: Option<Slot> = None;
        for group in self.groups.iter().filter(|group| group.count > 0) {
            let common = group.mask & mask;
            let found = match layout.finest(common) {
                // The chain has just those that agree.
                Some((at, on)) if on == common => {
                    Some(group.chains[at].first(on, ids, &self.rows)).filter(|oldest| *oldest != END)
                }
                _ => self.agreeing(layout, group, mask, ids).next(),
            };
            let Some(slot) = found else { continue };
            let is_better = best.is_none_or(|best| older(self.data(layout, slot), self.data(layout, best)));
            best = if is_better { Some(slot) } else { best };
        }
        best
    }

    /// Appends every member that agrees with a message to `found`.
    pub(crate) fn each(&self, layout: &TableLayout, ids: &[Id], found: &mut Vec<Slot>) {
        let mask = mask_of(ids);
        for group in self.groups.iter().filter(|group| group.count > 0) {
            found.extend(self.agreeing(layout, group, mask, ids));
        }
    }

    /// Reads the rows of the oldest members with a value, and returns the last of them that was found.
    #[inline]
    pub(crate) fn touch(&self, layout: &TableLayout, set: usize, id: Id) -> Option<Slot> {
        let on = 1 << set;
        let at = layout.on.iter().position(|mask| *mask == on)?;
        let mut found = None;
        for group in self.groups.iter().filter(|group| group.mask & on == on && group.count > 0) {
            if let ChainIndex::ByValue(starts) = &group.chains[at]
                && starts.get(id) != END
            {
                self.touch_neighbours(layout, starts.get(id));
                found = Some(starts.get(id));
            }
        }
        found
    }

    /// Reads the rows of a member and of the members before and after it, which change when it is removed.
    #[inline]
    pub(crate) fn touch_neighbours(&self, layout: &TableLayout, slot: Slot) {
        let row = self.rows.get(slot);
        for neighbour in [row[layout.links], row[layout.links + 1]] {
            if neighbour != END {
                black_box(self.rows.get(neighbour)[layout.links]);
            }
        }
    }

    /// Returns the member that has these values and no others.
    pub(crate) fn exact(&self, layout: &TableLayout, ids: &[Id]) -> Option<Slot> {
        let mask = mask_of(ids);
        let group = self.groups.iter().find(|group| group.mask == mask && group.count > 0)?;
        self.agreeing(layout, group, mask, ids).next()
    }

    /// Iterates over the members of a group that agree with a message, oldest first.
    fn agreeing<'c>(
        &'c self,
        layout: &'c TableLayout,
        group: &'c MemberGroup,
        mask: Mask,
        ids: &'c [Id],
    ) -> impl Iterator<Item = Slot> + 'c {
        let common = group.mask & mask;
        // Without an index, all members are read by age.
        let (first, next) = match layout.finest(common) {
            Some((at, on)) => (group.chains[at].first(on, ids, &self.rows), layout.links + 2 + 2 * at),
            None => (self.oldest, layout.links),
        };
        let mut slot = first;
        let is_right = move |row: &[u32]| row[0] == group.mask && agrees(common, ids, row);
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
        let chains = self.groups.iter().flat_map(|group| &group.chains).map(ChainIndex::bytes).sum::<usize>();
        self.rows.bytes() + chains
    }

    /// Iterates over all members, oldest first.
    pub(crate) fn by_age<'c>(&'c self, layout: &'c TableLayout) -> impl Iterator<Item = Slot> + 'c {
        std::iter::successors(self.oldest(), |slot| self.younger(layout, *slot))
    }

    /// Rebuilds the links of a restored table in the order of `age`. Returns false if the table is damaged.
    pub(crate) fn rebuild<K: Ord>(&mut self, layout: &TableLayout, bound: usize, age: impl Fn(&[u32]) -> K) -> bool {
        if !self.rows.widen(layout.width(), layout.links) {
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
        self.groups.clear();
        for slot in members {
            self.link_youngest(layout, slot);
            self.enter(layout, slot);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use gnomon_core::random::Random;

    use super::*;
    use gnomon_core::number::Number;
    use gnomon_core::value::Value;

    /// A member in a plain list.
    struct Plain {
        slot: Slot,
        age: u32,
        ids: Vec<Id>,
    }

    fn fits(left: &[Id], right: &[Id]) -> bool {
        left.iter().zip(right).all(|(left, right)| *left == NONE || *right == NONE || left == right)
    }

    fn by_age(left: &[u32], right: &[u32]) -> bool {
        left[0] < right[0]
    }

    /// Adds, changes and removes members at random and compares every lookup with a plain list.
    #[test]
    fn lookups_agree_with_a_plain_list() {
        for sets in 0..=4 {
            let layout = TableLayout::new(sets, 1, &[0b11, 0b101]);
            let (mut instances, mut values, mut list) =
                (RuleInstanceTable::new(&layout), ValueInterner::default(), Vec::<Plain>::new());
            let known: Vec<Id> = (0..3).map(|whole| values.number(&Value::Number(Number::Int(whole)))).collect();
            for id in &known {
                values.hold(*id);
            }
            let mut numbers = Random::new(7 + sets as u64);
            let mut random = |below: u64| numbers.below(below);
            for step in 0..4_000_u32 {
                let ids: Vec<Id> = (0..sets).map(|_| known.get(random(4) as usize).copied().unwrap_or(NONE)).collect();
                let candidate = instances.candidate(&layout, &ids, by_age);
                let expected = list.iter().filter(|one| fits(&one.ids, &ids)).min_by_key(|one| one.age);
                assert_eq!(candidate, expected.map(|one| one.slot), "{sets} sets, step {step}");
                let mut all = Vec::new();
                instances.each(&layout, &ids, &mut all);
                all.sort_unstable();
                let mut agreeing: Vec<Slot> =
                    list.iter().filter(|one| fits(&one.ids, &ids)).map(|one| one.slot).collect();
                agreeing.sort_unstable();
                assert_eq!(all, agreeing);
                match (random(5), candidate) {
                    (0..=1, _) => {
                        let slot = instances.add(&layout, &ids, &[step], &mut values);
                        list.push(Plain { slot, age: step, ids });
                    }
                    (2, Some(slot)) => {
                        instances.learn(&layout, slot, &ids, &mut values, by_age);
                        let one = list.iter_mut().find(|one| one.slot == slot).unwrap();
                        for (own, new) in one.ids.iter_mut().zip(&ids) {
                            *own = if *own == NONE { *new } else { *own };
                        }
                        assert_eq!(instances.values(&layout, slot), one.ids);
                    }
                    (_, Some(slot)) => {
                        instances.remove(&layout, slot, &mut values);
                        list.retain(|one| one.slot != slot);
                    }
                    _ => {}
                }
                if step % 97 == 0 {
                    let bytes = postcard::to_stdvec(&instances).unwrap();
                    instances = postcard::from_bytes(&bytes).unwrap();
                    assert!(instances.rebuild(&layout, values.bound(), |data| data[0]));
                }
                assert_eq!(instances.live(), list.len());
                assert!(instances.by_age(&layout).eq(list.iter().map(|one| one.slot)));
            }
        }
    }
}
