// SPDX-License-Identifier: MIT OR Apache-2.0
//! The chunks between the cutter and the caller, under one lock.
//!
//! A thread takes the cutter under the lock, cuts a chunk without the lock, and puts the cutter back, so that another thread can cut the
//! next chunk. Then it takes a free reader, parses its chunk without the lock, and puts the result into `ready`.
//!
//! INVARIANT: a chunk gets its number together with the cutter, so numbers follow the order of the input. Chunks are parsed in any order
//! and delivered by number.
//!
//! INVARIANT: at most `most` chunks are between the cutter and the caller, so memory is bounded. Nobody waits forever: the chunk that the
//! caller wants always has room, and the caller cuts and parses itself while that chunk is not ready.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gnomon_scan::Fault;

use super::cutter::{ChunkCutter, CutInput, InputChunk};
use super::parsed::{ChunkEvents, ParsedChunk};
use super::parser::RowReader;

/// The chunks of an input that several threads parse.
///
/// The threads call [`ParseQueue::work`], or [`ParseQueue::help`] when they have nothing else to do. The thread that reads the
/// events parses as well, while it waits.
pub struct ParseQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
    /// The limit on the number of chunks between the cutter and the caller.
    most: u64,
}

/// The time that was spent on an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ParseWork {
    /// The time spent on parsing, by all threads together.
    pub parsing: Duration,
    /// The time spent on reading and cutting, which one thread does at a time.
    pub cutting: Duration,
    /// The time in which the thread that reads the events waited for a chunk, or cut or parsed one.
    pub waiting: Duration,
}

/// The next part of the input, in order.
pub(super) enum NextChunk {
    Parsed(Box<ParsedChunk>),
    /// The end of the input, for the main reader.
    Rest(InputChunk, Option<Fault>),
}

#[derive(Default)]
struct QueueState {
    /// `None` before the input is cut, while a thread cuts, and at the end.
    cutter: Option<ChunkCutter>,
    /// The reader of which the readers of chunks are copies.
    template: Option<RowReader>,
    /// The readers that no thread uses, with their numbers.
    readers: Vec<(usize, RowReader)>,
    reader_count: usize,
    /// The number of the chunk that is cut next, and of the one that the caller needs next.
    next: u64,
    wanted: u64,
    ready: BTreeMap<u64, NextChunk>,
    /// Memory to be reused.
    free: Vec<(Vec<u8>, ChunkEvents)>,
    has_ended: bool,
    /// True if the caller needs no further chunk.
    is_stopped: bool,
    /// True if a thread panicked: what it had taken does not come back.
    has_crashed: bool,
    work: ParseWork,
}

impl ParseQueue {
    /// The number of chunks for each thread that may be between the cutter and the caller.
    pub const AHEAD: usize = 3;

    pub(super) fn new(threads: usize) -> Arc<Self> {
        let most = (threads.max(2) * Self::AHEAD) as u64;
        Arc::new(ParseQueue { state: Mutex::default(), changed: Condvar::new(), most })
    }

    /// Begins to cut the input. The readers of chunks are copies of `template`.
    pub(super) fn begin(&self, cutter: ChunkCutter, template: RowReader) {
        let mut state = self.lock();
        (state.cutter, state.template) = (Some(cutter), Some(template));
        drop(state);
        self.changed.notify_all();
    }

    /// Cuts and parses until the input ends or [`ParseQueue::stop`] is called.
    pub fn work(&self) {
        let mut state = self.lock();
        while !(state.is_stopped || state.has_crashed || state.has_ended) {
            state = match state.take(self.most) {
                Some(task) => {
                    drop(state);
                    self.run(task);
                    self.lock()
                }
                None => self.wait(state),
            };
        }
    }

    /// Parses one chunk, if there is one to be parsed. Returns false if there is none.
    pub fn help(&self) -> bool {
        let task = self.lock().take(self.most);
        task.map(|task| self.run(task)).is_some()
    }

    /// Ends the work of all threads.
    pub fn stop(&self) {
        self.lock().is_stopped = true;
        self.changed.notify_all();
    }

    /// Returns the time that was spent so far.
    pub fn work_done(&self) -> ParseWork {
        self.lock().work
    }

    /// Returns the next part of the input; parses while it is not ready. `None` after the end, and if a thread panicked; the
    /// code that started the threads has to propagate the panic.
    pub(super) fn next(&self, used: (Vec<u8>, ChunkEvents)) -> Option<NextChunk> {
        let began = Instant::now();
        let mut state = self.lock();
        state.free.push(used);
        let found = loop {
            let wanted = state.wanted;
            if let Some(chunk) = state.ready.remove(&wanted) {
                state.wanted += 1;
                break Some(chunk);
            }
            if state.has_crashed || state.is_stopped || state.has_ended && state.wanted == state.next {
                break None;
            }
            state = match state.take(self.most) {
                Some(task) => {
                    drop(state);
                    self.run(task);
                    self.lock()
                }
                None => self.wait(state),
            };
        };
        state.work.waiting += began.elapsed();
        drop(state);
        // There is room for another chunk.
        self.changed.notify_all();
        found
    }

    /// Cuts a chunk and parses it.
    fn run(&self, task: ChunkTask) {
        let _guard = PanicGuard { queue: self };
        let ChunkTask { mut cutter, number, memory: (bytes, events) } = task;
        let began = Instant::now();
        let cut = cutter.cut(bytes);
        let cutting = began.elapsed();
        let mut state = self.lock();
        state.work.cutting += cutting;
        let input = match cut {
            CutInput::Rest(input, fault) => {
                state.ready.insert(number, NextChunk::Rest(input, fault));
                state.has_ended = true;
                drop(state);
                self.changed.notify_all();
                return;
            }
            CutInput::Rows(input) => input,
        };
        state.cutter = Some(cutter);
        let reader = state.take_reader();
        drop(state);
        self.changed.notify_all();
        let Some((reader_number, mut reader)) = reader else { return };
        let began = Instant::now();
        let parsed = reader.parse(reader_number, input, events);
        let parsing = began.elapsed();
        let mut state = self.lock();
        state.work.parsing += parsing;
        state.ready.insert(number, NextChunk::Parsed(Box::new(parsed)));
        state.readers.push((reader_number, reader));
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, QueueState>) -> MutexGuard<'a, QueueState> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// A chunk to be cut and parsed.
struct ChunkTask {
    cutter: ChunkCutter,
    number: u64,
    memory: (Vec<u8>, ChunkEvents),
}

impl QueueState {
    /// Takes the next chunk, if there is room for it.
    fn take(&mut self, most: u64) -> Option<ChunkTask> {
        if self.is_stopped || self.has_crashed || self.next >= self.wanted + most {
            return None;
        }
        let cutter = self.cutter.take()?;
        let number = self.next;
        self.next += 1;
        Some(ChunkTask { cutter, number, memory: self.free.pop().unwrap_or_default() })
    }

    /// Takes a reader that no thread uses, or a new one.
    fn take_reader(&mut self) -> Option<(usize, RowReader)> {
        self.readers.pop().or_else(|| {
            let reader = self.template.as_ref()?.fork();
            self.reader_count += 1;
            Some((self.reader_count - 1, reader))
        })
    }
}

/// Wakes the other threads if this one panics, so that they do not wait for what it had taken.
struct PanicGuard<'q> {
    queue: &'q ParseQueue,
}

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.queue.lock().has_crashed = true;
            self.queue.changed.notify_all();
        }
    }
}
