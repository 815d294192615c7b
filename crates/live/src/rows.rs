// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outcomes of the properties: rows of the API, statistics, and the report of `gnomon check`.

use gnomon_core::time::{Clock, TimeKind};
use gnomon_core::verdict::{End, Outcome};
use gnomon_ir::spec::PropertySeverity;
use gnomon_report::json;
use gnomon_report::numbers::TimeFormat;
use gnomon_report::{SpecContext, VISITS_ALL_NOTE};
use gnomon_run::compile::CompiledSpec;
use gnomon_run::offline::Report;
use gnomon_run::online::LISTED_VIOLATIONS;
use gnomon_store::history::StatisticsRow;

use crate::evaluator::{Evaluator, milliseconds};
use crate::render::{property_text, raw};
use crate::wire::PropertyRow;

/// Returns the format of timestamps.
pub(crate) fn time_format(compiled: &CompiledSpec, date_times: Option<bool>) -> TimeFormat {
    let kind = if date_times == Some(false) { TimeKind::Number } else { TimeKind::DateTime };
    TimeFormat::new(Clock::new(compiled.spec.time.unit), kind)
}

/// Returns the percentage of activations that were violated, as `gnomon stats` does; `None` before any. Those that are
/// neither satisfied nor violated count: an automaton is satisfied only at the end of a trace. A violation without an
/// activation is a failure of 100 %.
pub fn failure_percent(activated: u64, violated: u64) -> Option<f64> {
    let all = activated.max(violated);
    (all > 0).then(|| (violated as f64 * 10_000.0 / all as f64).round() / 100.0)
}

/// Returns the outcome of each property so far.
pub(crate) fn properties(evaluator: &Evaluator) -> Vec<PropertyRow> {
    let (outcomes, cases) = evaluator.online.outcomes(End::Prefix);
    let (compiled, time_format) = (evaluator.online.compiled(), evaluator.time_format());
    let row = |(index, outcome): (usize, &Outcome)| {
        let property = &compiled.spec.properties[compiled.properties[index]];
        let mut duration = String::new();
        json::duration(&mut duration, outcome.durations.as_ref(), time_format);
        let whole = property_text(property.name_span, &compiled.source);
        let before = &compiled.source[..whole.start as usize];
        PropertyRow {
            name: property.name.clone(),
            title: property.title.clone(),
            language: property.language.word(),
            severity: property.options.severity.map(PropertySeverity::word),
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
            failure: failure_percent(outcome.activated, outcome.violated),
            duration: raw(duration),
            violating_cases: cases.as_ref().map(|cases| cases.violating_each[index]),
            note: compiled.plan.visits_all_bindings(index).then(|| VISITS_ALL_NOTE.to_owned()),
        }
    };
    outcomes.iter().enumerate().map(row).collect()
}

/// Returns the current counts of each property.
pub(crate) fn statistics(evaluator: &Evaluator, now: i128) -> Vec<StatisticsRow> {
    let (outcomes, _) = evaluator.online.outcomes(End::Prefix);
    let time_format = evaluator.time_format();
    let names = evaluator.online.compiled().properties().map(|property| property.name.clone());
    let row = |(property, outcome): (String, &Outcome)| {
        let durations = outcome.durations.as_ref();
        StatisticsRow {
            property,
            at: milliseconds(now),
            activated: outcome.activated,
            satisfied: outcome.satisfied,
            violated: outcome.violated,
            pending: outcome.pending,
            min: durations.map(|durations| time_format.duration(durations.min)),
            max: durations.map(|durations| time_format.duration(durations.max)),
            mean: durations.map(|durations| time_format.mean(durations)),
        }
    };
    names.zip(&outcomes).map(row).collect()
}

/// Returns the report that `gnomon check` would print for the events evaluated so far.
pub(crate) fn report(evaluator: &Evaluator, end: End) -> String {
    let (mut outcomes, cases) = evaluator.online.outcomes(end);
    // At the end every pending obligation becomes a violation, and there may be millions.
    for outcome in &mut outcomes {
        outcome.violations.truncate(LISTED_VIOLATIONS);
    }
    let (first_time, last_time) = evaluator.online.extent();
    let (compiled, time_format) = (evaluator.online.compiled(), evaluator.time_format());
    let about = SpecContext { spec_name: &evaluator.state.spec_name, compiled };
    let report = Report {
        source: "watch".to_owned(),
        events: evaluator.online.event_count(),
        first_time,
        last_time,
        clock: time_format.clock,
        time_kind: time_format.kind,
        symbols: compiled.plan.symbols().clone(),
        outcomes,
        late: gnomon_trace::LateEvents { count: evaluator.state.late.count, first: vec![] },
        cases,
        externs: evaluator.online.externs(),
        ..Report::default()
    };
    // Properties that began with another revision of the spec have their own names and positions.
    let began = |property: usize| evaluator.online.context(property).map(|(symbols, compiled)| (&**compiled, symbols));
    json::render_run(&about, &report, &began)
}

#[cfg(test)]
mod tests {
    use super::failure_percent;

    #[test]
    fn failures_are_a_share_of_activations() {
        let shares = [(0, 0), (551, 12), (31, 1), (0, 3), (8, 8)]
            .map(|(activated, violated)| failure_percent(activated, violated));
        assert_eq!(shares, [None, Some(2.18), Some(3.23), Some(100.0), Some(100.0)]);
    }
}
