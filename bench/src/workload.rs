// SPDX-License-Identifier: MIT OR Apache-2.0
//! The workloads: a property and the kind of trace on which it is checked.

use std::fmt;
use std::str::FromStr;

use gnomon_trace::Format;

/// A property with its kind of trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Workload {
    Plain(PlainWorkload),
    Data(DataWorkload),
    Plugin(PluginWorkload),
    /// Requests and answers of several services, id by id, with a million instances of rules open; two in 100,000 answers come
    /// too late.
    Rules,
    /// Five relations over ten clocks; some in 100,000 events are one tick too early.
    Clocks,
    /// Tasks that are pushed and popped, one by one, with many waiting, in rounds; two in 100,000 are never popped.
    Tasks,
}

/// A property of events without data. One event a time unit, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlainWorkload {
    /// Bounded response; two in 100,000 answers come too late.
    Response(Arrival, u64),
    /// Precedence since the last time; two in 100,000 come without.
    Precedence,
    /// A count over the last 600 units: its limit, and the share of counted events in 100,000.
    Count { limit: u64, share: u64 },
    /// A recurring event with a maximal distance; two in 100,000 distances are too long.
    Recurrence(u64),
}

/// The arrival of requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arrival {
    /// One at a time: the next request follows the answer to the last one.
    OneByOne,
    /// At any time, while others are open.
    Overlapping,
}

/// A property with variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DataWorkload {
    /// Bounded response, id by id, with many ids open; two in 100,000 answers come too late.
    Requests,
    /// No iterator is used after its collection was modified: many collections, iterators that are never done with.
    Iterators,
    /// The property of [`DataWorkload::Iterators`] with a single collection that is modified rarely, and one violation at the end.
    Rounds,
}

/// A logic plug-in with parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PluginWorkload {
    /// The trace and the violations of [`DataWorkload::Iterators`], as an expression.
    Iterators,
    /// A state machine for each of a million live iterators; two in 100,000 calls fail.
    Calls,
    /// A grammar of the locks of each thread; two in 100,000 calls release a lock that was not taken.
    Locks,
}

/// The number of iterators of [`PluginWorkload::Calls`], and of threads of [`PluginWorkload::Locks`] with the most locks of each.
pub(crate) const LIVE_ITERATORS: u64 = 1_000_000;
pub(crate) const LOCK_THREADS: u64 = 1_000;
pub(crate) const LOCK_DEPTH: u64 = 10;

/// The window of [`PlainWorkload::Count`].
pub(crate) const WINDOW: u64 = 600;

/// The bound of [`DataWorkload::Requests`], and the number of concurrently open requests.
pub(crate) const BOUND: u64 = 10;
pub(crate) const LIVE_REQUESTS: u64 = 10_000;

/// The messages of [`Workload::Rules`], and the number of concurrently open requests. Two rules wait for each answer.
pub(crate) const SERVICES: [(&str, &str); 5] =
    [("quote", "quoted"), ("order", "ordered"), ("pay", "paid"), ("ship", "shipped"), ("cancel", "cancelled")];
pub(crate) const LIVE_CALLS: u64 = 500_000;

/// The clocks of [`Workload::Clocks`], in pairs that are related, and the greatest lead of the third one.
pub(crate) const CLOCKS: [(&str, &str); 5] =
    [("request", "reply"), ("open", "close"), ("send", "receive"), ("start", "stop"), ("read", "write")];
pub(crate) const LEAD: u64 = 100;

/// The events of a round of [`Workload::Tasks`], and the number of waiting tasks.
pub(crate) const ROUND: u64 = 1_000_000;
pub(crate) const LIVE_TASKS: u64 = 100_000;

/// Maximal number of events of [`DataWorkload::Rounds`]: 2,000,001 iterators, ten modifications and the use of an iterator.
const ROUNDS_EVENTS: u64 = 2_000_012;

