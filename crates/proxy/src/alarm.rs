// SPDX-License-Identifier: MIT OR Apache-2.0
//! A timer whose time is put off far more often than it comes.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep, sleep_until};

/// A timer for a body: it is told when it is due each time it is asked, and touched only when an earlier time has come.
#[derive(Default)]
pub(crate) struct Alarm {
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Alarm {
    /// Whether that time has come; if not, the task is woken then, or before.
    pub(crate) fn rings(&mut self, due: Instant, cx: &mut Context<'_>) -> bool {
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(due)));
        while let Poll::Ready(()) = sleep.as_mut().poll(cx) {
            if Instant::now() >= due {
                return true;
            }
            sleep.as_mut().reset(due);
        }
        false
    }
}
