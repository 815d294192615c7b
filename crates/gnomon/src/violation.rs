// SPDX-License-Identifier: MIT OR Apache-2.0
//! Violations with their explanation.

use std::fmt;
use std::sync::Arc;

use gnomon_core::symbols::Symbols;
use gnomon_core::time::TimeKind;
use gnomon_core::value::Value;
use gnomon_core::verdict::{DecisionPoint, Origin};
use gnomon_report::json;
use gnomon_report::json::write::object_text;
use gnomon_report::numbers::TimeFormat;
use gnomon_report::text::paint::Paint;
use gnomon_report::text::violation::{ViolationContext, render};
use gnomon_report::text::{counts_values, line::sanitised};
use gnomon_run::offline::{EventLocations, TraceContext};
use gnomon_run::online::NumberedViolation;

use crate::spec::Spec;

/// A violation of a property: where, for which data, and why.
///
/// Its text shows the part of the property that failed and the events that explain it, as `gnomon check` does.
#[derive(Clone)]
pub struct Violation {
    spec: Spec,
    /// Names of the events that the violation mentions.
    symbols: Arc<Symbols>,
    time_kind: TimeKind,
    trace: String,
    property: usize,
    case: Option<String>,
    found: gnomon_core::verdict::Violation,
    number: Option<u64>,
    has_grown: bool,
}

/// An event that explains a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Cause {
    /// The index of the event in the trace, from 0.
    pub event_index: u64,
    /// Its name.
    pub event: String,
    /// Its time, in the notation of the trace.
    pub time: String,
    /// Its role in the violation.
    pub note: String,
}

impl Violation {
    /// Creates a violation of a report.
    pub(crate) fn recorded(
        spec: Spec,
        symbols: Arc<Symbols>,
        time_kind: TimeKind,
        trace: &str,
        property: usize,
        case: Option<&str>,
        found: gnomon_core::verdict::Violation,
    ) -> Violation {
        let (trace, case) = (trace.to_owned(), case.map(str::to_owned));
        Violation { spec, symbols, time_kind, trace, property, case, found, number: None, has_grown: false }
    }

    /// Creates a violation that a monitor found. It keeps only the names that it needs of the monitor's table, which grows.
    pub(crate) fn live(spec: &Spec, found: NumberedViolation, symbols: &Symbols, time_kind: TimeKind) -> Violation {
        let NumberedViolation { number, property, case, mut violation, grew, .. } = found;
        let mut own = Symbols::default();
        let mut rename = |origin: &mut Origin| origin.event = own.name(symbols.name_text(origin.event));
        rename(&mut violation.at.origin);
        if let DecisionPoint::Event(origin) = &mut violation.decided {
            rename(origin);
        }
        violation.because.iter_mut().for_each(|cause| rename(&mut cause.origin));
        let case = case.as_deref();
        let violation = Violation::recorded(
            spec.clone(),
            Arc::new(own),
            time_kind,
            crate::monitor::EVENTS,
            property,
            case,
            violation,
        );
        Violation { number: Some(number), has_grown: grew, ..violation }
    }

    /// Returns the name of the property.
    pub fn property(&self) -> &str {
        &self.spec.compiled.spec.properties[self.spec.compiled.properties[self.property]].name
    }

    /// Returns the explanation in one sentence.
    pub fn message(&self) -> &str {
        &self.found.summary
    }

    /// Returns the value of a quantified variable, such as `id` of `forall id`.
    pub fn value(&self, variable: &str) -> Option<&Value<'static>> {
        self.values().find(|(name, _)| *name == variable).map(|(_, value)| value)
    }

    /// Lists the quantified variables with their values.
    pub fn values(&self) -> impl Iterator<Item = (&str, &Value<'static>)> {
        self.found.binding.values.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the case, if the events are divided by a field.
    pub fn case(&self) -> Option<&str> {
        self.case.as_deref()
    }

    /// Returns the index of the event at which the property fails, from 0.
    pub fn event_index(&self) -> u64 {
        self.found.at.origin.event_index
    }

    /// Returns the time of that event, in the notation of the trace.
    pub fn time(&self) -> String {
        self.time_format().time(self.found.at.origin.time)
    }

    /// Returns the time at which the violation became certain.
    pub fn decided_at(&self) -> String {
        self.time_format().time(self.found.decided.time())
    }

    /// Lists the events that explain the violation, in the order of the trace.
    pub fn causes(&self) -> impl Iterator<Item = Cause> {
        self.found.because.iter().map(|cause| Cause {
            event_index: cause.origin.event_index,
            event: self.symbols.name_text(cause.origin.event).to_owned(),
            time: self.time_format().time(cause.origin.time),
            note: cause.note.clone(),
        })
    }

    /// Returns the number that a monitor gave the violation, from 1; `None` in a report.
    pub fn number(&self) -> Option<u64> {
        self.number
    }

    /// Returns true if the monitor returned the violation before, with the same number, and it now covers more positions.
    pub fn has_grown(&self) -> bool {
        self.has_grown
    }

    /// Renders the violation as JSON, with the fields of the JSON report.
    pub fn to_json(&self) -> String {
        let context = TraceContext { symbols: &self.symbols, time_kind: self.time_kind };
        object_text(|out| json::violation(out, &self.found, self.case(), &self.spec.context(), context))
    }

    fn time_format(&self) -> TimeFormat {
        TimeFormat::new(self.spec.compiled.clock(), self.time_kind)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spec = self.spec.context();
        let case = self.case().map_or(String::new(), |case| format!(", case {}", sanitised(case)));
        let context = ViolationContext {
            spec_name: spec.spec_name,
            source: self.spec.text(),
            trace_name: &format!("{}{case}", self.trace),
            time_format: self.time_format(),
            symbols: &self.symbols,
            locations: &EventLocations::default(),
            fails_as_a_whole: counts_values(spec.property(self.property)),
            paint: Paint::PLAIN,
            width: None,
        };
        f.write_str(render(&self.found, self.property(), context).trim_end())
    }
}

impl fmt::Debug for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Violation");
        out.field("property", &self.property()).field("time", &self.time()).field("message", &self.message());
        out.finish_non_exhaustive()
    }
}
