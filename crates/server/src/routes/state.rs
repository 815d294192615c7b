// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the watch knows at present: its state, its properties, the events it judged.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use gnomon_live::EventQuery;
use gnomon_live::wire::{EventRow, PropertyRow, Status};
use gnomon_store::history::StatisticsRow;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::extract::Asked;
use crate::app::App;
use crate::channel::ChannelBody;
use crate::metrics::Watched;
use crate::problem::Problem;

/// The most rows of an answer.
pub(super) const MOST_ROWS: usize = 1000;
/// How many without being asked for more.
pub(super) const SOME_ROWS: usize = 100;

pub(super) async fn status(State(app): State<App>) -> Json<Status> {
    Json(app.live.status())
}

/// A property, with what the watch itself does not know of it.
#[derive(Serialize)]
pub(crate) struct PropertyAnswer {
    #[serde(flatten)]
    row: PropertyRow,
    english: Option<String>,
    muted: bool,
}

pub(super) async fn properties(State(app): State<App>) -> Json<Vec<PropertyAnswer>> {
    Json(all_properties(&app).await)
}

/// The properties as the API has them.
pub(crate) async fn all_properties(app: &App) -> Vec<PropertyAnswer> {
    let rows = app.live.properties().await;
    let words = app.words.of(&app.live);
    let decided = app.hooks.decided();
    let answer = |row: PropertyRow| PropertyAnswer {
        english: words.get(&row.name).cloned(),
        muted: decided.mutes_property(&row.name),
        row,
    };
    rows.into_iter().map(answer).collect()
}

#[derive(Deserialize)]
pub(super) struct StatisticsQuery {
    from: Option<i64>,
    to: Option<i64>,
    limit: Option<usize>,
}

/// A row of statistics, with the share of failures.
#[derive(Serialize)]
pub(super) struct StatisticsAnswer {
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
    Asked(query): Asked<StatisticsQuery>,
) -> Result<Json<Vec<StatisticsAnswer>>, Problem> {
    if !app.live.compiled().properties().any(|known| known.name == property) {
        return Err(Problem::not_found("the spec has no property of this name; see /api/v1/properties"));
    }
    let limit = query.limit.unwrap_or(500).clamp(1, 10_000);
    let (from, to) = (query.from.unwrap_or(i64::MIN), query.to.unwrap_or(i64::MAX));
    let rows = app.ask_history(move |history| history.statistics(&property, from, to, limit)).await?;
    let answer = |row: StatisticsRow| {
        let decided = row.satisfied + row.violated;
        StatisticsAnswer {
            at: row.at,
            activated: row.activated,
            satisfied: row.satisfied,
            violated: row.violated,
            pending: row.pending,
            failure: (decided > 0).then(|| row.violated as f64 * 100.0 / decided as f64),
            min: row.min,
            max: row.max,
            mean: row.mean,
        }
    };
    Ok(Json(rows.into_iter().map(answer).collect()))
}

#[derive(Deserialize)]
pub(super) struct ReportQuery {
    end: Option<String>,
}

pub(super) async fn report(State(app): State<App>, Asked(query): Asked<ReportQuery>) -> Result<Response, Problem> {
    let complete = match query.end.as_deref() {
        None | Some("prefix") => false,
        Some("complete") => true,
        Some(_) => return Err(Problem::bad("`end` is `prefix` (more may come) or `complete`")),
    };
    Ok(json_text(app.live.report(complete).await))
}

/// JSON that is text already.
pub(super) fn json_text(text: String) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], text).into_response()
}

#[derive(Deserialize)]
pub(super) struct ExportQuery {
    from: Option<u64>,
    // Looked at by the guard.
    #[serde(rename = "token")]
    _token: Option<String>,
}

pub(super) async fn export(State(app): State<App>, Asked(query): Asked<ExportQuery>) -> Result<Response, Problem> {
    let live = app.live.clone();
    let from = query.from.unwrap_or(0);
    let opened = tokio::task::spawn_blocking(move || live.export(from)).await;
    let opened = opened.map_err(|error| Problem::internal(format!("the journal cannot be read: {error}")))?;
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
            // Nobody is left to read, or what is on disk cannot be read: an answer cut short tells.
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
    Asked(query): Asked<EventsQuery>,
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

/// An empty word asks for nothing in particular.
pub(super) fn some(word: Option<String>) -> Option<String> {
    word.filter(|word| !word.is_empty())
}

pub(super) async fn metrics(State(app): State<App>) -> Response {
    let watched = Watched::of(&app.live).await;
    let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    ([(CONTENT_TYPE, kind)], app.metrics.text(watched)).into_response()
}
