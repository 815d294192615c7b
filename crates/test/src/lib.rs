// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tests of the whole share: generated cases, the corpus, and the comparison of engine and oracle.
//!
//! For tests only: no other crate may use it but in its own tests. The tests themselves are under `tests/`.
//!
//! A [`case::Case`] is a property and a trace. [`generate::case`] makes one from a seed, [`property::for_all`] runs a
//! check over many, and [`shrink::shrink`] makes one that fails small before it is shown.

pub mod build;
pub mod case;
pub mod compare;
pub mod corpus;
pub mod drive;
pub mod exhaustive;
pub mod generate;
pub mod ltl;
pub mod notation;
pub mod print;
pub mod property;
pub mod random;
pub mod shrink;
pub mod spans;
