// SPDX-License-Identifier: MIT OR Apache-2.0
//! First-order metric temporal logic: a prefix of quantifiers, operators that include the present, windows over data.
//!
//! The grammar is in `mtl/GRAMMAR.md`. The oracle and the engine give formulae their meaning.

mod aggregate;
mod prefix;

use gnomon_ir::{Body, Language, Property, Quantifier};

use crate::specfile::print::block;
use crate::specfile::{BlockContent, Frontend, LanguageOptions};
use crate::syntax::print::fmt;
use crate::syntax::{Cursor, quantifier};
use crate::temporal::{self, Dialect};

/// The front end for blocks of this language.
pub(crate) const FRONTEND: Frontend = Frontend::plain(Language::Mtl, true, read);

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
        ('G', &["□", "◻"]),
        ('F', &["◇", "◊"]),
        ('X', &["○", "◯"]),
        ('H', &["■", "◼"]),
        ('P', &["◆"]),
        ('Y', &["●"]),
    ],
    own: aggregate::own,
    form: aggregate::form,
    variables: true,
    strict: false,
    full_window: false,
};

fn read(cursor: &mut Cursor<'_>, _options: &LanguageOptions) -> Option<BlockContent> {
    let prefix = prefix::prefix(cursor);
    let formula = temporal::formula(cursor, &DIALECT);
    Some((prefix?, Body::Formula(formula?)))
}

/// Writes a property as a block that parses back to the same, apart from spans. The body of a property of another kind
/// is left empty.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("mtl late { ∀ u. □((ask(u)) → ◇[0,3s](reply(u))) }");
/// let printed = gnomon_lang::mtl::print(&spec.properties[0]);
/// assert_eq!(printed, "mtl late { forall u. G(ask(u) -> F[0,3s] reply(u)) }\n");
/// ```
pub fn print(property: &Property) -> String {
    let mut body = String::from(" ");
    for Quantifier { kind, threshold, variables, .. } in &property.prefix {
        let threshold = threshold.as_ref().map_or(String::new(), |threshold| {
            let percent = if threshold.percent { "%" } else { "" };
            format!("{} {}{percent} ", threshold.comparison, threshold.amount)
        });
        fmt(&mut body, format_args!("{} {threshold}{}. ", kind.word(), quantifier::names(variables)));
    }
    if let Body::Formula(formula) = &property.body {
        body.push_str(&temporal::print::print(formula, &DIALECT, &quantifier::variables(&property.prefix)));
    }
    body.push(' ');
    block(property, &[], &body)
}
