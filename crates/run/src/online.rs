// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judges events as they come, in the order of their times, for as long as they come.
//!
//! [`Online`] is pushed: [`Online::step`] with an event, [`Online::tick`] with the promise that nothing earlier will come.
//! What was found since is taken with [`Online::take_found`]; outcomes can be asked for at any moment and change nothing.
//! It reads no clock and no file, and its state is data: [`Online::save`] and [`Online::restore`].
//!
//! The properties may change while it runs ([`Online::replace`]): those that mean the same go on in the *ensemble* they began
//! in, the others begin anew in one of their own.

mod cases;
mod ensemble;
mod saved;

use std::fmt;
use std::sync::Arc;

use gnomon_core::symbols::Symbols;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Outcome, Violation};
use gnomon_engine::{Load, RestoreError};
use serde::{Deserialize, Serialize};

use crate::compile::Compiled;
use crate::externs::ExternReport;
use crate::offline::Cases;
use cases::CaseNumbers;
use ensemble::Ensemble;

/// How many violations of each property stay listed in outcomes.
pub const KEPT: usize = 1000;

/// The fields of an event, by name.
pub trait NamedFields {
    /// The value of the field with this name.
    fn named(&self, name: &str) -> Option<Value<'_>>;
    /// How many fields there are, the time left out.
    fn count(&self) -> usize;
    /// The one at this index.
    fn nth(&self, index: usize) -> Value<'_>;
}

/// A run without an end.
#[derive(Clone, Debug)]
pub struct Online {
    /// INVARIANT: every property of the present spec is alive in exactly one of them; none has nothing alive.
    ensembles: Vec<Ensemble>,
    /// The present spec.
    compiled: Arc<Compiled>,
    cases: CaseNumbers,
    events: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    found: Vec<Found>,
    /// How many violations were found.
    numbered: u64,
}

/// A violation that became certain, or grew.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its number: the first is 1. One that grew has the number it had.
    pub number: u64,
    /// The property, by its place in the present spec's plan.
    pub property: usize,
    /// In which case.
    pub case: Option<Arc<str>>,
    /// Where and why.
    pub violation: Violation,
    /// Whether it was told before, and has grown.
    pub grew: bool,
    /// The spec that it is about: places in a text are places in this one's.
    pub compiled: Arc<Compiled>,
}

/// What replacing the spec did, by the names of properties.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Change {
    /// They go on.
    pub kept: Vec<String>,
    /// They begin anew.
    pub begun: Vec<String>,
    /// They are no more.
    pub ended: Vec<String>,
}

