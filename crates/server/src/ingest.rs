// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events in. Each way in has a file of its own; they meet in [`submit`], which counts, and tells refusals as problems.

pub(crate) mod body;
pub(crate) mod budget;
pub(crate) mod http;
pub(crate) mod otlp;
pub(crate) mod tcp;
mod unpack;
mod xml;

use axum::http::StatusCode;
use gnomon_live::{BadBatch, Batch, NewEvent, Origin, Receipt, Refusal};
use serde_json::json;

use crate::app::App;
use crate::log::events::BatchRefused;
use crate::metrics::origin_word;
use crate::problem::Problem;

/// Has a batch judged; resolves when it is on disk.
pub(crate) async fn submit(app: &App, batch: Batch) -> Result<Receipt, Refusal> {
    let origin = batch.origin;
    counted(app, origin, app.live.submit(batch).await)
}

/// Has events judged that were made here; resolves when they are on disk.
pub(crate) async fn submit_events(app: &App, events: &[NewEvent], origin: Origin) -> Result<Receipt, Refusal> {
    counted(app, origin, app.live.submit_events(events, origin, None).await)
}

fn counted(app: &App, origin: Origin, result: Result<Receipt, Refusal>) -> Result<Receipt, Refusal> {
    match &result {
        Ok(receipt) => app.metrics.accepted(origin, receipt),
        Err(refusal) => {
            let problem = problem(refusal);
            app.metrics.refused(origin_word(origin), problem.kind());
            let event = BatchRefused {
                origin: origin_word(origin),
                reason: problem.kind(),
                detail: problem.detail().to_owned(),
            };
            app.log.note(&event);
        }
    }
    result
}

/// Whether so many events more may come in this second.
pub(crate) fn within_rate(app: &App, origin: Origin, events: usize) -> Result<(), Problem> {
    app.rate.take(events).map_err(|pause| {
        app.metrics.refused(origin_word(origin), "rate");
        let millis = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        Problem::busy(millis, "more events a second than this watch takes; send these again later")
    })
}

/// A refusal as it is told.
pub(crate) fn problem(refusal: &Refusal) -> Problem {
    match refusal {
        Refusal::Bad(BadBatch { line, column, code, message, help }) => {
            let help = help.as_ref().map_or(String::new(), |help| format!("; {help}"));
            Problem::bad(format!("line {line}: {message}{help}"))
                .with("line", *line)
                .with("column", *column)
                .with("code", *code)
        }
        Refusal::Gap { expected } => Problem::new(
            StatusCode::CONFLICT,
            "gap",
            "events are missing",
            format!("the next event of this producer has the number {expected}; send from there"),
        )
        .with("expected", *expected),
        Refusal::Busy => Problem::busy(1000, "events come faster than they can be judged; send these again"),
        Refusal::Unavailable { state, detail } => Problem::unavailable(detail.clone()).with("state", json!(state)),
        Refusal::TooLarge { most } => {
            Problem::too_large(format!("more than {most} bytes are not taken at once; send it in several parts"))
        }
    }
}
