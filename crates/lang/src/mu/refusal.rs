// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of the mu-calculus that no monitor of one finite trace can check: the reason, and what to write instead.

use gnomon_core::diagnostic::{Diagnostic, Span};

/// The message, the label and the advice about something that cannot be monitored.
pub(super) struct Unmonitorable(&'static str, &'static str, &'static str);

impl Unmonitorable {
    /// Returns the diagnostic about this at a position.
    pub(super) fn at(&self, span: Span) -> Diagnostic {
        let Unmonitorable(message, label, help) = *self;
        Diagnostic::error("G0156", span, message).label(label).help(help)
    }
}

pub(super) const DIAMOND: Unmonitorable = Unmonitorable(
    "`<...>` cannot be monitored",
    "a trace shows what happened, not what could have",
    "state what must never occur: `[true* . request . (!reply)* . end] false`; what must eventually occur is a `pattern`: `reply responds to request`",
);
pub(super) const LEAST: Unmonitorable = Unmonitorable(
    "a least fixpoint cannot be monitored",
    "it requires something eventually, which no finite trace can violate",
    "state what must never occur with `[...] false`, or write a `pattern`: `existence of reply`, `reply responds to request`",
);
pub(super) const GREATEST: Unmonitorable = Unmonitorable(
    "a greatest fixpoint is not supported",
    "only sequences of events are followed, not fixpoints",
    "write the loop as an iteration: `nu X. [true]X && phi` is `[true*] phi`",
);
pub(super) const NEGATION: Unmonitorable = Unmonitorable(
    "`!` before a modal formula cannot be monitored",
    "`![a] false` says that `a` could happen; a trace shows what happened, not what could have",
    "negate conditions on data, `!val(n > 3)`, or events, `[!a] false`",
);
pub(super) const DISJUNCTION: Unmonitorable = Unmonitorable(
    "`||` between modal formulae cannot be monitored",
    "it takes two different runs to break both sides, and a trace is one",
    "write `val(...) => phi` if one side is a condition; alternatives inside the brackets are `[a || b] false`",
);
pub(super) const EXISTS: Unmonitorable = Unmonitorable(
    "`exists` before a modal formula cannot be monitored",
    "however many values fail, a trace never shows that all others do",
    "use `forall`, or `exists` inside the brackets, about one event: `[exists n:Nat. pay(n) && val(n > 5)] false`",
);
pub(super) const PREMISE: Unmonitorable = Unmonitorable(
    "a modal formula left of `=>` cannot be monitored",
    "a trace never shows that it holds, only that it does not",
    "only a condition on data is allowed here: `val(n > 3) => [a(n)] false`",
);
pub(super) const DELAY: Unmonitorable = Unmonitorable(
    "`delay` and `yaled` cannot be monitored",
    "they are about how long a process may wait, and a trace shows only how long it did",
    "bound times with a `pattern`: `reply responds to request within 10s`",
);
pub(super) const HIDDEN: Unmonitorable = Unmonitorable(
    "`tau` cannot be monitored",
    "a hidden action is not an event of any trace",
    "leave it out; an event of that name must be in quotes: `\"tau\"`",
);
pub(super) const TOGETHER: Unmonitorable = Unmonitorable(
    "actions joined by `|` cannot be monitored",
    "events of a trace come one after the other, never together",
    "write `||` for either of them, or `.` for one after the other",
);
pub(super) const TIMED: Unmonitorable = Unmonitorable(
    "times of actions are not supported",
    "`@` gives an action its absolute time",
    "leave it out; use a `pattern` for distances in time: `reply responds to request within 10s`",
);

/// Returns the diagnostic about data that is not understood.
pub(super) fn unsupported_data(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error("G0158", span, format!("{what} is not understood in conditions on data"))
        .label("values are literals, variables, and what `+` and `-` make of them")
        .help("compare such values with `== != < <= > >=`, joined by `&&`, `||` and `!`")
}
