// SPDX-License-Identifier: MIT OR Apache-2.0
//! The beginning of a body, captured for the tap: limited in length, and by a memory budget that all bodies share.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The captured parts of a body. They share their memory with the forwarded frames.
pub(crate) struct BodyCapture {
    parts: Vec<Bytes>,
    length: usize,
    limit: usize,
    /// The memory budget of all bodies, a permit for each byte.
    budget: Arc<Semaphore>,
    reserved: Option<OwnedSemaphorePermit>,
    /// True if a part was not captured; no later part is captured either.
    truncated: bool,
}

/// Reason why a part was not captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CaptureError {
    /// The body is longer than the limit of one body.
    TooLong,
    /// The memory budget is exhausted.
    BudgetExhausted,
}

impl BodyCapture {
    pub(crate) fn new(limit: usize, budget: &Arc<Semaphore>) -> BodyCapture {
        BodyCapture {
            parts: Vec::new(),
            length: 0,
            limit,
            budget: Arc::clone(budget),
            reserved: None,
            truncated: false,
        }
    }

    /// Captures a part, unless an earlier one was left out or there is no room.
    pub(crate) fn add(&mut self, part: &Bytes) -> Result<(), CaptureError> {
        if self.truncated || part.len() > self.limit - self.length {
            self.truncated = true;
            return Err(CaptureError::TooLong);
        }
        let count = u32::try_from(part.len()).unwrap_or(u32::MAX);
        let Ok(permit) = Arc::clone(&self.budget).try_acquire_many_owned(count) else {
            self.truncated = true;
            return Err(CaptureError::BudgetExhausted);
        };
        match &mut self.reserved {
            Some(reserved) => reserved.merge(permit),
            None => self.reserved = Some(permit),
        }
        self.length += part.len();
        self.parts.push(part.clone());
        Ok(())
    }

    /// Takes the captured bytes in one piece, and true if the body is longer.
    pub(crate) fn take(&mut self) -> (Bytes, bool) {
        let parts = std::mem::take(&mut self.parts);
        let body = match parts.as_slice() {
            [only] => only.clone(),
            parts => parts.concat().into(),
        };
        (body, self.truncated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_limited_and_released() {
        let budget = Arc::new(Semaphore::new(10));
        let part = |text: &'static str| Bytes::from_static(text.as_bytes());
        let mut first = BodyCapture::new(8, &budget);
        assert_eq!(first.add(&part("abc")), Ok(()));
        assert_eq!(first.add(&part("defgh")), Ok(()));
        let mut second = BodyCapture::new(8, &budget);
        assert_eq!(second.add(&part("xyz")), Err(CaptureError::BudgetExhausted));
        assert_eq!(second.take(), (Bytes::new(), true));
        assert_eq!(first.take(), (part("abcdefgh"), false));
        assert_eq!(first.add(&part("i")), Err(CaptureError::TooLong));
        drop(first);
        assert_eq!(budget.available_permits(), 10);
    }

    #[test]
    fn nothing_is_captured_after_a_gap() {
        let mut capture = BodyCapture::new(3, &Arc::new(Semaphore::new(10)));
        assert_eq!(capture.add(&Bytes::from_static(b"abcd")), Err(CaptureError::TooLong));
        assert_eq!(capture.add(&Bytes::from_static(b"e")), Err(CaptureError::TooLong));
        assert_eq!(capture.take(), (Bytes::new(), true));
    }
}
