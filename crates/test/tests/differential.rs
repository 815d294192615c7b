// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine and the oracle agree on generated cases: on whole traces and on every cut, saved and restored at every
//! event, with time advanced between events.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use gnomon_core::event::{Event, FieldSelection, NoFields};
use gnomon_core::event_block::{EventBlock, RowNumbers};
use gnomon_core::number::Number;
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Origin, Outcome, Simultaneous};
use gnomon_engine::Monitor;
use gnomon_ir::core::{Core, FormulaCore};
use gnomon_ir::spec::Language;
use gnomon_oracle::{Trace, judge_each};
use gnomon_test::case::{Case, at};
use gnomon_test::compare::difference;
use gnomon_test::drive::{ALL_VIOLATIONS, Drive};
use gnomon_test::exhaustive;
use gnomon_test::property::{for_all_in, for_all_small_mtl, judge_case, scaled_length};

/// The first events of a trace, numbered alike.
fn cut(drive: &Drive, events: usize) -> Trace {
    Trace::with_symbols(drive.trace.events()[..events].to_vec(), drive.trace.symbols().clone())
}

fn agree(core: &Core, trace: &Trace, end: End, now: Option<Timestamp>, found: &Outcome) -> Result<(), String> {
    let expected = judge_each(core, trace, end, now);
    match difference(&expected, found) {
        None => Ok(()),
        Some(difference) => {
            let (events, now) =
                (trace.events().len(), now.map_or(String::new(), |now| format!(", advanced to {now:?}")));
            Err(format!("after {events} events, as {end:?}{now}\n{difference}"))
        }
    }
}

fn same(what: &str, plain: &Outcome, found: &Outcome) -> Result<(), String> {
    if plain == found { Ok(()) } else { Err(format!("{what}: {plain:?}, then {found:?}")) }
}

fn agree_on_every_cut(case: &Case) -> Result<(), String> {
    let core = case.core()?;
    let drive = Drive::new(&core, &case.events);
    let mut monitor = drive.start();
    for events in 0..=case.events.len() {
        for end in [End::Complete, End::Prefix] {
            agree(&core, &cut(&drive, events), end, None, &Drive::finish(monitor.clone(), end))?;
        }
        if events < case.events.len() {
            drive.step(&mut monitor, events);
        }
    }
    Ok(())
}

#[test]
fn soloist_on_every_cut() {
    for_all_in(Language::Soloist, "cuts", 10_000, agree_on_every_cut);
}

#[test]
fn mtl_on_every_cut() {
    for_all_in(Language::Mtl, "cuts", 4_000, agree_on_every_cut);
}

#[test]
fn qea_on_every_cut() {
    for_all_in(Language::Qea, "cuts", 6_000, agree_on_every_cut);
}

#[test]
fn nomad_on_every_cut() {
    for_all_in(Language::Nomad, "cuts", 10_000, agree_on_every_cut);
}

#[test]
fn albert_on_every_cut() {
    for_all_in(Language::Albert, "cuts", 10_000, agree_on_every_cut);
}

#[test]
fn patterns_on_every_cut() {
    for_all_in(Language::Pattern, "cuts", 12_000, agree_on_every_cut);
}

#[test]
fn mu_on_every_cut() {
    for_all_in(Language::Mu, "cuts", 2_500, agree_on_every_cut);
}

#[test]
fn mop_on_every_cut() {
    for_all_in(Language::Mop, "cuts", 6_000, agree_on_every_cut);
}

#[test]
fn ccsl_on_every_cut() {
    for_all_in(Language::Ccsl, "cuts", 6_000, agree_on_every_cut);
}

const LANGUAGES: [Language; 9] = [
    Language::Soloist,
    Language::Mtl,
    Language::Qea,
    Language::Nomad,
    Language::Albert,
    Language::Pattern,
    Language::Mu,
    Language::Mop,
    Language::Ccsl,
];

/// As many cases of each language.
fn for_all(name: &str, count: u64, check: impl Fn(&Case) -> Result<(), String> + Copy) {
    for language in LANGUAGES {
        for_all_in(language, name, count, check);
    }
}

