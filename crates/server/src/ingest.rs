// SPDX-License-Identifier: MIT OR Apache-2.0
//! Accepts events. Each interface has its own file; all end in [`submit`], which counts events and logs refusals.

pub(crate) mod body;
pub(crate) mod budget;
mod encoding;
pub(crate) mod http;
pub(crate) mod otlp;
pub(crate) mod tcp;
mod xml_splitter;

use axum::http::header::AsHeaderName;
use axum::http::{HeaderMap, StatusCode};
use gnomon_live::{EventBatch, InvalidEvent, NewEvent, Origin, Receipt, SubmitError};
use serde_json::json;

use crate::app::App;
use crate::log::events::BatchRefused;
use crate::problem::Problem;

/// Submits a batch. Resolves when it is durable.
pub(crate) async fn submit(app: &App, batch: EventBatch) -> Result<Receipt, SubmitError> {
    let origin = batch.origin;
    counted(app, origin, app.live.submit(batch).await)
}

/// Submits events that were created in this process. Resolves when they are durable.
pub(crate) async fn submit_events(app: &App, events: &[NewEvent], origin: Origin) -> Result<Receipt, SubmitError> {
    counted(app, origin, app.live.submit_events(events, origin, None).await)
}

fn counted(app: &App, origin: Origin, result: Result<Receipt, SubmitError>) -> Result<Receipt, SubmitError> {
    match &result {
        Ok(receipt) => app.metrics.accepted(origin, receipt),
        Err(refusal) => {
            let problem = problem(refusal);
            app.metrics.refused(origin.word(), problem.kind);
            let event = BatchRefused { origin: origin.word(), reason: problem.kind, detail: problem.detail };
            app.log.write(&event);
        }
    }
    result
}

/// Checks the limit on events per second.
pub(crate) fn within_rate(app: &App, origin: Origin, events: usize) -> Result<(), Problem> {
    app.rate.take(events).map_err(|pause| {
        app.metrics.refused(origin.word(), "rate");
        let millis = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        Problem::busy(millis, "more events per second than this watch accepts; send these again later")
    })
}

/// Describes a refused batch as a problem document.
pub(crate) fn problem(refusal: &SubmitError) -> Problem {
    match refusal {
        SubmitError::Bad(InvalidEvent { line, column, code, message, help }) => {
            let help = help.as_ref().map_or(String::new(), |help| format!("; {help}"));
            Problem::bad(format!("line {line}: {message}{help}"))
                .with("line", *line)
                .with("column", *column)
                .with("code", *code)
        }
        SubmitError::Gap { expected } => Problem::new(
            StatusCode::CONFLICT,
            "gap",
            "events are missing",
            format!("the next event of this producer has the number {expected}; send from there"),
        )
        .with("expected", *expected),
        SubmitError::Numbers { .. } => Problem::bad(refusal.to_string()),
        SubmitError::Unavailable { state, detail } => Problem::unavailable(detail.clone()).with("state", json!(state)),
        SubmitError::TooLarge { most } => {
            Problem::too_large(format!("a request may have at most {most} bytes; send several requests"))
        }
    }
}

/// Returns the first word of a header in lower case, without parameters after a semicolon.
fn header_word(headers: &HeaderMap, name: impl AsHeaderName) -> String {
    let value = headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
