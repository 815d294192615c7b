// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is worth a line in the log.

use serde::Serialize;

use super::{Level, Notable};

macro_rules! notable {
    ($($(#[$about:meta])* $level:ident $name:ident $(<$life:lifetime>)? { $($field:ident: $kind:ty),* $(,)? })*) => {$(
        $(#[$about])*
        #[derive(Serialize)]
        pub(crate) struct $name $(<$life>)? {
            $(pub(crate) $field: $kind,)*
        }

        impl $(<$life>)? Notable for $name $(<$life>)? {
            const NAME: &'static str = stringify!($name);
            const LEVEL: Level = Level::$level;
        }
    )*};
}

notable! {
    /// A port is open.
    Info PortOpened<'a> { port: &'a str, address: String, tls: bool }
    /// No further requests are taken.
    Info ServerStopped { }
    /// Accepting failed, for want of files perhaps.
    Error AcceptFailed<'a> { port: &'a str, detail: String }
    /// There were too many.
    Warn ConnectionRefused<'a> { port: &'a str, reason: &'a str }
    /// A connection ended otherwise than by agreement.
    Debug ConnectionFailed<'a> { port: &'a str, peer: String, detail: String }
    /// A request was answered.
    Debug RequestAnswered<'a> { method: &'a str, route: &'a str, status: u16, millis: u64 }
    /// Somebody asked for what they may not have.
    Warn RequestDenied<'a> { route: &'a str, reason: &'a str }
    /// Events were not taken in.
    Warn BatchRefused<'a> { origin: &'a str, reason: &'a str, detail: String }
    /// A message was not passed on, because its session is stopped.
    Info MessageRefused<'a> { proxy: &'a str, property: &'a str, violation: u64, block: u64 }
    /// A message was passed on without having been judged.
    Debug MessageUnjudged<'a> { proxy: &'a str, reason: &'a str, detail: String }
    /// A session goes on.
    Info BlockReleased { id: u64 }
    /// Another spec is judged.
    Info SpecReplaced { revision: u64, kept: usize, begun: usize, ended: usize }
    /// A hook was told.
    Info HookDelivered { hook: i64, violations: usize }
    /// A hook was not told; it will be tried again unless `gave_up`.
    Warn HookFailed<'a> { hook: i64, failures: u32, gave_up: bool, detail: &'a str }
    /// What hooks are to be told cannot be kept or found.
    Error HookStoreFailed<'a> { detail: &'a str }
    /// A task of ours ended before its time: a fault of ours.
    Error TaskFailed<'a> { task: &'a str, detail: String }
}
