// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reasons why events are refused.

use thiserror::Error;

use crate::wire::WatchState;

/// Reason why a batch was refused. None of its events was accepted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SubmitError {
    /// An event is invalid.
    #[error("line {}, column {}: {} [{}]", .0.line, .0.column, .0.message, .0.code)]
    Bad(InvalidEvent),
    /// Event numbers are missing.
    #[error("the next event must have the number {expected}")]
    Gap {
        /// The next number.
        expected: u64,
    },
    /// The numbers of the events exceed 64 bits.
    #[error("the numbers of the events, from {first} on, exceed {}; count the events of a sender from 1", u64::MAX)]
    Numbers {
        /// Number of the first event.
        first: u64,
    },
    /// The watch accepts no events at present.
    #[error("{detail}")]
    Unavailable {
        /// State of the watch.
        state: WatchState,
        /// Reason.
        detail: String,
    },
    /// The batch is too large.
    #[error("more than {most} bytes of events in one request; send several requests")]
    TooLarge {
        /// Maximum number of bytes.
        most: usize,
    },
}

/// An invalid event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidEvent {
    /// Line in the body.
    pub line: u64,
    /// Column in the line.
    pub column: u64,
    /// Error code.
    pub code: &'static str,
    /// Description of the error.
    pub message: String,
    /// Advice on how to fix it.
    pub help: Option<String>,
}

impl InvalidEvent {
    pub(crate) fn kind(date_times: bool, line: u64) -> SubmitError {
        let (had, has) =
            if date_times { ("date-times", "a number") } else { ("numbers", "a date-time, or none at all") };
        SubmitError::Bad(InvalidEvent {
            line,
            column: 1,
            code: "G0507",
            message: format!("the times of the events before are {had}, and the time of this one is {has}"),
            help: Some("write all times in one notation, or let `--time arrival` give them".to_owned()),
        })
    }

    pub(crate) fn unit(message: &str) -> SubmitError {
        SubmitError::Bad(InvalidEvent {
            line: 1,
            column: 1,
            code: "G0401",
            message: message.to_owned(),
            help: Some("declare in the spec what one unit of time is: `time in s`".to_owned()),
        })
    }
}
