// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every scope with every behaviour, as text and as what the direct evaluation reads.

use gnomon_ir::requirement::ScopeKind;

/// From which distance to which.
pub(super) type Within = Option<(i64, i64)>;

/// A behaviour over events named by a letter each.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ask {
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
pub(super) struct Cell {
    pub(super) scope: ScopeKind,
    pub(super) ask: Ask,
}

/// The behaviours without time.
pub(super) const UNTIMED: [Ask; 20] = [
    Ask::Absence,
    Ask::Existence(None),
    Ask::AtMost(1),
    Ask::AtMost(2),
    Ask::AtLeast(2),
    Ask::Exactly(2),
    Ask::Universality,
    Ask::Only,
    Ask::Precedence("p", "s", false, None),
    Ask::Precedence("p", "s", true, None),
    Ask::Precedence("st", "p", false, None),
    Ask::Precedence("p", "st", false, None),
    Ask::Precedence("ps", "tz", false, None),
    Ask::Response("p", "s", None, false, None),
    Ask::Response("p", "s", None, true, None),
    Ask::Response("st", "p", None, false, None),
    Ask::Response("p", "st", None, false, None),
    Ask::Response("p", "st", Some('z'), false, None),
    Ask::Response("p", "sts", None, true, None),
    Ask::Response("ps", "tz", None, false, None),
];

/// The behaviours with time.
pub(super) const TIMED: [Ask; 14] = [
    Ask::Existence(Some((0, 3))),
    Ask::Existence(Some((2, 4))),
    Ask::Rate(1, 2),
    Ask::Rate(2, 3),
    Ask::Precedence("p", "s", false, Some((0, 3))),
    Ask::Precedence("p", "s", true, Some((1, 4))),
    Ask::Precedence("st", "p", false, Some((0, 4))),
    Ask::Precedence("p", "st", false, Some((1, 3))),
    Ask::Response("p", "s", None, false, Some((0, 3))),
    Ask::Response("p", "s", None, true, Some((2, 4))),
    Ask::Response("st", "p", None, false, Some((0, 3))),
    Ask::Response("p", "st", None, false, Some((1, 5))),
    Ask::Response("p", "st", Some('z'), false, Some((0, 5))),
    Ask::Recurrence(3),
];

/// Every scope with each of these behaviours.
pub(super) fn cells(asks: &[Ask]) -> impl Iterator<Item = Cell> + '_ {
    ScopeKind::ALL.into_iter().flat_map(|scope| asks.iter().map(move |ask| Cell { scope, ask: *ask }))
}

impl Cell {
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

    /// How many more letters an open segment may need for its answer to be yes.
    pub(super) fn ahead(&self) -> usize {
        let anew = usize::from(self.scope.restarts());
        anew + match self.ask {
            Ask::Existence(_) => 1,
            Ask::AtLeast(number) | Ask::Exactly(number) => number,
            Ask::Precedence(_, _, required, _) => usize::from(required),
            Ask::Response(_, responses, _, required, _) => responses.len() + usize::from(required),
            _ => 0,
        }
    }

    /// The letters that the pattern names, and one that it does not.
    pub(super) fn letters(&self) -> Vec<char> {
        let mut letters = vec!['o'];
        letters.extend(self.scope.opens().then_some('q'));
        letters.extend(self.scope.closes().then_some('r'));
        let named: String = match self.ask {
            Ask::Only => "ps".to_owned(),
            Ask::Universality => "px".to_owned(),
            Ask::Precedence(causes, effects, ..) => format!("{causes}{effects}"),
            Ask::Response(stimuli, responses, without, ..) => {
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

impl Ask {
    fn text(&self) -> String {
        let list = |letters: &str| letters.chars().map(String::from).collect::<Vec<_>>().join(", ");
        let within = |within: Within| within.map_or(String::new(), |(lo, hi)| format!(" within [{lo}, {hi}]"));
        let required = |is: bool, event: &str| if is { format!(", {event} required") } else { String::new() };
        match *self {
            Ask::Absence => "absence of p".to_owned(),
            Ask::Existence(time) => format!("existence of p{}", within(time)),
            Ask::AtMost(number) => format!("at most {number} p"),
            Ask::AtLeast(number) => format!("at least {number} p"),
            Ask::Exactly(number) => format!("exactly {number} p"),
            Ask::Rate(number, window) => format!("at most {number} p in {window}"),
            Ask::Universality => "universality of p(1)".to_owned(),
            Ask::Only => "only p, s".to_owned(),
            Ask::Precedence(causes, effects, is_required, time) => {
                let verb = if causes.len() == 1 { "precedes" } else { "precede" };
                let required = required(is_required, causes);
                format!("{} {verb} {}{}{required}", list(causes), list(effects), within(time))
            }
            Ask::Response(stimuli, responses, without, is_required, time) => {
                let verb = if responses.len() == 1 { "responds" } else { "respond" };
                let without = without.map_or(String::new(), |letter| format!(" without {letter}"));
                let required = required(is_required, stimuli);
                format!("{}{without} {verb} to {}{}{required}", list(responses), list(stimuli), within(time))
            }
            Ask::Recurrence(every) => format!("p recurs every {every}"),
        }
    }
}