fn run(
    case: &Case,
    mut before: impl FnMut(&Drive, Monitor, usize) -> Result<Monitor, String>,
) -> Result<[Outcome; 2], String> {
    let drive = Drive::new(&case.core()?, &case.events);
    let mut monitor = drive.start();
    for index in 0..case.events.len() {
        monitor = before(&drive, monitor, index)?;
        drive.step(&mut monitor, index);
    }
    Ok([End::Complete, End::Prefix].map(|end| Drive::finish(monitor.clone(), end)))
}

#[test]
fn saved_and_restored_at_every_event() {
    for_all("restored", 3_000, |case| {
        let plain = run(case, |_, monitor, _| Ok(monitor))?;
        let restored = run(case, |drive, monitor, _| {
            let saved = monitor.save();
            let restored = drive.plan.restore(&saved).map_err(|error| format!("not restored: {error}"))?;
            if restored.save() == saved { Ok(restored) } else { Err("saved again, it differs".to_owned()) }
        })?;
        same("restored", &plain[0], &restored[0])?;
        same("restored", &plain[1], &restored[1])
    });
}

#[test]
fn shares_joined_are_the_whole() {
    for_all("shared", 2_000, |case| {
        let plain = run(case, |_, monitor, _| Ok(monitor))?;
        let drive = Drive::new(&case.core()?, &case.events);
        for of in [2, 3] {
            let sees_all = (0..of).map(|index| {
                let mut monitor = drive.plan.start_shard(ALL_VIOLATIONS, index, of);
                (0..case.events.len()).for_each(|event| drive.step(&mut monitor, event));
                monitor
            });
            let sees_own = (0..of).map(|index| drive.share(index, of));
            for (how, shares) in [("all", sees_all.collect::<Vec<_>>()), ("its own", sees_own.collect())] {
                let whole = Monitor::join(shares).ok_or("there are shares")?;
                for (plain, end) in plain.iter().zip([End::Complete, End::Prefix]) {
                    let what = format!("in {of} shares, each given {how} events");
                    same(&what, plain, &Drive::finish(whole.clone(), end))?;
                }
            }
        }
        Ok(())
    });
}

#[test]
fn advancing_time_between_events_changes_nothing() {
    for_all("advanced", 3_000, |case| {
        let plain = run(case, |_, monitor, _| Ok(monitor))?;
        let advanced = run(case, |drive, mut monitor, index| {
            let to = drive.time(index);
            let from = if index == 0 { to } else { drive.time(index - 1) };
            let halfway = Duration::from_ticks((to - from).ticks() / 2);
            for time in [from, from + halfway, to] {
                monitor.advance(time);
            }
            Ok(monitor)
        })?;
        same("advanced", &plain[0], &advanced[0])?;
        same("advanced", &plain[1], &advanced[1])
    });
}

#[test]
fn a_monitor_that_begins_anew_is_as_if_new() {
    for_all("anew", 1_000, |case| {
        let plain = run(case, |_, monitor, _| Ok(monitor))?;
        let drive = Drive::new(&case.core()?, &case.events);
        let mut monitor = drive.start();
        for events in [case.events.len(), case.events.len() / 2, case.events.len()] {
            (0..events).for_each(|event| drive.step(&mut monitor, event));
            let _ = monitor.finish_and_restart(End::Prefix, ALL_VIOLATIONS);
        }
        for (plain, end) in plain.iter().zip([End::Complete, End::Prefix]) {
            (0..case.events.len()).for_each(|event| drive.step(&mut monitor, event));
            let again = drive.plan.restore(&monitor.save()).map_err(|error| error.to_string())?;
            same("begun anew", plain, &Drive::finish(again, end))?;
            let mut outcomes = monitor.finish_and_restart(end, ALL_VIOLATIONS);
            same("begun anew", plain, &outcomes.remove(0))?;
        }
        let restored = drive.plan.restore(&monitor.save()).map_err(|error| error.to_string())?;
        same("begun anew", &Drive::finish(drive.start(), End::Complete), &Drive::finish(restored, End::Complete))
    });
}