impl Workload {
    /// Every workload, with its name.
    pub(crate) const ALL: [(&'static str, Workload); 19] = [
        ("W1", Workload::Plain(PlainWorkload::Response(Arrival::OneByOne, 10))),
        ("W2", Workload::Plain(PlainWorkload::Precedence)),
        ("W3", Workload::Plain(PlainWorkload::Count { limit: 3, share: 100 })),
        ("W3b", Workload::Plain(PlainWorkload::Count { limit: 150, share: 20_000 })),
        ("W4", Workload::Data(DataWorkload::Requests)),
        ("W5", Workload::Data(DataWorkload::Iterators)),
        ("W5b", Workload::Data(DataWorkload::Rounds)),
        ("W7", Workload::Tasks),
        ("W8", Workload::Rules),
        ("W9-iterators", Workload::Plugin(PluginWorkload::Iterators)),
        ("W9-calls", Workload::Plugin(PluginWorkload::Calls)),
        ("W9-locks", Workload::Plugin(PluginWorkload::Locks)),
        ("W10-clocks", Workload::Clocks),
        ("W6-response-10", Workload::Plain(PlainWorkload::Response(Arrival::Overlapping, 10))),
        ("W6-response-100", Workload::Plain(PlainWorkload::Response(Arrival::Overlapping, 100))),
        ("W6-response-1000", Workload::Plain(PlainWorkload::Response(Arrival::Overlapping, 1000))),
        ("W6-recurrence-10", Workload::Plain(PlainWorkload::Recurrence(10))),
        ("W6-recurrence-100", Workload::Plain(PlainWorkload::Recurrence(100))),
        ("W6-recurrence-1000", Workload::Plain(PlainWorkload::Recurrence(1000))),
    ];

    /// The property: in SOLOIST without variables, in MTL with them, a pattern, or a rule for each service and direction.
    fn formulae(self) -> Vec<String> {
        let rules = |(request, answer): &(&str, &str)| {
            let sets = format!("{{{{{request}.i, {answer}.i}}}}");
            [
                format!("P(start({request}) | O[0,{BOUND}] done({answer})) / {sets}"),
                format!("P(start({answer}) | O[{BOUND},0] done({request})) / {sets}"),
            ]
        };
        match self {
            Workload::Rules => SERVICES.iter().flat_map(rules).collect(),
            Workload::Plain(_) | Workload::Data(_) | Workload::Plugin(_) | Workload::Tasks | Workload::Clocks => {
                vec![self.formula()]
            }
        }
    }

    /// The first property.
    pub(crate) fn formula(self) -> String {
        match self {
            Workload::Rules => self.formulae().swap_remove(0),
            Workload::Clocks => {
                format!("request ~ reply\n  open < close\n  send <[{LEAD}] receive\n  start <= stop\n  read # write")
            }
            Workload::Tasks => "for every t: between start and done: pop(t) responds to push(t)".to_owned(),
            Workload::Plain(PlainWorkload::Response(Arrival::OneByOne, bound)) => {
                format!("G(start -> F(0,{bound}] complete)")
            }
            Workload::Plain(PlainWorkload::Response(Arrival::Overlapping, bound)) => {
                format!("G(req -> F(0,{bound}] ack)")
            }
            Workload::Plain(PlainWorkload::Precedence) => "G(logon -> (!logon) S check)".to_owned(),
            Workload::Plain(PlainWorkload::Count { limit, .. }) => {
                format!("G(logoff -> C^{{{WINDOW}}}_{{<={limit}}}(withdraw))")
            }
            Workload::Plain(PlainWorkload::Recurrence(bound)) => format!("G(F(0,{bound}] tick)"),
            Workload::Data(DataWorkload::Requests) => format!("forall i. G(request(i) -> F[0,{BOUND}] response(i))"),
            Workload::Data(DataWorkload::Iterators | DataWorkload::Rounds) => {
                "forall c, i. G(create(c,i) -> G(modify(c) -> G !next(i)))".to_owned()
            }
            Workload::Plugin(PluginWorkload::Iterators) => "parameters c, i events create(c, i), modify(c), next(i) \
                creation create ere: create next* modify modify* next"
                .to_owned(),
            Workload::Plugin(PluginWorkload::Calls) => "parameters i events hasnext(i), next(i) \
                fsm: unasked [ hasnext -> asked ] asked [ hasnext -> asked, next -> unasked ] forbid fail reset"
                .to_owned(),
            Workload::Plugin(PluginWorkload::Locks) => "parameters t events lock(t), unlock(t) \
                cfg: S -> S lock S unlock | epsilon forbid fail reset"
                .to_owned(),
        }
    }

    /// The names of the fields that its events may have, beside the time.
    pub(crate) fn fields(self) -> &'static [&'static str] {
        match self {
            Workload::Plain(_) | Workload::Clocks => &[],
            Workload::Data(DataWorkload::Requests) | Workload::Rules | Workload::Plugin(PluginWorkload::Calls) => {
                &["i"]
            }
            Workload::Tasks | Workload::Plugin(PluginWorkload::Locks) => &["t"],
            Workload::Data(DataWorkload::Iterators | DataWorkload::Rounds)
            | Workload::Plugin(PluginWorkload::Iterators) => &["c", "i"],
        }
    }

