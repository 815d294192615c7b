// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spans over OTLP, with gRPC or HTTP as the request's headers say. A request is accepted as a whole or not at all,
//! and answered once its events are durable. `docs/otlp.md` defines what senders can rely on.

mod answer;
mod grpc;
mod transport;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, Version};
use axum::response::Response;
use bytes::Bytes;
use gnomon::value::Value;
use gnomon_live::{NewEvent, Origin};
use gnomon_otlp::{Code, SpanEvent, SpanTimes};
use tokio::sync::Semaphore;

use self::answer::ExportResponse;
use self::transport::Transport;
use super::{body, problem, submit_events, within_rate};
use crate::app::App;
use crate::log::events::RequestDenied;
use crate::net::exchange_body::Exchange;
use crate::net::guard::{examine, note_answer};
use crate::problem::{Problem, run_blocking};
use crate::tokens::AccessRole;

/// Path for spans over HTTP.
const TRACES: &str = "/v1/traces";
/// Path for spans over gRPC.
const EXPORT: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
/// Number of requests decoded at a time. Decoding may need several times the memory of the body before it can be
/// counted.
const DECODED_AT_ONCE: usize = 4;

/// State that the requests at one port share.
struct OtlpListener {
    app: App,
    /// Accepted host names of requests; `None`: any.
    hosts: Option<Vec<String>>,
    decoding: Arc<Semaphore>,
}

/// Creates the router for a port that receives spans.
pub(crate) fn router(app: App, hosts: Option<Vec<String>>) -> Router {
    let listener = OtlpListener { app, hosts, decoding: Arc::new(Semaphore::new(DECODED_AT_ONCE)) };
    Router::new().fallback(respond).with_state(Arc::new(listener))
}

async fn respond(State(listener): State<Arc<OtlpListener>>, request: Request) -> Response {
    let start = Instant::now();
    let app = &listener.app;
    let (request, exchange) = Exchange::begin(request, app.limits.body_bytes);
    let method = request.method().clone();
    let route = [TRACES, EXPORT].into_iter().find(|path| *path == request.uri().path()).unwrap_or("other");
    let transport = Transport::of(request.headers());
    let result = match examine(app, listener.hosts.as_deref(), AccessRole::Write, &request) {
        Ok(_) => take(&listener, transport, request).await,
        Err(problem) => {
            drop(request);
            app.log.write(&RequestDenied { route, reason: problem.kind });
            Err(problem)
        }
    };
    let response = transport.respond(result);
    note_answer(app, &method, route, &response, start);
    exchange.answer(response)
}

/// Accepts the spans of a request.
async fn take(listener: &OtlpListener, transport: Transport, request: Request) -> Result<ExportResponse, Problem> {
    is_for_spans(transport, &request)?;
    let app = &listener.app;
    let (parts, body) = request.into_parts();
    let refused = |problem: &Problem| app.metrics.refused("otlp", problem.kind);
    let (body, mut held) = match transport {
        Transport::Grpc => {
            let open = |body: Bytes| grpc::message(&parts.headers, body);
            body::read_as(&parts.headers, body, &app.limits, &app.budget, open).await
        }
        _ => body::read(&parts.headers, body, &app.limits, &app.budget).await,
    }
    .inspect_err(refused)?;
    let place = Arc::clone(&listener.decoding)
        .acquire_owned()
        .await
        .map_err(|_| Problem::unavailable("the watch is stopping"))?;
    let limits = limits(app);
    let decoded = run_blocking("decoding failed", move || decode(transport, &body, &limits)).await?;
    let DecodedRequest { events, answer } = decoded.inspect_err(refused)?;
    if !held.add(events.iter().map(event_bytes).sum()) {
        return Err(body::crowded()).inspect_err(refused);
    }
    drop(place);
    if events.is_empty() {
        return Ok(answer);
    }
    within_rate(app, Origin::Otlp, events.len())?;
    submit_events(app, &events, Origin::Otlp).await.map_err(|refusal| problem(&refusal))?;
    Ok(answer)
}

/// Checks that a request sends spans.
fn is_for_spans(transport: Transport, request: &Request) -> Result<(), Problem> {
    let path = request.uri().path();
    let wanted = if transport == Transport::Grpc { EXPORT } else { TRACES };
    if path != wanted {
        return Err(match (transport, path) {
            (Transport::Grpc, TRACES) => Problem::not_found(format!("spans go to `{EXPORT}` over gRPC")),
            (_, EXPORT) => {
                Problem::unsupported("this is for gRPC; send `Content-Type: application/grpc`, or POST to /v1/traces")
            }
            (_, "/v1/metrics" | "/v1/logs") => {
                Problem::not_found("metrics and logs are not accepted; send traces to /v1/traces")
            }
            (Transport::Grpc, _) => {
                Problem::not_found("only the service of traces exists here; metrics and logs are not accepted")
            }
            _ => Problem::not_found(
                "spans are accepted here, by POST /v1/traces and over gRPC; the API is at another port",
            ),
        });
    }
    if *request.method() != Method::POST {
        return Err(Problem::wrong_method("spans are sent with POST"));
    }
    match transport {
        Transport::Grpc if request.version() != Version::HTTP_2 => Err(Problem::unsupported("gRPC needs HTTP/2")),
        Transport::Unknown => Err(Problem::unsupported(
            "send spans with `Content-Type: application/x-protobuf` or `application/json`, or over gRPC",
        )),
        _ => Ok(()),
    }
}

/// Returns the limits on one request.
fn limits(app: &App) -> gnomon_otlp::Limits {
    let bytes = app.limits.unpacked_bytes;
    let usual = gnomon_otlp::Limits::default();
    gnomon_otlp::Limits { bytes, expanded: bytes.min(usual.expanded), ..usual }
}

/// The events of a request, and the response once they are durable.
struct DecodedRequest {
    events: Vec<NewEvent>,
    answer: ExportResponse,
}

fn decode(transport: Transport, body: &Bytes, limits: &gnomon_otlp::Limits) -> Result<DecodedRequest, Problem> {
    let decode = if transport == Transport::Json { gnomon_otlp::decode_json } else { gnomon_otlp::decode_protobuf };
    let request = decode(body, limits).map_err(|error| {
        let help = error.advice().map_or(String::new(), |help| format!("; {help}"));
        let detail = format!("{error}{help}");
        match error.code() {
            Code::TooLong => Problem::too_large(detail),
            _ => Problem::bad(detail),
        }
    })?;
    let rejected = request.spans().filter(|span| span.start().is_none() && span.end().is_none()).count();
    let answer = ExportResponse { rejected: rejected as u64, untimed: request.untimed() as u64 };
    Ok(DecodedRequest { events: gnomon_otlp::events(&request).into_iter().map(new_event).collect(), answer })
}

fn new_event(event: SpanEvent) -> NewEvent {
    NewEvent { name: event.name, time: Some(i128::from(event.time_ns)), fields: event.fields }
}

/// Estimates the memory of an event.
fn event_bytes(event: &NewEvent) -> usize {
    const FIELD: usize = size_of::<(String, Value<'_>)>();
    let fields = event.fields.iter().map(|(key, value)| FIELD + key.len() + value.heap_bytes(FIELD));
    size_of::<NewEvent>() + event.name.len() + fields.sum::<usize>()
}
