// SPDX-License-Identifier: MIT OR Apache-2.0
//! The proxies of one process: their shared state, and how each is opened and run.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::connection::{self, ClientAddress, ConnectionActivity};
use crate::route::ProxyRoute;
use crate::settings::Settings;
use crate::tap::{DynTap, Tap};
use crate::upstream::Clients;

/// The shared state of the proxies of one process: the tap, the limits, the connections to the services, the exchange
/// numbers.
#[derive(Clone)]
pub struct Relay {
    state: Arc<RelayState>,
    /// A unique number, by which a request that returns to this process is detected.
    id: u64,
}

/// A listening proxy. It accepts connections when it is [run](Proxy::run).
pub struct Proxy {
    context: Arc<ProxyContext>,
    listener: TcpListener,
    address: SocketAddr,
}

pub(crate) struct RelayState {
    pub(crate) settings: Settings,
    pub(crate) tap: Arc<dyn DynTap>,
    pub(crate) clients: Clients,
    /// The memory budget of captured bodies, a permit for each byte.
    pub(crate) budget: Arc<Semaphore>,
    /// A permit for each concurrent exchange.
    pub(crate) exchanges: Arc<Semaphore>,
    /// The number of the next exchange.
    pub(crate) next_exchange: AtomicU64,
    /// The number of the next connection of a client.
    next_connection: AtomicU64,
}

/// A proxy with its route and the shared state.
pub(crate) struct ProxyContext {
    pub(crate) route: ProxyRoute,
    /// Its name in the header `Via`.
    pub(crate) via: String,
    pub(crate) relay: Arc<RelayState>,
}

impl Relay {
    /// Creates the shared state of proxies with this tap. The connections to services belong to the runtime that runs the
    /// proxies.
    pub fn new(settings: Settings, tap: impl Tap) -> Relay {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Reserves four million numbers per second, so that a restart begins beyond all used numbers. For some decades
        // they are exact as floats.
        let first = now.as_secs() << 22;
        let state = RelayState {
            settings,
            tap: Arc::new(tap),
            clients: Clients::new(&settings),
            budget: Arc::new(Semaphore::new(settings.held.min(Semaphore::MAX_PERMITS))),
            exchanges: Arc::new(Semaphore::new(settings.exchanges.min(Semaphore::MAX_PERMITS))),
            next_exchange: AtomicU64::new(first),
            next_connection: AtomicU64::new(first),
        };
        let id = now.as_secs().wrapping_mul(1_000_000_000).wrapping_add(u64::from(now.subsec_nanos()));
        Relay { state: Arc::new(state), id }
    }

    /// Opens a proxy.
    pub async fn bind(&self, route: ProxyRoute) -> io::Result<Proxy> {
        let listener = TcpListener::bind(route.listen).await?;
        let address = listener.local_addr()?;
        let via = format!("gnomon-{:x}-{}", self.id, address.port());
        Ok(Proxy { context: Arc::new(ProxyContext { route, via, relay: Arc::clone(&self.state) }), listener, address })
    }
}

impl Proxy {
    /// Returns the address that it listens at.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Forwards until `stop` resolves, then waits a limited time for the current exchanges to end.
    pub async fn run(self, stop: impl Future<Output = ()> + Send) {
        let settings = self.context.relay.settings;
        let room = Arc::new(Semaphore::new(settings.connections.clamp(1, Semaphore::MAX_PERMITS)));
        let open = Arc::new(OpenConnections::default());
        let (stopping, stopped) = watch::channel(false);
        let mut connections = JoinSet::new();
        let mut stop = pin!(stop);
        loop {
            while connections.try_join_next().is_some() {}
            let accepted = tokio::select! {
                () = stop.as_mut() => break,
                accepted = accept(&self.listener, &room, &open) => accepted,
            };
            let Some((stream, peer, permit)) = accepted else { continue };
            let (context, stopped, open) = (Arc::clone(&self.context), stopped.clone(), Arc::clone(&open));
            let number = context.relay.next_connection.fetch_add(1, Ordering::Relaxed);
            let activity = open.add(number);
            connections.spawn(async move {
                let client = ClientAddress { ip: peer.ip(), connection: number };
                connection::serve(context, stream, client, activity, stopped).await;
                open.remove(number);
                drop(permit);
            });
        }
        drop(self.listener);
        // Sending fails only if no connection is left.
        let _ = stopping.send(true);
        let _ = timeout(settings.drain, async { while connections.join_next().await.is_some() {} }).await;
    }
}

type Accepted = (tokio::net::TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

/// The open connections of a proxy. Beyond the limit the one that was not used for longest makes room, so that clients that
/// connect and say nothing do not keep others from the service.
#[derive(Default)]
struct OpenConnections(Mutex<BTreeMap<u64, Arc<ConnectionActivity>>>);

impl OpenConnections {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<ConnectionActivity>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, number: u64) -> Arc<ConnectionActivity> {
        let activity = Arc::new(ConnectionActivity::new());
        self.lock().insert(number, Arc::clone(&activity));
        activity
    }

    fn remove(&self, number: u64) {
        self.lock().remove(&number);
    }

    /// Closes the connection that was not used for longest, if there is one without an exchange.
    fn evict(&self) {
        let mut open = self.lock();
        let unused = open.iter().filter_map(|(number, activity)| Some((activity.unused_since()?, *number)));
        if let Some(activity) = unused.min().and_then(|(_, number)| open.remove(&number)) {
            activity.evict();
        }
    }
}

/// Accepts a connection and waits until there is room for it; `None` if that failed.
async fn accept(listener: &TcpListener, room: &Arc<Semaphore>, open: &OpenConnections) -> Option<Accepted> {
    let Ok((stream, peer)) = listener.accept().await else {
        // The client disconnected, or file descriptors are exhausted: both are temporary.
        sleep(Duration::from_millis(20)).await;
        return None;
    };
    if room.available_permits() == 0 {
        open.evict();
    }
    let permit = Arc::clone(room).acquire_owned().await.ok()?;
    Some((stream, peer, permit))
}