    /// The spec file for traces of this format.
    pub(crate) fn spec(self, format: Format) -> String {
        self.formulae()
            .iter()
            .enumerate()
            .fold(self.declarations(format), |spec, (at, formula)| spec + &self.block(at, formula))
    }

    /// A spec that reads what the workload's own reads, and has nothing to remember.
    pub(crate) fn idle_spec(self) -> String {
        match self {
            Workload::Rules => self.block(0, "P(start(nothing) | O[0,1] done(nothing))"),
            Workload::Tasks => self.block(0, "globally: absence of nothing"),
            Workload::Clocks => self.block(0, "nothing # nothing"),
            Workload::Plain(_) | Workload::Data(_) => self.block(0, "G !(nothing)"),
            Workload::Plugin(_) => self.block(0, "events nothing ere: nothing"),
        }
    }

    fn block(self, number: usize, formula: &str) -> String {
        let language = match self {
            Workload::Plain(_) => "soloist",
            Workload::Data(_) => "mtl",
            Workload::Rules => "nomad",
            Workload::Tasks => "pattern",
            Workload::Clocks => "ccsl",
            Workload::Plugin(_) => "mop",
        };
        let number = if number == 0 { String::new() } else { number.to_string() };
        format!("{language} bench{number} {{\n  {formula}\n}}\n")
    }

    /// The declarations that bind fields of events to parameters.
    fn declarations(self, format: Format) -> String {
        let events = match self {
            Workload::Plain(_) | Workload::Rules | Workload::Clocks => "",
            Workload::Tasks => "event push(t)\nevent pop(t)\n",
            Workload::Data(DataWorkload::Requests) => "event request(i)\nevent response(i)\n",
            Workload::Data(DataWorkload::Iterators | DataWorkload::Rounds)
            | Workload::Plugin(PluginWorkload::Iterators) => "event create(c, i)\nevent modify(c)\nevent next(i)\n",
            Workload::Plugin(PluginWorkload::Calls) => "event hasnext(i)\nevent next(i)\n",
            Workload::Plugin(PluginWorkload::Locks) => "event lock(t)\nevent unlock(t)\n",
        };
        match format {
            // MonPoly's fields have no names; the log contains exactly the parameters of the property.
            Format::Monpoly => String::new(),
            Format::Text => format!("log text \"{}\"\n{events}", self.text_pattern()),
            _ => events.to_owned(),
        }
    }

    /// The pattern of the lines of a text log; an absent field is `-`.
    pub(crate) fn text_pattern(self) -> String {
        let fields = self.fields().iter().map(|field| format!(" {field}={{{field}}}"));
        format!("{{time}} {{level}} {{event}}{}", fields.collect::<String>())
    }

    /// Returns the maximal number of live bindings in a trace with this many activations.
    pub(crate) fn live_bindings(self, created: u64) -> Option<u64> {
        match self {
            Workload::Data(DataWorkload::Requests) => Some(LIVE_REQUESTS),
            Workload::Rules => Some(2 * LIVE_CALLS),
            Workload::Tasks => Some(LIVE_TASKS),
            Workload::Data(DataWorkload::Iterators | DataWorkload::Rounds)
            | Workload::Plugin(PluginWorkload::Iterators) => Some(created),
            Workload::Plugin(PluginWorkload::Calls) => Some(LIVE_ITERATORS.min(created)),
            Workload::Plain(_) | Workload::Plugin(PluginWorkload::Locks) | Workload::Clocks => None,
        }
    }

    /// The lengths of the traces to judge, where so many events are asked for: with variables also a tenth, since memory
    /// and time must not depend on what went by.
    pub(crate) fn lengths(self, events: u64) -> Vec<u64> {
        match self {
            Workload::Plain(_) => vec![events],
            Workload::Data(DataWorkload::Requests | DataWorkload::Iterators)
            | Workload::Plugin(_)
            | Workload::Rules
            | Workload::Tasks
            | Workload::Clocks => vec![events / 10, events],
            Workload::Data(DataWorkload::Rounds) => vec![events.min(ROUNDS_EVENTS)],
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Workload::ALL.iter().find(|(_, workload)| workload == self).map_or("?", |(name, _)| name))
    }
}

impl FromStr for Workload {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Workload::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        found.map(|(_, workload)| *workload).ok_or_else(|| {
            let names: Vec<&str> = Workload::ALL.iter().map(|(name, _)| *name).collect();
            format!("`{text}` is none of {}", names.join(", "))
        })
    }
}
