// SPDX-License-Identifier: MIT OR Apache-2.0
//! From questions to a property: for people who know what must not happen, and no temporal logic.
//!
//! It draws nothing, judges nothing and opens no file: `gnomon ask` puts the questions on a terminal, and a web page could do the
//! same with what is here as JSON.
//!
//! The nouns that matter: [`Tree`](tree::Tree), the questions as data, each with why it is asked and an everyday example for
//! each answer; [`Session`], a walk through them; [`Known`], the events that can be chosen; [`Finished`], the property with its text.
//!
//! ```
//! use gnomon_assist::{Known, Session};
//!
//! let mut session = Session::new(Known::default());
//! for answer in ["both", "first", "needed", "open", "close", "one", "never", "write", "no", "quiet"] {
//!     session.answer(answer)?;
//! }
//! assert_eq!(session.finish()?.text(), "pattern quiet { between open and close: absence of write }\n");
//! # Ok::<(), gnomon_assist::Wrong>(())
//! ```

mod draft;
mod event;
mod finished;
mod known;
mod session;
pub mod tree;
mod words;
mod wrong;

pub use finished::Finished;
pub use known::{Known, KnownEvent, KnownField};
pub use session::{Asked, Line, Offer, Reply, Session, Transcript};
pub use words::{Words, shown_name};
pub use wrong::Wrong;
