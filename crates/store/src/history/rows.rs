// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the history, and the query for violations.

use rusqlite::Row;
use serde::Serialize;

/// A violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViolationRow {
    /// Number given by the evaluator.
    pub number: u64,
    /// Sequence number of the journal record that revealed it.
    pub sequence: u64,
    /// Name of the property.
    pub property: String,
    /// Severity, if the spec sets one.
    pub severity: Option<String>,
    /// Case, if the events are partitioned into cases.
    pub case: Option<String>,
    /// Property and failed part; violations with the same group are repetitions.
    pub group: String,
    /// Time of the decision in event time, as printed.
    pub time: String,
    /// This time in milliseconds, for sorting.
    pub sort_time: i64,
    /// Time of detection by the clock, in milliseconds since 1970.
    pub noted_at: i64,
    /// The violation as in reports.
    pub json: String,
}

/// Counts of a property at some time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatisticsRow {
    /// Name of the property.
    pub property: String,
    /// The time in milliseconds since 1970.
    pub at: i64,
    /// Number of activations.
    pub activated: u64,
    /// Number of satisfied activations.
    pub satisfied: u64,
    /// Number of violated activations.
    pub violated: u64,
    /// Number of pending activations.
    pub pending: u64,
    /// Shortest time from activation to satisfaction, as printed.
    pub min: Option<String>,
    /// Longest time.
    pub max: Option<String>,
    /// Mean time.
    pub mean: Option<String>,
}

/// Repeated violations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct GroupRow {
    /// Property and failed part.
    pub group: String,
    /// Name of the property.
    pub property: String,
    /// Severity of the latest violation.
    pub severity: Option<String>,
    /// Number of violations, including removed ones.
    pub count: u64,
    /// Time of the first violation, in milliseconds since 1970.
    pub first_noted: i64,
    /// Time of the latest violation.
    pub last_noted: i64,
    /// Number of the latest violation.
    pub last_number: u64,
    /// True if the group is muted.
    pub muted: bool,
}

/// Selects violations that match every field that is set, newest first.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ViolationQuery {
    /// Only violations of this property.
    pub property: Option<String>,
    /// Only violations of this case.
    pub case: Option<String>,
    /// Only violations of this group.
    pub group: Option<String>,
    /// Only violations of this severity.
    pub severity: Option<String>,
    /// Only violations detected at this time or later, in milliseconds since 1970.
    pub from_noted: Option<i64>,
    /// Only violations detected before this time.
    pub to_noted: Option<i64>,
    /// Only violations with a smaller number: the last one of the previous page.
    pub before_number: Option<u64>,
    /// Maximum number of rows; never more than 10,000.
    pub limit: usize,
}

/// Columns of a violation, in the order in which [`violation`] reads them.
pub(super) const VIOLATION: &str =
    "number, sequence, property, severity, case_name, group_name, time, sort_time, noted_at, json";

pub(super) fn violation(row: &Row<'_>) -> rusqlite::Result<ViolationRow> {
    Ok(ViolationRow {
        number: unsigned(row, 0)?,
        sequence: unsigned(row, 1)?,
        property: row.get(2)?,
        severity: row.get(3)?,
        case: row.get(4)?,
        group: row.get(5)?,
        time: row.get(6)?,
        sort_time: row.get(7)?,
        noted_at: row.get(8)?,
        json: row.get(9)?,
    })
}

/// Columns of statistics, in the order in which [`statistics`] reads them.
pub(super) const STATISTICS: &str = "property, at, activated, satisfied, violated, pending, min, max, mean";

pub(super) fn statistics(row: &Row<'_>) -> rusqlite::Result<StatisticsRow> {
    Ok(StatisticsRow {
        property: row.get(0)?,
        at: row.get(1)?,
        activated: unsigned(row, 2)?,
        satisfied: unsigned(row, 3)?,
        violated: unsigned(row, 4)?,
        pending: unsigned(row, 5)?,
        min: row.get(6)?,
        max: row.get(7)?,
        mean: row.get(8)?,
    })
}

/// Converts a count to SQLite's signed integers. Counts never reach the limit.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Reads a count from a column.
pub(super) fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(|number| u64::try_from(number).unwrap_or(0))
}
