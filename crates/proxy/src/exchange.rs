// SPDX-License-Identifier: MIT OR Apache-2.0
//! One request and its response.
//!
//! The tap sees the request before it is forwarded. It sees a response before its head is sent if the body was read ahead;
//! otherwise before the end of its body is sent.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::http::request;
use hyper::{HeaderMap, Method, Request, Response};
use tokio::time::{Instant, timeout};

use crate::body_capture::BodyCapture;
use crate::body_stream::{BodyStream, HoldError};
use crate::connection::ClientAddress;
use crate::headers::{self, BodyKind};
use crate::problem::{Problem, refusal};
use crate::relay::ProxyContext;
use crate::response_body::{ResponseBody, UnreportedResponse};
use crate::tap::{MessageDirection, TappedMessage};
use crate::upload::Upload;

/// Answers a request. `guard` lives until the response has been sent.
pub(crate) async fn answer(
    proxy: Arc<ProxyContext>,
    client: ClientAddress,
    request: Request<Incoming>,
    guard: impl Any + Send,
) -> Response<ResponseBody> {
    let Ok(permit) = Arc::clone(&proxy.relay.exchanges).try_acquire_owned() else {
        return Problem::overloaded("the limit of concurrent exchanges").response();
    };
    let request = match IncomingRequest::new(proxy, client, request).await {
        Ok(request) => request,
        Err(problem) => return problem.response().map(|body| body.with((permit, guard))),
    };
    // hyper drops the future of a request whose client disconnects. The exchange runs in its own task, because a request
    // that was shown to the tap needs a response that is shown, too.
    let exchange = tokio::spawn(async move { request.exchange().await.map(|body| body.with((permit, guard))) });
    exchange.await.unwrap_or_else(|_| Problem::internal().response())
}

/// A request that can be shown and forwarded.
struct IncomingRequest {
    proxy: Arc<ProxyContext>,
    client: ClientAddress,
    parts: request::Parts,
    body: BodyStream,
    capture: BodyCapture,
    /// True if the body was not read to its end.
    truncated: bool,
    exchange: u64,
    started: Instant,
}

impl IncomingRequest {
    /// Checks that the request can be forwarded, and reads its body ahead if it is short enough or arrives soon.
    async fn new(
        proxy: Arc<ProxyContext>,
        client: ClientAddress,
        request: Request<Incoming>,
    ) -> Result<IncomingRequest, Problem> {
        let started = Instant::now();
        let (parts, body) = request.into_parts();
        check_forwardable(&proxy, &parts)?;
        let settings = &proxy.relay.settings;
        let mut body = BodyStream::new(body);
        let mut capture = BodyCapture::new(settings.body, &proxy.relay.budget);
        let is_whole = match (body.length(), BodyKind::of(&parts.headers)) {
            (Some(length), _) if length <= settings.body as u64 => {
                match timeout(settings.client_body, body.hold(&mut capture)).await {
                    Ok(held) => held?,
                    Err(_) => return Err(Problem::client_slow()),
                }
            }
            (None, BodyKind::Document) => match timeout(settings.hold_request, body.hold(&mut capture)).await {
                Ok(held) => held?,
                Err(_) => false,
            },
            _ => false,
        };
        let exchange = proxy.relay.next_exchange.fetch_add(1, Ordering::Relaxed);
        Ok(IncomingRequest { proxy, client, parts, body, capture, truncated: !is_whole, exchange, started })
    }

