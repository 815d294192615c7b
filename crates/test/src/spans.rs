// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties as if they stood nowhere, so that what was written can be compared with what was read.

use gnomon_ir::spec::Property;
use gnomon_ir::walk::{SpanEraser, walk_mut};

/// The property without its spans.
#[must_use]
pub fn without_spans(property: &Property) -> Property {
    let mut property = property.clone();
    walk_mut::property(&mut SpanEraser, &mut property);
    property
}
