// SPDX-License-Identifier: MIT OR Apache-2.0
//! A complete property, with the declarations that it needs.

use gnomon_core::diagnostic::{Diagnostic, Severity};
use gnomon_core::list::unique;
use gnomon_ir::check::check;
use gnomon_ir::spec::{Body, EventDeclaration, Property, Spec};

use crate::context::SessionContext;

/// The result of a session.
#[derive(Clone, PartialEq, Debug)]
pub struct FinishedProperty {
    /// The property: a pattern, or in MTL a limit on a statistic. Its prefix quantifies the variables.
    pub property: Property,
    /// The spec that it belongs to: the known spec, the declarations it needs, and the property.
    pub spec: Spec,
    /// The declarations it needs, as text; empty if none.
    pub declarations: String,
    /// The property as text.
    pub block: String,
    /// Doubts about whether the property is what the user means, as sentences.
    pub warnings: Vec<String>,
}

impl FinishedProperty {
    /// Reads a property that the user wrote as a block, and declares the events that a catalogue describes. Returns the
    /// diagnostics if the block has errors.
    pub fn from_block(context: &SessionContext, block: &str) -> Result<FinishedProperty, Vec<Diagnostic>> {
        let (written, diagnostics) = gnomon_lang::parse(block);
        let [property] = written.properties.as_slice() else { return Err(diagnostics) };
        if has_error(&diagnostics) {
            return Err(diagnostics);
        }
        let mut events: Vec<EventDeclaration> = Vec::new();
        if let Body::Pattern(pattern) = &property.body {
            let atoms = pattern.atoms();
            for name in unique(atoms.iter().map(|atom| &atom.name)) {
                let has_arguments = atoms.iter().any(|atom| atom.name == *name && atom.arguments.is_some());
                let parameters = if has_arguments { context.parameters(name) } else { vec![] };
                events.extend(context.declaration(name, &parameters));
            }
        }
        let mut spec = context.spec.clone();
        spec.events.extend(events.iter().cloned());
        let diagnostics = check(&spec, property).1;
        if has_error(&diagnostics) {
            return Err(diagnostics);
        }
        FinishedProperty::read(context, declarations(None, &events), block.to_owned())
    }

    /// Parses the printed text. This guarantees that the text means the property, and the spans point into the text.
    pub(crate) fn read(
        context: &SessionContext,
        declarations: String,
        block: String,
    ) -> Result<FinishedProperty, Vec<Diagnostic>> {
        let (read, mut diagnostics) = gnomon_lang::parse(&format!("{declarations}{block}"));
        let mut spec = context.spec.clone();
        spec.events.extend(read.events);
        if spec.time.span.is_none() {
            spec.time = read.time;
        }
        let property = read.properties.into_iter().next();
        diagnostics.extend(property.iter().flat_map(|property| check(&spec, property).1));
        match property {
            Some(property) if !has_error(&diagnostics) => {
                spec.properties.push(property.clone());
                let atoms = if let Body::Pattern(pattern) = &property.body { pattern.atoms() } else { vec![] };
                let warnings = context.unknown_events(atoms.iter().map(|atom| atom.name.as_str()));
                Ok(FinishedProperty { property, spec, declarations, block, warnings })
            }
            _ => Err(diagnostics),
        }
    }

    /// Returns the text of the property after the declarations it needs.
    pub fn text(&self) -> String {
        let gap = if self.declarations.is_empty() { "" } else { "\n" };
        format!("{}{gap}{}", self.declarations, self.block)
    }
}

/// Prints declarations of the time unit and of events, one per line.
pub(crate) fn declarations(unit: Option<gnomon_core::time::Unit>, events: &[EventDeclaration]) -> String {
    let unit = unit.map(|unit| format!("time in {unit}"));
    unit.into_iter().chain(events.iter().map(gnomon_lang::print_event)).map(|line| line + "\n").collect()
}

fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}
