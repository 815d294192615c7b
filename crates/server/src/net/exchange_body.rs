// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bodies of a request and of its response, which know of each other for two reasons.
//!
//! - A request may be answered before its body was read, because it is refused, for example. A server that drops the rest
//!   resets the stream (HTTP/2) or the connection (HTTP/1), and many clients then report the reset instead of the response.
//!   So the rest is read and dropped after the response was sent, within limits.
//! - A connection is silent while the server waits for the client, and not while it answers.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::EXPECT;
use axum::response::Response;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::timeout;

use super::connections::{AnsweringGuard, ClientActivity};

/// Longest time that the rest of a body is read after the response.
const REST_TIME: Duration = Duration::from_secs(5);

/// A request and its response, shared by their bodies.
#[derive(Clone)]
pub(crate) struct Exchange(Arc<Mutex<ExchangeState>>);

struct ExchangeState {
    /// The unread rest of the request's body.
    rest: Option<Body>,
    /// Number of bytes of the rest that are read after the response; 0: none.
    rest_bytes: usize,
    activity: Option<Arc<ClientActivity>>,
    answering: Option<AnsweringGuard>,
}

/// The body of a request.
struct RequestBody {
    body: Body,
    exchange: Exchange,
}

/// The body of a response.
struct ResponseBody {
    body: Body,
    exchange: Exchange,
}

impl Exchange {
    /// Wraps the body of a request. At most `rest_bytes` of it are read after an early response.
    pub(crate) fn begin(request: Request, rest_bytes: usize) -> (Request, Exchange) {
        let activity = request.extensions().get::<Arc<ClientActivity>>().cloned();
        // A client that waits for `100 Continue` does not send the body after another response.
        let rest_bytes = if request.headers().contains_key(EXPECT) { 0 } else { rest_bytes };
        let state = ExchangeState { rest: None, rest_bytes, activity, answering: None };
        let exchange = Exchange(Arc::new(Mutex::new(state)));
        if request.body().is_end_stream() {
            exchange.state().begin_answer();
            return (request, exchange);
        }
        let request = request.map(|body| Body::new(RequestBody { body, exchange: exchange.clone() }));
        (request, exchange)
    }

    /// Wraps the body of the response.
    pub(crate) fn answer(self, response: Response) -> Response {
        response.map(|body| Body::new(ResponseBody { body, exchange: self }))
    }

    fn state(&self) -> MutexGuard<'_, ExchangeState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ExchangeState {
    /// Marks the request as complete: the server no longer waits for the client.
    fn begin_answer(&mut self) {
        if self.answering.is_none() {
            self.answering = self.activity.as_ref().map(ClientActivity::answering);
        }
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) || self.body.is_end_stream() {
            self.exchange.state().begin_answer();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        let mut state = self.exchange.state();
        state.begin_answer();
        if !self.body.is_end_stream() {
            state.rest = Some(std::mem::take(&mut self.body));
        }
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for ResponseBody {
    /// Reads the rest of the request.
    fn drop(&mut self) {
        let mut state = self.exchange.state();
        state.answering = None;
        let bytes = state.rest_bytes;
        let Some(rest) = state.rest.take().filter(|_| bytes > 0) else { return };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(timeout(REST_TIME, drain(rest, bytes)));
        }
    }
}

/// Reads and drops a body up to this many bytes.
async fn drain(mut body: Body, mut bytes: usize) {
    while let Some(Ok(frame)) = body.frame().await {
        let length = frame.data_ref().map_or(0, Bytes::len);
        if length > bytes {
            return;
        }
        bytes -= length;
    }
}
