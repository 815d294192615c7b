// SPDX-License-Identifier: MIT OR Apache-2.0
//! The meaning of a pattern, stated directly: the segments of a trace, and the requirement on each.
//!
//! An event is the set of atoms that it matches. Nothing is shared with the oracle or the engine.

use gnomon_ir::pattern::{CountBound, ScopeKind};

/// The atoms of all cells.
pub(crate) const NAMES: [&str; 6] = ["p", "q", "r", "s", "t", "z"];
pub(crate) const P: u8 = 1;
pub(crate) const Q: u8 = 2;
pub(crate) const R: u8 = 4;
pub(crate) const S: u8 = 8;
pub(crate) const T: u8 = 16;
pub(crate) const Z: u8 = 32;

/// An event: what it matches, and when it was.
pub(crate) type Event = (u8, i64);

/// Distances, both ends included; `None`: any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Within(pub(crate) i64, pub(crate) Option<i64>);

impl Within {
    pub(crate) const ANY: Within = Within(0, None);

    fn has(self, distance: i64) -> bool {
        distance >= self.0 && self.1.is_none_or(|most| distance <= most)
    }
}

/// A behaviour over atoms.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    Absence(u8),
    Existence(u8, Within),
    Count(CountBound, u64, u8),
    Rate(u64, u8, i64),
    /// The events of the name `s` are those of `s` and of `p`: all of them must be `p`.
    Universality,
    Only(Vec<u8>),
    Precedence {
        causes: Vec<u8>,
        effects: Vec<u8>,
        required: bool,
        within: Within,
    },
    Response {
        stimuli: Vec<u8>,
        responses: Vec<u8>,
        without: Option<u8>,
        required: bool,
        within: Within,
    },
    Recurrence(u8, i64),
}

/// A segment: its opening, its events, its end.
pub(crate) struct Segment {
    opened: i64,
    events: Vec<Event>,
    ended: i64,
}

/// The segments of a complete trace.
pub(crate) fn segments(scope: ScopeKind, trace: &[Event]) -> Vec<Segment> {
    let last = trace.last().map_or(0, |event| event.1);
    let mut done = Vec::new();
    let mut open = (!scope.opens()).then(|| Segment {
        opened: trace.first().map_or(0, |event| event.1),
        events: vec![],
        ended: last,
    });
    let mut over = false;
    for &(event, time) in trace {
        if over {
            break;
        }
        if scope.closes() && event & R != 0 {
            done.extend(open.take().map(|segment| Segment { ended: time, ..segment }));
            over = !scope.opens();
        } else if scope.opens() && event & Q != 0 && (open.is_none() || scope.restarts()) {
            open = Some(Segment { opened: time, events: vec![], ended: last });
        } else if let Some(segment) = &mut open {
            segment.events.push((event, time));
        }
    }
    if !scope.needs_end() {
        done.extend(open);
    }
    done
}

/// Returns true if a complete trace satisfies the pattern.
pub(crate) fn holds(scope: ScopeKind, asked: &Asked, trace: &[Event]) -> bool {
    segments(scope, trace).iter().all(|segment| answer(asked, segment))
}

/// All ways to find these one after the other, from this place on: the places of each.
fn ways(events: &[Event], atoms: &[u8], from: usize) -> Vec<Vec<usize>> {
    let Some((first, rest)) = atoms.split_first() else { return vec![vec![]] };
    let here = (from..events.len()).filter(|&at| events[at].0 & first != 0);
    here.flat_map(|at| {
        ways(events, rest, at + 1).into_iter().map(move |mut way| {
            way.insert(0, at);
            way
        })
    })
    .collect()
}

fn answer(asked: &Asked, Segment { opened, events, ended }: &Segment) -> bool {
    let number = |atom: u8| events.iter().filter(|event| event.0 & atom != 0).count() as u64;
    match asked {
        Asked::Absence(atom) => number(*atom) == 0,
        Asked::Existence(atom, within) => {
            events.iter().any(|(event, time)| event & atom != 0 && within.has(time - opened))
        }
        Asked::Count(CountBound::AtMost, most, atom) => number(*atom) <= *most,
        Asked::Count(CountBound::AtLeast, least, atom) => number(*atom) >= *least,
        Asked::Count(CountBound::Exactly, exactly, atom) => number(*atom) == *exactly,
        Asked::Rate(most, atom, window) => {
            let times: Vec<i64> = events.iter().filter(|event| event.0 & atom != 0).map(|event| event.1).collect();
            times.windows(*most as usize + 1).all(|times| times[*most as usize] - times[0] > *window)
        }
        Asked::Universality => events.iter().all(|(event, _)| event & (S | P) == 0 || event & P != 0),
        Asked::Only(atoms) => events.iter().all(|(event, _)| atoms.iter().any(|atom| event & atom != 0)),
        Asked::Precedence { causes, effects, required, within } => {
            let same = causes.len() == 1 && effects.len() == 1;
            let caused = ways(events, effects, 0).iter().all(|effects| {
                let first = effects[0];
                ways(events, causes, 0).iter().any(|causes| {
                    let last = causes[causes.len() - 1];
                    (last < first || same && last == first)
                        && causes.iter().all(|&cause| within.has(events[first].1 - events[cause].1))
                })
            });
            caused && (!required || number(causes[0]) > 0)
        }
        Asked::Response { stimuli, responses, without, required, within } => {
            let answered = ways(events, stimuli, 0).iter().all(|stimuli| {
                let last = stimuli[stimuli.len() - 1];
                ways(events, responses, last + 1).iter().any(|responses| {
                    let between = responses[0] + 1..responses[responses.len() - 1].max(responses[0] + 1);
                    let calm = without.is_none_or(|without| events[between].iter().all(|event| event.0 & without == 0));
                    calm && responses.iter().all(|&response| within.has(events[response].1 - events[last].1))
                })
            });
            answered && (!required || number(stimuli[0]) > 0)
        }
        Asked::Recurrence(atom, every) => {
            let times = events.iter().filter(|event| event.0 & atom != 0).map(|event| event.1);
            let marks: Vec<i64> = std::iter::once(*opened).chain(times).chain([*ended]).collect();
            marks.windows(2).all(|pair| pair[1] - pair[0] <= *every)
        }
    }
}

#[test]
fn segments_are_cut_as_the_scope_says() {
    let trace: Vec<Event> = [Q, P, Q, R, P, Q | R, Q, S].iter().zip(1..).map(|(event, time)| (*event, time)).collect();
    let cut = |scope| -> Vec<(i64, Vec<u8>)> {
        let segments = segments(scope, &trace).into_iter();
        segments.map(|segment| (segment.opened, segment.events.iter().map(|event| event.0).collect())).collect()
    };
    assert_eq!(cut(ScopeKind::Before), [(1, vec![Q, P, Q])]);
    assert_eq!(cut(ScopeKind::After), [(1, vec![P, Q, R, P, Q | R, Q, S])]);
    assert_eq!(cut(ScopeKind::AfterLast), [(7, vec![S])]);
    assert_eq!(cut(ScopeKind::Between), [(1, vec![P, Q])]);
    assert_eq!(cut(ScopeKind::BetweenLast), [(3, vec![])]);
    assert_eq!(cut(ScopeKind::AfterUntil), [(1, vec![P, Q]), (7, vec![S])]);
}
