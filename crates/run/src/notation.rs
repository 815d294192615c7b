// SPDX-License-Identifier: MIT OR Apache-2.0
//! Printers of properties, one for each notation.

pub use gnomon_lang::ccsl::print_definition as clock_definition;
pub use gnomon_lang::mop::{MopDialect, print_specification as specification};
pub use gnomon_lang::mtl::print as mtl;
pub use gnomon_lang::nomad::print_spec as nomad;
pub use gnomon_lang::pattern::print as pattern;
pub use gnomon_lang::print_atom as atom;
pub use gnomon_lang::print_declarations as declarations;
pub use gnomon_lang::print_example as example;
pub use gnomon_lang::qea::print as qea;
pub use gnomon_lang::rules::{Unwritable, print as rules_xml};