    /// Shows the request, forwards it, and shows the response.
    async fn exchange(mut self) -> Response<ResponseBody> {
        let (proxy, started) = (Arc::clone(&self.proxy), self.started);
        let show = |message| Arc::clone(&proxy.relay.tap).show(message);
        let (body, _) = self.capture.take();
        let caller = headers::source(&self.parts.headers).or_else(|| proxy.route.caller.clone());
        let request = TappedMessage {
            direction: MessageDirection::Request,
            proxy: proxy.route.name.clone(),
            source: caller.unwrap_or_else(|| self.client.ip.to_canonical().to_string()),
            destination: proxy.route.name.clone(),
            service: proxy.route.name.clone(),
            method: self.parts.method.to_string(),
            path: self.parts.uri.path().to_owned(),
            query: self.parts.uri.query().map(str::to_owned),
            status: None,
            headers: self.parts.headers.clone(),
            body,
            truncated: self.truncated,
            exchange: self.exchange,
            connection: self.client.connection,
            failed: false,
            elapsed: started.elapsed(),
        };
        // The part of the response's message that is known from the request.
        let response = TappedMessage {
            direction: MessageDirection::Response,
            source: request.destination.clone(),
            destination: request.source.clone(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            truncated: false,
            ..request.clone()
        };
        if let Some(refusal) = refusal(show(request).await) {
            return refusal;
        }
        let outcome = match self.forward().await {
            Ok(answer) => forward_response(&proxy, answer, response.clone(), started).await,
            Err(problem) => Err(problem),
        };
        match outcome {
            Ok(response) => response,
            Err(problem) => {
                let status = Some(problem.status.as_u16());
                show(TappedMessage { status, failed: true, elapsed: started.elapsed(), ..response }).await;
                problem.response()
            }
        }
    }

    async fn forward(self) -> Result<Response<Incoming>, Problem> {
        let IncomingRequest { proxy, client, mut parts, body, capture, .. } = self;
        let (settings, upstream) = (&proxy.relay.settings, &proxy.route.upstream);
        let http2 = upstream.http2 || headers::is_grpc_message(&parts.headers);
        let is_stream = body.length().is_none() && BodyKind::of(&parts.headers) != BodyKind::Document;
        let keeps_host = !settings.rewrite_host && !http2;
        headers::forward_request(&mut parts, client.ip.to_canonical(), &proxy.via, http2, keeps_host);
        if let Some(trailers) = &body.trailers {
            headers::announce(&mut parts.headers, trailers);
        }
        let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
        let address = upstream.address(target);
        parts.uri =
            address.ok_or_else(|| Problem::unsupported("the address is too long with the service's before it"))?;
        parts.extensions.clear();
        let upload = Upload::new(body.reserving(capture), settings);
        let limit = if is_stream { settings.idle } else { settings.response };
        proxy.relay.clients.send(upstream, Request::from_parts(parts, upload), http2, limit).await
    }
}

/// Refuses requests that cannot be forwarded.
fn check_forwardable(proxy: &ProxyContext, parts: &request::Parts) -> Result<(), Problem> {
    if parts.method == Method::CONNECT {
        return Err(Problem::unsupported("`CONNECT` requests a tunnel, and messages in a tunnel cannot be checked"));
    }
    if let Some(protocol) = headers::wanted_upgrade(&parts.headers) {
        let detail = format!(
            "an upgrade to `{protocol}` requests a tunnel, and messages in a tunnel cannot be checked: use HTTP"
        );
        return Err(Problem::unsupported(detail));
    }
    if !parts.uri.path().starts_with('/') {
        return Err(Problem::unsupported("only requests for a path are forwarded: begin it with `/`"));
    }
    if headers::has_several_hosts(&parts.headers) {
        return Err(Problem::ambiguous_host());
    }
    if headers::came_through(&parts.headers, &proxy.via) {
        return Err(Problem::forwarding_loop());
    }
    Ok(())
}

impl From<HoldError> for Problem {
    /// Converts the error of a request's body.
    fn from(error: HoldError) -> Problem {
        match error {
            HoldError::Broken => Problem::broken_body(),
            HoldError::BudgetExhausted => Problem::overloaded("the limit of bytes in bodies"),
        }
    }
}

/// Shows and forwards the response of the service. `message` lacks the status, the headers and the body.
async fn forward_response(
    proxy: &ProxyContext,
    answer: Response<Incoming>,
    message: TappedMessage,
    started: Instant,
) -> Result<Response<ResponseBody>, Problem> {
    let (settings, tap, upstream) = (&proxy.relay.settings, &proxy.relay.tap, &proxy.route.upstream);
    let (mut parts, body) = answer.into_parts();
    let kind = BodyKind::of(&parts.headers);
    let mut message = TappedMessage { status: Some(parts.status.as_u16()), headers: parts.headers.clone(), ..message };
    headers::forward_response(&mut parts.headers, parts.version, &proxy.via);
    parts.extensions.clear();
    let mut body = BodyStream::new(body);
    let mut capture = BodyCapture::new(settings.body, &proxy.relay.budget);
    let length = body.length();
    let limit = match (length, kind) {
        (Some(length), _) if length <= settings.body as u64 => Some(settings.response),
        (None, BodyKind::Document) => Some(settings.hold_response),
        _ => None,
    };
    let mut is_whole = false;
    if let Some(limit) = limit {
        is_whole = match timeout(limit, body.hold(&mut capture)).await {
            Ok(Ok(is_whole)) => is_whole,
            Ok(Err(HoldError::Broken)) => {
                return Err(Problem::upstream_failed(format!("{upstream} ended its response early")));
            }
            Err(_) if length.is_some() => {
                return Err(Problem::upstream_slow(format!("{upstream} does not continue its response")));
            }
            // Without time or memory for the body the response is shown by its head, or at its end.
            Ok(Err(HoldError::BudgetExhausted)) | Err(_) => false,
        };
    }
    if is_whole || kind == BodyKind::Feed {
        message.body = if is_whole { capture.take().0 } else { Bytes::new() };
        message.truncated = !is_whole;
        message.elapsed = started.elapsed();
        if let Some(refusal) = refusal(Arc::clone(tap).show(message).await) {
            return Ok(refusal);
        }
        if let Some(trailers) = &body.trailers {
            headers::announce(&mut parts.headers, trailers);
        }
        let body = ResponseBody::new(body.reserving(capture), None, Some(settings.idle));
        return Ok(Response::from_parts(parts, body));
    }
    // The part that was read ahead is captured again as it is sent.
    let capture = BodyCapture::new(settings.body, &proxy.relay.budget);
    let unreported = UnreportedResponse { tap: Arc::clone(tap), message, started, capture, remaining: body.length() };
    Ok(Response::from_parts(parts, ResponseBody::new(body, Some(unreported), Some(settings.idle))))
}