/// Why a saved run cannot go on.
#[derive(Debug)]
pub enum ResumeError {
    /// It cannot be read.
    Damaged,
    /// A spec that it was judged by is no longer understood.
    Spec,
    /// A monitor was refused.
    Monitor(RestoreError),
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResumeError::Damaged => f.write_str("the saved state is damaged"),
            ResumeError::Spec => f.write_str("the saved state is of a spec that this version does not understand"),
            ResumeError::Monitor(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ResumeError {}

impl Online {
    /// Judges by this spec; `by`: each value of this field is a trace of its own.
    pub fn new(compiled: Arc<Compiled>, by: Option<&str>) -> Self {
        let all = (0..compiled.properties.len()).map(Some).collect();
        Online {
            ensembles: vec![Ensemble::new(compiled.clone(), all)],
            cases: CaseNumbers::new(by),
            compiled,
            events: 0,
            first: None,
            last: None,
            found: Vec::new(),
            numbered: 0,
        }
    }

    /// The present spec.
    pub fn compiled(&self) -> &Arc<Compiled> {
        &self.compiled
    }

    /// How many events were judged, those without a case included.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The times of the first and of the last of them.
    pub fn extent(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        (self.first, self.last)
    }

    /// How many violations were found.
    pub fn violations(&self) -> u64 {
        self.numbered
    }

    /// How many distinct names of events there are.
    pub fn names(&self) -> usize {
        self.ensembles.iter().map(|ensemble| ensemble.symbols.name_count()).max().unwrap_or_default()
    }

    /// How many cases there are.
    pub fn case_count(&self) -> usize {
        self.cases.count()
    }

    /// How many of them something is pending in.
    pub fn pending_cases(&self) -> usize {
        self.ensembles.iter().map(Ensemble::pending).max().unwrap_or_default()
    }

    /// How many of them violate some property.
    pub fn violating_cases(&self) -> usize {
        let mut violating = std::collections::BTreeSet::new();
        self.ensembles.iter().for_each(|ensemble| violating.extend(ensemble.violating()));
        violating.len()
    }

    /// How many events belonged to no case.
    pub fn without_case(&self) -> u64 {
        self.cases.without
    }

    /// An event happens; it must not be earlier than one before, or than a tick. Tells its index and its case.
    pub fn step(&mut self, name: &str, time: Timestamp, fields: &dyn NamedFields) -> (u64, Option<Arc<str>>) {
        let index = self.events;
        self.events += 1;
        self.first.get_or_insert(time);
        self.last = Some(time);
        let Some(case) = self.cases.of(fields) else { return (index, None) };
        for ensemble in &mut self.ensembles {
            for case in ensemble.turn_to(time) {
                collect(&mut self.found, &mut self.numbered, &self.cases, ensemble, case);
            }
            ensemble.step(case, name, index, time, fields);
            if ensemble.stirs(case) {
                collect(&mut self.found, &mut self.numbered, &self.cases, ensemble, case);
            }
        }
        (index, self.cases.label(case))
    }

    /// Whether this event is a read of an external variable that was recorded: then it is taken for that, and must not be
    /// judged.
    pub fn absorb(&mut self, time: Timestamp, fields: &dyn NamedFields) -> bool {
        let mut is_read = false;
        for ensemble in &mut self.ensembles {
            is_read |= ensemble.absorb(time, fields);
        }
        is_read
    }

    /// An external variable has been read, or could not be: later events have this value.
    pub fn read(&mut self, variable: &str, result: &Result<Value<'static>, String>) {
        let time = self.last.unwrap_or(Timestamp::MIN);
        self.ensembles.iter_mut().for_each(|ensemble| ensemble.externs.note(variable, time, result));
    }

    /// What became of the external variables that the properties use.
    pub fn externs(&self) -> Vec<ExternReport> {
        let mut all: Vec<ExternReport> = Vec::new();
        for one in self.ensembles.iter().flat_map(|ensemble| ensemble.externs.report()) {
            if all.iter().all(|known| known.name != one.name) {
                all.push(one);
            }
        }
        all
    }

    /// No further event will have the time of the last one.
    pub fn close_position(&mut self) {
        for ensemble in &mut self.ensembles {
            for case in ensemble.close_position() {
                collect(&mut self.found, &mut self.numbered, &self.cases, ensemble, case);
            }
        }
    }

    /// Time passes: nothing earlier than `to` will come.
    pub fn tick(&mut self, to: Timestamp) {
        for ensemble in &mut self.ensembles {
            for case in ensemble.tick(to) {
                collect(&mut self.found, &mut self.numbered, &self.cases, ensemble, case);
            }
        }
    }

    /// The earliest time whose passing may decide something.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.ensembles.iter().filter_map(Ensemble::next_deadline).min()
    }

    /// The time of a position that further events of the same time would still belong to.
    pub fn open_position(&self) -> Option<Timestamp> {
        self.ensembles.iter().filter_map(Ensemble::open_position).max()
    }

    /// What was found since this was last asked.
    pub fn take_found(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
    }

    /// What became of each property of the present spec so far, as if the events ended here.
    pub fn outcomes(&self, end: End) -> (Vec<Outcome>, Option<Cases>) {
        let mut outcomes: Vec<Option<Outcome>> = vec![None; self.compiled.properties.len()];
        let mut cases = self.cases.is_divided().then(|| Cases {
            total: self.cases.count() as u64,
            field: self.cases.field().map(str::to_owned),
            without: self.cases.without,
            violating_each: vec![0; outcomes.len()],
            labels: vec![vec![]; outcomes.len()],
            ..Cases::default()
        });
        let mut violating = vec![false; if cases.is_some() { self.cases.count() } else { 0 }];
        for ensemble in &self.ensembles {
            let (own, own_cases) = ensemble.outcomes(&self.cases, end, &mut violating);
            for (index, outcome) in own.into_iter().enumerate() {
                let Some(property) = ensemble.alive[index] else { continue };
                outcomes[property] = Some(outcome);
                if let (Some(cases), Some(own)) = (&mut cases, &own_cases) {
                    cases.violating_each[property] = own.violating_each.get(index).copied().unwrap_or_default();
                    cases.labels[property] = own.labels.get(index).cloned().unwrap_or_default();
                }
            }
        }
        if let Some(cases) = &mut cases {
            cases.violating = violating.iter().filter(|is_violating| **is_violating).count() as u64;
        }
        (outcomes.into_iter().flatten().collect(), cases)
    }

    /// The names of events, as the ensemble of a property numbers them, and the spec that it began with.
    pub fn legend(&self, property: usize) -> Option<(&Symbols, &Arc<Compiled>)> {
        let ensemble = self.ensembles.iter().find(|ensemble| ensemble.alive.contains(&Some(property)))?;
        Some((&ensemble.symbols, &ensemble.compiled))
    }

    /// What all properties together take.
    pub fn load(&self) -> Load {
        self.ensembles.iter().map(Ensemble::load).fold(Load::default(), |sum, one| Load {
            bindings: sum.bindings + one.bindings,
            bytes: sum.bytes + one.bytes,
        })
    }

    /// Goes on with another spec. Properties with the same name and meaning keep their state.
    pub fn replace(&mut self, compiled: Arc<Compiled>) -> Change {
        let mut change = Change::default();
        let names: Vec<String> = compiled.properties().map(|property| property.name.clone()).collect();
        let mut places: Vec<Option<usize>> = vec![None; names.len()];
        for ensemble in &mut self.ensembles {
            for index in 0..ensemble.alive.len() {
                if ensemble.alive[index].is_none() {
                    continue;
                }
                let name = ensemble.property_name(index).to_owned();
                let meaning = ensemble.compiled.plan.meaning(index);
                let same = (0..names.len()).find(|new| {
                    names[*new] == name && places[*new].is_none() && compiled.plan.meaning(*new) == meaning
                });
                ensemble.alive[index] = same;
                match same {
                    Some(new) => {
                        places[new] = Some(new);
                        change.kept.push(name);
                    }
                    None => change.ended.push(name),
                }
            }
        }
        let begun: Vec<usize> = (0..names.len()).filter(|new| places[*new].is_none()).collect();
        change.begun = begun.iter().map(|new| names[*new].clone()).collect();
        self.ensembles.retain(Ensemble::is_alive);
        if !begun.is_empty() {
            let some = Arc::new(compiled.only(&begun));
            let mut fresh = Ensemble::new(some, begun.into_iter().map(Some).collect());
            self.ensembles.iter().for_each(|ensemble| fresh.externs.inherit(&ensemble.externs));
            self.ensembles.push(fresh);
        }
        self.compiled = compiled;
        change
    }

    /// The run as data, for [`Online::restore`].
    pub fn save(&self) -> Vec<u8> {
        saved::save(self, true)
    }

    /// The run as data without the text of its spec, for [`Online::resume`]; `None` if the spec has been replaced.
    pub fn save_state(&self) -> Option<Vec<u8>> {
        let [ensemble] = &self.ensembles[..] else { return None };
        (ensemble.compiled.source == self.compiled.source).then(|| saved::save(self, false))
    }

    /// A run as [`Online::save_state`] saved it, by the same spec. COST: that of reading the state; the spec is shared.
    pub fn resume(bytes: &[u8], compiled: &Arc<Compiled>) -> Result<Online, ResumeError> {
        saved::restore(bytes, |text| text.is_empty().then(|| compiled.clone()))
    }

    /// A run as it was saved. `compile` makes a spec of its text again.
    pub fn restore(bytes: &[u8], compile: impl Fn(&str) -> Option<Compiled>) -> Result<Online, ResumeError> {
        saved::restore(bytes, |text| compile(text).map(Arc::new))
    }
}

/// Takes what an ensemble found in a case.
fn collect(found: &mut Vec<Found>, numbered: &mut u64, cases: &CaseNumbers, ensemble: &mut Ensemble, case: usize) {
    for (property, violation, number, grew) in ensemble.take(case, numbered) {
        let (case, compiled) = (cases.label(case), ensemble.compiled.clone());
        found.push(Found { number, property, case, violation, grew, compiled });
    }
}
