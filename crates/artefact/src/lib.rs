// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates a property into plain words, formulae of other notations, diagrams, processes and example traces.
//!
//! Every function is pure: it takes a property and returns text, another property, or a [`Refusal`] with the reason why there is no
//! translation. It checks no traces and reads no files; the assistant and `gnomon translate` call it.
//!
//! A pattern has all translations: [`english`], [`mtl`], [`mu`], [`mermaid`], [`plantuml`], [`svg`], [`mcrl2`], and [`examples`], which
//! the caller confirms by checking them. A logic plug-in has [`english`], [`mtl`] and [`qea`]. `docs/artefacts.md` describes each of them.
//!
//! ```
//! let (spec, _) = gnomon_lang::parse("pattern quiet { between open and close: absence of write }");
//! let formula = gnomon_artefact::mu(&spec, &spec.properties[0]).unwrap();
//! assert_eq!(formula.text, "[true* . open . (!close)* . write . (!close)* . close] false");
//! let formula = gnomon_artefact::mtl(&spec, &spec.properties[0]).unwrap();
//! assert_eq!(
//!     gnomon_lang::mtl::print(&formula),
//!     "mtl quiet { G(open && !Y(!close S open) && F close -> !X !(!write W close)) }\n"
//! );
//! ```

mod diagram;
mod english;
mod examples;
mod mcrl2;
mod mtl;
mod mu;
mod prepared_pattern;
mod prepared_plugin;
mod qea;
mod refusal;

pub use diagram::{mermaid, plantuml, svg};
pub use english::english;
pub use examples::{Examples, examples};
pub use mcrl2::mcrl2;
pub use mtl::mtl;
pub use mu::{MuText, mu};
pub use qea::qea;
pub use refusal::Refusal;
