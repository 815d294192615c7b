// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events that a property can speak of: those of the spec, those seen, and those that a description of a service tells of.

use axum::Json;
use axum::extract::State;
use gnomon::catalogue::{self, Event, declaration, declarations};
use gnomon_live::KnownEvent;
use serde::{Deserialize, Serialize};

use super::extract::{Asked, Raw};
use crate::app::App;
use crate::problem::Problem;

pub(super) async fn list(State(app): State<App>) -> Json<Vec<KnownEvent>> {
    Json(app.live.catalogue())
}

#[derive(Deserialize)]
pub(super) struct UploadQuery {
    name: Option<String>,
}

#[derive(Serialize)]
pub(super) struct UploadAnswer {
    kind: &'static str,
    events: Vec<EventAnswer>,
    /// All declarations, to paste into a spec.
    spec: String,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct EventAnswer {
    name: String,
    fields: Vec<String>,
    from: Option<String>,
    to: Option<String>,
    text: Option<String>,
    declaration: String,
}

pub(super) async fn upload(Asked(query): Asked<UploadQuery>, Raw(body): Raw) -> Result<Json<UploadAnswer>, Problem> {
    let name: String = query.name.unwrap_or_else(|| "document".to_owned()).chars().take(200).collect();
    let read = tokio::task::spawn_blocking(move || {
        let text = std::str::from_utf8(&body).map_err(|_| Problem::unfit(format!("{name} is not UTF-8")))?;
        catalogue::read(&name, text).map_err(|error| {
            let help = error.advice().map_or(String::new(), |advice| format!("; {advice}"));
            let place = error.place();
            Problem::unfit(format!("{name}:{place}: {}{help}", error.message()))
                .with("line", place.line)
                .with("column", place.column)
                .with("code", error.code())
        })
    });
    let catalogue = read.await.map_err(|error| Problem::internal(format!("reading failed: {error}")))??;
    let spec = declarations(&catalogue);
    let event = |event: Event| {
        let declaration = declaration(&event);
        let (from, to) = event.participants.unzip();
        let fields = event.fields.into_iter().map(|field| field.name).collect();
        EventAnswer { name: event.name, fields, from, to, text: event.text, declaration }
    };
    Ok(Json(UploadAnswer {
        kind: catalogue.kind.title(),
        events: catalogue.events.into_iter().map(event).collect(),
        spec,
        notes: catalogue.notes.into_iter().map(|note| format!("{}: {}", note.place, note.text)).collect(),
    }))
}
