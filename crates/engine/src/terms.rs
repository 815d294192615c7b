// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of a state: variables, arithmetic, and functions of the past.
//!
//! [`variables`] are the latest values of fields, kept once for all properties; [`reading`] is a value in the hand;
//! [`history`] is what a function of the past remembers, and slides; [`words`] says what a term is.

pub(crate) mod history;
pub(crate) mod numbers;
pub(crate) mod reading;
pub(crate) mod variables;
pub(crate) mod words;
