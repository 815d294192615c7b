// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of terms: variables, arithmetic, and functions of the past.
//!
//! [`variables`] has the latest values of fields, stored once for all properties; [`value`] is the value of a term at a position;
//! [`history`] is the state of functions of the past, with sliding windows.

pub(crate) mod history;
pub(crate) mod value;
pub(crate) mod variables;
