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
    /// The text as an introduction, of a clause that contains others and needs no parentheses before a comma.
    introduction: Option<String>,
    /// The event, and true if it occurs, of "`a` occurs" and "`a` does not occur".
    occurrence: Option<(String, bool)>,
    /// True if the clause is about one moment and does not name it, so that "at every event" can follow it.
    is_momentary: bool,
}

impl Clause {
    /// A clause without connectives.
    pub(super) fn simple(text: impl Into<String>) -> Clause {
        Clause {
            text: text.into(),
            is_simple: true,
            depth: 0,
            introduction: None,
            occurrence: None,
            is_momentary: false,
        }
    }

    /// A clause that says whether an event occurs.
    pub(super) fn occurs(event: String, positive: bool) -> Clause {
        let text = format!("{event} {}", if positive { "occurs" } else { "does not occur" });
        Clause { occurrence: Some((event, positive)), ..Clause::momentary(text) }
    }

    /// A clause without connectives about one moment that it does not name.
    pub(super) fn momentary(text: impl Into<String>) -> Clause {
        Clause { is_momentary: true, ..Clause::simple(text) }
    }

    /// The clause, which needs no parentheses before a comma.
    pub(super) fn into_introduction(self) -> Clause {
        Clause { introduction: Some(self.text.clone()), ..self }
    }

    /// The clause at certain moments: "`a` occurs at every event", "at every event, (`a` has occurred)".
    pub(super) fn placed(&self, moments: &str) -> Clause {
        if !self.is_momentary {
            return Clause::around(format!("{moments}, {}", self.text), &[self]);
        }
        let text = format!("{} {moments}", self.text);
        let placed = Clause::around(text, &[self]);
        if self.is_simple { placed.into_introduction() } else { placed }
    }

    /// A clause that contains others.
    pub(super) fn around(text: impl Into<String>, inner: &[&Clause]) -> Clause {
        let depth = inner.iter().map(|clause| clause.depth).max().unwrap_or(0);
        Clause { is_simple: false, depth, ..Clause::simple(text) }
    }

    /// The text as the operand of something that continues after it.
    pub(super) fn enclosed(&self) -> String {
        if self.is_simple { self.text.clone() } else { format!("({})", self.unbroken()) }
    }

    /// The text without a comma before the last operand, if it is one of two.
    pub(super) fn unbroken(&self) -> &str {
        self.introduction.as_ref().unwrap_or(&self.text)
    }

    /// The text as an introduction, before a comma.
    pub(super) fn introduced(&self) -> String {
        self.introduction.clone().unwrap_or_else(|| self.enclosed())
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
            let is_long = clauses.iter().any(|clause| !clause.is_momentary);
            let texts: Vec<String> = clauses.into_iter().map(|clause| clause.text).collect();
            let joint = enumeration(&texts, word);
            let (text, introduction) = match texts.as_slice() {
                [first, second] if is_long => (format!("{first}, {word} {second}"), Some(joint)),
                [_, _] => (joint.clone(), Some(joint)),
                _ => (joint, None),
            };
            return Clause { is_simple: false, depth, introduction, ..Clause::simple(text) };
        }
        let numbered = clauses.iter().enumerate().map(|(at, clause)| format!("{} {}", label(depth, at), clause.text));
        let text = format!("{heading}: {}", numbered.collect::<Vec<_>>().join("; "));
        Clause { is_simple: false, depth: depth + 1, ..Clause::simple(text) }
    }

    /// Returns "`a` or `b` occurs" if all clauses say of events that they occur, or that they do not.
    fn with_common_verb(clauses: &[Clause], word: &str) -> Option<Clause> {
        let occurrences = clauses.iter().map(|clause| clause.occurrence.clone()).collect::<Option<Vec<_>>>()?;
        let (events, positive): (Vec<String>, Vec<bool>) = occurrences.into_iter().unzip();
        let pair = |text: String| Clause { is_simple: false, ..Clause::momentary(text) }.into_introduction();
        match word {
            // "`a` or `b` occurs at every event" would have two readings.
            "or" if positive.iter().all(|positive| *positive) => {
                let text = format!("{} occurs", enumeration(&events, "or"));
                Some(Clause { is_momentary: false, ..pair(text) })
            }
            "and" if positive.iter().all(|positive| *positive) => {
                Some(pair(format!("{} occur", enumeration(&events, "and"))))
            }
            "and" if !positive.contains(&true) => Some(Clause::momentary(format!("{} occurs", neither(&events)))),
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
