// SPDX-License-Identifier: MIT OR Apache-2.0
//! Accepts connections: a limited number, each in its own task, all of which end when the server stops. Beyond the limit
//! the connection that has been silent for longest makes room.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;

use super::connections::{ClientActivity, ConnectionTable};
use crate::app::App;
use crate::log::events::{AcceptFailed, ConnectionEvicted, ConnectionFailed, ConnectionRefused, TaskFailed};

/// An accepted connection: plain or TLS.
pub(crate) type ClientStream = Either<TcpStream, Box<TlsStream<TcpStream>>>;

/// An open port.
pub(crate) struct ListeningPort {
    /// Name in logs and metrics.
    pub(crate) name: &'static str,
    pub(crate) listener: TcpListener,
    pub(crate) tls: Option<TlsAcceptor>,
}

/// Accepts connections until the server stops, then waits a limited time for open ones.
pub(crate) async fn run<F>(
    app: App,
    port: ListeningPort,
    serve: impl Fn(App, ClientStream, SocketAddr, Arc<ClientActivity>) -> F + Clone + Send + Sync + 'static,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let mut stopping = app.stopping.clone();
    let places = ConnectionTable::new(app.limits.connections.max(1));
    let mut open = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = stopped(&mut stopping) => break,
            accepted = port.listener.accept() => accepted,
            Some(ended) = open.join_next() => {
                if let Err(error) = ended {
                    app.log.write(&TaskFailed { task: port.name, detail: error.to_string() });
                }
                continue;
            }
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Usually no file handles are left: that passes when connections end.
                app.log.write(&AcceptFailed { port: port.name, detail: error.to_string() });
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some((place, evicted)) = places.add() else {
            app.metrics.connection_ended(port.name, "too-many");
            app.log.write(&ConnectionRefused { port: port.name, reason: "too many connections" });
            continue;
        };
        if evicted {
            app.log.write(&ConnectionEvicted { port: port.name });
        }
        app.metrics.connection_opened(port.name);
        let (app, serve, tls, name) = (app.clone(), serve.clone(), port.tls.clone(), port.name);
        open.spawn(async move {
            let served = async {
                match handshake(stream, tls, app.limits.head_time).await {
                    Ok(stream) => {
                        serve(app.clone(), stream, peer, Arc::clone(&place.activity)).await;
                        "closed"
                    }
                    Err(detail) => {
                        app.log.write(&ConnectionFailed { port: name, peer: peer.to_string(), detail });
                        "handshake"
                    }
                }
            };
            let reason = tokio::select! {
                reason = served => reason,
                () = place.activity.evicted() => "evicted",
            };
            app.metrics.connection_ended(name, reason);
            app.metrics.connection_closed(name);
            drop(place);
        });
    }
    drop(port.listener);
    let all_ended = async { while open.join_next().await.is_some() {} };
    if timeout(app.limits.stop_time, all_ended).await.is_err() {
        open.shutdown().await;
    }
}

async fn handshake(stream: TcpStream, tls: Option<TlsAcceptor>, time: Duration) -> Result<ClientStream, String> {
    // Responses are small and should be sent immediately.
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    let Some(tls) = tls else { return Ok(Either::Left(stream)) };
    match timeout(time, tls.accept(stream)).await {
        Ok(Ok(stream)) => Ok(Either::Right(Box::new(stream))),
        Ok(Err(error)) => Err(format!("no TLS: {error}")),
        Err(_) => Err("the TLS handshake took too long".to_owned()),
    }
}

/// Resolves when the server stops.
pub(crate) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // An error means that the server was dropped.
    let _ = stopping.wait_for(|stop| *stop).await;
}
