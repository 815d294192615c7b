// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pieces that spec files and all languages share: tokens, atoms, conditions, constants, operators, and their
//! printers.
//!
//! A language module imports these and never another language.
//!
//! [`cursor`] explains how parsers recover from errors and where messages point, [`formula`] how operators are read,
//! and [`print`] how trees become text again.

pub(crate) mod atom;
pub(crate) mod condition;
pub(crate) mod connective;
pub(crate) mod cursor;
pub(crate) mod diagnostics;
pub(crate) mod formula;
pub(crate) mod lexer;
pub(crate) mod literal;
pub(crate) mod logic;
pub(crate) mod print;
pub(crate) mod quantifier;
pub(crate) mod similar;
pub(crate) mod subtree;
pub(crate) mod table;
pub(crate) mod wildcard;

pub(crate) use atom::{
    ArgumentSyntax, AtomSyntax, are_bound, argument_list_end, has_words, is_argument_list, no_variables,
};
pub(crate) use condition::{comparison, is_comparison};
pub(crate) use connective::{TEMPORAL_WORDS, is_connective};
pub(crate) use cursor::Cursor;
pub(crate) use diagnostics::{Diagnostics, duplicate, respelt, suggest};
pub(crate) use formula::{Grammar, Infix, Lower, Precedence, SyntaxKind};
pub(crate) use lexer::{SpannedToken, Token, is_number, is_word};
pub(crate) use literal::{
    Literal, Name, UnitPlace, declared_variable, is_infinite, quantity, trailing_unit, try_name, value_bound,
};
pub(crate) use logic::{Logic, Operand};
pub(crate) use similar::{extended, misspelt, nearest};
pub(crate) use subtree::{Subtree, join_boxed};
pub(crate) use table::collect_all;
pub(crate) use wildcard::Wildcards;
