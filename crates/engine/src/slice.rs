// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties over data: one state per binding of the quantified variables.
//!
//! `gather` notes the values that events name. `concern` finds the bindings that a position concerns and makes those that
//! begin to differ from the rest, `slicer` visits them and forgets those that no longer differ; a [`machine`] says what
//! happens to one of them; [`finish`] puts together what they say, through the quantifiers. `store` and `index` keep the
//! states and find them by values, `values` numbers the values.

mod absorb;
mod alarms;
pub(crate) mod chunks;
mod concern;
mod datum;
mod domain;
mod finish;
mod gather;
pub(crate) mod heads;
pub(crate) mod index;
mod inert;
pub(crate) mod machine;
pub(crate) mod matches;
mod network;
mod prefix;
mod run;
mod share;
mod slicer;
mod store;
pub(crate) mod sum;
mod tally;
pub(crate) mod values;

pub(crate) use domain::Named;
pub(crate) use run::{Owner, Run, Sliced};
pub(crate) use share::Share;
