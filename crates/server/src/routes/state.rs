// SPDX-License-Identifier: MIT OR Apache-2.0
//! The current state of the watch: status, properties, events, reports and metrics.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use gnomon_live::wire::{EventRow, PropertyRow};
use gnomon_live::{EventQuery, failure_percent};
use gnomon_store::HistoryReader;
use gnomon_store::history::StatisticsRow;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::extract::QueryParams;
use super::health::restoring;
use crate::app::App;
use crate::channel::ChannelBody;
use crate::log::now;
use crate::metrics::WatchMetrics;
use crate::problem::{Problem, run_blocking};
use crate::status::ServerStatus;

/// Maximum number of rows in a response.
pub(super) const MOST_ROWS: usize = 1000;
/// Default number of rows.
pub(super) const SOME_ROWS: usize = 100;

pub(super) async fn status(State(app): State<App>) -> Json<ServerStatus> {
    Json(ServerStatus::of(&app))
}

/// A property with its English text and its mute.
#[derive(Serialize)]
pub(crate) struct PropertyEntry {
    #[serde(flatten)]
    row: PropertyRow,
    english: Option<String>,
    muted: bool,
}

pub(super) async fn properties(State(app): State<App>) -> Json<Vec<PropertyEntry>> {
    Json(all_properties(&app).await)
}

/// Returns all properties.
pub(crate) async fn all_properties(app: &App) -> Vec<PropertyEntry> {
    let rows = app.live.properties().await;
    let words = app.words.of(&app.live);
    let mutes = app.ask_history(HistoryReader::mutes).await.unwrap_or_default();
    let now = now();
    let is_muted =
        |property: &str| mutes.iter().any(|mute| mute.mute.group.is_none() && mute.mute.covers(property, "", now));
    let answer =
        |row: PropertyRow| PropertyEntry { english: words.get(&row.name).cloned(), muted: is_muted(&row.name), row };
    rows.into_iter().map(answer).collect()
}

#[derive(Deserialize)]
pub(super) struct StatisticsQuery {
    from: Option<i64>,
    to: Option<i64>,
    limit: Option<usize>,
}

/// A row of statistics with the percentage of failures.
#[derive(Serialize)]
pub(super) struct StatisticsEntry {
    at: i64,
    activated: u64,
    satisfied: u64,
    violated: u64,
    pending: u64,
    failure: Option<f64>,
    min: Option<String>,
    max: Option<String>,
    mean: Option<String>,
}

pub(super) async fn statistics(
    State(app): State<App>,
    Path(property): Path<String>,
    QueryParams(query): QueryParams<StatisticsQuery>,
) -> Result<Json<Vec<StatisticsEntry>>, Problem> {
    if !app.live.compiled().properties().any(|known| known.name == property) {
        return Err(Problem::not_found("the spec has no property of this name; see /api/v1/properties"));
    }
    let limit = query.limit.unwrap_or(500).clamp(1, 10_000);
    let (from, to) = (query.from.unwrap_or(i64::MIN), query.to.unwrap_or(i64::MAX));
    let rows = app.ask_history(move |history| history.statistics(&property, from, to, limit)).await?;
    let answer = |row: StatisticsRow| StatisticsEntry {
        at: row.at,
        activated: row.activated,
        satisfied: row.satisfied,
        violated: row.violated,
        pending: row.pending,
        failure: failure_percent(row.activated, row.violated),
        min: row.min,
        max: row.max,
        mean: row.mean,
    };
    Ok(Json(rows.into_iter().map(answer).collect()))
}

#[derive(Deserialize)]
pub(super) struct ReportQuery {
    end: Option<String>,
}

pub(super) async fn report(
    State(app): State<App>,
    QueryParams(query): QueryParams<ReportQuery>,
) -> Result<Response, Problem> {
    let complete = match query.end.as_deref() {
        None | Some("prefix") => false,
        Some("complete") => true,
        Some(_) => return Err(Problem::bad("`end` is `prefix` (more may come) or `complete`")),
    };
    restoring(&app).map_or(Ok(()), Err)?;
    Ok(json_text(app.live.report(complete).await))
}

/// Returns a response with JSON text.
pub(super) fn json_text(text: String) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], text).into_response()
}

#[derive(Deserialize)]
pub(super) struct ExportQuery {
    from: Option<u64>,
    // Checked by the guard.
    #[serde(rename = "token")]
    _token: Option<String>,
}

pub(super) async fn export(
    State(app): State<App>,
    QueryParams(query): QueryParams<ExportQuery>,
) -> Result<Response, Problem> {
    let live = app.live.clone();
    let from = query.from.unwrap_or(0);
    let opened = run_blocking("the journal cannot be read", move || live.export(from)).await?;
    let export = opened.map_err(|error| Problem::internal(format!("the journal cannot be read: {error}")))?;
    let export = export.ok_or_else(|| {
        Problem::new(
            StatusCode::CONFLICT,
            "no-store",
            "nothing was kept",
            "events are kept for export only with a store; start the watch with `--store`",
        )
    })?;
    let (sender, receiver) = mpsc::channel(8);
    tokio::task::spawn_blocking(move || {
        for part in export {
            // The client is gone or the journal cannot be read: the response ends early.
            if sender.blocking_send(part.map(Into::into)).is_err() {
                break;
            }
        }
    });
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson")),
        (CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"export.ndjson\"")),
    ];
    Ok((headers, Body::new(ChannelBody(receiver))).into_response())
}

#[derive(Deserialize)]
pub(super) struct EventsQuery {
    limit: Option<usize>,
    before: Option<u64>,
    event: Option<String>,
    case: Option<String>,
    verdict: Option<String>,
    text: Option<String>,
}

pub(super) async fn events(
    State(app): State<App>,
    QueryParams(query): QueryParams<EventsQuery>,
) -> Result<Json<Vec<EventRow>>, Problem> {
    let violated_only = match query.verdict.as_deref() {
        None | Some("" | "any") => false,
        Some("violated") => true,
        Some(_) => return Err(Problem::bad("`verdict` is `violated`, or left out")),
    };
    let query = EventQuery {
        limit: query.limit.unwrap_or(SOME_ROWS).clamp(1, MOST_ROWS),
        before: query.before,
        event: some(query.event),
        case: some(query.case),
        violated_only,
        text: some(query.text),
    };
    Ok(Json(app.live.events(&query)))
}

/// Treats an empty parameter as absent.
pub(super) fn some(word: Option<String>) -> Option<String> {
    word.filter(|word| !word.is_empty())
}

pub(super) async fn metrics(State(app): State<App>) -> Response {
    let watched = WatchMetrics::of(&app.live).await;
    let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    ([(CONTENT_TYPE, kind)], app.metrics.text(watched)).into_response()
}
