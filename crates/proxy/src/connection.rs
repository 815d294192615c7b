// SPDX-License-Identifier: MIT OR Apache-2.0
//! One connection of a client: detection of the HTTP version, and of connections that are idle for too long.

use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::io::{InspectReader, InspectWriter};

use crate::exchange;
use crate::relay::ProxyContext;

/// The smallest buffer that hyper accepts for the head of a message.
pub(crate) const MIN_BUFFER: usize = 8_192;

/// Largest number of concurrent exchanges of one connection.
const MAX_STREAMS: u32 = 128;

/// The first bytes of HTTP/2 with prior knowledge; no method of HTTP/1 begins so.
const PREFACE: &[u8] = b"PRI ";

/// The origin of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientAddress {
    pub(crate) ip: IpAddr,
    /// The number of the connection.
    pub(crate) connection: u64,
}

/// Serves a connection until it ends, is idle for too long, or `stop` becomes true and its exchanges end.
pub(crate) async fn serve(
    context: Arc<ProxyContext>,
    stream: TcpStream,
    client: ClientAddress,
    activity: Arc<ConnectionActivity>,
    stop: watch::Receiver<bool>,
) {
    // With Nagle's algorithm a head would wait for an acknowledgement, a millisecond or more.
    let _ = stream.set_nodelay(true);
    let settings = context.relay.settings;
    let begin = tokio::select! {
        begin = timeout(settings.client_head, begins_as_http2(&stream)) => begin,
        () = activity.evicted.notified() => return,
    };
    let Ok(Ok(is_http2)) = begin else { return };
    let (received, sent) = (Arc::clone(&activity), Arc::clone(&activity));
    let stream = InspectReader::new(stream, move |_| received.record_transfer());
    let io = TokioIo::new(InspectWriter::new(stream, move |_| sent.record_transfer()));
    let activity_of_service = Arc::clone(&activity);
    let service = service_fn(move |request: Request<Incoming>| {
        let (context, busy) = (Arc::clone(&context), ExchangeGuard::new(&activity_of_service));
        async move { Ok::<_, Infallible>(exchange::answer(context, client, request, busy).await) }
    });
    // The exchange itself detects a service that stalls, and reports it. This limit is for clients that do not read.
    let idle = settings.idle.max(settings.response) + settings.response;
    let watcher = IdleMonitor { activity, stop, idle, unused: settings.client_head };
    if is_http2 {
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(MAX_STREAMS)
            .max_header_list_size(u32::try_from(settings.head).unwrap_or(u32::MAX))
            .keep_alive_interval(settings.client_head)
            .keep_alive_timeout(settings.client_head)
            .serve_connection(io, service);
        watcher.watch(pin!(connection), http2::Connection::graceful_shutdown).await;
    } else {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(settings.client_head)
            .max_headers(settings.headers)
            .max_header_size(settings.head)
            .max_buf_size(settings.head.max(MIN_BUFFER))
            .serve_connection(io, service);
        watcher.watch(pin!(connection), http1::Connection::graceful_shutdown).await;
    }
}

async fn begins_as_http2(stream: &TcpStream) -> io::Result<bool> {
    let mut start = [0; PREFACE.len()];
    loop {
        let count = stream.peek(&mut start).await?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if count == PREFACE.len() || !PREFACE.starts_with(&start[..count]) {
            return Ok(start == PREFACE);
        }
        // The peeked bytes are still there, so readiness would wake the task immediately: poll instead.
        sleep(Duration::from_millis(5)).await;
    }
}

/// The activity of a connection.
pub(crate) struct ConnectionActivity {
    origin: Instant,
    /// Milliseconds from `origin` to the last transfer of bytes, and to the end of the last exchange.
    moved: AtomicU64,
    ended: AtomicU64,
    exchanges: AtomicUsize,
    evicted: Notify,
}

impl ConnectionActivity {
    pub(crate) fn new() -> ConnectionActivity {
        let (moved, ended) = (AtomicU64::new(0), AtomicU64::new(0));
        let exchanges = AtomicUsize::new(0);
        ConnectionActivity { origin: Instant::now(), moved, ended, exchanges, evicted: Notify::new() }
    }

    /// Returns the time since which there is no exchange; `None` during one.
    pub(crate) fn unused_since(&self) -> Option<Instant> {
        let ended = Duration::from_millis(self.ended.load(Ordering::Relaxed));
        (self.exchanges.load(Ordering::Relaxed) == 0).then(|| self.origin + ended)
    }

    /// Closes the connection, so that another one has room.
    pub(crate) fn evict(&self) {
        self.evicted.notify_one();
    }

    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn record_transfer(&self) {
        self.moved.store(self.now(), Ordering::Relaxed);
    }
}

/// Counts an exchange as active while it lives.
struct ExchangeGuard {
    activity: Arc<ConnectionActivity>,
}

impl ExchangeGuard {
    fn new(activity: &Arc<ConnectionActivity>) -> ExchangeGuard {
        activity.exchanges.fetch_add(1, Ordering::Relaxed);
        ExchangeGuard { activity: Arc::clone(activity) }
    }
}

impl Drop for ExchangeGuard {
    fn drop(&mut self) {
        self.activity.ended.store(self.activity.now(), Ordering::Relaxed);
        self.activity.exchanges.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Closes a connection that is idle for too long.
struct IdleMonitor {
    activity: Arc<ConnectionActivity>,
    stop: watch::Receiver<bool>,
    /// Longest time without a transfer during an exchange.
    idle: Duration,
    /// Longest time without an exchange. Bytes do not count: a head that arrives byte by byte is not an exchange.
    unused: Duration,
}

impl IdleMonitor {
    async fn watch<C: Future>(mut self, mut connection: Pin<&mut C>, close: impl Fn(Pin<&mut C>)) {
        let mut is_closing = *self.stop.borrow();
        if is_closing {
            close(connection.as_mut());
        }
        let activity = Arc::clone(&self.activity);
        let mut evicted = pin!(activity.evicted.notified());
        loop {
            // The deadline changes with the number of exchanges, which wakes no task: so it is checked periodically.
            let next_check = self.deadline().min(Instant::now() + self.unused.min(self.idle));
            tokio::select! {
                _ = connection.as_mut() => return,
                () = evicted.as_mut() => return,
                _ = self.stop.changed(), if !is_closing => {
                    is_closing = true;
                    close(connection.as_mut());
                }
                () = sleep_until(next_check) => {
                    if self.deadline() <= Instant::now() {
                        return;
                    }
                }
            }
        }
    }

    /// Returns the time at which the connection will have been idle for too long, if nothing happens.
    fn deadline(&self) -> Instant {
        let ConnectionActivity { origin, moved, ended, exchanges, .. } = &*self.activity;
        let (since, limit) = match exchanges.load(Ordering::Relaxed) {
            0 => (ended.load(Ordering::Relaxed), self.unused),
            _ => (moved.load(Ordering::Relaxed), self.idle),
        };
        // Times are rounded down to milliseconds.
        *origin + Duration::from_millis(since + 1) + limit
    }
}
