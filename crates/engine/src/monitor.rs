// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run of a plan.

use gnomon_core::event::Event;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Origin, Outcome, Simultaneous, Violation};
use serde::{Deserialize, Serialize};

use crate::deck::Deck;
use crate::lane::{Lane, Run};
use crate::plan::{Place, Plan};
use crate::rules::Book;
use crate::slice::Share;
use crate::slice::sum::together;
use crate::snapshot;
use crate::terms::variables::Variables;

/// The state of one run: fed with events in the order of their times, asked for outcomes at the end.
#[derive(Clone, Debug)]
pub struct Monitor {
    plan: Plan,
    pub(crate) state: State,
    /// Violations that were told last.
    told: Vec<Violation>,
}

/// All that changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    /// For each formula without variables.
    pub(crate) runs: Vec<Run>,
    /// Those that merge simultaneous events.
    pub(crate) merge: Lane,
    /// Those that take each event as a position.
    pub(crate) sequence: Lane,
    /// The properties over data.
    pub(crate) deck: Deck,
    /// The rules over messages.
    pub(crate) book: Book,
    /// The state of the composition.
    pub(crate) variables: Variables,
    /// The first event of the position that is being gathered, for those who merge.
    open: Option<Origin>,
    /// Whether this run judges what cannot be shared.
    judges_rest: bool,
}

/// What a property over data takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Load {
    /// How many bindings have a state of their own.
    pub bindings: usize,
    /// Memory, in bytes, roughly.
    pub bytes: usize,
}

impl Monitor {
    pub(crate) fn new(plan: Plan, max_violations: usize, share: Share) -> Self {
        let networks = &plan.inner.networks;
        let state = State {
            runs: networks.iter().map(|network| Run::new(network, max_violations)).collect(),
            merge: Lane::new(networks, Simultaneous::Merge),
            sequence: Lane::new(networks, Simultaneous::Sequence),
            deck: Deck::new(&plan.inner.slices, max_violations, share),
            book: Book::new(&plan.inner.rules, max_violations),
            variables: Variables::new(&plan.inner.fields),
            open: None,
            judges_rest: share.index == 0,
        };
        Monitor { plan, state, told: Vec::new() }
    }

    pub(crate) fn resume(plan: Plan, state: State) -> Self {
        Monitor { plan, state, told: Vec::new() }
    }

    /// An event happens. Its time must not be before that of the event before, or before what [`Monitor::advance`]
    /// promised.
    #[inline]
    pub fn step(&mut self, event: &Event<'_>) {
        self.step_as(event, self.state.deck.share());
    }

    /// An event happens that concerns this share of the work alone ([`Audience::One`](crate::Audience::One)).
    #[inline]
    pub fn step_alone(&mut self, event: &Event<'_>) {
        self.step_as(event, Share::WHOLE);
    }

    /// Events happen, one after the other, that do not concern this share of the work ([`Sharing`](crate::Sharing)).
    ///
    /// COST: constant for all of them together, as long as nothing rings; what looks at every position has them told one
    /// by one.
    #[inline]
    pub fn pass(&mut self, mut events: &[Origin]) {
        let inner = &*self.plan.inner;
        let sees_all = self.state.judges_rest && !(inner.networks.is_empty() && inner.rules.is_empty());
        while let Some(first) = events.first() {
            let count = if sees_all { 0 } else { self.state.deck.pass(events) };
            let (quiet, rest) = events.split_at(count);
            if let Some(last) = quiet.last() {
                self.state.open = Some(*last);
                events = rest;
            } else {
                self.pass_one(first);
                events = &events[1..];
            }
        }
    }

