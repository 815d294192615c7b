// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events that no message of a service is.

use std::collections::{BTreeMap, HashSet};

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::spec::Spec;

use super::mentions::atoms_of;
use super::print;
use super::similar::meant;

/// How many names are looked for among the messages, letter by letter: the rest is told without a suggestion.
const MOST_SOUGHT: usize = 100;

/// Warns of every event that properties mention and that is neither declared nor a message, once, where it first stands.
pub(crate) fn unknown_events(spec: &Spec, messages: &[&str]) -> Vec<Diagnostic> {
    let alternatives = spec.events.iter().flat_map(|event| &event.alternatives);
    let declared = spec.events.iter().map(|event| event.name.as_str());
    let concrete = alternatives.map(|alternative| alternative.event.as_str());
    let known: HashSet<&str> = declared.clone().chain(concrete).chain(messages.iter().copied()).collect();
    let mut unknown: BTreeMap<Span, &str> = BTreeMap::new();
    let mut first: BTreeMap<&str, Span> = BTreeMap::new();
    for atom in spec.properties.iter().flat_map(|property| atoms_of(&property.body, &|name| known.contains(name))) {
        if !known.contains(atom.name.as_str()) {
            let span = first.entry(&atom.name).or_insert(atom.name_span);
            *span = (*span).min(atom.name_span);
        }
    }
    unknown.extend(first.into_iter().map(|(name, span)| (span, name)));
    let candidates: Vec<&str> = messages.iter().copied().chain(declared).collect();
    let warning = |(index, (span, name)): (usize, (Span, &str))| {
        let near = if index < MOST_SOUGHT { meant(name, &candidates) } else { None };
        let question = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let warning = Diagnostic::warning("G0730", span, format!("no message `{name}`{question}"))
            .label("neither declared nor in the catalogue");
        match near {
            Some(near) => {
                let mut written = String::new();
                print::name(near, &|_| false, &mut written);
                warning.edit("a message with a similar name is known", span, written)
            }
            None => warning.help("check the name, or declare what it stands for: `event NAME = MESSAGE`"),
        }
    };
    unknown.into_iter().enumerate().map(warning).collect()
}

#[cfg(test)]
mod tests {
    fn warnings(source: &str, messages: &[&str]) -> Vec<String> {
        let (spec, diagnostics) = crate::parse(source);
        assert_eq!(diagnostics, [], "{source}");
        let warnings = super::unknown_events(&spec, messages).into_iter();
        warnings.map(|warning| format!("{} {}", warning.primary.span.start, warning.message)).collect()
    }

    #[test]
    fn every_unknown_name_once_where_it_first_stands() {
        let source =
            "event a = raw\nmtl p { G(logout -> F(a && raw && zzz)) }\nmtl q { G(zzz -> sum[3](logout.n) <= 2) }\n";
        assert_eq!(
            warnings(source, &["logoutReq", "other"]),
            ["24 no message `logout`; did you mean `logoutReq`?", "48 no message `zzz`"]
        );
        assert_eq!(warnings(source, &["logout", "zzz"]), [""; 0]);
    }

    #[test]
    fn a_suggestion_is_spelt_as_it_must_be() {
        let (spec, _) = crate::parse("mtl p { G(getstatus) }");
        let warnings = super::unknown_events(&spec, &["get status"]);
        let edit = warnings[0].help.as_ref().and_then(|help| help.edit.as_ref()).map(|(_, text)| text.as_str());
        assert_eq!(edit, Some("\"get status\""));
    }
}
