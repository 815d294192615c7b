// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares the violations that a monitor reports during a run with those that the oracle finds on each prefix of the trace. After every
//! position both must be the same, each reported once, also if the monitor is saved and restored in between.

use gnomon_core::verdict::{Binding, End, Outcome, Violation};
use gnomon_engine::Monitor;
use gnomon_ir::spec::Language;
use gnomon_oracle::{Trace, judge, judge_each};
use gnomon_test::case::Case;
use gnomon_test::compare::{difference, positions};
use gnomon_test::drive::{ALL_VIOLATIONS, Drive};
use gnomon_test::property::for_all_in;

/// The violations that were reported to a caller.
#[derive(Default)]
struct Reported {
    /// From a drain that returns each position once, perhaps later.
    settled: Vec<Violation>,
    /// From a drain that returns a range again when it grew.
    growing: Vec<Violation>,
}

impl Reported {
    fn drain(&mut self, settled: &mut Monitor, growing: &mut Monitor) {
        self.settled.extend_from_slice(settled.drain_settled_violations(0));
        for violation in growing.drain_violations(0, ALL_VIOLATIONS) {
            let same = |known: &Violation| {
                known.binding == violation.binding && known.part == violation.part && known.at == violation.at
            };
            // A range that is returned again has grown. One event may violate a plug-in twice, as two letters.
            let may_have_grown = violation.binding.is_empty() && violation.until_position.is_some();
            match self.growing.iter_mut().find(|known| may_have_grown && same(known)) {
                Some(known) => *known = violation,
                None => self.growing.push(violation),
            }
        }
    }
}

fn show(positions: &[(u64, Binding)]) -> String {
    positions.iter().map(|(position, binding)| format!("{position} ({binding})")).collect::<Vec<_>>().join(", ")
}

fn same(what: &str, events: usize, oracle: &[Violation], engine: &[Violation]) -> Result<(), String> {
    let (wanted, found) = (positions(oracle), positions(engine));
    if wanted == found {
        return Ok(());
    }
    Err(format!("{what} after {events} events: oracle {}; engine {}", show(&wanted), show(&found)))
}

/// Every position that was reported is one of the oracle's, and none was reported twice.
fn is_part(events: usize, oracle: &[Violation], engine: &[Violation]) -> Result<(), String> {
    let mut wanted = positions(oracle);
    for one in positions(engine) {
        let place = wanted.iter().position(|known| *known == one);
        wanted.remove(
            place.ok_or_else(|| format!("reported after {events} events: {}", show(std::slice::from_ref(&one))))?,
        );
    }
    Ok(())
}

fn stream(case: &Case, restores: bool) -> Result<(), String> {
    let core = case.core()?;
    let drive = Drive::new(&core, &case.events);
    let cut =
        |events: usize| Trace::with_symbols(drive.trace.events()[..events].to_vec(), drive.trace.symbols().clone());
    let mut monitors = [drive.start(), drive.start()];
    monitors.iter_mut().for_each(Monitor::count_violations);
    let mut reported = Reported::default();
    for index in 0..case.events.len() {
        for monitor in &mut monitors {
            if restores && index % 3 == 1 {
                *monitor = drive.plan.restore(&monitor.save()).map_err(|error| format!("not restored: {error}"))?;
                monitor.count_violations();
            }
            drive.step(monitor, index);
        }
        let events = index + 1;
        if events < case.events.len() && drive.time(events) == drive.time(index) && merges(&core) {
            continue;
        }
        monitors.iter_mut().for_each(Monitor::close_position);
        let [settled, growing] = &mut monitors;
        reported.drain(settled, growing);
        let (outcome, violations) = judge_each(&core, &cut(events), End::Prefix, None);
        if settled.violation_count(0) != outcome.violated {
            let (wanted, found) = (outcome.violated, settled.violation_count(0));
            return Err(format!("after {events} events the oracle counts {wanted}, the engine {found}"));
        }
        same("reported", events, &violations, &reported.growing)?;
        is_part(events, &violations, &reported.settled)?;
    }
    let [settled, growing] = monitors;
    for end in [End::Complete, End::Prefix] {
        let expected = judge_each(&core, &drive.trace, end, None);
        let (outcome, rest) = settled.clone().finish_and_drain(end).remove(0);
        let all: Vec<Violation> = reported.settled.iter().chain(&rest).cloned().collect();
        same("reported at the end", case.events.len(), &expected.1, &all)?;
        let whole = Drive::finish(growing.clone(), end);
        for (how, outcome) in [("settled", &outcome), ("growing", &whole)] {
            if let Some(difference) = difference(&expected, outcome) {
                return Err(format!("drained as {how}, as {end:?}\n{difference}"));
            }
        }
        let (wanted, found) = (ranges(judge(&core, &drive.trace, end, usize::MAX)), ranges(whole));
        if wanted != found {
            return Err(format!("ranges as {end:?}: oracle {wanted:?}, engine {found:?}"));
        }
    }
    Ok(())
}

/// The listed ranges, in an order that does not depend on the parts.
fn ranges(outcome: Outcome) -> Vec<(u64, Option<u64>, Binding)> {
    let listed = outcome.violations.into_iter().map(|one| (one.at.position, one.until_position, one.binding));
    let mut ranges: Vec<(u64, Option<u64>, Binding)> = listed.collect();
    ranges.sort_by(|left, right| (left.0, left.1).cmp(&(right.0, right.1)).then_with(|| left.2.compare(&right.2)));
    ranges
}

fn merges(core: &gnomon_ir::core::Core) -> bool {
    core.simultaneous() == gnomon_core::verdict::Simultaneous::Merge
}

/// The stream of a language, plain and with a monitor that is saved and restored.
fn in_language(language: Language, count: u64) {
    for_all_in(language, "stream", count, |case| stream(case, false));
    for_all_in(language, "restored stream", count / 4, |case| stream(case, true));
}

#[test]
fn soloist() {
    in_language(Language::Soloist, 4_000);
}

#[test]
fn mtl() {
    in_language(Language::Mtl, 4_000);
}

#[test]
fn albert() {
    in_language(Language::Albert, 3_000);
}

#[test]
fn nomad() {
    in_language(Language::Nomad, 3_000);
}

#[test]
fn qea() {
    in_language(Language::Qea, 4_000);
}

#[test]
fn mu() {
    in_language(Language::Mu, 2_000);
}

#[test]
fn mop() {
    in_language(Language::Mop, 3_000);
}

#[test]
fn ccsl() {
    in_language(Language::Ccsl, 3_000);
}

#[test]
fn patterns() {
    in_language(Language::Pattern, 6_000);
}
