// SPDX-License-Identifier: MIT OR Apache-2.0
//! Catalogues as their readers meet them: documents in, declarations and complaints out.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod hostile;
mod odd;
mod samples;

use gnomon_catalogue::{Catalogue, declarations};

/// The declarations without comments and blank lines; with them they must be a spec that nothing is wrong with, and say
/// of every event what the catalogue says.
fn declared(catalogue: &Catalogue) -> Vec<String> {
    let text = declarations(catalogue);
    let (spec, diagnostics) = gnomon_lang::parse(&text);
    assert_eq!(diagnostics, [], "{text}");
    assert_eq!(spec.events.len(), catalogue.events.len(), "{text}");
    for (declaration, event) in spec.events.iter().zip(&catalogue.events) {
        assert_eq!((&declaration.name, &declaration.alternatives[0].event), (&event.name, &event.name), "{text}");
        let required: Vec<&String> =
            event.fields.iter().filter(|field| field.required).map(|field| &field.name).collect();
        assert_eq!(declaration.parameters.iter().flatten().collect::<Vec<_>>(), required, "{text}");
        assert_eq!(declaration.participants.is_some(), event.participants.is_some(), "{text}");
    }
    text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(str::to_owned).collect()
}
