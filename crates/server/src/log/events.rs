// SPDX-License-Identifier: MIT OR Apache-2.0
//! Log events.

use gnomon_live::wire::WatchState;
use serde::Serialize;

use super::{LogEvent, LogLevel};

macro_rules! notable {
    ($($(#[$about:meta])* $level:ident $name:ident $(<$life:lifetime>)? { $($field:ident: $kind:ty),* $(,)? })*) => {$(
        $(#[$about])*
        #[derive(Serialize)]
        pub(crate) struct $name $(<$life>)? {
            $(pub(crate) $field: $kind,)*
        }

        impl $(<$life>)? LogEvent for $name $(<$life>)? {
            const NAME: &'static str = stringify!($name);
            const LEVEL: LogLevel = LogLevel::$level;
        }
    )*};
}

notable! {
    /// A port was opened.
    Info PortOpened<'a> { port: &'a str, address: String, tls: bool }
    /// The server stopped.
    Info ServerStopped { }
    /// Accepting a connection failed, possibly for lack of file handles.
    Error AcceptFailed<'a> { port: &'a str, detail: String }
    /// The connection that had been silent for longest made room for another one.
    Warn ConnectionEvicted<'a> { port: &'a str }
    /// A connection exceeded the limit.
    Warn ConnectionRefused<'a> { port: &'a str, reason: &'a str }
    /// A connection ended with an error.
    Debug ConnectionFailed<'a> { port: &'a str, peer: String, detail: String }
    /// A request was answered.
    Debug RequestAnswered<'a> { method: &'a str, route: &'a str, status: u16, millis: u64 }
    /// A request was denied by access control.
    Warn RequestDenied<'a> { route: &'a str, reason: &'a str }
    /// Events were refused.
    Warn BatchRefused<'a> { origin: &'a str, reason: &'a str, detail: String }
    /// Timestamps of events are in the future: the events are not evaluated. At most once in ten seconds.
    Warn EventsAhead<'a> { events: u64, name: &'a str, time: &'a str, ahead: &'a str }
    /// Events came too late to be evaluated. At most once in ten seconds.
    Warn EventsLate<'a> { events: u64, name: &'a str, time: &'a str, behind: &'a str }
    /// Cases were closed as inconclusive, because there were too many. At most once in ten seconds.
    Warn CasesEvicted { cases: u64, live: u64 }
    /// The state of the watch changed: `running`, `starting`, `full`, `limited`, `failed`.
    Warn StateChanged<'a> { from: WatchState, to: WatchState, note: &'a str }
    /// A message was not forwarded, because its session is blocked.
    Info MessageRefused<'a> { proxy: &'a str, property: &'a str, violation: u64, block: u64 }
    /// A message could not be read.
    Warn MessageUnreadable<'a> { proxy: &'a str, reason: &'a str, refused: bool }
    /// Lines with this name were left out, because there were too many.
    Warn LinesSuppressed<'a> { name: &'a str, lines: u64 }
    /// A message was forwarded without evaluation, or refused for lack of one.
    Warn MessageUnjudged<'a> { proxy: &'a str, reason: &'a str, detail: String }
    /// A session was unblocked.
    Info BlockReleased { id: u64 }
    /// The spec was replaced.
    Info SpecReplaced { revision: u64, kept: usize, begun: usize, ended: usize }
    /// A hook was notified.
    Info HookDelivered { hook: i64, violations: usize }
    /// A call of a hook failed; it is repeated unless `gave_up`.
    Warn HookFailed<'a> { hook: i64, failures: u32, gave_up: bool, detail: &'a str }
    /// The delivery queue cannot be read or written.
    Error HookStoreFailed<'a> { detail: &'a str }
    /// A task ended unexpectedly: an internal error.
    Error TaskFailed<'a> { task: &'a str, detail: String }
}