    /// So many events happen that no property speaks of, the last of them at this time, of which nothing else is known.
    /// False, and nothing is done, if that is not enough to go on: some deadline is not later, or someone looks at every
    /// position.
    ///
    /// COST: constant, whatever their number.
    pub fn leap(&mut self, events: u64, to: Timestamp) -> bool {
        let inner = &*self.plan.inner;
        // How many positions simultaneous events make is known only by their times.
        let merges = inner.networks.iter().any(|network| network.core.simultaneous == Simultaneous::Merge);
        let State { sequence, deck, open, .. } = &mut self.state;
        let can = inner.rules.is_empty()
            && inner.fields.is_empty()
            && !merges
            && (!inner.some_sequence || sequence.can_leap(to))
            && deck.can_leap(to);
        if can {
            if inner.some_sequence {
                sequence.leap(events, to);
            }
            deck.leap(events, to);
            *open = None;
        }
        can
    }

    /// An event passes that does not concern this share.
    #[inline(never)]
    fn pass_one(&mut self, origin: &Origin) {
        if self.state.open.as_ref().is_some_and(|open| open.time != origin.time) {
            self.close_position();
        }
        if self.state.judges_rest && !self.plan.inner.rules.is_empty() {
            self.state.book.pass(&self.plan.inner.rules, origin);
        }
        self.close_event(origin);
    }

    /// An event happens, of whose bindings this share's are to be judged.
    #[inline]
    fn step_as(&mut self, event: &Event<'_>, share: Share) {
        let origin = Origin { event_index: event.index, time: event.time, event: event.name };
        if self.state.open.as_ref().is_some_and(|open| open.time != event.time) {
            self.close_position();
        }
        let inner = &*self.plan.inner;
        let State { runs, merge, sequence, deck, book, variables, judges_rest, .. } = &mut self.state;
        let found = |property: usize, word, bits| {
            if !*judges_rest {
                return;
            }
            let (network, run) = (&inner.networks[property], &mut runs[property]);
            let is_merge = network.core.simultaneous == Simultaneous::Merge;
            if run.gathered.is_idle() {
                (if is_merge { &mut *merge } else { &mut *sequence }).concern(property);
            }
            let again = run.gathered.add(network, word, bits, origin);
            run.network.merged |= again && is_merge;
        };
        if !inner.fields.is_empty() {
            variables.update(&inner.fields, event);
        }
        inner.matcher.each(event, found, |rule| deck.gather(&inner.slices, rule, event, &origin, share));
        if !inner.rules.is_empty() && *judges_rest {
            book.step(&inner.rules, &inner.messages, event, &origin);
        }
        self.close_event(&origin);
    }

    /// Ends the position of those who take each event as one.
    #[inline]
    fn close_event(&mut self, origin: &Origin) {
        let inner = &*self.plan.inner;
        let State { runs, sequence, deck, variables, open, judges_rest, .. } = &mut self.state;
        if inner.some_sequence && *judges_rest {
            sequence.close(&inner.networks, runs, variables, origin);
        }
        if !inner.slices.is_empty() {
            deck.close_event(&inner.slices, origin);
        }
        open.get_or_insert(*origin);
    }

    /// No more events of the present time will come: ends their position, for those who merge them. No time passes by it.
    /// A later event, [`Monitor::advance`] and [`Monitor::finish`] do it, too.
    #[inline]
    pub fn close_position(&mut self) {
        let State { runs, merge, deck, variables, open, judges_rest, .. } = &mut self.state;
        if let Some(first) = open {
            let networks = &self.plan.inner.networks;
            if *judges_rest && !networks.is_empty() {
                merge.close(networks, runs, variables, first);
            }
            deck.close_position(&self.plan.inner.slices, first);
            *open = None;
        }
    }

    /// Time passes: no event earlier than `to` will come.
    pub fn advance(&mut self, to: Timestamp) {
        if self.state.open.as_ref().is_some_and(|open| open.time < to) {
            self.close_position();
        }
        let State { runs, merge, sequence, deck, book, .. } = &mut self.state;
        for lane in [merge, sequence] {
            lane.advance(&self.plan.inner.networks, runs, to);
        }
        deck.advance(&self.plan.inner.slices, to);
        book.advance(&self.plan.inner.rules, to);
    }

