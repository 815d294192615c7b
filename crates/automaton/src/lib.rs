// SPDX-License-Identifier: MIT OR Apache-2.0
//! Alternating automata of assertions over states: built from a formula, run over a word, drawn.
//!
//! The automaton is a second meaning of an ALBERT invariant that can be executed, independent of the engine, which does not
//! use it. It shows what has to be remembered, counts the copies that the paper's semantics make, and is compared with the
//! engine and the oracle in tests. The atomic propositions are evaluated by the caller. `docs/automata.md` explains the theory.
//!
//! The nouns: [`AlternatingAutomaton`] with its [`State`](automaton::State)s, [`Word`] (what it reads), [`Semantics`] (which copies are
//! made), [`RunOutcome`] (what came of it), [`graph::Graph`] (what is drawn).
//!
//! ```
//! use gnomon_automaton::{AlternatingAutomaton, ViolationMode, Semantics, BuildContext, TableWord, run};
//! use gnomon_core::{diagnostic::Span, time::Timestamp, verdict::End};
//! use gnomon_ir::formula::{Binary, Bounds, Formula, FormulaKind};
//! use gnomon_ir::atom::Atom;
//!
//! let span = Span::default();
//! let event = |name: &str| {
//!     let atom = Atom { name: name.to_owned(), name_span: span, arguments: None, condition: None, span };
//!     Box::new(Formula { kind: FormulaKind::Atom(atom), span })
//! };
//! let (left, right) = (event("working"), event("done"));
//! let kind = FormulaKind::Binary { operator: Binary::Until, strict: false, interval: Bounds::ANY, left, right };
//! let automaton = AlternatingAutomaton::of(&Formula { kind, span }, BuildContext::default()).unwrap();
//! assert_eq!(automaton.size(), 4);
//!
//! let times = (0..4).map(Timestamp::from_ticks).collect();
//! let word = TableWord { times, truth: vec![vec![true, true, true, false], vec![false, false, false, true]] };
//! let standard = run(&automaton, &word, End::Complete, Semantics::Standard, 1000);
//! let merged = run(&automaton, &word, End::Complete, Semantics::Merged(ViolationMode::Standard), 1000);
//! assert_eq!((standard.accepts, standard.most), (Some(true), 3));
//! assert_eq!((merged.accepts, merged.most), (Some(true), 1));
//! ```

pub mod automaton;
mod build;
pub mod deterministic;
mod flag;
pub mod graph;
pub mod pattern;
mod pool;
mod positive;
mod print;
mod run;
pub mod show;
mod step;
pub mod timeline;
pub mod transition;
mod word;

pub use automaton::AlternatingAutomaton;
pub use build::{AutomatonRefusal, BuildContext};
pub use flag::has_flag;
pub use positive::{PositiveFormula, StateCopy};
pub use print::PropositionNames;
pub use run::{RunOutcome, Semantics, ViolationMode, run, truth};
pub use word::{TableWord, Word};
