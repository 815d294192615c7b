// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be made of a property: plain words, formulae of other notations, diagrams, processes, example traces.
//!
//! Every function is pure: a property in, text or another property out, or a [`Refusal`] that says why there is none. It
//! judges nothing and reads no files; the assistant and `gnomon translate` call it.
//!
//! A pattern has all of them: [`english`], [`mtl`], [`mu`], [`mermaid`], [`plantuml`], [`svg`], [`mcrl2`], and [`examples`], which
//! the caller's judge confirms. `docs/artefacts.md` tells what each of them says.
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

mod cell;
mod diagram;
mod english;
mod examples;
mod mcrl2;
mod mtl;
mod mu;
mod refusal;

pub use diagram::{mermaid, plantuml, svg};
pub use english::english;
pub use examples::{Examples, examples};
pub use mcrl2::mcrl2;
pub use mtl::mtl;
pub use mu::{MuText, mu};
pub use refusal::Refusal;
