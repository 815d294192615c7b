// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any text, read as a spec file (or as rules in XML), and as a formula in a file of its own, and checked; rules are written in
//! both forms and read back, and so are assertions over states, patterns, formulae of
//! the mu-calculus and logic plug-ins. As files of JavaMOP texts are read, too.

#![no_main]

use gnomon_ir::spec::Language;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (spec, _) = gnomon_lang::parse(text);
    let (bare, _) = gnomon_lang::mu::parse_bare("bare", text);
    let (specifications, _) = gnomon_lang::mop::parse_bare(text);
    for property in spec.properties.iter().chain(&bare.properties).chain(&specifications.properties) {
        let (core, diagnostics) = gnomon_ir::check::check(&spec, property);
        assert!(core.is_some() || !diagnostics.is_empty(), "what cannot run must say why");
        let printed = match property.language {
            Language::Albert => Some(gnomon_lang::albert::print(property)),
            Language::Pattern => Some(gnomon_lang::pattern::print(property)),
            Language::Mu => Some(gnomon_lang::mu::print(property)),
            Language::Mop => Some(gnomon_lang::mop::print(property)),
            Language::Ccsl => Some(gnomon_lang::ccsl::print(property)),
            _ => None,
        };
        if let Some(text) = printed.filter(|_| core.is_some()) {
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
