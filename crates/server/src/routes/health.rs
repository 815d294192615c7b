// SPDX-License-Identifier: MIT OR Apache-2.0
//! Health checks. They need no token, so they reveal little.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gnomon_live::wire::WatchState;
use serde_json::json;

use crate::app::App;
use crate::problem::Problem;

pub(super) async fn live() -> Response {
    Json(json!({ "alive": true })).into_response()
}

pub(super) async fn ready(State(app): State<App>) -> Response {
    let state = app.live.status().state;
    if state == WatchState::Running && !*app.stopping.borrow() {
        return (StatusCode::OK, Json(json!({ "ready": true }))).into_response();
    }
    let problem = restoring(&app)
        .unwrap_or_else(|| Problem::unavailable("events are not accepted at present; /api/v1/status says why"));
    problem.with("state", json!(state)).into_response()
}

/// Returns the reason why there is no verdict yet, while the state is restored.
pub(super) fn restoring(app: &App) -> Option<Problem> {
    let (applied, records) = app.live.restoring()?;
    let problem = Problem::unavailable("the state is being restored; events are accepted and evaluated later");
    Some(problem.with("progress", json!({ "applied": applied, "records": records })))
}
