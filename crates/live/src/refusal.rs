// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why events were not taken in.

use std::fmt;

use crate::wire::State;

/// Why events were not taken in. None of them was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// An event is not as it should be.
    Bad(BadBatch),
    /// The numbers of the events do not follow those before.
    Gap {
        /// The number that would.
        expected: u64,
    },
    /// Too much is waiting to be judged.
    Busy,
    /// Nothing can be taken in.
    Unavailable {
        /// What the watch can do.
        state: State,
        /// Why.
        detail: String,
    },
    /// It is more than is taken at once.
    TooLarge {
        /// How many bytes are.
        most: usize,
    },
}

/// Which event is not as it should be, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadBatch {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
    /// The code of the error.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl BadBatch {
    pub(crate) fn kind(date_times: bool, line: u64) -> Refusal {
        let (had, has) =
            if date_times { ("date-times", "a number") } else { ("numbers", "a date-time, or none at all") };
        Refusal::Bad(BadBatch {
            line,
            column: 1,
            code: "G0507",
            message: format!("the times of the events before are {had}, and the time of this one is {has}"),
            help: Some("write all times alike, or let `--time arrival` give them".to_owned()),
        })
    }

    pub(crate) fn unit(message: &str) -> Refusal {
        Refusal::Bad(BadBatch {
            line: 1,
            column: 1,
            code: "G0401",
            message: message.to_owned(),
            help: Some("say in the spec what one unit of time is: `time in s`".to_owned()),
        })
    }
}

impl Refusal {
    pub(crate) fn too_large(most: usize) -> Self {
        Refusal::TooLarge { most }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Bad(BadBatch { line, column, code, message, .. }) => {
                write!(f, "line {line}, column {column}: {message} [{code}]")
            }
            Refusal::Gap { expected } => write!(f, "the next event must have the number {expected}"),
            Refusal::Busy => f.write_str("more events wait than may; send them again a little later"),
            Refusal::Unavailable { detail, .. } => f.write_str(detail),
            Refusal::TooLarge { most } => write!(f, "more than {most} bytes of events at once; send them in parts"),
        }
    }
}

impl std::error::Error for Refusal {}
