// SPDX-License-Identifier: MIT OR Apache-2.0
//! The beginning of a body, copied aside for the tap: up to so many bytes, and no more than all bodies together may take.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The parts of a body that were copied aside. They share their memory with what is passed on.
pub(crate) struct Aside {
    parts: Vec<Bytes>,
    length: usize,
    limit: usize,
    /// What all bodies may take together, a permit for each byte.
    budget: Arc<Semaphore>,
    taken: Option<OwnedSemaphorePermit>,
    /// Whether something came that was not copied; nothing is copied after that.
    truncated: bool,
}

/// Why a part was not copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Full {
    /// The body is longer than what is copied of one.
    TooLong,
    /// All bodies together are.
    Crowded,
}

impl Aside {
    pub(crate) fn new(limit: usize, budget: &Arc<Semaphore>) -> Aside {
        Aside { parts: Vec::new(), length: 0, limit, budget: Arc::clone(budget), taken: None, truncated: false }
    }

    /// Copies a part, if no part before it was left out and there is room.
    pub(crate) fn add(&mut self, part: &Bytes) -> Result<(), Full> {
        if self.truncated || part.len() > self.limit - self.length {
            self.truncated = true;
            return Err(Full::TooLong);
        }
        let count = u32::try_from(part.len()).unwrap_or(u32::MAX);
        let Ok(permit) = Arc::clone(&self.budget).try_acquire_many_owned(count) else {
            self.truncated = true;
            return Err(Full::Crowded);
        };
        match &mut self.taken {
            Some(taken) => taken.merge(permit),
            None => self.taken = Some(permit),
        }
        self.length += part.len();
        self.parts.push(part.clone());
        Ok(())
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// What was copied, in one piece, and whether there was more.
    pub(crate) fn told(&mut self) -> (Bytes, bool) {
        let body = match self.parts.as_slice() {
            [] => Bytes::new(),
            [only] => only.clone(),
            parts => {
                let mut whole = BytesMut::with_capacity(self.length);
                for part in parts {
                    whole.extend_from_slice(part);
                }
                whole.freeze()
            }
        };
        self.parts.clear();
        (body, self.truncated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_bounded_and_given_back() {
        let budget = Arc::new(Semaphore::new(10));
        let part = |text: &'static str| Bytes::from_static(text.as_bytes());
        let mut first = Aside::new(8, &budget);
        assert_eq!(first.add(&part("abc")), Ok(()));
        assert_eq!(first.add(&part("defgh")), Ok(()));
        let mut second = Aside::new(8, &budget);
        assert_eq!(second.add(&part("xyz")), Err(Full::Crowded));
        assert_eq!(second.told(), (Bytes::new(), true));
        assert_eq!(first.told(), (part("abcdefgh"), false));
        assert_eq!(first.add(&part("i")), Err(Full::TooLong));
        drop(first);
        assert_eq!(budget.available_permits(), 10);
    }

    #[test]
    fn nothing_is_copied_behind_a_gap() {
        let mut aside = Aside::new(3, &Arc::new(Semaphore::new(10)));
        assert_eq!(aside.add(&Bytes::from_static(b"abcd")), Err(Full::TooLong));
        assert_eq!(aside.add(&Bytes::from_static(b"e")), Err(Full::TooLong));
        assert_eq!(aside.told(), (Bytes::new(), true));
    }
}
