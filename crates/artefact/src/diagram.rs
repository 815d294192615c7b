// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws patterns as sequence diagrams: the delimiters of the scope, messages that must occur, and messages that must not.

mod mermaid;
mod plantuml;
mod scenario;
mod svg;
mod text;

use gnomon_ir::spec::{Property, Spec};

use crate::prepared_pattern::PreparedPattern;
use crate::refusal::Refusal;
use scenario::Scenario;

/// Returns the property as a sequence diagram in Mermaid's notation.
pub fn mermaid(spec: &Spec, property: &Property) -> Result<String, Refusal> {
    scenario(spec, property).map(|scenario| mermaid::write(&scenario))
}

/// Returns the property as a sequence diagram in the notation of `PlantUML`.
pub fn plantuml(spec: &Spec, property: &Property) -> Result<String, Refusal> {
    scenario(spec, property).map(|scenario| plantuml::write(&scenario))
}

/// Returns the property as a sequence diagram in SVG.
pub fn svg(spec: &Spec, property: &Property) -> Result<String, Refusal> {
    scenario(spec, property).map(|scenario| svg::draw(&scenario))
}

fn scenario(spec: &Spec, property: &Property) -> Result<Scenario, Refusal> {
    let prepared = PreparedPattern::of(spec, property, "has no sequence diagram: only patterns describe a scenario")?;
    let title = property.title.as_ref().unwrap_or(&property.name);
    Ok(Scenario::of(&prepared, title))
}
