// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads external variables periodically. Each value becomes a record of the journal, so replaying the journal
//! queries no source.

use std::sync::Weak;
use std::time::{Duration, Instant};

use gnomon_core::time::Clock;
use gnomon_ir::spec::ExternDeclaration;
use gnomon_run::compile::CompiledSpec;
use gnomon_run::externs::{ExternClient, Externs};

use crate::live::LiveInner;
use crate::record::ControlRecord;
use crate::shared::lock;

/// Minimum interval between two reads of a variable.
const SHORTEST_PERIOD: Duration = Duration::from_millis(100);
/// Interval between checks for due variables.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Interval between checks while the spec has no external variables; another spec may have some.
const SELDOM: Duration = Duration::from_millis(500);

/// Reads external variables, each once or with the period of its declaration.
pub(crate) struct ExternPoller {
    asker: ExternClient,
    /// The variables that were read, each with the time of its last read.
    asked: Vec<(ExternDeclaration, Instant)>,
}

impl ExternPoller {
    /// Creates a poller that has read nothing.
    pub(crate) fn new(asker: ExternClient) -> Self {
        ExternPoller { asker, asked: vec![] }
    }

    /// Reads the variables of a spec that are new or due. Blocks.
    pub(crate) fn ask(&mut self, compiled: &CompiledSpec) -> Vec<ControlRecord> {
        let clock = Clock::new(compiled.spec.time.unit);
        let mut reads = Vec::new();
        for declaration in Externs::new(&compiled.spec, &compiled.plan, None).used() {
            let known = self.asked.iter_mut().find(|(known, _)| is_same(known, declaration));
            let asked = known.as_ref().map(|(_, asked)| *asked);
            if asked.is_some_and(|asked| !is_due(declaration, clock, asked)) {
                continue;
            }
            let now = Instant::now();
            match known {
                Some((_, asked)) => *asked = now,
                None => self.asked.push((declaration.clone(), now)),
            }
            reads
                .push(ControlRecord::Read { variable: declaration.name.clone(), result: self.asker.read(declaration) });
        }
        reads
    }

    /// Marks variables without a period as read if they have a value.
    pub(crate) fn skip(&mut self, compiled: &CompiledSpec, known: impl Fn(&str) -> bool) {
        for declaration in &compiled.spec.externs {
            if declaration.every.is_none() && known(&declaration.name) {
                self.asked.push((declaration.clone(), Instant::now()));
            }
        }
    }
}

fn is_same(one: &ExternDeclaration, other: &ExternDeclaration) -> bool {
    (&one.name, &one.source, &one.path) == (&other.name, &other.source, &other.path)
}

/// Returns true if the period of a variable has passed since `asked`. Without a unit of time, numbers are seconds.
fn is_due(declaration: &ExternDeclaration, clock: Clock, asked: Instant) -> bool {
    let period = declaration.every.and_then(|every| clock.duration(every));
    let period = period.map(|period| Duration::from_nanos(u64::try_from(period.ticks()).unwrap_or(u64::MAX)));
    period.is_some_and(|period| asked.elapsed() > period.max(SHORTEST_PERIOD))
}

/// Polls until the watch ends.
pub(crate) fn run(inner: &Weak<LiveInner>) {
    while let Some(inner) = inner.upgrade() {
        if inner.extern_poller.is_none() || !lock(&inner.sequencer).is_open {
            return;
        }
        ask(&inner);
        let pause = if inner.shared.spec().compiled.spec.externs.is_empty() { SELDOM } else { LOOK_EVERY };
        drop(inner);
        std::thread::sleep(pause);
    }
}

/// Reads due variables and appends their values to the journal.
pub(crate) fn ask(inner: &LiveInner) {
    let Some(extern_poller) = &inner.extern_poller else { return };
    let mut extern_poller = lock(extern_poller);
    let reads = extern_poller.ask(&inner.shared.spec().compiled);
    if reads.is_empty() {
        return;
    }
    let mut sequencer = lock(&inner.sequencer);
    if !sequencer.is_open {
        return;
    }
    for read in &reads {
        // If the disk is full, the old value stays until the next period.
        let _ = inner.append_control(&mut sequencer, read, None);
    }
}
