// SPDX-License-Identifier: MIT OR Apache-2.0
//! Property patterns: a scope that cuts a trace into segments, and a behaviour asked of each segment, as written.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;

use crate::formula::Bounds;
use crate::pattern::Atom;

/// `between open and close: absence of write`
#[derive(Clone, PartialEq, Debug)]
pub struct Requirement {
    /// Which segments of the trace it is about.
    pub scope: Scope,
    /// What each of them must be like.
    pub behaviour: Behaviour,
    /// Where the behaviour is written.
    pub behaviour_span: Span,
}

/// `between open and close`
#[derive(Clone, PartialEq, Debug)]
pub struct Scope {
    /// Which of the nine.
    pub kind: ScopeKind,
    /// Q: what opens a segment; there if the kind [opens](ScopeKind::opens).
    pub opens: Option<Atom>,
    /// R: what closes a segment; there if the kind [closes](ScopeKind::closes).
    pub closes: Option<Atom>,
    /// Where it is written.
    pub span: Span,
}

/// The nine scopes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScopeKind {
    /// `globally`: the whole trace.
    Globally,
    /// `before R`: up to the first R, if there is one.
    Before,
    /// `until R`: up to the first R, or to the end.
    Until,
    /// `after Q`: from the first Q to the end.
    After,
    /// `after last Q`: from the last Q to the end.
    AfterLast,
    /// `between Q and R`: from a Q to the next R, again and again.
    Between,
    /// `between last Q and R`: the same, each further Q starts the segment anew.
    BetweenLast,
    /// `after Q until R`: from a Q to the next R or to the end, again and again.
    AfterUntil,
    /// `after last Q until R`: the same, each further Q starts the segment anew.
    AfterLastUntil,
}

impl ScopeKind {
    /// All of them.
    pub const ALL: [ScopeKind; 9] = [
        ScopeKind::Globally,
        ScopeKind::Before,
        ScopeKind::Until,
        ScopeKind::After,
        ScopeKind::AfterLast,
        ScopeKind::Between,
        ScopeKind::BetweenLast,
        ScopeKind::AfterUntil,
        ScopeKind::AfterLastUntil,
    ];

    /// Whether an event opens its segments; otherwise the first one is open from the beginning of the trace.
    pub const fn opens(self) -> bool {
        !matches!(self, ScopeKind::Globally | ScopeKind::Before | ScopeKind::Until)
    }

    /// Whether an event closes its segments.
    pub const fn closes(self) -> bool {
        !matches!(self, ScopeKind::Globally | ScopeKind::After | ScopeKind::AfterLast)
    }

    /// Whether a segment that is never closed is none.
    pub const fn needs_end(self) -> bool {
        matches!(self, ScopeKind::Before | ScopeKind::Between | ScopeKind::BetweenLast)
    }

    /// Whether an opening event inside a segment starts it anew.
    pub const fn restarts(self) -> bool {
        matches!(self, ScopeKind::AfterLast | ScopeKind::BetweenLast | ScopeKind::AfterLastUntil)
    }

    /// Whether a segment may follow another.
    pub const fn repeats(self) -> bool {
        self.opens() && self.closes()
    }
}

/// What is asked of a segment.
#[derive(Clone, PartialEq, Debug)]
pub enum Behaviour {
    /// `absence of P`
    Absence(Atom),
    /// `existence of P within 10s`
    Existence {
        /// P
        event: Atom,
        /// How far after the opening.
        within: Option<Bounds>,
    },
    /// `at most 2 P`
    Count {
        /// How their number is bounded.
        amount: Amount,
        /// By what.
        number: u64,
        /// P
        event: Atom,
    },
    /// `at most 2 P in 10s`: of that many and one more in succession, the first and the last are further apart.
    Rate {
        /// How many.
        number: u64,
        /// P
        event: Atom,
        /// In how much time.
        window: Quantity,
    },
    /// `universality of p(1, 2)`: every event of that name is like this.
    Universality(Atom),
    /// `only P, Q`
    Only(Vec<Atom>),
    /// `S, T precede P`: whenever the effects happen one after the other, the causes happened before the first of them, one after the other.
    Precedence {
        /// What must come first, in this order.
        causes: Vec<Atom>,
        /// What it must come before, in this order.
        effects: Vec<Atom>,
        /// `P required`: the one cause must occur, effect or not.
        required: bool,
        /// How far before the first effect each cause is.
        within: Option<Bounds>,
    },
    /// `S, T without Z respond to P`: whenever the stimuli happen one after the other, the responses happen after the last of them, one after
    /// the other.
    Response {
        /// What asks, in this order.
        stimuli: Vec<Atom>,
        /// What answers, in this order.
        responses: Vec<Atom>,
        /// What must not happen between the first response and the last.
        without: Option<Atom>,
        /// `P required`: the one stimulus must occur.
        required: bool,
        /// How far after the last stimulus each response is.
        within: Option<Bounds>,
    },
    /// `P recurs every 10s`
    Recurrence {
        /// P
        event: Atom,
        /// The greatest time without one.
        every: Quantity,
        /// Where that is written.
        every_span: Span,
    },
}

/// How a number of events is bounded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Amount {
    /// `at most`
    AtMost,
    /// `at least`
    AtLeast,
    /// `exactly`
    Exactly,
}

impl Amount {
    /// How it is written.
    pub const fn words(self) -> &'static str {
        match self {
            Amount::AtMost => "at most",
            Amount::AtLeast => "at least",
            Amount::Exactly => "exactly",
        }
    }
}

impl Requirement {
    /// Every atom, those of the scope first.
    pub fn atoms(&self) -> Vec<&Atom> {
        let delimiters = self.scope.opens.iter().chain(&self.scope.closes);
        delimiters.chain(self.behaviour.atoms()).collect()
    }
}

impl Behaviour {
    /// Its atoms.
    pub fn atoms(&self) -> Vec<&Atom> {
        match self {
            Behaviour::Absence(event)
            | Behaviour::Universality(event)
            | Behaviour::Existence { event, .. }
            | Behaviour::Count { event, .. }
            | Behaviour::Rate { event, .. }
            | Behaviour::Recurrence { event, .. } => vec![event],
            Behaviour::Only(events) => events.iter().collect(),
            Behaviour::Precedence { causes, effects, .. } => causes.iter().chain(effects).collect(),
            Behaviour::Response { stimuli, responses, without, .. } => {
                stimuli.iter().chain(responses).chain(without).collect()
            }
        }
    }
}
