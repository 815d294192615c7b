// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events that a property can mention: those of the spec, recent ones, and those of a service description.

use axum::Json;
use axum::extract::State;
use gnomon::catalogue::{self, CatalogueEvent, declaration, declarations};
use gnomon_live::EventSummary;
use serde::{Deserialize, Serialize};

use super::extract::{QueryParams, RawBody};
use crate::app::App;
use crate::problem::{Problem, run_blocking};

pub(super) async fn list(State(app): State<App>) -> Json<Vec<EventSummary>> {
    Json(app.live.catalogue())
}

#[derive(Deserialize)]
pub(super) struct UploadQuery {
    name: Option<String>,
}

#[derive(Serialize)]
pub(super) struct UploadAnswer {
    kind: &'static str,
    events: Vec<CatalogueEntry>,
    /// All declarations, to paste into a spec.
    spec: String,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct CatalogueEntry {
    name: String,
    fields: Vec<String>,
    from: Option<String>,
    to: Option<String>,
    text: Option<String>,
    declaration: String,
}

pub(super) async fn upload(
    QueryParams(query): QueryParams<UploadQuery>,
    RawBody(body): RawBody,
) -> Result<Json<UploadAnswer>, Problem> {
    let name: String = query.name.unwrap_or_else(|| "document".to_owned()).chars().take(200).collect();
    let read = run_blocking("reading failed", move || {
        let text = std::str::from_utf8(&body).map_err(|_| Problem::unfit(format!("{name} is not UTF-8")))?;
        catalogue::read(&name, text).map_err(|error| {
            let help = error.advice().map_or(String::new(), |advice| format!("; {advice}"));
            let place = error.location();
            Problem::unfit(format!("{name}:{place}: {}{help}", error.message()))
                .with("line", place.line)
                .with("column", place.column)
                .with("code", error.code())
        })
    });
    let catalogue = read.await??;
    let spec = declarations(&catalogue);
    let event = |event: CatalogueEvent| {
        let declaration = declaration(&event);
        let (from, to) = event.participants.unzip();
        let fields = event.fields.into_iter().map(|field| field.name).collect();
        CatalogueEntry { name: event.name, fields, from, to, text: event.text, declaration }
    };
    Ok(Json(UploadAnswer {
        kind: catalogue.kind.title(),
        events: catalogue.events.into_iter().map(event).collect(),
        spec,
        notes: catalogue.notes.into_iter().map(|note| format!("{}: {}", note.location, note.text)).collect(),
    }))
}
