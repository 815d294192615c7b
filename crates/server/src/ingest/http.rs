// SPDX-License-Identifier: MIT OR Apache-2.0
//! `POST /api/v1/events`: a body of events, accepted as a whole or not at all.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use gnomon_live::{BodyFormat, EventBatch, Numbering, Origin};
use serde_json::json;

use super::{body, header_word, problem, submit, within_rate};
use crate::app::App;
use crate::problem::Problem;

/// Maximum length of a producer's name.
pub(crate) const LONGEST_PRODUCER: usize = 200;

pub(crate) async fn events(State(app): State<App>, headers: HeaderMap, body: Body) -> Result<Response, Problem> {
    let format = format(&headers)?;
    let numbering = numbering(&headers)?;
    let (body, held) = body::read(&headers, body, &app.limits, &app.budget).await.inspect_err(|problem| {
        app.metrics.refused("http", problem.kind);
    })?;
    within_rate(&app, Origin::Http, count(&body, format))?;
    let batch = EventBatch { body, format, numbering, origin: Origin::Http };
    let receipt = submit(&app, batch).await.map_err(|refusal| problem(&refusal))?;
    drop(held);
    Ok(Json(receipt).into_response())
}

pub(crate) async fn producer(State(app): State<App>, Path(producer): Path<String>) -> Result<Response, Problem> {
    let next = app.live.next_number(&producer);
    let next = next.ok_or_else(|| Problem::not_found("no producer of this name has sent anything"))?;
    Ok(Json(json!({ "producer": producer, "next": next })).into_response())
}

fn format(headers: &HeaderMap) -> Result<BodyFormat, Problem> {
    match header_word(headers, CONTENT_TYPE).as_str() {
        "application/xml" | "text/xml" => Ok(BodyFormat::Xml),
        // Default media types of common clients are accepted as NDJSON.
        "application/x-ndjson"
        | "application/ndjson"
        | "application/jsonl"
        | "application/json"
        | "text/plain"
        | "application/octet-stream"
        | "application/x-www-form-urlencoded"
        | "" => Ok(BodyFormat::Ndjson),
        other => {
            let other: String = other.chars().take(60).collect();
            let detail = format!("`Content-Type: {other}` is not known; use application/x-ndjson or application/xml");
            Err(Problem::unsupported(detail))
        }
    }
}

fn numbering(headers: &HeaderMap) -> Result<Option<Numbering>, Problem> {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default().trim());
    match (text("gnomon-producer"), text("gnomon-first")) {
        (None, None) => Ok(None),
        (Some(producer), Some(first)) => {
            if producer.is_empty() || producer.len() > LONGEST_PRODUCER {
                return Err(Problem::bad(format!(
                    "`Gnomon-Producer` must be a name of 1 to {LONGEST_PRODUCER} ASCII characters"
                )));
            }
            let first = first.parse().map_err(|_| {
                Problem::bad("`Gnomon-First` must be the number of the first event of the body, such as 41")
            })?;
            Ok(Some(Numbering { producer: producer.to_owned(), first }))
        }
        _ => Err(Problem::bad("`Gnomon-Producer` and `Gnomon-First` belong together; send both or neither")),
    }
}

/// Estimates the number of events, for the limit on events per second.
fn count(body: &Bytes, format: BodyFormat) -> usize {
    match format {
        BodyFormat::Ndjson => memchr::memchr_iter(b'\n', body).count().max(1),
        BodyFormat::Xml => memchr::memmem::find_iter(body, b"</event>").count().max(1),
    }
}
