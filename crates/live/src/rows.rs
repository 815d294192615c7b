// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a judge says of its properties: rows of the API, statistics, the whole report.

use gnomon_core::time::{Clock, TimeKind};
use gnomon_core::verdict::{End, Outcome};
use gnomon_report::json::{self, importance};
use gnomon_report::numbers::Dial;
use gnomon_report::{About, VISITS_ALL};
use gnomon_run::compile::Compiled;
use gnomon_run::offline::Report;
use gnomon_store::history::StatisticsRow;

use crate::judge::{Judge, milliseconds};
use crate::render::{property_text, raw};
use crate::wire::PropertyRow;

/// How times are written.
pub(crate) fn dial(compiled: &Compiled, date_times: Option<bool>) -> Dial {
    let kind = if date_times == Some(false) { TimeKind::Number } else { TimeKind::DateTime };
    Dial { clock: Clock::new(compiled.spec.time.unit), kind }
}

/// The field whose values are cases.
pub(crate) fn case_field(judge: &Judge) -> Option<String> {
    judge.settings().by.clone()
}

/// Percent of what was decided that was violated.
fn failure(outcome: &Outcome) -> Option<f64> {
    let decided = outcome.satisfied + outcome.violated;
    (decided > 0).then(|| (outcome.violated as f64 * 10_000.0 / decided as f64).round() / 100.0)
}

/// What became of each property so far.
pub(crate) fn properties(judge: &Judge) -> Vec<PropertyRow> {
    let (outcomes, cases) = judge.online.outcomes(End::Prefix);
    let (compiled, dial) = (judge.online.compiled(), judge.dial());
    let row = |(index, outcome): (usize, &Outcome)| {
        let property = &compiled.spec.properties[compiled.properties[index]];
        let mut duration = String::new();
        json::duration(&mut duration, outcome.durations.as_ref(), dial);
        let whole = property_text(property.name_span, &compiled.source);
        let before = &compiled.source[..whole.start as usize];
        PropertyRow {
            name: property.name.clone(),
            title: property.title.clone(),
            language: property.language.word(),
            severity: property.options.severity.map(importance),
            critical: property.options.critical,
            text: whole.text(&compiled.source).to_owned(),
            line: before.matches('\n').count() + 1,
            verdict: outcome.verdict.word(),
            presumably: outcome.presumably,
            positions: outcome.positions,
            activated: outcome.activated,
            satisfied: outcome.satisfied,
            violated: outcome.violated,
            pending: outcome.pending,
            exercised: outcome.activated > 0,
            failure: failure(outcome),
            duration: raw(duration),
            violating_cases: cases.as_ref().map(|cases| cases.violating_each[index]),
            note: compiled.plan.visits_all(index).then(|| VISITS_ALL.to_owned()),
        }
    };
    outcomes.iter().enumerate().map(row).collect()
}

/// The counts of this moment.
pub(crate) fn statistics(judge: &Judge, now: i128) -> Vec<StatisticsRow> {
    let (outcomes, _) = judge.online.outcomes(End::Prefix);
    let dial = judge.dial();
    let names = judge.online.compiled().properties().map(|property| property.name.clone());
    let row = |(property, outcome): (String, &Outcome)| {
        let durations = outcome.durations.as_ref();
        StatisticsRow {
            property,
            at: milliseconds(now),
            activated: outcome.activated,
            satisfied: outcome.satisfied,
            violated: outcome.violated,
            pending: outcome.pending,
            min: durations.map(|durations| dial.duration(durations.min)),
            max: durations.map(|durations| dial.duration(durations.max)),
            mean: durations.map(|durations| dial.mean(durations)),
        }
    };
    names.zip(&outcomes).map(row).collect()
}

/// The report of `gnomon check` on what was judged so far.
pub(crate) fn report(judge: &Judge, end: End) -> String {
    let (outcomes, cases) = judge.online.outcomes(end);
    let (first_time, last_time) = judge.online.extent();
    let (compiled, dial) = (judge.online.compiled(), judge.dial());
    let about = About { spec_name: &judge.spec_name, compiled };
    let report = Report {
        source: "watch".to_owned(),
        events: judge.online.events(),
        first_time,
        last_time,
        clock: dial.clock,
        time_kind: dial.kind,
        symbols: compiled.plan.symbols().clone(),
        outcomes,
        late: gnomon_trace::Late { count: judge.late, first: vec![] },
        unseen: vec![],
        unmatched: gnomon_trace::Unmatched::default(),
        stopped: None,
        cases,
        freer: vec![],
        externs: judge.online.externs(),
    };
    // Properties that began with another text of the spec have names and places of their own.
    let began = |property: usize| judge.online.legend(property).map(|(symbols, compiled)| (&**compiled, symbols));
    json::render_run(&about, &report, &began)
}
