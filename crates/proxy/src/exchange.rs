// SPDX-License-Identifier: MIT OR Apache-2.0
//! One request and its response. The request is told before it is forwarded; a response whose body was held, before its
//! head goes out; any other, before its end does.

use std::any::Any;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::http::{request, response};
use hyper::{HeaderMap, Method, Request, Response};
use tokio::time::{Instant, timeout};

use crate::aside::Aside;
use crate::flow::{Flow, Obstacle};
use crate::headers::{self, Kind};
use crate::onward::{Due, Onward};
use crate::problem::{Problem, refusal};
use crate::relay::Line;
use crate::tap::{Direction, Tapped};
use crate::upload::Upload;

/// Answers a request. `companion` lives until the response has gone.
pub(crate) async fn answer(
    line: Arc<Line>,
    peer: IpAddr,
    request: Request<Incoming>,
    companion: impl Any + Send,
) -> Response<Onward> {
    let Ok(permit) = Arc::clone(&line.shared.exchanges).try_acquire_owned() else {
        return Problem::crowded("as many exchanges as it bears").response();
    };
    let received = match Received::new(line, peer, request).await {
        Ok(received) => received,
        Err(problem) => return problem.response().map(|body| body.with((permit, companion))),
    };
    // In a task of its own, because the server forgets a request whose client has gone, and what was told once needs an end.
    let passing = tokio::spawn(async move { received.pass().await.map(|body| body.with((permit, companion))) });
    let gone = |_| Problem::internal().response();
    passing.await.unwrap_or_else(gone)
}

/// A request that can be told and forwarded.
struct Received {
    line: Arc<Line>,
    peer: IpAddr,
    parts: request::Parts,
    flow: Flow,
    aside: Aside,
    /// Whether the body was not read to its end.
    truncated: bool,
    exchange: u64,
    started: Instant,
}

impl Received {
    /// Looks whether the request can be forwarded, and reads its body if it can be read before.
    async fn new(line: Arc<Line>, peer: IpAddr, request: Request<Incoming>) -> Result<Received, Problem> {
        let started = Instant::now();
        let (parts, body) = request.into_parts();
        admit(&line, &parts)?;
        let settings = &line.shared.settings;
        let mut flow = Flow::new(body);
        let mut aside = Aside::new(settings.body, &line.shared.budget);
        let limit = aside.limit() as u64;
        let whole = match (flow.length(), Kind::of(&parts.headers)) {
            (Some(length), _) if length <= limit => match timeout(settings.client_body, flow.hold(&mut aside)).await {
                Ok(held) => held?,
                Err(_) => return Err(Problem::client_slow()),
            },
            (None, Kind::Document) => match timeout(settings.hold_request, flow.hold(&mut aside)).await {
                Ok(held) => held?,
                Err(_) => false,
            },
            _ => false,
        };
        let exchange = line.shared.next.fetch_add(1, Ordering::Relaxed);
        Ok(Received { line, peer, parts, flow, aside, truncated: !whole, exchange, started })
    }

