// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clauses of sentences, and their combination without ambiguity.

/// A clause such as "`a` occurs".
pub(super) struct Clause {
    pub(super) text: String,
    /// True if the clause contains no connective, so that it can be an operand without a number.
    pub(super) is_simple: bool,
    /// Number of levels of numbered lists inside.
    depth: usize,
}

impl Clause {
    /// A clause without connectives.
    pub(super) fn simple(text: impl Into<String>) -> Clause {
        Clause { text: text.into(), is_simple: true, depth: 0 }
    }

    /// A clause that contains others.
    pub(super) fn around(text: impl Into<String>, inner: &[&Clause]) -> Clause {
        let depth = inner.iter().map(|clause| clause.depth).max().unwrap_or(0);
        Clause { text: text.into(), is_simple: false, depth }
    }

    /// The text as the operand of something that goes on after it.
    pub(super) fn enclosed(&self) -> String {
        if self.is_simple { self.text.clone() } else { format!("({})", self.text) }
    }

    /// The text as the last part of a sentence, with a list in parentheses.
    pub(super) fn enclosed_list(&self) -> String {
        if self.depth == 0 { self.text.clone() } else { format!("({})", self.text) }
    }

    /// All of the clauses hold.
    pub(super) fn all(clauses: Vec<Clause>) -> Clause {
        Clause::joined(clauses, "and", "all of the following are true")
    }

    /// At least one of the clauses holds.
    pub(super) fn any(clauses: Vec<Clause>) -> Clause {
        Clause::joined(clauses, "or", "at least one of the following is true")
    }

    fn joined(mut clauses: Vec<Clause>, word: &str, heading: &str) -> Clause {
        if clauses.len() < 2 {
            return clauses.pop().unwrap_or_else(|| Clause::simple("nothing is required"));
        }
        let depth = clauses.iter().map(|clause| clause.depth).max().unwrap_or(0);
        if clauses.iter().all(|clause| clause.is_simple) {
            let texts: Vec<String> = clauses.into_iter().map(|clause| clause.text).collect();
            return Clause { text: super::words::list(&texts, word), is_simple: false, depth };
        }
        let numbered = clauses.iter().enumerate().map(|(at, clause)| format!("{} {}", label(depth, at), clause.text));
        let text = format!("{heading}: {}", numbered.collect::<Vec<_>>().join("; "));
        Clause { text, is_simple: false, depth: depth + 1 }
    }
}

/// The label of an item: `(1)` in innermost lists, then `(a)`, then `(i)`, then numbers with the level.
fn label(depth: usize, at: usize) -> String {
    match depth {
        0 => format!("({})", at + 1),
        1 if at < 26 => format!("({})", char::from(b'a' + at as u8)),
        2 if at < 26 => format!("({})", char::from(b'A' + at as u8)),
        _ => format!("({depth}.{})", at + 1),
    }
}
