// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shows the spec, checks another one with a dry run on recent events, and replaces it.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use gnomon::diagnostic::{Diagnostic, Severity, line_column};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

use super::extract::JsonBody;
use crate::app::App;
use crate::ingest::problem;
use crate::log::events::SpecReplaced;
use crate::problem::{Problem, run_blocking};

/// Maximum size of a spec.
const LONGEST: usize = 4 << 20;

#[derive(Deserialize)]
pub(super) struct SpecText {
    text: String,
}

pub(super) async fn get(State(app): State<App>) -> Response {
    let (name, text, revision) = app.live.spec();
    Json(json!({ "name": name, "text": text, "revision": revision })).into_response()
}

/// A diagnostic.
#[derive(Serialize)]
pub(super) struct DiagnosticEntry {
    severity: &'static str,
    code: &'static str,
    message: String,
    start: u32,
    end: u32,
    line: usize,
    column: usize,
    label: String,
    help: Option<String>,
    notes: Vec<String>,
}

fn said(text: &str, diagnostics: Vec<Diagnostic>) -> Vec<DiagnosticEntry> {
    let one = |diagnostic: Diagnostic| {
        let span = diagnostic.primary.span;
        let (line, column) = line_column(text, span.start as usize);
        DiagnosticEntry {
            severity: diagnostic.severity.word(),
            code: diagnostic.code,
            message: diagnostic.message,
            start: span.start,
            end: span.end,
            line,
            column,
            label: diagnostic.primary.text,
            help: diagnostic.help.map(|help| help.text),
            notes: diagnostic.notes,
        }
    };
    diagnostics.into_iter().map(one).collect()
}

#[derive(Serialize)]
pub(super) struct SpecCheck {
    diagnostics: Vec<DiagnosticEntry>,
    dry_run: Option<Box<RawValue>>,
    events: usize,
}

pub(super) async fn check(
    State(app): State<App>,
    JsonBody(spec): JsonBody<SpecText>,
) -> Result<Json<SpecCheck>, Problem> {
    let text = bounded(spec)?;
    let _turn = app.dry_runs.acquire().await;
    let (live, tried) = (app.live.clone(), text.clone());
    let run = run_blocking("the dry run failed", move || live.dry_run(&tried)).await?;
    let dry_run = run.properties.map(RawValue::from_string).transpose();
    let dry_run = dry_run.map_err(|error| Problem::internal(format!("the dry run is not JSON: {error}")))?;
    Ok(Json(SpecCheck { diagnostics: said(&text, run.diagnostics), dry_run, events: run.events }))
}

pub(super) async fn put(State(app): State<App>, JsonBody(spec): JsonBody<SpecText>) -> Result<Response, Problem> {
    let text = bounded(spec)?;
    match app.live.replace_spec(text.clone()).await.map_err(|refusal| problem(&refusal))? {
        Ok(replaced) => {
            app.log.write(&SpecReplaced {
                revision: replaced.revision,
                kept: replaced.kept.len(),
                begun: replaced.begun.len(),
                ended: replaced.ended.len(),
            });
            Ok(Json(replaced).into_response())
        }
        Err(diagnostics) => {
            let first = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
            let detail = first.map_or("the spec cannot be used", |error| error.message.as_str());
            let detail = format!("the spec is unchanged: {detail}");
            Err(Problem::unfit(detail).with("diagnostics", json!(said(&text, diagnostics))))
        }
    }
}

fn bounded(spec: SpecText) -> Result<String, Problem> {
    if spec.text.len() > LONGEST {
        return Err(Problem::too_large(format!("a spec has at most {LONGEST} bytes")));
    }
    Ok(spec.text)
}