    /// Tells the request, forwards it, tells the response.
    async fn pass(mut self) -> Response<Onward> {
        let shared = Arc::clone(&self.line.shared);
        let (body, _) = self.aside.told();
        let caller = headers::source(&self.parts.headers).or_else(|| self.line.route.caller.clone());
        let request = Tapped {
            direction: Direction::Request,
            proxy: self.line.route.name.clone(),
            source: caller.unwrap_or_else(|| self.peer.to_canonical().to_string()),
            destination: self.line.route.name.clone(),
            service: self.line.route.name.clone(),
            method: self.parts.method.to_string(),
            path: self.parts.uri.path().to_owned(),
            query: self.parts.uri.query().map(str::to_owned),
            status: None,
            headers: self.parts.headers.clone(),
            body,
            truncated: self.truncated,
            exchange: self.exchange,
            failed: false,
            elapsed: self.started.elapsed(),
        };
        // What the response will have in common with the request.
        let response = Tapped {
            direction: Direction::Response,
            source: request.destination.clone(),
            destination: request.source.clone(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            truncated: false,
            ..request.clone()
        };
        if let Some(refusal) = refusal(Arc::clone(&shared.listener).tell(request).await) {
            return refusal;
        }
        let (line, started) = (Arc::clone(&self.line), self.started);
        let outcome = match self.forward().await {
            Ok(answer) => Answered { line: Arc::clone(&line), answer, message: response.clone(), started }.pass().await,
            Err(problem) => Err(problem),
        };
        match outcome {
            Ok(response) => response,
            Err(problem) => {
                let status = Some(problem.status.as_u16());
                let message = Tapped { status, failed: true, elapsed: started.elapsed(), ..response };
                Arc::clone(&shared.listener).tell(message).await;
                problem.response()
            }
        }
    }

    async fn forward(self) -> Result<Response<Incoming>, Problem> {
        let Received { line, peer, mut parts, flow, aside, .. } = self;
        let (settings, upstream) = (&line.shared.settings, &line.route.upstream);
        let http2 = upstream.speaks_http2() || headers::speaks_grpc(&parts.headers);
        let is_stream = flow.length().is_none() && Kind::of(&parts.headers) != Kind::Document;
        headers::forward_request(&mut parts, peer.to_canonical(), &line.via, http2);
        if let Some(trailers) = flow.trailers() {
            headers::announce(&mut parts.headers, trailers);
        }
        let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
        let address = upstream.address(target);
        parts.uri =
            address.ok_or_else(|| Problem::unsupported("the address is too long with the service's before it"))?;
        parts.extensions.clear();
        let upload = Upload::new(flow.occupying(aside), settings);
        let limit = if is_stream { settings.idle } else { settings.response };
        line.shared.clients.send(upstream, Request::from_parts(parts, upload), http2, limit).await
    }
}

/// Refuses what cannot be forwarded.
fn admit(line: &Line, parts: &request::Parts) -> Result<(), Problem> {
    if parts.method == Method::CONNECT {
        return Err(Problem::unsupported("`CONNECT` asks for a tunnel, and what runs in a tunnel cannot be judged"));
    }
    if let Some(protocol) = headers::wanted_upgrade(&parts.headers) {
        let detail = format!(
            "an upgrade to `{protocol}` asks for a tunnel, and what runs in a tunnel cannot be judged: speak HTTP"
        );
        return Err(Problem::unsupported(detail));
    }
    if !parts.uri.path().starts_with('/') {
        return Err(Problem::unsupported("only requests for a path are forwarded: begin it with `/`"));
    }
    if headers::came_by(&parts.headers, &line.via) {
        return Err(Problem::circle());
    }
    Ok(())
}

impl From<Obstacle> for Problem {
    /// Of the body of a request.
    fn from(obstacle: Obstacle) -> Problem {
        match obstacle {
            Obstacle::Broken(_) => Problem::broken_body(),
            Obstacle::Crowded => Problem::crowded("as many bytes of bodies as it may hold"),
        }
    }
}

/// A response of the service.
struct Answered {
    line: Arc<Line>,
    answer: Response<Incoming>,
    /// What is told of it, but for its own part.
    message: Tapped,
    started: Instant,
}

impl Answered {
    async fn pass(self) -> Result<Response<Onward>, Problem> {
        let Answered { line, answer, message, started } = self;
        let (settings, listener) = (&line.shared.settings, &line.shared.listener);
        let (mut parts, body) = answer.into_parts();
        let kind = Kind::of(&parts.headers);
        let mut message = Tapped { status: Some(parts.status.as_u16()), headers: parts.headers.clone(), ..message };
        headers::forward_response(&mut parts.headers, parts.version, &line.via);
        let mut flow = Flow::new(body);
        let mut aside = Aside::new(settings.body, &line.shared.budget);
        let (length, limit) = (flow.length(), aside.limit() as u64);
        let cut = |_| Problem::upstream_failed(format!("{} broke its answer off", line.route.upstream));
        let patience = match (length, kind) {
            (Some(length), _) if length <= limit => Some(settings.response),
            (None, Kind::Document) => Some(settings.hold_response),
            _ => None,
        };
        let mut held = None;
        if let Some(patience) = patience {
            held = match timeout(patience, flow.hold(&mut aside)).await {
                Ok(Ok(whole)) => Some(whole),
                // Without room the response is told by its head.
                Ok(Err(Obstacle::Crowded)) => Some(false),
                Ok(Err(Obstacle::Broken(error))) => return Err(cut(error)),
                Err(_) if length.is_some() => {
                    let detail = format!("{} does not get on with its answer", line.route.upstream);
                    return Err(Problem::upstream_slow(detail));
                }
                Err(_) => None,
            };
        }
        let is_whole = held == Some(true);
        if is_whole || kind == Kind::Feed {
            message.body = if is_whole { aside.told().0 } else { Bytes::new() };
            message.truncated = !is_whole;
            message.elapsed = started.elapsed();
            if let Some(refusal) = refusal(Arc::clone(listener).tell(message).await) {
                return Ok(refusal);
            }
            if let Some(trailers) = flow.trailers() {
                headers::announce(&mut parts.headers, trailers);
            }
            let flow = flow.occupying(aside);
            return Ok(respond(parts, Onward::told(flow).stalling(settings.idle)));
        }
        // What was held goes out first and is counted as it does.
        let aside = Aside::new(settings.body, &line.shared.budget);
        let due = Due { listener: Arc::clone(listener), message, started, aside, remaining: flow.length() };
        Ok(respond(parts, Onward::due(flow, due).stalling(settings.idle)))
    }
}

fn respond(mut parts: response::Parts, body: Onward) -> Response<Onward> {
    parts.extensions.clear();
    Response::from_parts(parts, body)
}
