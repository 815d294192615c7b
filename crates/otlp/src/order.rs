// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of what spans tell: by time, and at equal times as one span is inside another.
//!
//! Clocks of computers are coarser than their work: a span and the one inside it often start at the same nanosecond. So
//! the spans are first told one inside the other, each as its start, what happened in it, and its end, and then sorted by
//! time without moving equals past each other.

use std::collections::HashMap;

use crate::id::{SpanId, TraceId};
use crate::occurrence::What;

/// A span as far as its order with others goes. Times are nanoseconds since 1970; what has none tells nothing.
pub trait Lifeline {
    /// The trace that it belongs to.
    fn trace(&self) -> TraceId;
    /// Which span it is.
    fn id(&self) -> SpanId;
    /// The span that it is inside of.
    fn parent(&self) -> SpanId;
    /// When it started.
    fn start(&self) -> Option<u64>;
    /// When it ended; not before it started.
    fn end(&self) -> Option<u64>;
    /// How many notes it has.
    fn note_count(&self) -> usize;
    /// When a note was made.
    fn note(&self, index: usize) -> Option<u64>;
}

/// Something that a span tells, in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Which span, by its place among those given.
    pub span: usize,
    /// What of it.
    pub what: What,
    /// When.
    pub time_ns: u64,
}

/// Everything that these spans tell, in order. Spans that are told twice count twice; whoever is its own ancestor has no
/// parent.
///
/// COST: n log n in time, linear in memory.
pub fn sequence<S: Lifeline>(spans: &[S]) -> Vec<Step> {
    let families = Families::of(spans);
    let mut telling = Telling { spans, families: &families, seen: vec![false; spans.len()], steps: Vec::new() };
    families.roots.iter().for_each(|root| telling.tell(*root));
    // What is left are rings of spans, each inside the next.
    (0..spans.len()).for_each(|span| telling.tell(span));
    let mut steps = telling.steps;
    steps.sort_by_key(|step| step.time_ns);
    steps
}

/// Which spans are inside which, in the order in which they began.
struct Families {
    roots: Vec<usize>,
    children: Vec<Vec<usize>>,
}

impl Families {
    fn of<S: Lifeline>(spans: &[S]) -> Families {
        let mut places: HashMap<(TraceId, SpanId), usize> = HashMap::with_capacity(spans.len());
        for (place, span) in spans.iter().enumerate().filter(|(_, span)| !span.id().is_absent()) {
            places.entry((span.trace(), span.id())).or_insert(place);
        }
        let mut families = Families { roots: Vec::new(), children: vec![Vec::new(); spans.len()] };
        let mut by_time: Vec<usize> = (0..spans.len()).collect();
        by_time.sort_by_key(|place| began(&spans[*place]));
        for place in by_time {
            let span = &spans[place];
            match places.get(&(span.trace(), span.parent())) {
                Some(parent) if *parent != place => families.children[*parent].push(place),
                _ => families.roots.push(place),
            }
        }
        families
    }
}

/// When a span began, as far as it tells.
fn began<S: Lifeline>(span: &S) -> u64 {
    span.start().or(span.end()).unwrap_or(0)
}

struct Telling<'a, S> {
    spans: &'a [S],
    families: &'a Families,
    seen: Vec<bool>,
    steps: Vec<Step>,
}

/// What is still to be told.
enum Task {
    Span(usize),
    End(usize),
}

impl<S: Lifeline> Telling<'_, S> {
    /// Tells a span with all that is inside. The tasks are kept in a list of our own: a chain of spans may be as long as the
    /// request.
    fn tell(&mut self, first: usize) {
        let mut tasks = vec![Task::Span(first)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::End(span) => self.step(span, What::End, self.spans[span].end()),
                Task::Span(span) if self.seen[span] => {}
                Task::Span(span) => {
                    self.seen[span] = true;
                    self.step(span, What::Start, self.spans[span].start());
                    for note in 0..self.spans[span].note_count() {
                        self.step(span, What::Note(note), self.spans[span].note(note));
                    }
                    tasks.push(Task::End(span));
                    tasks.extend(self.families.children[span].iter().rev().map(|child| Task::Span(*child)));
                }
            }
        }
    }

    fn step(&mut self, span: usize, what: What, time: Option<u64>) {
        self.steps.extend(time.map(|time_ns| Step { span, what, time_ns }));
    }
}
