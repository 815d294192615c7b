// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the cases of a field when only their outcomes are wanted: gathers the events of each case, and checks case after case.
//!
//! A log with a million sessions has a million cases that are interleaved. A monitor for each of them takes kilobytes, and moving
//! from one to the next at every event misses the cache of the processor. The verdict of a case does not depend on the events of other
//! cases, so their order in the log need not be kept: [`GroupedCases`] only stores an event when it is read. One monitor checks
//! the cases later, each in one go, and restarts for the next.
//!
//! # Blocks
//!
//! Cases are numbered as they appear. A [`CaseBlock`] has the events of up to 1,024 consecutive cases in an [`EventLog`], about ten
//! bytes an event, in the order of the trace. To check a block, its events are sorted by case. [`BlockSizes`] has the bounds.
//!
//! Example with two cases a block, and the events `a1 b1 a2 c1 b2 d1 c2` of the cases a, b, c, d:
//!
//! ```text
//! block 0:  a1 b1 a2 b2   --sorted-->  a1 a2 | b1 b2
//! block 1:  c1 d1 c2      --sorted-->  c1 c2 | d1
//! ```
//!
//! # Rounds
//!
//! If all events fit into the buffer, every case is checked once, at the end, and nothing but events is ever stored. Otherwise the
//! blocks are checked in *rounds*: a case that has events is restored, checked as far as its events go, and packed
//! ([`Monitor::pack`]) until the next round or the end. A round takes place
//! - for one block, when it has more than [`BlockSizes::block_bytes`] of events, so that sorting stays cheap however few cases there are;
//! - for all blocks, when they have more than [`BlockSizes::buffer_bytes`], or a quarter of the memory limit;
//! - for all blocks, after the numbers of events in [`BlockSizes::early_rounds`]: see below.
//!
//! # Listed violations
//!
//! A report lists the first violations of each property, by the index of their event. Once as many cases have violated each property
//! as violations are listed, a case that begins later need not list any: all of its violations come after those of the earlier
//! cases, each of which lists at least one. The early rounds find that out soon if violations are frequent. Violations themselves
//! cannot be counted for it: consecutive ones may be listed as one range.
//!
//! # Invariants
//!
//! - A case has a packed state if and only if its number is below the number of packed states of its block. A block's states are rewritten
//!   in order in each round, so they have no gaps.
//! - Cases end in the order of their numbers, with any number of threads. Listener and sum see the same as from
//!   [`CaseDriver`](super::case_driver::CaseDriver).
//! - A progress marker advances a case at its end: an event decides the deadlines before it in the same way.

use std::iter;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

use gnomon_core::event::{Event, Fields, NoFields};
use gnomon_core::event_block::EventBlock;
use gnomon_core::symbols::Key;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Origin, Outcome};
use gnomon_engine::{MemoryUse, Monitor};

use super::event_log::{EventLog, LoggedEvent};
use super::listener::{CaseOutcomes, Listener, TraceContext};
use super::outcome_sum::{CaseSummary, OutcomeSum};
use super::{CaseEnd, Division, EventSource, Visitor, loads};
use crate::driver::CheckJob;
use crate::error::Error;

/// A thread finishes cases with about 2 to the power of this outcomes before they are reported.
const OUTCOME_BITS: u32 = 16;

/// Bounds of blocks and of the buffer.
#[derive(Clone, Copy)]
struct BlockSizes {
    /// A block has 2 to the power of this cases.
    case_bits: u32,
    /// A block with this many bytes of events is checked.
    block_bytes: usize,
    /// All blocks are checked when their events take this many bytes.
    buffer_bytes: usize,
    /// All blocks are checked after each of these numbers of events, until later cases need not list violations.
    early_rounds: [u64; 3],
}

impl BlockSizes {
    /// Returns the sizes for a number of properties.
    fn new(properties: usize) -> Self {
        BlockSizes {
            case_bits: 10.min(OUTCOME_BITS - properties.clamp(1, 1 << 12).ilog2()),
            block_bytes: 4 << 20,
            buffer_bytes: 512 << 20,
            early_rounds: [1 << 14, 1 << 16, 1 << 18],
        }
    }

