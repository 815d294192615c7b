// SPDX-License-Identifier: MIT OR Apache-2.0
//! Violations of the history as the API has them.

use std::sync::Arc;

use gnomon::compile::Compiled;
use gnomon::ir::spec::Property;
use gnomon_live::Live;
use gnomon_live::wire::Details;
use gnomon_store::history::{ViolationQuery, ViolationRow};
use gnomon_store::{HistoryReader, StoreError};
use serde::Serialize;

/// What a list says of a violation.
#[derive(Serialize)]
pub(crate) struct Listed<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    #[serde(flatten)]
    details: Details,
}

#[derive(Serialize)]
struct Head<'a> {
    number: u64,
    property: &'a str,
    title: Option<&'a str>,
    severity: Option<&'a str>,
    critical: bool,
    case: Option<&'a str>,
    group: &'a str,
    noted_at: i64,
}

/// The properties that violations are of, for what the history does not keep.
pub(crate) struct Namer(Arc<Compiled>);

impl Namer {
    pub(crate) fn of(live: &Live) -> Namer {
        Namer(live.compiled())
    }

    fn property(&self, name: &str) -> Option<&Property> {
        self.0.properties().find(|property| property.name == name)
    }

    fn head<'a>(&'a self, row: &'a ViolationRow) -> Head<'a> {
        let property = self.property(&row.property);
        Head {
            number: row.number,
            property: &row.property,
            title: property.and_then(|property| property.title.as_deref()),
            severity: row.severity.as_deref(),
            critical: property.is_some_and(|property| property.options.critical),
            case: row.case.as_deref(),
            group: &row.group,
            noted_at: row.noted_at,
        }
    }

    /// A violation as a list has it; `None` if what is kept cannot be read.
    pub(crate) fn listed<'a>(&'a self, row: &'a ViolationRow) -> Option<Listed<'a>> {
        Some(Listed { head: self.head(row), details: serde_json::from_str(&row.json).ok()? })
    }

    /// Everything that is known of a violation, its story too, as JSON.
    pub(crate) fn whole(&self, row: &ViolationRow) -> Option<String> {
        let mut text = serde_json::to_string(&self.head(row)).ok()?;
        let rest = row.json.trim().strip_prefix('{')?;
        text.pop();
        text.push_str(if rest.starts_with('}') { "" } else { "," });
        text.push_str(rest);
        Some(text)
    }
}

/// How many violations are looked at together.
const PAGE: u64 = 1000;

/// The violations after a number, up to another, in their order: one page of them, and the number up to which it goes.
pub(crate) fn page(history: &HistoryReader, after: u64, through: u64) -> Result<(Vec<ViolationRow>, u64), StoreError> {
    let end = after.saturating_add(PAGE).min(through);
    let limit = end.saturating_sub(after) as usize;
    let query = ViolationQuery { before_number: Some(end + 1), limit, ..ViolationQuery::default() };
    let mut rows = history.violations(&query)?;
    rows.retain(|row| row.number > after);
    rows.reverse();
    Ok((rows, end))
}

/// The number of the newest violation; 0 if there is none.
pub(crate) fn newest(history: &HistoryReader) -> Result<u64, StoreError> {
    let query = ViolationQuery { limit: 1, ..ViolationQuery::default() };
    Ok(history.violations(&query)?.first().map_or(0, |row| row.number))
}
