// SPDX-License-Identifier: MIT OR Apache-2.0
//! A timer whose deadline moves far more often than it expires.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep, sleep_until};

/// The timer of a body. The deadline is passed to each poll; the runtime's timer is reset only when an earlier deadline
/// has expired, not each time the deadline moves.
#[derive(Default)]
pub(crate) struct DeferredTimer {
    sleep: Option<Pin<Box<Sleep>>>,
}

impl DeferredTimer {
    /// Returns true if the deadline has passed. Otherwise the task is woken at the deadline or earlier.
    pub(crate) fn is_due(&mut self, deadline: Instant, cx: &mut Context<'_>) -> bool {
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        while let Poll::Ready(()) = sleep.as_mut().poll(cx) {
            if Instant::now() >= deadline {
                return true;
            }
            sleep.as_mut().reset(deadline);
        }
        false
    }
}
