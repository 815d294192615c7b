// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of terms: variables, arithmetic, and functions of the past.
//!
//! [`variables`] has the latest values of fields, stored once for all properties; [`value`] is the value of a term at a position;
//! [`history`] is the state of functions of the past, with sliding windows.
//!
//! Example: `$amount > 2 * past($amount, onEvent(pay), 1)` with `pay` of 10 at time 1 and of 25 at time 4. At time 4 the variable is 25 and
//! the history has the value at the latest earlier `pay`, 10, so the comparison is true. At time 1 the history is empty, the term is
//! undefined, and the comparison is false.
//!
//! INVARIANT: a position is evaluated before the histories are updated with it, except windows, which include the present position.

pub(crate) mod history;
pub(crate) mod value;
pub(crate) mod variables;
