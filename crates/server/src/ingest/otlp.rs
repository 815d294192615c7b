// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spans in: OTLP over gRPC and over HTTP, told apart by what a request says that it is. A request is taken in whole or not at
//! all, and answered once its events are on disk. `docs/otlp.md` says what senders can rely on.

mod answer;
mod grpc;
mod way;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Version};
use axum::response::Response;
use bytes::Bytes;
use gnomon::value::Value;
use gnomon_live::{NewEvent, Origin};
use gnomon_otlp::{ErrorKind, Lifeline, SpanEvent};
use tokio::sync::Semaphore;

use self::answer::Answer;
use self::way::Way;
use super::{body, problem, submit_events, within_rate};
use crate::app::App;
use crate::log::events::RequestDenied;
use crate::net::guard::{examine, note_answer};
use crate::problem::Problem;
use crate::tokens::Role;

/// Where spans go over HTTP.
const TRACES: &str = "/v1/traces";
/// Where they go over gRPC.
const EXPORT: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
/// How many requests are decoded at a time. Each may take several times the memory of its body before anybody can count it.
const DECODED_AT_ONCE: usize = 4;

/// What the requests at one port share.
struct Door {
    app: App,
    /// The names that a request may be meant for; `None`: any.
    hosts: Option<Vec<String>>,
    decoding: Arc<Semaphore>,
}

/// Answers everything that comes in at a port for spans.
pub(crate) fn router(app: App, hosts: Option<Vec<String>>) -> Router {
    let door = Door { app, hosts, decoding: Arc::new(Semaphore::new(DECODED_AT_ONCE)) };
    Router::new().fallback(respond).with_state(Arc::new(door))
}

async fn respond(State(door): State<Arc<Door>>, request: Request) -> Response {
    let start = Instant::now();
    let app = &door.app;
    let method = request.method().clone();
    let route = [TRACES, EXPORT].into_iter().find(|path| *path == request.uri().path()).unwrap_or("other");
    let way = Way::of(request.headers());
    let taken = match examine(app, door.hosts.as_deref(), Role::Write, &request) {
        Ok(()) => take(&door, way, request).await,
        Err(problem) => {
            app.log.note(&RequestDenied { route, reason: problem.kind() });
            Err(problem)
        }
    };
    let response = way.respond(taken);
    note_answer(app, &method, route, &response, start);
    response
}

/// Takes the spans of a request in.
async fn take(door: &Door, way: Way, request: Request) -> Result<Answer, Problem> {
    is_for_spans(way, &request)?;
    let app = &door.app;
    let (parts, body) = request.into_parts();
    let refused = |problem: &Problem| app.metrics.refused("otlp", problem.kind());
    let (body, mut held) = match way {
        Way::Grpc => {
            let open = |body: Bytes| grpc::message(&parts.headers, body);
            body::read_as(&parts.headers, body, &app.limits, &app.budget, open).await
        }
        _ => body::read(&parts.headers, body, &app.limits, &app.budget).await,
    }
    .inspect_err(refused)?;
    let place =
        Arc::clone(&door.decoding).acquire_owned().await.map_err(|_| Problem::unavailable("the watch is stopping"))?;
    let limits = limits(app);
    let decoded = tokio::task::spawn_blocking(move || decode(way, &body, &limits)).await;
    let decoded = decoded.map_err(|error| Problem::internal(format!("decoding failed: {error}")))?;
    let Decoded { events, answer } = decoded.inspect_err(refused)?;
    if !held.add(events.iter().map(weight).sum()) {
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

/// Whether a request is one that sends spans.
fn is_for_spans(way: Way, request: &Request) -> Result<(), Problem> {
    let path = request.uri().path();
    let wanted = if way == Way::Grpc { EXPORT } else { TRACES };
    if path != wanted {
        return Err(match (way, path) {
            (Way::Grpc, TRACES) => Problem::not_found(format!("spans go to `{EXPORT}` over gRPC")),
            (_, EXPORT) => {
                unsupported("this is for gRPC; send `Content-Type: application/grpc`, or POST to /v1/traces")
            }
            (_, "/v1/metrics" | "/v1/logs") => {
                Problem::not_found("metrics and logs are not taken in; send traces to /v1/traces")
            }
            (Way::Grpc, _) => {
                Problem::not_found("only the service of traces is here; metrics and logs are not taken in")
            }
            _ => Problem::not_found(
                "spans are taken in here, by POST /v1/traces and over gRPC; the API is at another port",
            ),
        });
    }
    if *request.method() != Method::POST {
        let detail = "spans are sent with POST";
        return Err(Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", "this cannot be done here", detail));
    }
    match way {
        Way::Grpc if request.version() != Version::HTTP_2 => Err(unsupported("gRPC needs HTTP/2")),
        Way::Unknown => Err(unsupported(
            "send spans with `Content-Type: application/x-protobuf` or `application/json`, or over gRPC",
        )),
        _ => Ok(()),
    }
}

/// A request of a kind that is not understood.
fn unsupported(detail: impl Into<String>) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported", "the body is of an unknown kind", detail)
}

/// What one request may come to.
fn limits(app: &App) -> gnomon_otlp::Limits {
    let bytes = app.limits.unpacked_bytes;
    let usual = gnomon_otlp::Limits::default();
    gnomon_otlp::Limits { bytes, expanded: bytes.min(usual.expanded), ..usual }
}

/// The events of a request, and what its sender is told once they are on disk.
struct Decoded {
    events: Vec<NewEvent>,
    answer: Answer,
}

fn decode(way: Way, body: &Bytes, limits: &gnomon_otlp::Limits) -> Result<Decoded, Problem> {
    let decode = if way == Way::Json { gnomon_otlp::decode_json } else { gnomon_otlp::decode_protobuf };
    let request = decode(body, limits).map_err(|error| {
        let help = error.advice().map_or(String::new(), |help| format!("; {help}"));
        let detail = format!("{error}{help}");
        match error.kind() {
            ErrorKind::TooLarge => Problem::too_large(detail),
            _ => Problem::bad(detail),
        }
    })?;
    let rejected = request.spans().filter(|span| span.start().is_none() && span.end().is_none()).count();
    let answer = Answer { rejected: rejected as u64, untimed: request.untimed() as u64 };
    Ok(Decoded { events: gnomon_otlp::events(&request).into_iter().map(new_event).collect(), answer })
}

fn new_event(event: SpanEvent) -> NewEvent {
    NewEvent { name: event.name, time: Some(i128::from(event.time_ns)), fields: event.fields }
}

/// About how many bytes an event takes.
fn weight(event: &NewEvent) -> usize {
    let fields = event.fields.iter().map(|(key, value)| size_of::<(String, Value<'_>)>() + key.len() + of_value(value));
    size_of::<NewEvent>() + event.name.len() + fields.sum::<usize>()
}

/// About how many bytes a value takes besides its place. Lists and maps are as deep as the decoder let them be.
fn of_value(value: &Value<'_>) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::List(values) => values.iter().map(|value| size_of::<Value<'_>>() + of_value(value)).sum(),
        Value::Map(entries) => entries
            .iter()
            .map(|(key, value)| size_of_val(key) + size_of::<Value<'_>>() + key.len() + of_value(value))
            .sum(),
        _ => 0,
    }
}

/// The first word of a header, in small letters and without what comes behind a semicolon.
fn word_of(headers: &HeaderMap, name: &str) -> String {
    let value = headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
