// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties in several spellings: parsing what was printed gives the same property, and so do different notations.

mod albert;
mod ccsl;
mod forget;
mod mop;
mod mtl;
mod mu;
mod nomad;
mod pattern;
mod qea;
mod random;
mod rules;
mod soloist;

use gnomon_ir::spec::Property;

/// The only property of a file, without its places.
fn property(source: &str) -> Property {
    let (mut spec, diagnostics) = gnomon_lang::parse(source);
    assert!(diagnostics.is_empty(), "{source}: {diagnostics:?}");
    let mut property = spec.properties.pop().unwrap_or_else(|| panic!("{source}"));
    assert!(spec.properties.is_empty(), "{source}");
    forget::forget_property(&mut property);
    property
}
