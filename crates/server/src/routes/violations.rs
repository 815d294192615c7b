// SPDX-License-Identifier: MIT OR Apache-2.0
//! Violations: one by one, with their explanations, and grouped.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use gnomon_live::wire::ViolationRow;
use gnomon_store::history::{GroupRow, ViolationQuery};
use serde::{Deserialize, Serialize};

use super::extract::{PathNumber, QueryParams};
use super::state::{MOST_ROWS, SOME_ROWS, json_text, some};
use crate::app::App;
use crate::log::now;
use crate::problem::Problem;
use crate::violation::ViolationRenderer;

#[derive(Deserialize)]
pub(super) struct ListQuery {
    property: Option<String>,
    case: Option<String>,
    group: Option<String>,
    severity: Option<String>,
    from: Option<i64>,
    to: Option<i64>,
    before: Option<u64>,
    limit: Option<usize>,
}

pub(super) async fn list(
    State(app): State<App>,
    QueryParams(query): QueryParams<ListQuery>,
) -> Result<Json<ListAnswer>, Problem> {
    let limit = query.limit.unwrap_or(SOME_ROWS).clamp(1, MOST_ROWS);
    let query = ViolationQuery {
        property: some(query.property),
        case: some(query.case),
        group: some(query.group),
        severity: some(query.severity),
        from_noted: query.from,
        to_noted: query.to,
        before_number: query.before,
        limit,
    };
    let rows = app.ask_history(move |history| history.violations(&query)).await?;
    let next = (rows.len() == limit).then(|| rows.last().map(|row| row.number)).flatten();
    let namer = ViolationRenderer::of(&app.live);
    let violations = rows.iter().filter_map(|row| namer.listed(row)).collect();
    Ok(Json(ListAnswer { violations, next }))
}

#[derive(Serialize)]
pub(super) struct ListAnswer {
    violations: Vec<ViolationRow>,
    /// Value of `before` for the next page.
    next: Option<u64>,
}

pub(super) async fn one(State(app): State<App>, PathNumber(number): PathNumber) -> Result<Response, Problem> {
    let row = app.ask_history(move |history| history.violation(number)).await?;
    let row =
        row.ok_or_else(|| Problem::not_found(format!("violation {number} does not exist or is no longer stored")))?;
    let whole = ViolationRenderer::of(&app.live).whole(&row);
    whole.map(json_text).ok_or_else(|| Problem::internal("the stored data of this violation cannot be read"))
}

pub(super) async fn groups(State(app): State<App>) -> Result<Json<Vec<GroupRow>>, Problem> {
    Ok(Json(app.ask_history(|history| history.groups(MOST_ROWS, now())).await?))
}