    /// Returns the number of blocks that a thread finishes before their outcomes are reported.
    fn blocks_to_finish(self, properties: usize) -> usize {
        ((1 << OUTCOME_BITS) / (properties.max(1) << self.case_bits)).max(1)
    }
}

/// Number of events of one case between two checks of the memory limit.
const CHECK_EVERY: usize = 1 << 12;

/// Gathers events by case and checks the cases one after the other.
pub(super) struct GroupedCases<'a> {
    job: CheckJob<'a>,
    listener: &'a mut dyn Listener,
    division: Division,
    blocks: Vec<CaseBlock>,
    /// Size of all blocks, and of their events alone, in bytes.
    block_bytes: usize,
    event_bytes: usize,
    sizes: BlockSizes,
    /// Number of events read, and of cases.
    event_count: u64,
    case_count: usize,
    /// One for each thread.
    evaluators: Vec<BlockEvaluator<'a>>,
    /// The latest progress marker.
    until: Option<Timestamp>,
    /// For each property, the number of cases that violate it, as far as rounds found them.
    violating_cases: Vec<u64>,
}

/// The buffered events and the packed states of consecutive cases.
#[derive(Default)]
struct CaseBlock {
    /// The number of the first case.
    first: usize,
    events: EventLog,
    states: PackedStates,
    /// The number of the first case, counted in the block, that lists no violations.
    first_unlisted: Option<usize>,
}

/// The states of the first cases of a block, one after the other.
#[derive(Default)]
struct PackedStates {
    bytes: Vec<u8>,
    /// For each case the end of its state, and the number of its events.
    cases: Vec<(usize, u64)>,
}

impl PackedStates {
    /// Returns the packed state of a case and the number of its events so far.
    fn get(&self, case: usize) -> Option<(&[u8], u64)> {
        let (end, events) = *self.cases.get(case)?;
        let start = case.checked_sub(1).map_or(0, |before| self.cases[before].0);
        Some((&self.bytes[start..end], events))
    }

    fn push(&mut self, events: u64, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.cases.push((self.bytes.len(), events));
    }

    fn byte_count(&self) -> usize {
        self.bytes.capacity() + self.cases.capacity() * size_of::<(usize, u64)>()
    }
}

impl CaseBlock {
    fn byte_count(&self) -> usize {
        self.events.bytes() + self.states.byte_count()
    }
}

/// A finished case.
struct FinishedCase {
    events: u64,
    outcomes: Vec<Outcome>,
}

impl<'a> GroupedCases<'a> {
    pub(super) fn new(job: CheckJob<'a>, division: Division, listener: &'a mut dyn Listener) -> Self {
        GroupedCases::with_sizes(job, division, listener, BlockSizes::new(job.compiled.properties.len()))
    }

    fn with_sizes(
        job: CheckJob<'a>,
        division: Division,
        listener: &'a mut dyn Listener,
        mut sizes: BlockSizes,
    ) -> Self {
        if let Some(memory) = job.options.limits.memory {
            sizes.buffer_bytes = sizes.buffer_bytes.min(usize::try_from(memory / 4).unwrap_or(usize::MAX));
        }
        GroupedCases {
            job,
            listener,
            division,
            blocks: Vec::new(),
            block_bytes: 0,
            event_bytes: 0,
            sizes,
            event_count: 0,
            case_count: 0,
            evaluators: (0..job.options.jobs.max(1)).map(|_| BlockEvaluator::new(job)).collect(),
            until: None,
            violating_cases: vec![0; job.compiled.properties.len()],
        }
    }

    /// Returns the number of the case of an event.
    #[inline]
    fn case_of(&mut self, event: &Event<'_>) -> Option<usize> {
        let (number, is_new) = self.division.number(event)?;
        if is_new {
            self.case_count += 1;
            if self.blocks.len() << self.sizes.case_bits < self.case_count {
                let (first, first_unlisted) = (self.case_count - 1, self.is_full().then_some(0));
                self.blocks.push(CaseBlock { first, first_unlisted, ..CaseBlock::default() });
            }
        }
        Some(number)
    }

    /// Returns true if cases that begin now need not list violations.
    fn is_full(&self) -> bool {
        self.job.options.lists_in_order()
            && self.violating_cases.iter().all(|count| *count >= self.job.options.max_violations as u64)
    }

