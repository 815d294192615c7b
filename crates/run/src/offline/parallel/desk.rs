// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who does what next: the reader, the shares and the batches between them, under one lock.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use gnomon_core::event::TICK;
use gnomon_core::symbols::Name;
use gnomon_core::verdict::Origin;
use gnomon_engine::{Audience, Load, Monitor, Sharing};
use gnomon_trace::Reader;

use super::super::limit::add;
use super::super::{Extent, Work, loads, units_are_known};
use super::batch::{Batch, Shown};
use crate::error::Error;

/// So many batches beyond one for each share may be on the way: the shares drift apart a little, and reading goes on.
const SPARE_BATCHES: usize = 4;

/// Where the threads meet.
pub(super) struct Desk<'a, R> {
    work: Work<'a>,
    shares: usize,
    sharing: Sharing,
    /// How many batches may be on the way.
    most: usize,
    /// The name of what is no event.
    tick: Option<Name>,
    state: Mutex<State<R>>,
    changed: Condvar,
}

/// The trace, and what was counted of it.
pub(super) struct Source<R> {
    pub(super) reader: R,
    pub(super) extent: Extent,
}

/// What lies on the desk.
struct State<R> {
    /// Not here while someone reads.
    source: Option<Box<Source<R>>>,
    /// Whether the trace has been read to its end.
    ended: bool,
    lanes: Vec<Lane>,
    /// Batches that nobody uses.
    free: Vec<Batch>,
    /// How many batches some share has not judged yet.
    in_flight: usize,
    /// Bytes and events read so far.
    progress: (u64, u64),
    error: Option<Error>,
    /// A thread has panicked: what it had taken does not come back.
    crashed: bool,
}

/// One share of the judging.
struct Lane {
    /// Not here while someone judges.
    monitor: Option<Box<Monitor>>,
    /// What it has not seen yet.
    waiting: VecDeque<Arc<Batch>>,
    /// What each property took when it was last looked at.
    loads: Vec<Load>,
}

/// Something to do.
enum Task<R> {
    Read(Box<Source<R>>, Batch),
    Judge(usize, Box<Monitor>, Arc<Batch>),
    Wait,
    Stop,
}

