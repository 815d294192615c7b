// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conjunction: the least value of its parts.
// RULE K4

use crate::truth::Truth;

pub(crate) fn truth(parts: impl Iterator<Item = Truth>) -> Truth {
    parts.min().unwrap_or(Truth::True)
}