    /// Checks the events of some blocks as far as they go.
    fn run_round(&mut self, blocks: Range<usize>) -> Result<(), Error> {
        let before: Vec<(usize, usize)> =
            self.blocks[blocks.clone()].iter().map(|block| (block.byte_count(), block.events.bytes())).collect();
        let other_bytes = self.block_bytes + self.division.bytes();
        let evaluate = |evaluator: &mut BlockEvaluator<'_>, block: &mut CaseBlock| evaluator.pack(block, other_bytes);
        let found = for_each_block(&mut self.evaluators, &mut self.blocks[blocks.clone()], evaluate);
        for counts in found {
            for (sum, count) in self.violating_cases.iter_mut().zip(counts?) {
                *sum += count;
            }
        }
        for ((all, events), block) in before.into_iter().zip(&self.blocks[blocks]) {
            self.block_bytes = self.block_bytes + block.byte_count() - all;
            self.event_bytes -= events;
        }
        let blocks_before_last = self.blocks.len().saturating_sub(1);
        if self.is_full()
            && let Some(last) = self.blocks.last_mut()
        {
            let before = blocks_before_last << self.sizes.case_bits;
            last.first_unlisted.get_or_insert(self.case_count - before);
        }
        Ok(())
    }

    /// Ends the trace: finishes all cases and adds up their outcomes.
    pub(super) fn finish(mut self, context: TraceContext<'_>) -> Result<(Vec<Outcome>, CaseSummary), Error> {
        let max_violations = self.job.options.max_violations;
        let mut sum = OutcomeSum::new(self.violating_cases.len(), max_violations);
        let other_bytes = self.block_bytes + self.division.bytes();
        let (division, at_end) = (&self.division, CaseEnd { end: self.job.options.end, until: self.until });
        let mut number = 0;
        let chunk = self.evaluators.len() * self.sizes.blocks_to_finish(self.violating_cases.len());
        for blocks in self.blocks.chunks_mut(chunk) {
            let evaluate = |evaluator: &mut BlockEvaluator<'_>, block: &mut CaseBlock| {
                let end = |case: usize| division.end(block.first + case).unwrap_or(at_end);
                let finished = evaluator.finish(block, end, other_bytes);
                *block = CaseBlock::default();
                finished
            };
            for cases in for_each_block(&mut self.evaluators, blocks, evaluate) {
                for FinishedCase { events, outcomes } in cases? {
                    let label = self.division.label(number);
                    self.listener.case(&CaseOutcomes { label, events, outcomes: &outcomes, context });
                    sum.add(label, outcomes);
                    number += 1;
                }
            }
        }
        Ok(sum.finish(self.division.field(), self.division.without()))
    }
}

impl GroupedCases<'_> {
    /// Stores an event. Returns false if it has no case.
    #[inline]
    fn store(&mut self, event: &Event<'_>) -> Result<bool, Error> {
        let Some(number) = self.case_of(event) else { return Ok(false) };
        let (projection, keys) = (self.job.compiled.plan.projection(), self.job.compiled.plan.symbols().key_count());
        let sizes = self.sizes;
        let block_number = number >> sizes.case_bits;
        let block = &mut self.blocks[block_number];
        let before = block.events.bytes();
        block.events.push(
            (number - (block_number << sizes.case_bits)) as u16,
            event,
            projection.selection(event.name),
            keys as u32,
        );
        let after = block.events.bytes();
        self.event_bytes += after - before;
        self.block_bytes += after - before;
        self.event_count += 1;
        if after >= sizes.block_bytes {
            self.run_round(block_number..block_number + 1)?;
        } else if self.event_bytes >= sizes.buffer_bytes
            || sizes.early_rounds.contains(&self.event_count) && !self.is_full()
        {
            self.run_round(0..self.blocks.len())?;
        }
        Ok(true)
    }
}

