// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns as sequence diagrams: what delimits, what must come, what must not.

mod mermaid;
mod plantuml;
mod scenario;
mod svg;
mod text;

use gnomon_ir::spec::{Property, Spec};

use crate::cell::Cell;
use crate::refusal::Refusal;
use scenario::Scenario;

/// The property as a sequence diagram in Mermaid's notation.
pub fn mermaid(spec: &Spec, property: &Property) -> Result<String, Refusal> {
    scenario(spec, property).map(|scenario| mermaid::write(&scenario))
}

/// The property as a sequence diagram in the notation of `PlantUML`.
pub fn plantuml(spec: &Spec, property: &Property) -> Result<String, Refusal> {
    scenario(spec, property).map(|scenario| plantuml::write(&scenario))
}

/// The property as a sequence diagram, drawn.
pub fn svg(spec: &Spec, property: &Property) -> Result<String, Refusal> {
    scenario(spec, property).map(|scenario| svg::draw(&scenario))
}

fn scenario(spec: &Spec, property: &Property) -> Result<Scenario, Refusal> {
    let cell = Cell::of(spec, property, "has no sequence diagram: only patterns tell a scenario")?;
    let title = property.title.as_ref().unwrap_or(&property.name);
    Ok(Scenario::of(&cell, title))
}
