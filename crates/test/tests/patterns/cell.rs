// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every scope with every behaviour, as text and as what the direct evaluation reads.

use gnomon_ir::pattern::ScopeKind;

/// From which distance to which.
pub(super) type Within = Option<(i64, i64)>;

/// A behaviour over events named by a letter each.
#[derive(Clone, Copy, Debug)]
pub(super) enum PatternBehaviour {
    /// `absence of p`
    Absence,
    /// `existence of p`
    Existence(Within),
    /// `at most n p`
    AtMost(usize),
    /// `at least n p`
    AtLeast(usize),
    /// `exactly n p`
    Exactly(usize),
    /// `at most n p in w`
    Rate(usize, i64),
    /// `universality of p(1)`; an event `x` is a `p(2)`.
    Universality,
    /// `only p, s`
    Only,
    /// Causes and effects, and whether the cause is required.
    Precedence(&'static str, &'static str, bool, Within),
    /// Stimuli and responses, what must not come between these, and whether the stimulus is required.
    Response(&'static str, &'static str, Option<char>, bool, Within),
    /// `p recurs every d`
    Recurrence(i64),
}

/// A scope and a behaviour.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScopedBehaviour {
    pub(super) scope: ScopeKind,
    pub(super) ask: PatternBehaviour,
}

/// The behaviours without time.
pub(super) const UNTIMED: [PatternBehaviour; 20] = [
    PatternBehaviour::Absence,
    PatternBehaviour::Existence(None),
    PatternBehaviour::AtMost(1),
    PatternBehaviour::AtMost(2),
    PatternBehaviour::AtLeast(2),
    PatternBehaviour::Exactly(2),
    PatternBehaviour::Universality,
    PatternBehaviour::Only,
    PatternBehaviour::Precedence("p", "s", false, None),
    PatternBehaviour::Precedence("p", "s", true, None),
    PatternBehaviour::Precedence("st", "p", false, None),
    PatternBehaviour::Precedence("p", "st", false, None),
    PatternBehaviour::Precedence("ps", "tz", false, None),
    PatternBehaviour::Response("p", "s", None, false, None),
    PatternBehaviour::Response("p", "s", None, true, None),
    PatternBehaviour::Response("st", "p", None, false, None),
    PatternBehaviour::Response("p", "st", None, false, None),
    PatternBehaviour::Response("p", "st", Some('z'), false, None),
    PatternBehaviour::Response("p", "sts", None, true, None),
    PatternBehaviour::Response("ps", "tz", None, false, None),
];

/// The behaviours with time.
pub(super) const TIMED: [PatternBehaviour; 14] = [
    PatternBehaviour::Existence(Some((0, 3))),
    PatternBehaviour::Existence(Some((2, 4))),
    PatternBehaviour::Rate(1, 2),
    PatternBehaviour::Rate(2, 3),
    PatternBehaviour::Precedence("p", "s", false, Some((0, 3))),
    PatternBehaviour::Precedence("p", "s", true, Some((1, 4))),
    PatternBehaviour::Precedence("st", "p", false, Some((0, 4))),
    PatternBehaviour::Precedence("p", "st", false, Some((1, 3))),
    PatternBehaviour::Response("p", "s", None, false, Some((0, 3))),
    PatternBehaviour::Response("p", "s", None, true, Some((2, 4))),
    PatternBehaviour::Response("st", "p", None, false, Some((0, 3))),
    PatternBehaviour::Response("p", "st", None, false, Some((1, 5))),
    PatternBehaviour::Response("p", "st", Some('z'), false, Some((0, 5))),
    PatternBehaviour::Recurrence(3),
];

/// Every scope with each of these behaviours.
pub(super) fn cells(asks: &[PatternBehaviour]) -> impl Iterator<Item = ScopedBehaviour> + '_ {
    ScopeKind::ALL.into_iter().flat_map(|scope| asks.iter().map(move |ask| ScopedBehaviour { scope, ask: *ask }))
}