impl Visitor for GroupedCases<'_> {
    const TAKES_RUNS: bool = true;

    #[inline]
    fn event<S: EventSource>(&mut self, event: &Event<'_>, _: &S) -> Result<bool, Error> {
        self.store(event)
    }

    fn required_field(&self) -> Option<Key> {
        self.division.key()
    }

    fn block(&mut self, block: &EventBlock) -> Result<(), Error> {
        self.division.touch(block);
        for (at, origin) in block.origins().iter().enumerate() {
            let Origin { event_index: index, time, event: name } = *origin;
            self.store(&Event { name, index, time, fields: &block.row(at) })?;
        }
        Ok(())
    }

    fn progress<S: EventSource>(&mut self, to: Timestamp, _: &S) -> Result<(), Error> {
        self.until = self.until.max(Some(to));
        self.division.progress(to);
        Ok(())
    }

    fn case_marker<S: EventSource>(&mut self, fields: &dyn Fields, time: Timestamp, _: &S) -> Result<(), Error> {
        self.division.marker(fields, time);
        Ok(())
    }

    fn check_limits(&mut self) -> Result<(), Error> {
        self.job
            .options
            .limits
            .check(&vec![MemoryUse::default(); self.violating_cases.len()], self.block_bytes + self.division.bytes())
    }

    fn report_progress(&mut self, bytes: u64, events: u64) {
        self.listener.progress(bytes, events);
    }
}

