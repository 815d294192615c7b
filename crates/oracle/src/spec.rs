// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae with all their sugar, read straight from what the languages say.
//!
//! Nothing here goes through the kernel form: atoms are looked up in the declarations, intervals and constants stay as
//! written, every operator has its own clause. [`holds`] is two-valued and reads like the definition; [`truth`] is
//! three-valued. Where they differ from the kernel's oracle, the step that removes sugar is wrong.

mod boolean;
mod declared;
mod kleene;
mod window;

use gnomon_core::verdict::End;
use gnomon_ir::spec::{Body, Property, Spec};

use crate::trace::Trace;
use crate::truth::Truth;

/// Whether the property is true of a complete trace.
pub fn holds(spec: &Spec, property: &Property, trace: &Trace) -> bool {
    let Body::Formula(formula) = &property.body;
    boolean::Reader::new(spec, property, trace).holds_at_start(formula)
}

/// What is known of the property over a trace that is complete or the beginning of a longer one.
pub fn truth(spec: &Spec, property: &Property, trace: &Trace, end: End) -> Truth {
    let Body::Formula(formula) = &property.body;
    kleene::Reader::new(spec, property, trace, end).truth_at_start(formula)
}