impl ScopedBehaviour {
    /// The pattern's text.
    pub(super) fn text(&self) -> String {
        let scope = match self.scope {
            ScopeKind::Globally => "globally",
            ScopeKind::Before => "before r",
            ScopeKind::Until => "until r",
            ScopeKind::After => "after q",
            ScopeKind::AfterLast => "after last q",
            ScopeKind::Between => "between q and r",
            ScopeKind::BetweenLast => "between last q and r",
            ScopeKind::AfterUntil => "after q until r",
            ScopeKind::AfterLastUntil => "after last q until r",
        };
        format!("{scope}: {}", self.ask.text())
    }

    /// Returns the number of further letters that an open segment may need to be satisfied.
    pub(super) fn ahead(&self) -> usize {
        let anew = usize::from(self.scope.restarts());
        anew + match self.ask {
            PatternBehaviour::Existence(_) => 1,
            PatternBehaviour::AtLeast(number) | PatternBehaviour::Exactly(number) => number,
            PatternBehaviour::Precedence(_, _, required, _) => usize::from(required),
            PatternBehaviour::Response(_, responses, _, required, _) => responses.len() + usize::from(required),
            _ => 0,
        }
    }

    /// The letters that the pattern names, and one that it does not.
    pub(super) fn letters(&self) -> Vec<char> {
        let mut letters = vec!['o'];
        letters.extend(self.scope.opens().then_some('q'));
        letters.extend(self.scope.closes().then_some('r'));
        let named: String = match self.ask {
            PatternBehaviour::Only => "ps".to_owned(),
            PatternBehaviour::Universality => "px".to_owned(),
            PatternBehaviour::Precedence(causes, effects, ..) => format!("{causes}{effects}"),
            PatternBehaviour::Response(stimuli, responses, without, ..) => {
                stimuli.chars().chain(responses.chars()).chain(without).collect()
            }
            _ => "p".to_owned(),
        };
        for letter in named.chars() {
            if !letters.contains(&letter) {
                letters.push(letter);
            }
        }
        letters
    }
}

impl PatternBehaviour {
    fn text(&self) -> String {
        let list = |letters: &str| letters.chars().map(String::from).collect::<Vec<_>>().join(", ");
        let within = |within: Within| within.map_or(String::new(), |(lo, hi)| format!(" within [{lo}, {hi}]"));
        let required = |is: bool, event: &str| if is { format!(", {event} required") } else { String::new() };
        match *self {
            PatternBehaviour::Absence => "absence of p".to_owned(),
            PatternBehaviour::Existence(time) => format!("existence of p{}", within(time)),
            PatternBehaviour::AtMost(number) => format!("at most {number} p"),
            PatternBehaviour::AtLeast(number) => format!("at least {number} p"),
            PatternBehaviour::Exactly(number) => format!("exactly {number} p"),
            PatternBehaviour::Rate(number, window) => format!("at most {number} p in {window}"),
            PatternBehaviour::Universality => "universality of p(1)".to_owned(),
            PatternBehaviour::Only => "only p, s".to_owned(),
            PatternBehaviour::Precedence(causes, effects, is_required, time) => {
                let verb = if causes.len() == 1 { "precedes" } else { "precede" };
                let required = required(is_required, causes);
                format!("{} {verb} {}{}{required}", list(causes), list(effects), within(time))
            }
            PatternBehaviour::Response(stimuli, responses, without, is_required, time) => {
                let verb = if responses.len() == 1 { "responds" } else { "respond" };
                let without = without.map_or(String::new(), |letter| format!(" without {letter}"));
                let required = required(is_required, stimuli);
                format!("{}{without} {verb} to {}{}{required}", list(responses), list(stimuli), within(time))
            }
            PatternBehaviour::Recurrence(every) => format!("p recurs every {every}"),
        }
    }
}
