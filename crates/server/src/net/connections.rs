// SPDX-License-Identifier: MIT OR Apache-2.0
//! The open connections of a port. When there are too many, the one that has been silent for longest makes room, so that
//! clients that connect and say nothing cannot keep others out, health checks in particular.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

/// The open connections of a port.
#[derive(Debug)]
pub(crate) struct ConnectionTable {
    limit: usize,
    open: Mutex<OpenConnections>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    by_number: HashMap<u64, Arc<ClientActivity>>,
    next: u64,
}

/// The activity of a client on one connection.
#[derive(Debug)]
pub(crate) struct ClientActivity {
    origin: Instant,
    /// Milliseconds from `origin` to the last transfer of bytes.
    moved: AtomicU64,
    /// Number of requests that the server works on or is answering. Otherwise it waits for the client.
    answering: AtomicUsize,
    evicted: Notify,
}

/// Marks a request as being answered while it lives.
#[derive(Debug)]
pub(crate) struct AnsweringGuard(Arc<ClientActivity>);

/// A place in the table; freed when dropped.
#[derive(Debug)]
pub(crate) struct ConnectionPlace {
    table: Arc<ConnectionTable>,
    number: u64,
    pub(crate) activity: Arc<ClientActivity>,
}

impl ClientActivity {
    fn new() -> ClientActivity {
        let (moved, answering) = (AtomicU64::new(0), AtomicUsize::new(0));
        ClientActivity { origin: Instant::now(), moved, answering, evicted: Notify::new() }
    }

    pub(crate) fn record_transfer(&self) {
        let moved = u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.moved.store(moved, Ordering::Relaxed);
    }

    pub(crate) fn answering(self: &Arc<Self>) -> AnsweringGuard {
        self.answering.fetch_add(1, Ordering::Relaxed);
        AnsweringGuard(Arc::clone(self))
    }

    /// Resolves when the connection has to make room.
    pub(crate) async fn evicted(&self) {
        self.evicted.notified().await;
    }

    /// Returns the time of the last transfer; `None` if the server is answering.
    fn silent_since(&self) -> Option<Instant> {
        let moved = std::time::Duration::from_millis(self.moved.load(Ordering::Relaxed));
        (self.answering.load(Ordering::Relaxed) == 0).then(|| self.origin + moved)
    }
}

impl Drop for AnsweringGuard {
    fn drop(&mut self) {
        // The client may be silent from now on, not from its request on.
        self.0.record_transfer();
        self.0.answering.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ConnectionTable {
    pub(crate) fn new(limit: usize) -> Arc<ConnectionTable> {
        Arc::new(ConnectionTable { limit, open: Mutex::default() })
    }

    fn open(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection, and returns true if another one made room for it. `None` if there is no room: the server is
    /// answering requests on all connections.
    pub(crate) fn add(self: &Arc<Self>) -> Option<(ConnectionPlace, bool)> {
        let mut open = self.open();
        let is_full = open.by_number.len() >= self.limit;
        if is_full {
            let silent = open.by_number.iter().filter_map(|(number, one)| Some((one.silent_since()?, *number)));
            let (_, oldest) = silent.min()?;
            open.by_number.remove(&oldest)?.evicted.notify_one();
        }
        let (number, activity) = (open.next, Arc::new(ClientActivity::new()));
        open.next += 1;
        open.by_number.insert(number, Arc::clone(&activity));
        Some((ConnectionPlace { table: Arc::clone(self), number, activity }, is_full))
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.table.open().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn the_oldest_silent_connection_makes_room() {
        let table = ConnectionTable::new(3);
        let add = || table.add();
        let (busy, _) = add().unwrap();
        let answering = busy.activity.answering();
        let (silent, _) = add().unwrap();
        let (recent, is_full) = add().unwrap();
        assert!(!is_full);
        std::thread::sleep(Duration::from_millis(5));
        recent.activity.record_transfer();
        let (newest, evicted) = add().unwrap();
        assert!(evicted);
        tokio::time::timeout(Duration::from_secs(5), silent.activity.evicted()).await.unwrap();
        // The place of an evicted connection was freed already.
        drop(silent);
        let all = [recent.activity.answering(), newest.activity.answering()];
        assert!(add().is_none());
        drop(answering);
        assert!(add().is_some_and(|(_, evicted)| evicted));
        drop(all);
    }
}
