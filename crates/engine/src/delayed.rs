// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operators over the past whose parts wait for the future: their windows hold positions that are not yet known.
//!
//! They are looked at again whenever a part learns something in their window. This is the exact but slower twin of
//! [`crate::past`]; formulae without a future operator inside a past one never come here.

pub(crate) mod history;
pub(crate) mod times;
pub(crate) mod window;
