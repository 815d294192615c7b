// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages in XML: the other form of `nomad` blocks, for tools and for those who have such files.
//!
//! The format is in `rules/FORMAT.md`, its schema in `docs/schema/rules.xsd`. Both forms are read to the same
//! [`Rule`](gnomon_ir::rule::Rule).

mod condition;
mod event;
mod form;
mod query;
mod rule;
mod write;
mod xml;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::spec::Spec;

use crate::specfile;
use crate::syntax::{Diagnostics, duplicate, nearest};
use event::{event, time};
use form::misplaced;
use rule::rule;
use xml::XmlElement;

pub use write::{Unwritable, print};

/// The namespace of the elements.
pub const NAMESPACE: &str = "urn:gnomon:rules:1";

/// Returns true if a text is XML, and not a spec file: no statement begins with `<`.
pub(crate) fn is_xml(source: &str) -> bool {
    let text = source.trim_start_matches(|first: char| first.is_whitespace() || first == '\u{feff}');
    let mut characters = text.chars();
    characters.next() == Some('<')
        && characters.next().is_some_and(|second| second.is_alphabetic() || matches!(second, '?' | '!' | '_'))
}

/// Reads a file of rules.
pub(crate) fn parse(source: &str) -> (Spec, Vec<Diagnostic>) {
    let mut report = Diagnostics::default();
    let mut spec = Spec::default();
    match xml::parse(source) {
        Ok(root) => rules(&mut report, &root, &mut spec),
        Err(wrong) => report.add(*wrong),
    }
    for found in specfile::check_names(&spec) {
        report.add(found);
    }
    (spec, report.sorted())
}

fn rules(report: &mut Diagnostics, root: &XmlElement, spec: &mut Spec) {
    if root.name != "rules" {
        let name = &root.name;
        let diagnostic = misplaced(root.name_span, format!("a file of rules begins with `<rules>`, not `<{name}>`"));
        report.add(match nearest(name, ["rules"]) {
            Some(_) if name == "rule" => diagnostic.help("put it into `<rules>` ... `</rules>`"),
            Some(_) => diagnostic.help("write `<rules>`"),
            None => diagnostic.help("this may be a trace: the spec comes first on the command line, traces follow"),
        });
        return;
    }
    namespace(report, root);
    let children = root.bare_elements(report, &["time", "event", "rule"]);
    let times: Vec<&XmlElement> = children.iter().copied().filter(|child| child.name == "time").collect();
    if let [_, second, ..] = times.as_slice() {
        let diagnostic = duplicate("G0208", second.tag, times[0].tag, "the time is set twice".to_owned(), "set");
        report.add(diagnostic.edit("leave one of them out", second.span, ""));
    }
    if let Some(declared) = times.first() {
        spec.time = time(report, declared);
    }
    for child in children {
        match child.name.as_str() {
            "event" => spec.events.extend(event(report, child)),
            "rule" => spec.properties.extend(rule(report, child)),
            _ => {}
        }
    }
}

/// Checks the namespace: a file may have none, but not another one.
fn namespace(report: &mut Diagnostics, root: &XmlElement) {
    let name = if root.prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{}", root.prefix) };
    let Some(declared) = root.attributes.iter().find(|attribute| attribute.name == name) else { return };
    let found = declared.value.value.as_str();
    if found != NAMESPACE {
        report.add(
            misplaced(declared.value.span, format!("`{found}` is not the namespace of rules"))
                .label("these may be rules of another kind")
                .edit("if they are of this kind, write its namespace", declared.value.span, NAMESPACE),
        );
    }
}
