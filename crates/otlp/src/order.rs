// SPDX-License-Identifier: MIT OR Apache-2.0
//! Orders the events of spans: by time, and at equal times by nesting.
//!
//! Clocks are coarse: a span and its child often start at the same nanosecond. So the spans are first visited
//! depth-first, each as its start, its notes, its children and its end, and then sorted by time with a stable sort,
//! which keeps the nesting at equal times.
//!
//! Example: `order` (5 to 9) contains `pay` (5 to 7). The depth-first visit gives `order`+5, `pay`+5, `pay`-7,
//! `order`-9; a sort by time keeps `order` before `pay` at time 5.

use std::collections::HashMap;

use crate::id::{SpanId, TraceId};
use crate::occurrence::SpanEventKind;

/// A span as needed for ordering. Times are nanoseconds since 1970; an event without a time is omitted.
pub trait SpanTimes {
    /// Returns the trace.
    fn trace(&self) -> TraceId;
    /// Returns the id of the span.
    fn id(&self) -> SpanId;
    /// Returns the id of the enclosing span.
    fn parent(&self) -> SpanId;
    /// Returns the start.
    fn start(&self) -> Option<u64>;
    /// Returns the end; not before the start.
    fn end(&self) -> Option<u64>;
    /// Returns the number of notes.
    fn note_count(&self) -> usize;
    /// Returns the time of a note.
    fn note(&self, index: usize) -> Option<u64>;
}

/// An event of a span in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrderedSpanEvent {
    /// Index of the span.
    pub span: usize,
    /// Event of the span.
    pub kind: SpanEventKind,
    /// Time in nanoseconds since 1970.
    pub time_ns: u64,
}

/// Returns all events of these spans in order. Repeated spans yield repeated events; a span that is its own ancestor
/// has no parent.
///
/// COST: n log n in time, linear in memory.
pub fn sequence<S: SpanTimes>(spans: &[S]) -> Vec<OrderedSpanEvent> {
    let forest = SpanForest::of(spans);
    let mut walk = SpanWalk { spans, forest: &forest, visited: vec![false; spans.len()], steps: Vec::new() };
    forest.roots.iter().for_each(|root| walk.walk(*root));
    // The rest are cycles of spans.
    (0..spans.len()).for_each(|span| walk.walk(span));
    let mut steps = walk.steps;
    steps.sort_by_key(|step| step.time_ns);
    steps
}

/// The nesting of spans, siblings ordered by start.
struct SpanForest {
    roots: Vec<usize>,
    children: Vec<Vec<usize>>,
}

impl SpanForest {
    fn of<S: SpanTimes>(spans: &[S]) -> SpanForest {
        let mut places: HashMap<(TraceId, SpanId), usize> = HashMap::with_capacity(spans.len());
        for (place, span) in spans.iter().enumerate().filter(|(_, span)| !span.id().is_absent()) {
            places.entry((span.trace(), span.id())).or_insert(place);
        }
        let mut forest = SpanForest { roots: Vec::new(), children: vec![Vec::new(); spans.len()] };
        let mut by_time: Vec<usize> = (0..spans.len()).collect();
        by_time.sort_by_key(|place| began(&spans[*place]));
        for place in by_time {
            let span = &spans[place];
            match places.get(&(span.trace(), span.parent())) {
                Some(parent) if *parent != place => forest.children[*parent].push(place),
                _ => forest.roots.push(place),
            }
        }
        forest
    }
}

/// Returns the start of a span, or its end if the start is unknown.
fn began<S: SpanTimes>(span: &S) -> u64 {
    span.start().or(span.end()).unwrap_or(0)
}

struct SpanWalk<'a, S> {
    spans: &'a [S],
    forest: &'a SpanForest,
    visited: Vec<bool>,
    steps: Vec<OrderedSpanEvent>,
}

/// A pending step of the traversal.
enum WalkTask {
    Span(usize),
    End(usize),
}

impl<S: SpanTimes> SpanWalk<'_, S> {
    /// Visits a span and its descendants with an explicit stack: a chain of spans may be as long as the request.
    fn walk(&mut self, first: usize) {
        let mut tasks = vec![WalkTask::Span(first)];
        while let Some(task) = tasks.pop() {
            match task {
                WalkTask::End(span) => self.step(span, SpanEventKind::End, self.spans[span].end()),
                WalkTask::Span(span) if self.visited[span] => {}
                WalkTask::Span(span) => {
                    self.visited[span] = true;
                    self.step(span, SpanEventKind::Start, self.spans[span].start());
                    for note in 0..self.spans[span].note_count() {
                        self.step(span, SpanEventKind::Note(note), self.spans[span].note(note));
                    }
                    tasks.push(WalkTask::End(span));
                    tasks.extend(self.forest.children[span].iter().rev().map(|child| WalkTask::Span(*child)));
                }
            }
        }
    }

    fn step(&mut self, span: usize, kind: SpanEventKind, time: Option<u64>) {
        self.steps.extend(time.map(|time_ns| OrderedSpanEvent { span, kind, time_ns }));
    }
}
