// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shared test support: generated cases, the corpus, and the comparison of engine and oracle.
//!
//! For tests only: no other crate may use it but in its own tests. The tests themselves are under `tests/`.
//!
//! A [`case::Case`] is a property and a trace. [`generate::case`] generates one from a seed, [`property::for_all`] runs a
//! check over many, and [`shrink::shrink`] shrinks a failing one before it is shown.

pub mod build;
pub mod case;
pub mod choices;
pub mod compare;
pub mod corpus;
pub mod drive;
pub mod exhaustive;
pub mod generate;
pub mod ltl;
pub mod notation;
pub mod print;
pub mod property;
pub mod shrink;
pub mod spans;
