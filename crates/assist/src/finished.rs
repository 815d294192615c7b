// SPDX-License-Identifier: MIT OR Apache-2.0
//! A whole property, with the declarations that it needs.

use gnomon_core::diagnostic::{Diagnostic, Severity};
use gnomon_ir::check::check;
use gnomon_ir::pattern::Atom;
use gnomon_ir::spec::{Body, EventDeclaration, Property, Spec};

use crate::known::Known;

/// The end of a conversation.
#[derive(Clone, PartialEq, Debug)]
pub struct Finished {
    /// The property: its body is a requirement, its prefix says for which values it is judged.
    pub property: Property,
    /// The spec that it belongs to: what was known, the declarations it needs, and the property.
    pub spec: Spec,
    /// The declarations it needs, as text; empty if none.
    pub declarations: String,
    /// The property as text.
    pub block: String,
}

impl Finished {
    /// A property that somebody wrote as a block; what a catalogue knows of its events is declared. Otherwise, what is wrong
    /// with the block.
    pub fn of_block(known: &Known, block: &str) -> Result<Finished, Vec<Diagnostic>> {
        let (written, diagnostics) = gnomon_lang::parse(block);
        if has_error(&diagnostics) || written.properties.len() != 1 {
            return Err(diagnostics);
        }
        let mut events: Vec<EventDeclaration> = Vec::new();
        for property in &written.properties {
            let Body::Requirement(requirement) = &property.body else { continue };
            let atoms = requirement.atoms();
            for Atom { name, .. } in &atoms {
                let typed = atoms.iter().any(|atom| atom.name == *name && atom.arguments.is_some());
                let parameters = if typed { known.parameters(name) } else { vec![] };
                if !events.iter().any(|event| event.name == *name) {
                    events.extend(known.declaration(name, &parameters));
                }
            }
        }
        let mut spec = known.spec.clone();
        spec.events.extend(events.iter().cloned());
        let wrong: Vec<Diagnostic> = written.properties.iter().flat_map(|property| check(&spec, property).1).collect();
        if has_error(&wrong) {
            return Err(wrong);
        }
        Finished::read(known, declarations(None, &events), block.to_owned())
    }

    /// Reads the text, so that it is certain that it says what was meant, and places are places in it.
    pub(crate) fn read(known: &Known, declarations: String, block: String) -> Result<Finished, Vec<Diagnostic>> {
        let (read, mut diagnostics) = gnomon_lang::parse(&format!("{declarations}{block}"));
        let mut spec = known.spec.clone();
        spec.events.extend(read.events);
        if spec.time.span.is_none() {
            spec.time = read.time;
        }
        let property = read.properties.into_iter().next();
        diagnostics.extend(property.iter().flat_map(|property| check(&spec, property).1));
        match property {
            Some(property) if !has_error(&diagnostics) => {
                spec.properties.push(property.clone());
                Ok(Finished { property, spec, declarations, block })
            }
            _ => Err(diagnostics),
        }
    }

    /// The property with the declarations it needs.
    pub fn text(&self) -> String {
        let gap = if self.declarations.is_empty() { "" } else { "\n" };
        format!("{}{gap}{}", self.declarations, self.block)
    }
}

/// Declarations of time and events, one a line.
pub(crate) fn declarations(unit: Option<gnomon_core::time::Unit>, events: &[EventDeclaration]) -> String {
    let unit = unit.map(|unit| format!("time in {unit}"));
    unit.into_iter().chain(events.iter().map(gnomon_lang::print_event)).map(|line| line + "\n").collect()
}

fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}
