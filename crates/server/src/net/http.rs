// SPDX-License-Identifier: MIT OR Apache-2.0
//! One connection that speaks HTTP/1.1 or HTTP/2.

use std::net::SocketAddr;
use std::pin::pin;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;

use super::accept::stopped;
use super::idle::Idle;
use super::stream::Stream;
use crate::app::App;
use crate::log::events::ConnectionFailed;

/// The longest head of a request.
const HEAD_BYTES: usize = 64 << 10;
/// The most headers of a request.
const HEADERS: usize = 100;

/// Serves a connection to `port` to its end, or until the server stops and the request at hand is answered.
pub(crate) async fn serve(app: App, port: &'static str, router: Router, stream: Stream, peer: SocketAddr) {
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
    let io = TokioIo::new(Idle::new(stream, limits.idle_time));
    let service = TowerToHyperService::new(router);
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
        app.log.note(&ConnectionFailed { port, peer: peer.to_string(), detail: error.to_string() });
    }
}
