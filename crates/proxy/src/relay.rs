// SPDX-License-Identifier: MIT OR Apache-2.0
//! The proxies of one process: what they share, and how each is opened and run.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::connection;
use crate::route::Route;
use crate::settings::Settings;
use crate::tap::{Listener, Tap};
use crate::upstream::Clients;

/// What the proxies of one process share: the tap, the limits, the connections to the services, the numbers of exchanges.
#[derive(Clone)]
pub struct Relay {
    shared: Arc<Shared>,
    /// No other relay has the same: a request that comes by again is known by it.
    id: u64,
}

/// A proxy that listens. Nothing is accepted before it is [run](Proxy::run).
pub struct Proxy {
    line: Arc<Line>,
    listener: TcpListener,
    address: SocketAddr,
}

pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) listener: Arc<dyn Listener>,
    pub(crate) clients: Clients,
    /// A permit for each byte that may be held.
    pub(crate) budget: Arc<Semaphore>,
    /// A permit for each exchange.
    pub(crate) exchanges: Arc<Semaphore>,
    /// The number of the next exchange.
    pub(crate) next: AtomicU64,
}

/// A proxy and what it stands before.
pub(crate) struct Line {
    pub(crate) route: Route,
    /// What it calls itself in the header `Via`.
    pub(crate) via: String,
    pub(crate) shared: Arc<Shared>,
}

impl Relay {
    /// Proxies with this tap. The connections to services belong to the runtime that the proxies are run in.
    pub fn new(settings: Settings, tap: impl Tap) -> Relay {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let shared = Shared {
            settings,
            listener: Arc::new(tap),
            clients: Clients::new(&settings),
            budget: Arc::new(Semaphore::new(settings.held.min(Semaphore::MAX_PERMITS))),
            exchanges: Arc::new(Semaphore::new(settings.exchanges.min(Semaphore::MAX_PERMITS))),
            // Four million to a second, so that a later start begins beyond what an earlier one has used up. Such numbers are
            // exact as floats, too, for some decades.
            next: AtomicU64::new(now.as_secs() << 22),
        };
        let id = now.as_secs().wrapping_mul(1_000_000_000).wrapping_add(u64::from(now.subsec_nanos()));
        Relay { shared: Arc::new(shared), id }
    }

    /// Opens a proxy.
    pub async fn bind(&self, route: Route) -> io::Result<Proxy> {
        let listener = TcpListener::bind(route.listen).await?;
        let address = listener.local_addr()?;
        let via = format!("gnomon-{:x}-{}", self.id, address.port());
        Ok(Proxy { line: Arc::new(Line { route, via, shared: Arc::clone(&self.shared) }), listener, address })
    }
}

impl Proxy {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it stands before.
    pub fn route(&self) -> &Route {
        &self.line.route
    }

    /// Forwards until `stop` is over, then lets the exchanges that are under way come to their end for a while.
    pub async fn run(self, stop: impl Future<Output = ()> + Send) {
        let settings = self.line.shared.settings;
        let room = Arc::new(Semaphore::new(settings.connections.clamp(1, Semaphore::MAX_PERMITS)));
        let (stopping, stopped) = watch::channel(false);
        let mut connections = JoinSet::new();
        let mut stop = pin!(stop);
        loop {
            while connections.try_join_next().is_some() {}
            let accepted = tokio::select! {
                () = stop.as_mut() => break,
                accepted = accept(&self.listener, &room) => accepted,
            };
            let Some((stream, peer, permit)) = accepted else { continue };
            let (line, stopped) = (Arc::clone(&self.line), stopped.clone());
            connections.spawn(async move {
                connection::serve(line, stream, peer.ip(), stopped).await;
                drop(permit);
            });
        }
        drop(self.listener);
        // Whoever serves a connection may have ended, and then does not listen.
        let _ = stopping.send(true);
        let _ = timeout(settings.drain, async { while connections.join_next().await.is_some() {} }).await;
    }
}

type Accepted = (tokio::net::TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

/// The next connection, once there is room for it; `None` if it has come to nothing.
async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> Option<Accepted> {
    let permit = Arc::clone(room).acquire_owned().await.ok()?;
    let Ok((stream, peer)) = listener.accept().await else {
        // The client has gone, or there are no more files: either passes.
        sleep(Duration::from_millis(20)).await;
        return None;
    };
    Some((stream, peer, permit))
}