/// Events that no property mentions, pushed one by one and skipped as a number.
#[test]
fn events_that_nobody_speaks_of_can_be_leapt() {
    const FOREIGN: u64 = 3;
    let (leapt, asked) = (AtomicU64::new(0), AtomicU64::new(0));
    for_all("leapt", 1_000, |case| {
        let stranger = |drive: &Drive, time| {
            let name = Name(drive.trace.symbols().name_count() as u32);
            Event { name, index: u64::MAX, time, fields: &NoFields }
        };
        let one_by_one = |drive: &Drive, mut monitor: Monitor, index: usize| {
            for time in [index.saturating_sub(1), index, index].map(|index| drive.time(index)) {
                monitor.step(&stranger(drive, time));
            }
            monitor
        };
        let each = run(case, |drive, monitor, index| Ok(one_by_one(drive, monitor, index)))?;
        let passed = run(case, |drive, mut monitor, index| {
            asked.fetch_add(1, Relaxed);
            if monitor.skip_unread(FOREIGN, drive.time(index)) {
                leapt.fetch_add(1, Relaxed);
                return Ok(monitor);
            }
            Ok(one_by_one(drive, monitor, index))
        })?;
        same("leapt", &each[0], &passed[0])?;
        same("leapt", &each[1], &passed[1])
    });
    let (leapt, asked) = (leapt.into_inner(), asked.into_inner());
    assert!(leapt * 10 > asked, "{leapt} of {asked} gaps were leapt");
}

/// Events of which no field is needed, pushed one by one and as runs that are cut after some events, with and without events between
/// them that no property mentions. A formula is checked together with the same one that treats simultaneous events in the other way.
#[test]
fn runs_of_events_without_fields_are_as_if_pushed_one_by_one() {
    let bare = AtomicU64::new(0);
    for_all("runs", 1_000, |case| {
        let core = case.core()?;
        let mut drives = vec![Drive::new(&core, &case.events)];
        if let Core::Formula(formula) = &core {
            let simultaneous = match formula.simultaneous {
                Simultaneous::Merge => Simultaneous::Sequence,
                Simultaneous::Sequence => Simultaneous::Merge,
            };
            let other = Core::Formula(FormulaCore { simultaneous, ..formula.clone() });
            let mut drive = Drive::new(&core, &case.events);
            drive.plan = gnomon_engine::plan(vec![core.clone(), other, core]);
            drives.push(drive);
        }
        for drive in &drives {
            for (longest, strangers) in [(usize::MAX, 2), (usize::MAX, 0), (1, 0), (2, 0), (3, 1)] {
                agree_in_runs(drive, longest, strangers, &bare)?;
            }
        }
        Ok(())
    });
    assert!(bare.into_inner() > 1_000, "few events were part of runs");
}

/// Compares events that are pushed one by one with runs of at most `longest` events, with this number of unmentioned ones before each.
fn agree_in_runs(drive: &Drive, longest: usize, strangers: u64, bare: &AtomicU64) -> Result<(), String> {
    let stranger = Name(drive.trace.symbols().name_count() as u32);
    let (mut each, mut in_runs) = (drive.start(), drive.start());
    let mut run: Vec<Origin> = Vec::new();
    let compare = |each: &Monitor, in_runs: &Monitor| {
        for end in [End::Complete, End::Prefix] {
            let (each, in_runs) = (each.clone().finish(end), in_runs.clone().finish(end));
            for (each, in_runs) in each.iter().zip(&in_runs) {
                same("in runs", each, in_runs)?;
            }
        }
        if each.next_deadline() == in_runs.next_deadline() { Ok(()) } else { Err("the deadlines differ".to_owned()) }
    };
    for index in 0..drive.trace.events().len() {
        let time = drive.time(index);
        let number = index as u64 * (strangers + 1);
        for event_index in number..number + strangers {
            each.step(&Event { name: stranger, index: event_index, time, fields: &NoFields });
            run.push(Origin { event_index, time, event: stranger });
        }
        let event = drive.event(index, number + strangers, time);
        each.step(&event);
        let is_bare = *drive.plan.projection().selection(event.name) == FieldSelection::Nothing;
        if is_bare {
            bare.fetch_add(1, Relaxed);
            run.push(Origin { event_index: event.index, time, event: event.name });
        }
        if !is_bare || run.len() >= longest {
            in_runs.step_run(&std::mem::take(&mut run));
        }
        if !is_bare {
            in_runs.step(&event);
        }
        if run.is_empty() && longest < usize::MAX {
            compare(&each, &in_runs)?;
        }
    }
    in_runs.step_run(&run);
    compare(&each, &in_runs)?;
    // The order in which a scheduler lists several properties does not matter.
    let is_one = drive.plan.cores().len() == 1;
    if !is_one || each.save() == in_runs.save() { Ok(()) } else { Err("the states differ".to_owned()) }
}

