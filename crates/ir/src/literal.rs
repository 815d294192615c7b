// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names such as `start_X` that occur as events of the trace: they mean that event, not the start of an activity.

use crate::walk::WalkMut;
use crate::{Formula, Occurrence};

/// RULE B4: reads every event with such a name as itself, wherever it stands in the formula.
pub fn take_literally(formula: &mut Formula, is_such: &dyn Fn(&str) -> bool) {
    Literally { is_such }.formula(formula);
}

struct Literally<'a> {
    is_such: &'a dyn Fn(&str) -> bool,
}

impl<'b> WalkMut<'b> for Literally<'_> {
    fn occurrence(&mut self, occurrence: &'b mut Occurrence) {
        if (self.is_such)(&occurrence.event.name) {
            occurrence.activity = None;
        }
    }
}
