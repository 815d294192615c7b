// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clauses of sentences, and their combination without ambiguity.

use super::words::enumeration;

/// A clause such as "`a` occurs".
pub(super) struct Clause {
    pub(super) text: String,
    /// True if the clause contains no connective, so that it can be an operand without a number.
    pub(super) is_simple: bool,
    /// Number of levels of numbered lists inside.
    depth: usize,
    /// True if the clause is a conjunction or disjunction that can be read without parentheses before a comma.
    is_pair: bool,
    /// The event, and true if it occurs, of "`a` occurs" and "`a` does not occur".
    occurrence: Option<(String, bool)>,
}

impl Clause {
    /// A clause without connectives.
    pub(super) fn simple(text: impl Into<String>) -> Clause {
        Clause { text: text.into(), is_simple: true, depth: 0, is_pair: false, occurrence: None }
    }

    /// A clause that says whether an event occurs.
    pub(super) fn occurs(event: String, positive: bool) -> Clause {
        let text = format!("{event} {}", if positive { "occurs" } else { "does not occur" });
        Clause { occurrence: Some((event, positive)), ..Clause::simple(text) }
    }

    /// A clause that contains others.
    pub(super) fn around(text: impl Into<String>, inner: &[&Clause]) -> Clause {
        let depth = inner.iter().map(|clause| clause.depth).max().unwrap_or(0);
        Clause { is_simple: false, depth, ..Clause::simple(text) }
    }

    /// The text as the operand of something that continues after it.
    pub(super) fn enclosed(&self) -> String {
        if self.is_simple { self.text.clone() } else { format!("({})", self.text) }
    }

    /// The text as an introduction, before a comma.
    pub(super) fn introduced(&self) -> String {
        if self.is_pair { self.text.clone() } else { self.enclosed() }
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
        if let Some(clause) = Clause::with_common_verb(&clauses, word) {
            return clause;
        }
        let depth = clauses.iter().map(|clause| clause.depth).max().unwrap_or(0);
        if clauses.iter().all(|clause| clause.is_simple) {
            let is_pair = clauses.len() == 2;
            let texts: Vec<String> = clauses.into_iter().map(|clause| clause.text).collect();
            return Clause { is_simple: false, depth, is_pair, ..Clause::simple(enumeration(&texts, word)) };
        }
        let numbered = clauses.iter().enumerate().map(|(at, clause)| format!("{} {}", label(depth, at), clause.text));
        let text = format!("{heading}: {}", numbered.collect::<Vec<_>>().join("; "));
        Clause { is_simple: false, depth: depth + 1, ..Clause::simple(text) }
    }

    /// Returns "`a` or `b` occurs" if all clauses say of events that they occur, or that they do not.
    fn with_common_verb(clauses: &[Clause], word: &str) -> Option<Clause> {
        let occurrences = clauses.iter().map(|clause| clause.occurrence.clone()).collect::<Option<Vec<_>>>()?;
        let (events, positive): (Vec<String>, Vec<bool>) = occurrences.into_iter().unzip();
        let pair = |text: String| Clause { is_simple: false, is_pair: true, ..Clause::simple(text) };
        match word {
            "or" if positive.iter().all(|positive| *positive) => {
                Some(pair(format!("{} occurs", enumeration(&events, "or"))))
            }
            "and" if positive.iter().all(|positive| *positive) => {
                Some(pair(format!("{} occur", enumeration(&events, "and"))))
            }
            "and" if !positive.contains(&true) => Some(Clause::simple(format!("{} occurs", neither(&events)))),
            _ => None,
        }
    }
}

/// Returns "neither `a` nor `b`".
pub(super) fn neither(events: &[String]) -> String {
    match events {
        [left, right] => format!("neither {left} nor {right}"),
        _ => format!("none of {}", enumeration(events, "and")),
    }
}

/// The label of an item: `(1)` in innermost lists, then `(a)`, then `(A)`, then numbers with the level, `(3.1)`.
fn label(depth: usize, at: usize) -> String {
    match depth {
        0 => format!("({})", at + 1),
        1 if at < 26 => format!("({})", char::from(b'a' + at as u8)),
        2 if at < 26 => format!("({})", char::from(b'A' + at as u8)),
        _ => format!("({depth}.{})", at + 1),
    }
}
