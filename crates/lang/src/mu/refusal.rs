// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the mu-calculus can say and one finite trace can never show: why, and what to write instead.

use gnomon_core::diagnostic::{Diagnostic, Span};

/// What lies outside of what can be monitored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outside {
    Diamond,
    Least,
    Greatest,
    Negation,
    Disjunction,
    Exists,
    Premise,
    Delay,
    Hidden,
    Together,
    Timed,
}

/// The diagnostic about something that cannot be monitored.
pub(super) fn outside(what: Outside, span: Span) -> Diagnostic {
    let (message, label, help) = match what {
        Outside::Diamond => (
            "`<...>` cannot be monitored",
            "a trace shows what happened, not what could have",
            "say what must never be seen: `[true* . request . (!reply)* . end] false`; what must come in the end is a `pattern`: `reply responds to request`",
        ),
        Outside::Least => (
            "a least fixpoint cannot be monitored",
            "it asks for something in the end, which no finite trace denies",
            "say what must never be seen with `[...] false`, or write a `pattern`: `existence of reply`, `reply responds to request`",
        ),
        Outside::Greatest => (
            "a greatest fixpoint is not read",
            "only sequences of events are followed, not fixpoints",
            "write the loop as an iteration: `nu X. [true]X && phi` is `[true*] phi`",
        ),
        Outside::Negation => (
            "`!` before a modal formula cannot be monitored",
            "`![a] false` says that `a` could happen; a trace shows what happened, not what could have",
            "negate conditions on data, `!val(n > 3)`, or events, `[!a] false`",
        ),
        Outside::Disjunction => (
            "`||` between modal formulae cannot be monitored",
            "it takes two different runs to break both sides, and a trace is one",
            "write `val(...) => phi` if one side is a condition; alternatives inside the brackets are `[a || b] false`",
        ),
        Outside::Exists => (
            "`exists` before a modal formula cannot be monitored",
            "however many values fail, a trace never shows that all others do",
            "use `forall`, or `exists` inside the brackets, about one event: `[exists n:Nat. pay(n) && val(n > 5)] false`",
        ),
        Outside::Premise => (
            "a modal formula left of `=>` cannot be monitored",
            "a trace never shows that it holds, only that it does not",
            "only a condition on data may stand here: `val(n > 3) => [a(n)] false`",
        ),
        Outside::Delay => (
            "`delay` and `yaled` cannot be monitored",
            "they are about how long a process may wait, and a trace shows only how long it did",
            "bound times with a `pattern`: `reply responds to request within 10s`",
        ),
        Outside::Hidden => (
            "`tau` cannot be monitored",
            "a hidden action is no event of any trace",
            "leave it out; an event of that name stands in quotes: `\"tau\"`",
        ),
        Outside::Together => (
            "actions joined by `|` cannot be monitored",
            "events of a trace come one after the other, never together",
            "write `||` for either of them, or `.` for one after the other",
        ),
        Outside::Timed => (
            "times of actions are not read",
            "`@` gives an action its absolute time",
            "leave it out; distances in time are said by a `pattern`: `reply responds to request within 10s`",
        ),
    };
    Diagnostic::error("G0156", span, message).label(label).help(help)
}

/// The diagnostic about data that is not understood.
pub(super) fn beyond(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error("G0158", span, format!("{what} is not understood in conditions on data"))
        .label("values are literals, variables, and what `+` and `-` make of them")
        .help("compare such values with `== != < <= > >=`, joined by `&&`, `||` and `!`")
}
