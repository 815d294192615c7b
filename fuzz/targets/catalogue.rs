// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any text, read as the description of a service; what is declared must be a spec without a fault.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    gnomon_catalogue::detect(text.as_bytes());
    let Ok(catalogue) = gnomon_catalogue::read("fuzz", text) else { return };
    let declarations = gnomon_catalogue::declarations(&catalogue);
    let (spec, diagnostics) = gnomon_lang::parse(&declarations);
    assert!(diagnostics.is_empty(), "{diagnostics:?}\n{declarations}");
    assert!(spec.events.iter().map(|event| event.name.as_str()).eq(catalogue.names()), "{declarations}");
});