impl<'a, R: Reader> Desk<'a, R> {
    pub(super) fn new(work: Work<'a>, source: Source<R>, shares: usize) -> Self {
        let lane = |index| Lane {
            monitor: Some(Box::new(work.compiled.plan.start_share(work.options.max_violations, index, shares))),
            waiting: VecDeque::new(),
            loads: Vec::new(),
        };
        let tick = source.reader.symbols().find_name(TICK);
        let state = State {
            source: Some(Box::new(source)),
            ended: false,
            lanes: (0..shares).map(lane).collect(),
            free: Vec::new(),
            in_flight: 0,
            progress: (0, 0),
            error: None,
            crashed: false,
        };
        Desk {
            work,
            shares,
            sharing: work.compiled.plan.sharing(shares),
            most: shares + SPARE_BATCHES,
            tick,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Does what there is to do until all is done, telling how far the reading has come.
    ///
    /// Who has a home share prefers it: what a thread judged last is in its processor's cache.
    pub(super) fn work(&self, home: usize, mut progress: impl FnMut(u64, u64)) {
        let _alarm = Alarm { desk: self };
        let mut state = self.lock();
        loop {
            match state.take(self.most, home) {
                Task::Wait => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Task::Stop => break,
                Task::Read(source, batch) => {
                    drop(state);
                    let (source, batch, result) = self.read(source, batch);
                    state = self.lock();
                    state.put_read(source, batch, result);
                    self.changed.notify_all();
                }
                Task::Judge(share, mut monitor, batch) => {
                    drop(state);
                    batch.each_for(share, |shown| match shown {
                        Shown::Own(event) => monitor.step_alone(event),
                        Shown::Passed(events) => monitor.pass(events),
                        Shown::All(event) if Some(event.name) == self.tick => monitor.advance(event.time),
                        Shown::All(event) => monitor.step(event),
                    });
                    let limits = self.work.options.limits;
                    let loads = if limits.any() { loads(self.work.compiled, &monitor) } else { Vec::new() };
                    state = self.lock();
                    state.put_judged(share, monitor, batch, loads);
                    if limits.any()
                        && let Err(error) = limits.check(&state.total_loads(), 0)
                    {
                        state.error.get_or_insert(error);
                    }
                    self.changed.notify_all();
                }
            }
            let (bytes, events) = state.progress;
            drop(state);
            progress(bytes, events);
            state = self.lock();
        }
    }

    /// Fills a batch.
    fn read(&self, mut source: Box<Source<R>>, mut batch: Batch) -> (Box<Source<R>>, Batch, Result<(), Error>) {
        batch.clear(self.shares);
        let result = self.fill(&mut source, &mut batch);
        (source, batch, result)
    }

    fn fill(&self, source: &mut Source<R>, batch: &mut Batch) -> Result<(), Error> {
        let plan = &self.work.compiled.plan;
        let keys = plan.symbols().key_count() as u32;
        let Source { reader, extent } = source;
        while !batch.is_full() {
            let Some(origin) = reader.advance()? else { break };
            if extent.events == 0 {
                units_are_known(self.work.compiled, reader.time_kind(), self.work.options.reorder)?;
            }
            let Origin { time, event, .. } = origin;
            let row = batch.push(origin, reader.fields(), plan.projection().want(event), keys);
            if Some(event) == self.tick {
                batch.hand(row, Audience::All);
            } else {
                extent.add(event, time);
                batch.hand(row, batch.audience(&row, &self.sharing));
            }
        }
        Ok(())
    }

    /// What is left when all is done: the trace that was read, and the shares.
    pub(super) fn clear(self) -> Result<(Box<Source<R>>, Vec<Monitor>), Error> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.error {
            return Err(error);
        }
        let source = state.source.expect("whoever reads puts the source back, or the panic has been passed on");
        let monitors = state.lanes.into_iter().filter_map(|lane| lane.monitor.map(|monitor| *monitor));
        Ok((source, monitors.collect()))
    }

    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: Reader> State<R> {
    /// The next thing to do. Reading comes first, as long as there is room, so that there is always something to judge.
    fn take(&mut self, most: usize, home: usize) -> Task<R> {
        if self.crashed || self.error.is_some() {
            return Task::Stop;
        }
        if !self.ended
            && self.in_flight < most
            && let Some(source) = self.source.take()
        {
            return Task::Read(source, self.free.pop().unwrap_or_default());
        }
        let ready = |lane: &&mut (usize, &mut Lane)| lane.1.monitor.is_some() && !lane.1.waiting.is_empty();
        let mut lanes: Vec<(usize, &mut Lane)> = self.lanes.iter_mut().enumerate().collect();
        let behind = lanes.iter_mut().filter(ready).max_by_key(|(share, lane)| (*share == home, lane.waiting.len()));
        if let Some((share, lane)) = behind
            && let (Some(monitor), Some(batch)) = (lane.monitor.take(), lane.waiting.pop_front())
        {
            return Task::Judge(*share, monitor, batch);
        }
        let is_done = |lane: &Lane| lane.monitor.is_some() && lane.waiting.is_empty();
        if self.ended && self.lanes.iter().all(is_done) { Task::Stop } else { Task::Wait }
    }

    /// A batch was read; an empty one is the end.
    fn put_read(&mut self, source: Box<Source<R>>, batch: Batch, result: Result<(), Error>) {
        self.progress = (source.reader.bytes_read(), source.extent.events);
        self.source = Some(source);
        match result {
            Err(error) => {
                self.error.get_or_insert(error);
            }
            Ok(()) if batch.is_empty() => self.ended = true,
            Ok(()) => {
                self.in_flight += 1;
                let batch = Arc::new(batch);
                self.lanes.iter_mut().for_each(|lane| lane.waiting.push_back(batch.clone()));
            }
        }
    }

    /// A batch was judged for a share. The last one to judge it clears it away.
    fn put_judged(&mut self, share: usize, monitor: Box<Monitor>, batch: Arc<Batch>, loads: Vec<Load>) {
        self.lanes[share].monitor = Some(monitor);
        self.lanes[share].loads = loads;
        if let Some(batch) = Arc::into_inner(batch) {
            self.in_flight -= 1;
            self.free.push(batch);
        }
    }

    /// What each property takes in all shares.
    fn total_loads(&self) -> Vec<Load> {
        let mut total = Vec::new();
        for loads in self.lanes.iter().map(|lane| &lane.loads) {
            total.resize(loads.len().max(total.len()), Load::default());
            total.iter_mut().zip(loads).for_each(|(total, load)| add(total, *load));
        }
        total
    }
}

/// Tells the others when a thread panics, so that they do not wait for what it had taken.
struct Alarm<'d, 'a, R: Reader> {
    desk: &'d Desk<'a, R>,
}

impl<R: Reader> Drop for Alarm<'_, '_, R> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.desk.lock().crashed = true;
            self.desk.changed.notify_all();
        }
    }
}
