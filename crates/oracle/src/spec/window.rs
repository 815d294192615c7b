// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exact values of written constants, and numbers carried by events.

use gnomon_core::{Clock, Duration, Interval, Quantity, TICKS_PER_BARE_UNIT, Value};
use gnomon_ir::{Atom, Bounds, Path, Ratio, Spec};

use super::atom::{VariableValues, atom_match};
use crate::trace::OracleEvent;

/// A constant in ticks. One that is not a whole number of ticks does not pass the checker.
pub(super) fn ticks(clock: Clock, quantity: Quantity) -> i128 {
    clock.duration(quantity).map_or(0, Duration::ticks)
}

/// The distances between bounds as they are written. Bounds without a distance between them do not pass the checker.
// RULE S1
pub(super) fn interval_of(clock: Clock, bounds: &Bounds) -> Interval {
    let duration = |quantity| Duration::from_ticks(ticks(clock, quantity));
    let hi = bounds.hi.map(|hi| (duration(hi), bounds.hi_closed));
    Interval::new(duration(bounds.lo), bounds.lo_closed, hi).unwrap_or(Interval::ANY)
}

/// A bare constant.
pub(super) fn ratio(bound: Quantity) -> Ratio {
    Ratio { numerator: bound.billionths, denominator: TICKS_PER_BARE_UNIT }
}

/// The value that an event carries in a field, if it is one that the atom refers to.
// RULE M6
pub(super) fn value_carried(
    spec: &Spec,
    of: &Atom,
    field: &Path,
    event: &OracleEvent,
    bound: &VariableValues,
) -> Option<Value<'static>> {
    atom_match(spec, of, event, bound)?.field(event, field).cloned()
}
