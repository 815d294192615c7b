// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reader of any format carries from row to row, and what it says where a row lacks something.

use gnomon_core::event::Projection;

use crate::error::{Code, Fault};
use crate::names::Names;
use crate::times::Times;

pub(crate) struct Context {
    pub(crate) names: Names,
    pub(crate) projection: Projection,
    pub(crate) times: Times,
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