    /// The trace ends: what became of each property, in the order of the plan.
    #[must_use]
    pub fn finish(mut self, end: End) -> Vec<Outcome> {
        self.conclude(end)
    }

    /// The same, and the monitor is as if it were new: another trace begins.
    ///
    /// COST: less than that of another monitor, because the room for bindings is used again.
    #[must_use]
    pub fn finish_and_restart(&mut self, end: End, max_violations: usize) -> Vec<Outcome> {
        let outcomes = self.conclude(end);
        self.restart(max_violations);
        outcomes
    }

    /// Forgets everything: another trace begins.
    pub fn restart(&mut self, max_violations: usize) {
        let inner = &*self.plan.inner;
        let State { runs, merge, sequence, deck, book, variables, open, .. } = &mut self.state;
        for (network, run) in inner.networks.iter().zip(runs) {
            *run = Run::new(network, max_violations);
        }
        merge.restart(&inner.networks);
        sequence.restart(&inner.networks);
        deck.restart(&inner.slices, max_violations);
        if !inner.rules.is_empty() {
            *book = Book::new(&inner.rules, max_violations);
        }
        if !inner.fields.is_empty() {
            *variables = Variables::new(&inner.fields);
        }
        *open = None;
        self.told.clear();
    }

    fn conclude(&mut self, end: End) -> Vec<Outcome> {
        self.close_position();
        let inner = &*self.plan.inner;
        let State { runs, merge, sequence, deck, book, .. } = &mut self.state;
        let most_listed = deck.most_listed();
        let ruled = if inner.rules.is_empty() {
            vec![]
        } else {
            std::mem::replace(book, Book::new(&[], 0)).finish(&inner.rules, end)
        };
        let mut ruled = ruled.into_iter();
        let mut outcomes = Vec::with_capacity(inner.places.len());
        for place in &inner.places {
            match place {
                Place::Network(number) => {
                    let (network, run) = (&inner.networks[*number], &mut runs[*number]);
                    merge.catch_up(network, run);
                    sequence.catch_up(network, run);
                    outcomes.push(network.finish(&mut run.network, &mut run.scratch, end));
                }
                Place::Slices { first, count: 1 } => outcomes.push(deck.finish(&inner.slices, *first, end)),
                Place::Slices { first, count } => {
                    let slices = *first..first + count;
                    let parts = slices.map(|slice| deck.finish(&inner.slices, slice, end)).collect();
                    outcomes.push(together(parts, most_listed));
                }
                // The book gives its outcomes in the order of the plan.
                Place::Rule(_) => outcomes.extend(ruled.next()),
            }
        }
        outcomes
    }

    /// Puts the runs of several shares of the same events together.
    #[must_use]
    pub fn join(mut shares: Vec<Monitor>) -> Option<Monitor> {
        for share in &mut shares {
            share.close_position();
        }
        let mut shares = shares.into_iter();
        let mut whole = shares.next()?;
        for share in shares {
            whole.state.deck.absorb(&whole.plan.inner.slices, share.state.deck);
        }
        Some(whole)
    }

    /// How many violations of a property are certain so far. What happens at a position counts once a later event, or
    /// [`Monitor::advance`], has closed it.
    pub fn violated(&self, property: usize) -> u64 {
        match self.plan.inner.places.get(property) {
            Some(Place::Network(number)) => self.state.runs[*number].network.violated(),
            Some(Place::Slices { first, count }) => {
                let deck = &self.state.deck;
                (*first..first + count).map(|slice| deck.violated(&self.plan.inner.slices, slice)).sum()
            }
            Some(Place::Rule(number)) => self.state.book.violated(*number),
            None => 0,
        }
    }

