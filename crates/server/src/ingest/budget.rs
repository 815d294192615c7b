// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits on memory and on events per second, for all connections together.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Total memory for bodies of all connections.
#[derive(Clone, Debug)]
pub(crate) struct MemoryBudget(Arc<Semaphore>);

/// A share of the memory budget; released when dropped.
#[derive(Debug)]
pub(crate) struct HeldBytes {
    budget: MemoryBudget,
    permit: Option<OwnedSemaphorePermit>,
}

impl MemoryBudget {
    pub(crate) fn new(bytes: usize) -> MemoryBudget {
        MemoryBudget(Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))))
    }

    /// Returns an empty share.
    pub(crate) fn hold(&self) -> HeldBytes {
        HeldBytes { budget: self.clone(), permit: None }
    }
}

impl HeldBytes {
    /// Reserves more bytes. Returns false if the budget is exhausted.
    pub(crate) fn add(&mut self, bytes: usize) -> bool {
        let Ok(bytes) = u32::try_from(bytes) else { return false };
        let Ok(more) = Arc::clone(&self.budget.0).try_acquire_many_owned(bytes) else { return false };
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
        }
        true
    }
}

/// Limits events per second with a token bucket. A batch may overdraw the bucket; the next one waits until it is
/// refilled.
#[derive(Debug)]
pub(crate) struct RateLimiter(Option<(f64, Mutex<TokenBucket>)>);

#[derive(Debug)]
struct TokenBucket {
    left: f64,
    at: Instant,
}

impl RateLimiter {
    pub(crate) fn new(per_second: Option<u64>) -> RateLimiter {
        let start = |rate: f64| (rate, Mutex::new(TokenBucket { left: rate, at: Instant::now() }));
        RateLimiter(per_second.map(|rate| start(rate.max(1) as f64)))
    }

    /// Takes events from the bucket, or returns the time to wait.
    pub(crate) fn take(&self, events: usize) -> Result<(), Duration> {
        self.take_at(events, Instant::now())
    }

    fn take_at(&self, events: usize, now: Instant) -> Result<(), Duration> {
        let Some((rate, level)) = &self.0 else { return Ok(()) };
        let mut level = level.lock().unwrap_or_else(PoisonError::into_inner);
        let gained = now.saturating_duration_since(level.at).as_secs_f64() * rate;
        level.left = (level.left + gained).min(*rate);
        level.at = now;
        if level.left < 0.0 {
            return Err(Duration::from_secs_f64((-level.left / rate).min(3600.0)));
        }
        level.left -= events as f64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_comes_back() {
        let budget = MemoryBudget::new(100);
        let mut one = budget.hold();
        let mut two = budget.hold();
        assert!(one.add(60) && !two.add(50) && two.add(40) && !one.add(1));
        drop(one);
        assert!(two.add(60) && !two.add(usize::MAX));
    }

    #[test]
    fn a_debt_is_waited_for() {
        let rate = RateLimiter::new(Some(10));
        let start = Instant::now();
        assert_eq!(rate.take_at(30, start), Ok(()));
        let pause = rate.take_at(1, start).unwrap_err();
        assert!(pause > Duration::from_millis(1900) && pause <= Duration::from_secs(2), "{pause:?}");
        assert!(rate.take_at(1, start + Duration::from_secs(3)).is_ok());
        assert!(RateLimiter::new(None).take(usize::MAX).is_ok());
    }
}