/// Calls `evaluate` for each block, in as many threads as there are evaluators. Returns the results in the order of the blocks.
fn for_each_block<'a, T: Send>(
    evaluators: &mut [BlockEvaluator<'a>],
    blocks: &mut [CaseBlock],
    evaluate: impl Fn(&mut BlockEvaluator<'a>, &mut CaseBlock) -> T + Sync,
) -> Vec<T> {
    let waiting = Mutex::new(blocks.iter_mut().enumerate());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = |evaluator: &mut BlockEvaluator<'a>| -> Vec<(usize, T)> {
        iter::from_fn(next).map(|(index, block)| (index, evaluate(evaluator, block))).collect()
    };
    let Some((own, others)) = evaluators.split_first_mut() else { return Vec::new() };
    let mut results = thread::scope(|scope| {
        // If the system refuses a thread, the others do its work.
        let helper = |evaluator| Builder::new().spawn_scoped(scope, || work(evaluator)).ok();
        let helpers: Vec<_> = others.iter_mut().filter_map(helper).collect();
        let mut results = work(own);
        for helper in helpers {
            results.extend(helper.join().unwrap_or_else(|crash| resume_unwind(crash)));
        }
        results
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Checks the cases of a block, one after the other.
struct BlockEvaluator<'a> {
    job: CheckJob<'a>,
    monitor: Monitor,
    events: Vec<LoggedEvent>,
    /// The events sorted by case, as indices, and for each case the end of its events.
    order: Vec<u32>,
    ends: Vec<u32>,
    /// Consecutive events of a case that have no fields.
    run: Vec<Origin>,
}

impl<'a> BlockEvaluator<'a> {
    fn new(job: CheckJob<'a>) -> Self {
        let monitor = job.compiled.plan.start(job.options.max_violations);
        BlockEvaluator { job, monitor, events: Vec::new(), order: Vec::new(), ends: Vec::new(), run: Vec::new() }
    }

    /// Checks the events of a block and packs the cases. Returns for each property the number of new cases that violate it.
    fn pack(&mut self, block: &mut CaseBlock, other_bytes: usize) -> Result<Vec<u64>, Error> {
        let mut counts = vec![0; self.job.compiled.properties.len()];
        if block.events.is_empty() {
            return Ok(counts);
        }
        self.sort(&block.events, block.states.cases.len());
        let mut states = PackedStates::default();
        for case in 0..self.ends.len() {
            let event_count = self.range(case).len() as u64;
            let packed = block.states.get(case);
            if let Some((state, before)) = packed.filter(|_| event_count == 0) {
                states.push(before, |bytes| bytes.extend_from_slice(state));
                continue;
            }
            self.begin(packed.map(|(state, _)| state), block.lists(case));
            if packed.is_none() {
                self.monitor.count_violations();
            }
            self.step(case, &block.events, other_bytes)?;
            if packed.is_none() {
                for (property, count) in counts.iter_mut().enumerate() {
                    *count += u64::from(self.monitor.violation_count(property) > 0);
                }
            }
            let before = packed.map_or(0, |(_, before)| before);
            states.push(before + event_count, |bytes| self.monitor.pack(bytes));
        }
        states.bytes.shrink_to_fit();
        (block.events, block.states) = (EventLog::default(), states);
        Ok(counts)
    }

    /// Checks the events of a block and finishes its cases.
    fn finish(
        &mut self,
        block: &CaseBlock,
        end_of: impl Fn(usize) -> CaseEnd,
        other_bytes: usize,
    ) -> Result<Vec<FinishedCase>, Error> {
        self.sort(&block.events, block.states.cases.len());
        let mut finished = Vec::with_capacity(self.ends.len());
        for case in 0..self.ends.len() {
            let packed = block.states.get(case);
            self.begin(packed.map(|(state, _)| state), block.lists(case));
            self.step(case, &block.events, other_bytes)?;
            let CaseEnd { end, until } = end_of(case);
            if let Some(until) = until {
                self.monitor.advance(until);
            }
            let mut outcomes = self.monitor.finish_and_restart(end, 0);
            for outcome in &mut outcomes {
                outcome.violations.truncate(self.job.options.max_violations);
            }
            let before = packed.map_or(0, |(_, before)| before);
            finished.push(FinishedCase { events: before + self.range(case).len() as u64, outcomes });
        }
        Ok(finished)
    }

    /// Sorts the events of a block by case.
    fn sort(&mut self, log: &EventLog, packed_cases: usize) {
        let BlockEvaluator { events, order, ends, .. } = self;
        events.clear();
        events.extend(log.events());
        ends.clear();
        ends.resize(packed_cases, 0);
        for event in events.iter() {
            let case = usize::from(event.case);
            if ends.len() <= case {
                ends.resize(case + 1, 0);
            }
            ends[case] += 1;
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            sum += std::mem::replace(end, sum);
        }
        // Each case's start advances to its end as its events are placed.
        order.clear();
        order.resize(events.len(), 0);
        for (index, event) in (0..).zip(events.iter()) {
            let end = &mut ends[usize::from(event.case)];
            order[*end as usize] = index;
            *end += 1;
        }
    }

    /// Returns the places in the order of the events of a case.
    fn range(&self, case: usize) -> Range<usize> {
        let start = case.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[case] as usize
    }

    /// Begins with the state of a case, or with the initial one.
    fn begin(&mut self, packed: Option<&[u8]>, lists: bool) {
        match packed {
            Some(state) => {
                let is_restored = self.monitor.unpack(state);
                assert!(is_restored, "a state of this plan that never left the memory");
            }
            None => self.monitor.restart(if lists { self.job.options.max_violations } else { 0 }),
        }
    }

    /// Takes the events of a case.
    fn step(&mut self, case: usize, log: &EventLog, other_bytes: usize) -> Result<(), Error> {
        let places = self.range(case);
        for places in self.order[places].chunks(CHECK_EVERY) {
            self.run.clear();
            for place in places {
                let LoggedEvent { origin, fields, .. } = self.events[*place as usize];
                if fields.cell_count() == 0 {
                    self.run.push(origin);
                    continue;
                }
                step_run(&mut self.monitor, &mut self.run);
                let Origin { event_index: index, time, event: name } = origin;
                self.monitor.step(&Event { name, index, time, fields: &log.fields.view(fields) });
            }
            step_run(&mut self.monitor, &mut self.run);
            if places.len() == CHECK_EVERY && self.job.options.limits.any() {
                self.job.options.limits.check(&loads(self.job.compiled, &self.monitor), other_bytes)?;
            }
        }
        Ok(())
    }
}

fn step_run(monitor: &mut Monitor, run: &mut Vec<Origin>) {
    match run.as_slice() {
        [] => {}
        [Origin { event_index: index, time, event: name }] => {
            monitor.step(&Event { name: *name, index: *index, time: *time, fields: &NoFields });
        }
        events => monitor.step_run(events),
    }
    run.clear();
}

impl CaseBlock {
    /// Returns true if the violations of a case may be listed.
    fn lists(&self, case: usize) -> bool {
        self.first_unlisted.is_none_or(|first| case < first)
    }
}

#[cfg(test)]
mod tests;
