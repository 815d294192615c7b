// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties without their places in a text, so that they can be compared.

use gnomon_ir::formula::Formula;
use gnomon_ir::spec::Property;
use gnomon_ir::walk::{SpanEraser, WalkMut as _, walk_mut};

/// Forgets where a property and all its parts stand.
pub(crate) fn forget_property(property: &mut Property) {
    walk_mut::property(&mut SpanEraser, property);
}

/// Forgets where a formula and all its parts stand.
pub(crate) fn forget(formula: &mut Formula) {
    SpanEraser.formula(formula);
}
