// SPDX-License-Identifier: MIT OR Apache-2.0
//! Guides a user from questions to a property: for people who know what must not happen, but no temporal logic.
//!
//! The crate draws nothing, evaluates nothing and opens no file. `gnomon ask` shows the questions on a terminal; the server
//! offers them to the dashboard as JSON.
//!
//! The main types: [`QuestionTree`](tree::QuestionTree) holds the questions as data, each with the reason why it is asked and
//! an everyday example for each answer. A [`Session`] walks through the tree. A [`SessionContext`] holds the events that can
//! be chosen. A [`FinishedProperty`] is the resulting property with its text.
//!
//! ```
//! use gnomon_assist::{Session, SessionContext};
//!
//! let mut session = Session::new(SessionContext::default());
//! for answer in ["both", "open", "close", "first", "needed", "one", "write", "never", "no", "quiet"] {
//!     session.answer(answer)?;
//! }
//! assert_eq!(session.finish()?.text(), "pattern quiet { between open and close: absence of write }\n");
//! # Ok::<(), gnomon_assist::AnswerError>(())
//! ```

mod answer_error;
mod context;
mod draft;
mod finished_property;
mod pattern_parts;
mod session;
pub mod tree;
mod typed_event;

pub use answer_error::AnswerError;
pub use context::{KnownEvent, KnownField, SessionContext};
pub use finished_property::FinishedProperty;
pub use pattern_parts::{PatternParts, printed_name};
pub use session::{AnswerOption, Prompt, Reply, Session, SummaryLine, Transcript};
