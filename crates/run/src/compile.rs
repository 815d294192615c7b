// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a spec's text to a plan: parse, check, plan.

use gnomon_core::diagnostic::{Diagnostic, Severity};
use gnomon_engine::{Plan, plan};
use gnomon_ir::check::check;
use gnomon_ir::spec::{Property, Spec};

/// A spec that is ready to run.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// What the spec says.
    pub spec: Spec,
    /// Its properties, ready to run.
    pub plan: Plan,
    /// Its text.
    pub source: String,
    /// For each property of the plan, its place in `spec.properties`.
    pub properties: Vec<usize>,
}

impl Compiled {
    /// The properties of the plan, in its order.
    pub fn properties(&self) -> impl Iterator<Item = &Property> {
        self.properties.iter().map(|index| &self.spec.properties[*index])
    }
}

/// Compiles the properties of these names, or all if none is given. Every diagnostic of the whole spec is told; there
/// is nothing to run if one of them is an error.
pub fn compile(source: &str, only: &[String]) -> (Option<Compiled>, Vec<Diagnostic>) {
    let (spec, mut diagnostics) = gnomon_lang::parse(source);
    let (mut cores, mut properties) = (Vec::new(), Vec::new());
    for (index, property) in spec.properties.iter().enumerate() {
        let (core, found) = check(&spec, property);
        diagnostics.extend(found);
        if only.is_empty() || only.contains(&property.name) {
            cores.extend(core);
            properties.push(index);
        }
    }
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return (None, diagnostics);
    }
    (Some(Compiled { plan: plan(cores), source: source.to_owned(), properties, spec }), diagnostics)
}
