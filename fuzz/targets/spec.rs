// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any text, read as a spec file (or as rules in XML) and checked; rules are written in both forms and read back, and so are
//! assertions over states.

#![no_main]

use gnomon_ir::spec::Language;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (spec, _) = gnomon_lang::parse(text);
    for property in &spec.properties {
        let (core, diagnostics) = gnomon_ir::check::check(&spec, property);
        assert!(core.is_some() || !diagnostics.is_empty(), "what cannot run must say why");
        if core.is_some() && property.language == Language::Albert {
            let text = gnomon_lang::albert::print(property);
            assert_eq!(gnomon_lang::parse(&text).0.properties.len(), 1, "{text}");
        }
        if core.is_some() && property.language == Language::Nomad {
            let text = gnomon_lang::nomad::print_spec(&spec, &[property]);
            assert_eq!(gnomon_lang::parse(&text).0.properties.len(), 1, "{text}");
            if let Ok(xml) = gnomon_lang::rules::print(&spec, &[property]) {
                assert_eq!(gnomon_lang::parse(&xml).0.properties.len(), 1, "{xml}");
            }
        }
    }
});
