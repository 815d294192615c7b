// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties written out again in another notation.

pub use gnomon_lang::nomad::print_spec as nomad;
pub use gnomon_lang::rules::{Unwritable, print as rules_xml};
