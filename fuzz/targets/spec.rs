// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any text, read as a spec file and checked.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (spec, _) = gnomon_lang::parse(text);
    for property in &spec.properties {
        let (core, diagnostics) = gnomon_ir::check::check(&spec, property);
        assert!(core.is_some() || !diagnostics.is_empty(), "what cannot run must say why");
    }
});