    /// From now on, [`Monitor::violations`] counts.
    pub fn count_violations(&mut self) {
        let State { merge, sequence, deck, book, .. } = &mut self.state;
        for noted in [&mut merge.noted, &mut sequence.noted, &mut book.noted] {
            noted.begin();
        }
        deck.begin_noting();
    }

    /// How many violations of all properties together became certain since [`Monitor::count_violations`]: as long as the
    /// number stays the same none has to be asked for.
    ///
    /// COST: constant, whatever the number of properties.
    #[inline]
    pub fn violations(&self) -> u64 {
        let State { merge, sequence, deck, book, .. } = &self.state;
        merge.noted.total + sequence.noted.total + deck.noted() + book.noted.total
    }

    /// Violations of a property that became certain since the last call, for telling them at once. One that the next
    /// position may continue is held back until it does not; what was told here does not grow into a range later.
    /// Those that only the end shows to concern a binding are told by [`Monitor::finish`] alone.
    pub fn news(&mut self, property: usize) -> &[Violation] {
        let State { runs, merge, sequence, deck, book, .. } = &mut self.state;
        match self.plan.inner.places.get(property) {
            Some(Place::Network(number)) => {
                let positions = match self.plan.inner.networks[*number].core.simultaneous {
                    Simultaneous::Merge => merge.positions(),
                    Simultaneous::Sequence => sequence.positions(),
                };
                runs[*number].network.news(positions)
            }
            Some(Place::Slices { first, count }) => {
                let slices = *first..first + count;
                self.told = slices.flat_map(|slice| deck.news(&self.plan.inner.slices, slice)).collect();
                &self.told
            }
            Some(Place::Rule(number)) => book.news(*number),
            None => &[],
        }
    }

    /// Violations of a property that became certain since the last call, at once and however many there were before. One
    /// that the next position continues is told again when it did, with the same first position. Of those that were told
    /// the first `keep` stay listed in the outcome.
    pub fn tell(&mut self, property: usize, keep: usize) -> Vec<Violation> {
        let State { runs, deck, book, .. } = &mut self.state;
        match self.plan.inner.places.get(property) {
            Some(Place::Network(number)) => runs[*number].network.tell(keep),
            Some(Place::Slices { first, count }) => {
                let slices = *first..first + count;
                slices.flat_map(|slice| deck.tell(&self.plan.inner.slices, slice, keep)).collect()
            }
            Some(Place::Rule(number)) => book.tell(*number, keep),
            None => vec![],
        }
    }

    /// The earliest time whose passing ([`Monitor::advance`] to a later one) may decide something.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let State { runs, merge, sequence, deck, book, .. } = &self.state;
        let lanes = merge.next_deadline(runs).min(sequence.next_deadline(runs));
        let rest = deck.next_deadline(&self.plan.inner.slices).min(book.next_deadline());
        Some(lanes.min(rest)).filter(|deadline| *deadline < Timestamp::MAX)
    }

    /// The time of the position that is still open for events of the same time, where some property merges those.
    pub fn open_position(&self) -> Option<Timestamp> {
        self.state.open.as_ref().map(|open| open.time)
    }

    /// What a property over data takes at present.
    pub fn load(&self, property: usize) -> Load {
        match self.plan.inner.places.get(property) {
            Some(Place::Slices { first, count }) => {
                let loads = (*first..first + count).map(|slice| self.state.deck.load(&self.plan.inner.slices, slice));
                loads.fold(Load::default(), |sum, (bindings, bytes)| Load {
                    bindings: sum.bindings + bindings,
                    bytes: sum.bytes + bytes,
                })
            }
            Some(Place::Rule(number)) => {
                let (bindings, bytes) = self.state.book.load(*number);
                Load { bindings, bytes }
            }
            Some(Place::Network(_)) | None => Load::default(),
        }
    }

    /// The run as data: [`Plan::restore`] goes on from it as if nothing had happened.
    pub fn save(&self) -> Vec<u8> {
        snapshot::save(&self.plan, &self.state)
    }
}
