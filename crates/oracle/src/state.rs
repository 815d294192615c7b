// SPDX-License-Identifier: MIT OR Apache-2.0
//! The states of a composition: what every variable is at each position.
// RULE B1, B2

use gnomon_core::value::Value;
use gnomon_ir::pattern::Path;

use crate::trace::{Position, Trace};

/// Per variable, per position: the latest value of the field of that name, if some event had it so far.
pub(crate) fn states(variables: &[String], trace: &Trace, positions: &[Position]) -> Vec<Vec<Option<Value<'static>>>> {
    let row = |name: &String| {
        let path = Path { field: name.clone(), steps: vec![] };
        let latest = |position: &Position| {
            let so_far = &trace.events()[..position.events.end];
            let assigned = trace.assigned(name, position.events.end);
            assigned.or_else(|| so_far.iter().rev().find_map(|event| event.at_path(&path))).cloned()
        };
        positions.iter().map(latest).collect()
    };
    variables.iter().map(row).collect()
}
