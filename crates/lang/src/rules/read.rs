// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the elements of a file to a [`Spec`].

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::spec::Spec;

use super::NAMESPACE;
use super::event::{event, time};
use super::report::{Report, misplaced};
use super::rule::rule;
use super::xml::{self, Element};
use crate::specfile;
use crate::specfile::similar::nearest;

pub(super) fn read(source: &str) -> (Spec, Vec<Diagnostic>) {
    let mut report = Report::default();
    let mut spec = Spec::default();
    if let Some(root) = xml::read(&mut report, source) {
        rules(&mut report, &root, &mut spec);
    }
    for found in specfile::check_names(&spec) {
        report.add(found);
    }
    (spec, report.finish())
}

fn rules(report: &mut Report, root: &Element, spec: &mut Spec) {
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
    let [] = root.known(report, []);
    let children = root.elements(report, &["time", "event", "rule"]);
    let times: Vec<&Element> = children.iter().copied().filter(|child| child.name == "time").collect();
    if let [_, second, ..] = times.as_slice() {
        report.add(
            Diagnostic::error("G0208", second.tag, "the time is set twice")
                .label("set again here")
                .also(times[0].tag, "set here first")
                .edit("leave one of them out", second.span, ""),
        );
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

/// A file may do without the namespace, but must not be in another.
fn namespace(report: &mut Report, root: &Element) {
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
