// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reader of any format carries from row to row, and what it says where a row lacks something.

use gnomon_core::event::Projection;
use gnomon_core::symbols::Symbols;
use gnomon_core::time::Clock;

use crate::error::{Code, Fault};
use crate::names::Names;
use crate::times::Times;

pub(crate) struct Context {
    /// The input's name.
    pub(crate) source: String,
    pub(crate) names: Names,
    pub(crate) projection: Projection,
    pub(crate) times: Times,
}

impl Context {
    pub(crate) fn new(source: &str, symbols: Symbols, projection: Projection, clock: Clock) -> Self {
        Context { source: source.to_owned(), names: Names::new(symbols), projection, times: Times::new(clock) }
    }
}

#[cold]
pub(crate) fn no_name(at: usize) -> Fault {
    Fault::new(Code::NoName, at, "this event has no name")
}

#[cold]
pub(crate) fn no_time(at: usize) -> Fault {
    Fault::new(Code::NoTime, at, "this event has no time, as the others have")
        .help("give it one: either every event of a trace has a time or none has")
}

#[cold]
pub(crate) fn late_time(at: usize) -> Fault {
    Fault::new(Code::NoTime, at, "this event has a time, which the first event of the trace has not")
        .help("give that one a time too: either every event of a trace has a time or none has")
}

/// The methods of [`crate::Reader`] that every reader answers from its context.
macro_rules! answer_from_context {
    () => {
        fn symbols(&self) -> &gnomon_core::symbols::Symbols {
            self.context.names.symbols()
        }

        fn projection(&self) -> &gnomon_core::event::Projection {
            &self.context.projection
        }

        fn clock(&self) -> gnomon_core::time::Clock {
            self.context.times.clock()
        }

        fn time_kind(&self) -> gnomon_core::time::TimeKind {
            self.context.times.kind().unwrap_or_default()
        }

        fn source_name(&self) -> &str {
            &self.context.source
        }
    };
}
pub(crate) use answer_from_context;