/// Events of which nothing is needed but whole numbers, pushed one by one and as blocks.
#[test]
fn blocks_of_events_are_as_if_pushed_one_by_one() {
    let in_blocks = AtomicU64::new(0);
    for_all("blocks", 1_000, |case| {
        let core = case.core()?;
        let drive = Drive::new(&core, &case.events);
        let columns: Vec<Key> =
            (0..drive.trace.symbols().key_count().min(EventBlock::MAX_COLUMNS) as u32).map(Key).collect();
        let (mut each, mut blocks) = (drive.start(), drive.start());
        let mut block = EventBlock::default();
        block.begin(&columns);
        for index in 0..drive.trace.events().len() {
            let event = drive.event(index, index as u64, drive.time(index));
            each.step(&event);
            let mut numbers = RowNumbers::default();
            let mut is_plain = true;
            if let FieldSelection::Fields(wanted) = drive.plan.projection().selection(event.name) {
                for key in wanted {
                    let column = columns.iter().position(|column| column == key);
                    match (column, event.fields.get(*key)) {
                        (_, None) => {}
                        (Some(column), Some(Value::Number(Number::Int(whole)))) => {
                            numbers.set(column, whole);
                        }
                        _ => is_plain = false,
                    }
                }
            } else {
                is_plain = *drive.plan.projection().selection(event.name) == FieldSelection::Nothing;
            }
            if is_plain {
                in_blocks.fetch_add(1, Relaxed);
                let origin = Origin { event_index: event.index, time: event.time, event: event.name };
                block.push(origin, &numbers);
            } else {
                blocks.step_block(&block);
                block.clear();
                blocks.step(&event);
            }
        }
        blocks.step_block(&block);
        for end in [End::Complete, End::Prefix] {
            let (each, blocks) = (each.clone().finish(end), blocks.clone().finish(end));
            for (each, blocks) in each.iter().zip(&blocks) {
                same("in blocks", each, blocks)?;
            }
        }
        if each.save() == blocks.save() { Ok(()) } else { Err("the states differ".to_owned()) }
    });
    assert!(in_blocks.into_inner() > 1_000, "few events were part of blocks");
}

#[test]
fn advancing_time_after_the_last_event_settles_deadlines() {
    for_all("later", 2_000, |case| {
        let core = case.core()?;
        let drive = Drive::new(&core, &case.events);
        let mut monitor = drive.start();
        for index in 0..case.events.len() {
            drive.step(&mut monitor, index);
        }
        let last = case.events.last().map_or(at(0), |event| event.time);
        for later in [1, at(1).ticks(), at(2).ticks(), at(4).ticks() + 1, at(9).ticks()] {
            let now = last + Duration::from_ticks(later);
            monitor.advance(now);
            for end in [End::Complete, End::Prefix] {
                agree(&core, &drive.trace, end, Some(now), &Drive::finish(monitor.clone(), end))?;
            }
        }
        Ok(())
    });
}

#[test]
fn a_short_list_of_violations_leaves_the_counts_whole() {
    for_all("capped", 1_500, |case| {
        let core = case.core()?;
        let drive = Drive::new(&core, &case.events);
        let [whole, _] = run(case, |_, monitor, _| Ok(monitor))?;
        for most in [0, 1, 2] {
            let mut monitor = drive.plan.start(most);
            for index in 0..case.events.len() {
                drive.step(&mut monitor, index);
            }
            let capped = Drive::finish(monitor, End::Complete);
            if capped.violations.len() > most {
                return Err(format!("{} violations listed, {most} wanted", capped.violations.len()));
            }
            let violations = whole.violations.clone();
            same("without the list", &whole, &Outcome { violations, ..capped })?;
        }
        Ok(())
    });
}

#[test]
fn on_all_small_formulae_and_short_traces() {
    let traces = exhaustive::traces(scaled_length(2));
    for formula in exhaustive::formulae() {
        let spec = gnomon_test::build::spec(formula);
        let mut case = Case { spec, events: vec![] };
        for events in &traces {
            case.events.clone_from(events);
            judge_case("exhaustive", case.clone(), &agree_on_every_cut);
        }
    }
}

#[test]
fn on_all_small_formulae_with_a_variable() {
    for_all_small_mtl(agree_on_every_cut);
}
