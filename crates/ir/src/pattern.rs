// SPDX-License-Identifier: MIT OR Apache-2.0
//! Property patterns as written: a scope that divides a trace into segments, and a behaviour required of each segment.

use gnomon_core::{Quantity, Span};

use crate::walk::{AtomCollector, walk};
use crate::{Atom, Bounds};

/// `between open and close: absence of write`
#[derive(Clone, PartialEq, Debug)]
pub struct Pattern {
    /// Scope: selects segments of the trace.
    pub scope: Scope,
    /// Behaviour required of each segment.
    pub behaviour: Behaviour,
    /// Source location of the behaviour.
    pub behaviour_span: Span,
}

/// `between open and close`
#[derive(Clone, PartialEq, Debug)]
pub struct Scope<E = Atom> {
    /// Kind of scope.
    pub kind: ScopeKind,
    /// Q: what opens a segment; there if the kind [opens](ScopeKind::opens).
    pub opens: Option<E>,
    /// R: what closes a segment; there if the kind [closes](ScopeKind::closes).
    pub closes: Option<E>,
    /// Source location.
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

    /// Returns true if an event opens the segments; otherwise the first segment begins with the trace.
    pub const fn opens(self) -> bool {
        !matches!(self, ScopeKind::Globally | ScopeKind::Before | ScopeKind::Until)
    }

    /// Returns true if an event closes the segments.
    pub const fn closes(self) -> bool {
        !matches!(self, ScopeKind::Globally | ScopeKind::After | ScopeKind::AfterLast)
    }

    /// Returns true if a segment that is never closed does not count.
    pub const fn needs_end(self) -> bool {
        matches!(self, ScopeKind::Before | ScopeKind::Between | ScopeKind::BetweenLast)
    }

    /// Returns true if an opening event inside a segment restarts it.
    pub const fn restarts(self) -> bool {
        matches!(self, ScopeKind::AfterLast | ScopeKind::BetweenLast | ScopeKind::AfterLastUntil)
    }

    /// Returns true if a segment may follow another.
    pub const fn repeats(self) -> bool {
        self.opens() && self.closes()
    }
}

/// Behaviour required of a segment.
#[derive(Clone, PartialEq, Debug)]
pub enum Behaviour {
    /// `absence of P`
    Absence(Atom),
    /// `existence of P within 10s`
    Existence {
        /// P
        event: Atom,
        /// Distances from the opening that count.
        within: Option<Bounds>,
    },
    /// `at most 2 P`
    Count {
        /// Kind of bound.
        amount: CountBound,
        /// Bound.
        number: u64,
        /// P
        event: Atom,
    },
    /// `at most 2 P in 10s`: of that many and one more in succession, the first and the last are further apart.
    Rate {
        /// Number of events allowed in the window.
        number: u64,
        /// P
        event: Atom,
        /// Length of the window.
        window: Quantity,
    },
    /// `universality of p(1, 2)`: every event of that name is like this.
    Universality(Atom),
    /// `only P, Q`
    Only(Vec<Atom>),
    /// `S, T precede P`: whenever the effects happen one after the other, the causes happened before the first of them, one after the other.
    Precedence {
        /// Events that must come first, in this order.
        causes: Vec<Atom>,
        /// Events that they must precede, in this order.
        effects: Vec<Atom>,
        /// `P required`: the one cause must occur, effect or not.
        required: bool,
        /// Distances from a cause to the first effect that count.
        within: Option<Bounds>,
    },
    /// `S, T without Z respond to P`: whenever the stimuli happen one after the other, the responses happen after the last of them, one after
    /// the other.
    Response {
        /// Events that raise an obligation, in this order.
        stimuli: Vec<Atom>,
        /// Events that meet it, in this order.
        responses: Vec<Atom>,
        /// Event that must not occur between the first and the last response.
        without: Option<Atom>,
        /// `P required`: the one stimulus must occur.
        required: bool,
        /// Distances from the last stimulus to a response that count.
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

gnomon_core::words! {
    /// Kinds of bounds on a number of events.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum CountBound as words {
        /// `at most`
        AtMost = "at most",
        /// `at least`
        AtLeast = "at least",
        /// `exactly`
        Exactly = "exactly",
    }
}

impl Pattern {
    /// Every atom, those of the scope first.
    pub fn atoms(&self) -> Vec<&Atom> {
        AtomCollector::collect(|atoms| walk::pattern(atoms, self))
    }
}

impl Behaviour {
    /// Returns true if it bounds the time between events.
    pub fn has_time(&self) -> bool {
        match self {
            Behaviour::Rate { .. } | Behaviour::Recurrence { .. } => true,
            Behaviour::Existence { within, .. }
            | Behaviour::Precedence { within, .. }
            | Behaviour::Response { within, .. } => within.is_some(),
            Behaviour::Absence(_) | Behaviour::Count { .. } | Behaviour::Universality(_) | Behaviour::Only(_) => false,
        }
    }

    /// Its atoms.
    pub fn atoms(&self) -> Vec<&Atom> {
        AtomCollector::collect(|atoms| walk::behaviour(atoms, self))
    }
}
