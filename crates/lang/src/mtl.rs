// SPDX-License-Identifier: MIT OR Apache-2.0
//! First-order metric temporal logic: a prefix of quantifiers, operators that include the present, windows over data.
//!
//! The grammar is in `mtl/GRAMMAR.md`; the meaning is the business of the oracle and the engine.

mod fold;
mod prefix;
mod print;

use gnomon_ir::spec::{Body, Language};

use crate::specfile::cursor::Cursor;
use crate::specfile::{Chosen, Content, Reader};
use crate::temporal::{self, Dialect};

pub use print::print;

/// How blocks of this language are read.
pub(crate) const READER: Reader =
    Reader { language: Language::Mtl, options: &[], parenthesised: false, merges: true, read };

const DIALECT: Dialect = Dialect {
    name: "MTL",
    letters: "GFHPXYUWRS",
    words: &[
        ("always", 'G'),
        ("eventually", 'F'),
        ("historically", 'H'),
        ("once", 'P'),
        ("next", 'X'),
        ("previous", 'Y'),
        ("until", 'U'),
        ("weakuntil", 'W'),
        ("release", 'R'),
        ("since", 'S'),
    ],
    signs: &[
        ("□", 'G'),
        ("◻", 'G'),
        ("◇", 'F'),
        ("◊", 'F'),
        ("○", 'X'),
        ("◯", 'X'),
        ("■", 'H'),
        ("◼", 'H'),
        ("◆", 'P'),
        ("●", 'Y'),
    ],
    own: fold::own,
    form: fold::form,
    variables: true,
    strict: false,
    full_window: false,
};

fn read(cursor: &mut Cursor<'_>, _options: &Chosen) -> Option<Content> {
    let prefix = prefix::prefix(cursor);
    let formula = temporal::formula(cursor, &DIALECT);
    Some((prefix?, Body::Formula(formula?)))
}
