// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was violated: one by one, with its story, and repeated ones together.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use gnomon_store::history::{GroupRow, ViolationQuery};
use serde::{Deserialize, Serialize};

use super::extract::{Asked, Number};
use super::state::{MOST_ROWS, SOME_ROWS, json_text, some};
use crate::app::App;
use crate::log::now;
use crate::problem::Problem;
use crate::violation::{Listed, Namer};

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

pub(super) async fn list(State(app): State<App>, Asked(query): Asked<ListQuery>) -> Result<Response, Problem> {
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
    let namer = Namer::of(&app.live);
    let violations: Vec<Listed<'_>> = rows.iter().filter_map(|row| namer.listed(row)).collect();
    Ok(Json(ListAnswer { violations, next }).into_response())
}

#[derive(Serialize)]
struct ListAnswer<'a> {
    violations: Vec<Listed<'a>>,
    /// What to ask for as `before` to see more.
    next: Option<u64>,
}

pub(super) async fn one(State(app): State<App>, Number(number): Number) -> Result<Response, Problem> {
    let row = app.ask_history(move |history| history.violation(number)).await?;
    let row = row.ok_or_else(|| Problem::not_found(format!("there is no violation {number}, or not any more")))?;
    let whole = Namer::of(&app.live).whole(&row);
    whole.map(json_text).ok_or_else(|| Problem::internal("what is kept of this violation cannot be read"))
}

#[derive(Serialize)]
pub(super) struct GroupAnswer {
    group: String,
    property: String,
    severity: Option<String>,
    count: u64,
    first_noted: i64,
    last_noted: i64,
    last_number: u64,
    muted: bool,
}

pub(super) async fn groups(State(app): State<App>) -> Result<Json<Vec<GroupAnswer>>, Problem> {
    let answer = |row: GroupRow| {
        let GroupRow { group, property, severity, count, first_noted, last_noted, last_number, muted } = row;
        GroupAnswer { group, property, severity, count, first_noted, last_noted, last_number, muted }
    };
    let groups = app.ask_history(|history| history.groups(MOST_ROWS, now())).await?;
    Ok(Json(groups.into_iter().map(answer).collect()))
}
