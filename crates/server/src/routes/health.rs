// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the watch is alive, and whether it takes events. Nobody needs a token for that, so it says little.

use axum::Json;
use axum::extract::State as Shared;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gnomon_live::wire::State;
use serde_json::json;

use crate::app::App;
use crate::problem::Problem;

pub(super) async fn live() -> Response {
    Json(json!({ "alive": true })).into_response()
}

pub(super) async fn ready(Shared(app): Shared<App>) -> Response {
    let state = app.live.status().state;
    if state == State::Running && !*app.stopping.borrow() {
        return (StatusCode::OK, Json(json!({ "ready": true }))).into_response();
    }
    Problem::unavailable("events are not accepted at present; /api/v1/status says why")
        .with("state", json!(state))
        .into_response()
}
