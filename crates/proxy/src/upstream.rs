// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests to the services, over pooled connections.

use std::error::Error;
use std::io;
use std::pin::pin;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Request, Response, Version};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::{Instant, timeout_at};

use crate::problem::Problem;
use crate::route::Upstream;
use crate::settings::Settings;
use crate::upload::{Upload, UploadFailure};

/// Time that an idle connection stays in the pool.
const IDLE: Duration = Duration::from_secs(20);

/// The connection pools of all services, one for each HTTP version.
pub(crate) struct Clients {
    http1: Client<HttpConnector, Upload>,
    http2: Client<HttpConnector, Upload>,
    connect: Duration,
}

impl Clients {
    pub(crate) fn new(settings: &Settings) -> Clients {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(settings.connect));
        let mut builder = Client::builder(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(256)
            .http1_max_buf_size(settings.head.max(crate::connection::MIN_BUFFER))
            .http1_max_headers(settings.headers)
            .http2_max_header_list_size(u32::try_from(settings.head).unwrap_or(u32::MAX))
            .http2_keep_alive_interval(IDLE)
            .http2_keep_alive_timeout(IDLE);
        let http1 = builder.build(connector.clone());
        let http2 = builder.http2_only(true).build(connector);
        Clients { http1, http2, connect: settings.connect }
    }

    /// Sends a request and waits for the head of the response, at most `limit` after the last progress of the request.
    pub(crate) async fn send(
        &self,
        upstream: &Upstream,
        mut request: Request<Upload>,
        http2: bool,
        limit: Duration,
    ) -> Result<Response<Incoming>, Problem> {
        let progress = request.body().progress();
        let (client, version) = if http2 { (&self.http2, Version::HTTP_2) } else { (&self.http1, Version::HTTP_11) };
        *request.version_mut() = version;
        let mut response = pin!(client.request(request));
        let answer = loop {
            if let Ok(answer) = timeout_at(progress.last() + limit, response.as_mut()).await {
                break answer;
            }
            if progress.last() + limit <= Instant::now() {
                let detail = format!("{upstream} has had the request for {} and does not respond", shown(limit));
                return Err(Problem::upstream_slow(detail));
            }
        };
        answer.map_err(|error| match progress.failure() {
            Some(UploadFailure::TooSlow) => Problem::client_slow(),
            Some(UploadFailure::BrokenOff) => Problem::broken_body(),
            None => self.problem(upstream, &error),
        })
    }

    fn problem(&self, upstream: &Upstream, error: &legacy::Error) -> Problem {
        let cause = root(error);
        let took_too_long = |cause: &io::Error| cause.kind() == io::ErrorKind::TimedOut;
        if error.is_connect() && cause.downcast_ref().is_some_and(took_too_long) {
            let detail =
                format!("{upstream} did not accept a connection in {}: check that it is running", shown(self.connect));
            return Problem::upstream_slow(detail);
        }
        if error.is_connect() {
            return Problem::upstream_failed(format!("no connection to {upstream}: {cause}; check that it is running"));
        }
        Problem::upstream_failed(format!("{upstream} accepted the request but gave no valid response: {cause}"))
    }
}

/// Returns the innermost cause of an error, which is the most specific one.
fn root<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause
}

fn shown(duration: Duration) -> String {
    if duration.subsec_millis() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}
