// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the history consists of, and how it is asked for.

use rusqlite::Row;

/// A violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViolationRow {
    /// Its number, given by the judge.
    pub number: u64,
    /// The record of the journal that brought it out.
    pub sequence: u64,
    /// The name of the property.
    pub property: String,
    /// How bad that is, if the spec says so.
    pub severity: Option<String>,
    /// The case it belongs to, where cases are judged on their own.
    pub case: Option<String>,
    /// Property and failed part: violations of one group are repetitions of one another.
    pub group: String,
    /// When it was decided, in the time of events, as printed.
    pub time: String,
    /// The same as a number to sort by, in milliseconds.
    pub sort_time: i64,
    /// When it was written down, by the clock, in milliseconds since 1970.
    pub noted_at: i64,
    /// All about it, as in reports.
    pub json: String,
}

/// How a property was doing at some moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatisticsRow {
    /// The name of the property.
    pub property: String,
    /// The moment, in milliseconds since 1970.
    pub at: i64,
    /// How often it asked for something.
    pub activated: u64,
    /// How often it got it.
    pub satisfied: u64,
    /// How often it did not.
    pub violated: u64,
    /// How often that is open.
    pub pending: u64,
    /// The shortest time from activation to satisfaction, as printed.
    pub min: Option<String>,
    /// The longest.
    pub max: Option<String>,
    /// The mean.
    pub mean: Option<String>,
}

/// Violations that are repetitions of one another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupRow {
    /// What they have in common.
    pub group: String,
    /// The name of the property.
    pub property: String,
    /// How bad the latest of them is.
    pub severity: Option<String>,
    /// How many there have been, also those that were forgotten since.
    pub count: u64,
    /// When the first was written down, in milliseconds since 1970.
    pub first_noted: i64,
    /// When the latest was.
    pub last_noted: i64,
    /// The number of the latest.
    pub last_number: u64,
    /// Whether someone muted them.
    pub muted: bool,
}

/// Which violations are asked for: those that every field that is set agrees with, newest first.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ViolationQuery {
    /// Of this property.
    pub property: Option<String>,
    /// Of this case.
    pub case: Option<String>,
    /// Of this group.
    pub group: Option<String>,
    /// Of this severity.
    pub severity: Option<String>,
    /// Written down at this time or later, in milliseconds since 1970.
    pub from_noted: Option<i64>,
    /// Written down before this time.
    pub to_noted: Option<i64>,
    /// With a smaller number: the last one of the page before.
    pub before_number: Option<u64>,
    /// How many at most. More than 10,000 are never given at once.
    pub limit: usize,
}

/// The columns of a violation, in the order in which [`violation`] reads them.
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

/// The columns of statistics, in the order in which [`statistics`] reads them.
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

/// SQLite's numbers have a sign. Ours are counts that never come near the limit; a nonsensical one stays large.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The way back.
pub(super) fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(|number| u64::try_from(number).unwrap_or(0))
}
