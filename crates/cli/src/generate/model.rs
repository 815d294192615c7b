// SPDX-License-Identifier: MIT OR Apache-2.0
//! A process model: what can happen, in which order, how likely and for how long.

use gnomon::diagnostic::Span;
use gnomon::time::Unit;
use gnomon::value::Value;

/// The chance of what always happens, in billionths.
pub(super) const CERTAIN: u64 = 1_000_000_000;

/// How likely something is, exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chance {
    /// At most [`CERTAIN`].
    pub(super) billionths: u64,
}

/// Whole numbers from `low` to `high`, both included. INVARIANT: `low <= high` (the parser's `range`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) low: i64,
    pub(super) high: i64,
}

/// A whole model. INVARIANT: every index in it points at something; a block refers only to blocks made before it,
/// save the process, which is the last: so it has no cycles.
#[derive(Debug)]
pub(super) struct Model {
    /// The field that carries the time.
    pub(super) time_field: String,
    /// What its numbers count.
    pub(super) unit: Option<Unit>,
    /// The field that carries the number of the case, if one does.
    pub(super) case_field: Option<String>,
    pub(super) seed: u64,
    pub(super) activities: Vec<Activity>,
    pub(super) blocks: Vec<Vec<Step>>,
    /// The block that a case runs.
    pub(super) process: usize,
    /// A loop that nothing ends.
    pub(super) endless: Option<Span>,
}

/// Something that is done and logged.
#[derive(Debug)]
pub(super) struct Activity {
    /// The name of its events.
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
    pub(super) takes: Range,
    /// How likely it takes longer, and how long then.
    pub(super) slow: Option<(Chance, Range)>,
    /// It is begun and does not end.
    pub(super) fails: Option<Chance>,
    /// It is not done at all.
    pub(super) skipped: Option<Chance>,
    /// It is done once more.
    pub(super) repeated: Option<Chance>,
}

impl Activity {
    /// Whether it is logged twice, at its start and at its end.
    pub(super) fn is_pair(&self) -> bool {
        self.fields.iter().any(|field| field.end.is_some())
    }
}

/// A field of an activity's events.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    /// What it is: one of these, each equally likely.
    pub(super) value: Vec<Content>,
    /// What it is at the activity's end, if something else.
    pub(super) end: Option<Vec<Content>>,
}

/// What a field may hold.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Constant(Value<'static>),
    Number(Range),
}

/// A step of a block.
#[derive(Debug)]
pub(super) enum Step {
    /// Does an activity.
    Do(usize),
    /// Runs a block.
    Part(usize),
    /// Lets time pass.
    Wait(Range),
    /// Runs a block, or does not.
    Maybe(Chance, usize),
    /// Runs one of several blocks: the chances in billionths, added up, and the blocks.
    Choose(Vec<(u64, usize)>),
    /// Runs a block again and again.
    Repeat(Repeat),
}

/// A loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeat {
    pub(super) low: u64,
    /// `None`: any number of rounds.
    pub(super) high: Option<u64>,
    /// How likely another round is once there were `low`; without it, the number of rounds is drawn beforehand.
    pub(super) another: Option<Chance>,
    pub(super) body: usize,
}

impl Repeat {
    /// Whether nothing but the end of the trace ends it.
    pub(super) fn is_endless(&self) -> bool {
        self.high.is_none() && self.another.is_none_or(|chance| chance.billionths == CERTAIN)
    }
}
