// SPDX-License-Identifier: MIT OR Apache-2.0
//! Asks for external variables by the watch's clock. What was read is a record of the journal like any other, so whoever
//! judges the journal again asks nobody.

use std::sync::Weak;
use std::time::{Duration, Instant};

use gnomon_core::time::Clock;
use gnomon_ir::spec::ExternDeclaration;
use gnomon_run::compile::Compiled;
use gnomon_run::externs::{Asker, Externs};

use crate::live::Inner;
use crate::record::Control;
use crate::shared::lock;

/// How often a variable is asked for at most.
const SHORTEST_PERIOD: Duration = Duration::from_millis(100);
/// How often somebody looks whether one is due.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often, where the spec has no such variables: another spec may.
const SELDOM: Duration = Duration::from_millis(500);

/// Who asks, and when each variable was last asked for.
pub(crate) struct Questions {
    asker: Asker,
    asked: Vec<(ExternDeclaration, Instant)>,
}

impl Questions {
    /// Nothing was asked for yet.
    pub(crate) fn new(asker: Asker) -> Self {
        Questions { asker, asked: vec![] }
    }

    /// Asks for what a spec uses and nobody has asked for yet, or not lately. Blocks.
    pub(crate) fn ask(&mut self, compiled: &Compiled) -> Vec<Control> {
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
            reads.push(Control::Read { variable: declaration.name.clone(), result: self.asker.ask(declaration) });
        }
        reads
    }

    /// These have a value already.
    pub(crate) fn skip(&mut self, compiled: &Compiled, known: impl Fn(&str) -> bool) {
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

/// Whether a variable that was asked for then must be asked for again. Where the trace has no unit, numbers are seconds.
fn is_due(declaration: &ExternDeclaration, clock: Clock, asked: Instant) -> bool {
    let period = declaration.every.and_then(|every| clock.duration(every));
    let period = period.map(|period| Duration::from_nanos(u64::try_from(period.ticks()).unwrap_or(u64::MAX)));
    period.is_some_and(|period| asked.elapsed() > period.max(SHORTEST_PERIOD))
}

/// Asks for as long as the watch is there.
pub(crate) fn run(inner: &Weak<Inner>) {
    while let Some(inner) = inner.upgrade() {
        if inner.questions.is_none() || !lock(&inner.sequencer).is_open {
            return;
        }
        ask(&inner);
        let pause = if inner.shared.spec().compiled.spec.externs.is_empty() { SELDOM } else { LOOK_EVERY };
        drop(inner);
        std::thread::sleep(pause);
    }
}

/// Asks for what is due, and gives what was read its place among the events.
pub(crate) fn ask(inner: &Inner) {
    let Some(questions) = &inner.questions else { return };
    let mut questions = lock(questions);
    let reads = questions.ask(&inner.shared.spec().compiled);
    if reads.is_empty() {
        return;
    }
    let mut sequencer = lock(&inner.sequencer);
    if !sequencer.is_open {
        return;
    }
    for read in &reads {
        // If there is no room the value stays as it was, until the next period is over.
        let _ = inner.append_control(&mut sequencer, read, None);
    }
}
