// SPDX-License-Identifier: MIT OR Apache-2.0
//! Serves one HTTP/1.1 or HTTP/2 connection.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use axum::{Extension, Router};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;

use super::accept::{ClientStream, stopped};
use super::connections::ClientActivity;
use super::idle::IdleTimeout;
use crate::app::App;
use crate::log::events::ConnectionFailed;

/// Maximum size of a request's head.
const HEAD_BYTES: usize = 64 << 10;
/// Maximum number of headers.
const HEADERS: usize = 100;

/// Serves a connection until it ends, or until the server stops and the current request is answered.
pub(crate) async fn serve(
    app: App,
    port: &'static str,
    router: Router,
    stream: ClientStream,
    peer: SocketAddr,
    activity: Arc<ClientActivity>,
) {
    let limits = &app.limits;
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS)
        .half_close(false);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(100)
        .max_header_list_size(HEAD_BYTES as u32)
        .max_pending_accept_reset_streams(20);
    let io = TokioIo::new(IdleTimeout::new(stream, limits.idle_time, Arc::clone(&activity)));
    let service = TowerToHyperService::new(router.layer(Extension(activity)));
    let mut connection = pin!(builder.serve_connection(io, service));
    let mut stopping = app.stopping.clone();
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = stopped(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        app.log.write(&ConnectionFailed { port, peer: peer.to_string(), detail: error.to_string() });
    }
}
