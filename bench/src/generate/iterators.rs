// SPDX-License-Identifier: MIT OR Apache-2.0
//! Collections that are modified, and iterators over them.

use super::{TraceEvent, TraceSource};
use crate::draws::Draws;

const LIVE_COLLECTIONS: u64 = 1_000;

fn create(time: u64, collection: u64, iterator: u64) -> TraceEvent {
    TraceEvent { name: "create", time, data: [Some(collection), Some(iterator)] }
}

fn modify(time: u64, collection: u64) -> TraceEvent {
    TraceEvent { name: "modify", time, data: [Some(collection), None] }
}

fn advance(time: u64, iterator: u64) -> TraceEvent {
    TraceEvent { name: "next", time, data: [None, Some(iterator)] }
}

/// One of the collections that are in use. When it is modified its iterators become stale.
struct Collection {
    id: u64,
    modified: u64,
}

/// An iterator over the collection at a place, and how often that had been modified before.
struct CollectionIterator {
    id: u64,
    place: usize,
    modified: u64,
}

/// Simulates a program that uses many collections: a quarter of the events create an iterator, a tenth modify a collection (and
/// a fifth of those are then replaced by a fresh one), the others advance an iterator. Two in 100,000 of those are
/// stale.
pub(super) struct IteratorSource {
    random: Draws,
    violations: u64,
    collections: Vec<Collection>,
    /// Iterators not yet found to be stale.
    iterators: Vec<CollectionIterator>,
    /// A stale iterator.
    stale: Option<u64>,
    last_collection: u64,
    last_iterator: u64,
}

impl IteratorSource {
    pub(super) fn new(seed: u64) -> Self {
        let collections = (1..=LIVE_COLLECTIONS).map(|id| Collection { id, modified: 0 }).collect();
        let (random, last_collection) = (Draws::new(seed), LIVE_COLLECTIONS);
        let iterators = Vec::new();
        IteratorSource { random, violations: 0, collections, iterators, stale: None, last_collection, last_iterator: 0 }
    }

    fn create(&mut self, time: u64) -> TraceEvent {
        let place = self.random.below(LIVE_COLLECTIONS) as usize;
        let collection = &self.collections[place];
        self.last_iterator += 1;
        self.iterators.push(CollectionIterator { id: self.last_iterator, place, modified: collection.modified });
        create(time, collection.id, self.last_iterator)
    }

    fn modify(&mut self, time: u64) -> TraceEvent {
        let place = self.random.below(LIVE_COLLECTIONS) as usize;
        let collection = &mut self.collections[place];
        let event = modify(time, collection.id);
        collection.modified += 1;
        if self.random.below(5) == 0 {
            self.last_collection += 1;
            collection.id = self.last_collection;
        }
        event
    }

    /// Returns an iterator that may be advanced. Stale ones among those drawn are dropped, all but one.
    fn draw(&mut self) -> Option<u64> {
        while !self.iterators.is_empty() {
            let drawn = self.random.below(self.iterators.len() as u64) as usize;
            let iterator = &self.iterators[drawn];
            if self.collections[iterator.place].modified == iterator.modified {
                return Some(iterator.id);
            }
            self.stale = Some(iterator.id);
            self.iterators.swap_remove(drawn);
        }
        None
    }
}

impl TraceSource for IteratorSource {
    fn next(&mut self, index: u64) -> TraceEvent {
        match self.random.below(20) {
            0..5 => return self.create(index),
            5..7 => return self.modify(index),
            _ => {}
        }
        if self.random.in_100_000(2)
            && let Some(iterator) = self.stale.take()
        {
            self.violations += 1;
            return advance(index, iterator);
        }
        match self.draw() {
            Some(iterator) => advance(index, iterator),
            None => self.create(index),
        }
    }

    fn violations(&self, _: u64) -> u64 {
        self.violations
    }
}

/// One collection in ten rounds: iterators, then a modification. Then one more iterator, and the very first is advanced.
/// With 2,000,012 events these are the numbers of the benchmark in Falcone, Nickovic, Reger and Thoma, Second
/// International Competition on Runtime Verification (CRV 2015), section 4.1; the paper does not say which collections it had.
pub(super) struct RoundsSource {
    events: u64,
    iterators: u64,
    modified: u64,
    /// True if the first iterator is stale.
    is_stale: bool,
    violations: u64,
}

impl RoundsSource {
    const ROUNDS: u64 = 10;
    const COLLECTION: u64 = 1;

    pub(super) fn new(events: u64) -> Self {
        RoundsSource { events, iterators: 0, modified: 0, is_stale: false, violations: 0 }
    }
}

impl TraceSource for RoundsSource {
    fn next(&mut self, index: u64) -> TraceEvent {
        let round = (self.events.saturating_sub(2) / Self::ROUNDS).max(1);
        if index + 1 == self.events {
            self.violations += u64::from(self.is_stale);
            return advance(index, 1);
        }
        if self.modified < Self::ROUNDS && (index + 1).is_multiple_of(round) {
            self.modified += 1;
            self.is_stale = self.iterators > 0;
            return modify(index, Self::COLLECTION);
        }
        self.iterators += 1;
        create(index, Self::COLLECTION, self.iterators)
    }

    fn violations(&self, _: u64) -> u64 {
        self.violations
    }
}
