// SPDX-License-Identifier: MIT OR Apache-2.0
//! The artefacts of a property: words, formulae, diagrams, processes.

use std::fs;
use std::path::Path;

use gnomon::artefact::{self, Refusal};
use gnomon::notation;

use super::proposal::Proposal;
use crate::automaton::drawn;
use crate::console::Console;
use crate::failure::Failure;
use crate::output::cannot_write;

/// An artefact, or the reason why there is none.
pub(super) struct Artefact {
    pub(super) title: &'static str,
    /// The extension of its file.
    ending: &'static str,
    pub(super) made: Result<String, String>,
}

/// Derives all artefacts. `spec` is the text of the property's spec.
pub(super) fn all(proposal: &Proposal, spec: &str) -> Vec<Artefact> {
    let (whole, property) = (&proposal.finished.spec, &proposal.finished.property);
    let make = |title, ending, made: Result<String, Refusal>| Artefact {
        title,
        ending,
        made: made.map_err(|refusal| refusal.reason),
    };
    let declarations = notation::declarations(whole);
    let mtl = artefact::mtl(whole, property).map(|formula| format!("{declarations}{}", notation::mtl(&formula)));
    let mu = artefact::mu(whole, property).map(|mu| mu.file());
    let words = artefact::english(whole, property).map(|words| words.trim_end().to_owned() + "\n");
    let (dot, svg) = match drawn(spec, &proposal.name) {
        Ok((dot, svg)) => (Ok(dot), svg),
        Err(reason) => (Err(reason.clone()), Err(reason)),
    };
    vec![
        make("in English", "txt", words),
        Artefact { title: "as a property", ending: "rv", made: Ok(spec.to_owned()) },
        make("in temporal logic (mtl)", "mtl.rv", mtl),
        make("in the mu-calculus (mCRL2)", "mcf", mu),
        make("sequence diagram (Mermaid)", "mmd", artefact::mermaid(whole, property)),
        make("sequence diagram (PlantUML)", "puml", artefact::plantuml(whole, property)),
        make("sequence diagram (SVG)", "svg", artefact::svg(whole, property)),
        Artefact { title: "automaton (DOT)", ending: "automaton.dot", made: dot },
        Artefact { title: "automaton (SVG)", ending: "automaton.svg", made: svg },
        make("monitor process (mCRL2)", "mcrl2", artefact::mcrl2(whole, property)),
    ]
}

/// Writes the artefacts into a folder, and reports those that could not be derived.
pub(super) fn write(folder: &str, name: &str, artefacts: &[Artefact], console: &Console) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    let name: String = name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
    for Artefact { title, ending, made } in artefacts {
        match made {
            Ok(text) => {
                let path = Path::new(folder).join(format!("{name}.{ending}"));
                let path = path.to_string_lossy();
                fs::write(&*path, text).map_err(|error| cannot_write(&path, &error))?;
            }
            Err(reason) => {
                console.note(&format!("there is no {name}.{ending} ({title}): {reason}"));
            }
        }
    }
    Ok(())
}
