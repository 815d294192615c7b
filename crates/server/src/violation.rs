// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stored violations as JSON of the API.

use std::sync::Arc;

use gnomon::compile::CompiledSpec;
use gnomon_live::Live;
use gnomon_live::wire::{ViolationHead, ViolationRow};
use gnomon_store::history::{ViolationQuery, ViolationRow as StoredRow};
use gnomon_store::{HistoryReader, StoreError};

/// Renders stored violations with attributes of their properties, which the history does not store.
pub(crate) struct ViolationRenderer(Arc<CompiledSpec>);

impl ViolationRenderer {
    pub(crate) fn of(live: &Live) -> ViolationRenderer {
        ViolationRenderer(live.compiled())
    }

    fn head(&self, row: &StoredRow) -> ViolationHead {
        ViolationHead::new(row, self.0.properties().find(|property| property.name == row.property))
    }

    /// Returns a violation as in lists; `None` if its stored JSON cannot be read.
    pub(crate) fn listed(&self, row: &StoredRow) -> Option<ViolationRow> {
        Some(ViolationRow { head: self.head(row), details: serde_json::from_str(&row.json).ok()? })
    }

    /// Returns all that is stored of a violation, including its explanation, as JSON.
    pub(crate) fn whole(&self, row: &StoredRow) -> Option<String> {
        let mut text = serde_json::to_string(&self.head(row)).ok()?;
        let rest = row.json.trim().strip_prefix('{')?;
        text.pop();
        text.push_str(if rest.starts_with('}') { "" } else { "," });
        text.push_str(rest);
        Some(text)
    }
}

/// Number of violations in a page.
const PAGE: u64 = 1000;

/// Returns the next page of violations after `after` up to `through` in order, and the number up to which it goes.
pub(crate) fn page(history: &HistoryReader, after: u64, through: u64) -> Result<(Vec<StoredRow>, u64), StoreError> {
    let end = after.saturating_add(PAGE).min(through);
    let limit = end.saturating_sub(after) as usize;
    let query = ViolationQuery { before_number: Some(end + 1), limit, ..ViolationQuery::default() };
    let mut rows = history.violations(&query)?;
    rows.retain(|row| row.number > after);
    rows.reverse();
    Ok((rows, end))
}

/// Returns the number of the newest violation; 0 if there is none.
pub(crate) fn newest(history: &HistoryReader) -> Result<u64, StoreError> {
    let query = ViolationQuery { limit: 1, ..ViolationQuery::default() };
    Ok(history.violations(&query)?.first().map_or(0, |row| row.number))
}
