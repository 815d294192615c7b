// SPDX-License-Identifier: MIT OR Apache-2.0
//! A monitor for events that Python pushes.

#![expect(clippy::needless_pass_by_value, reason = "pyo3 creates owned arguments for each call")]

use std::sync::Arc;

use gnomon::offline::{NamedInput, TraceContext};
use gnomon::online::NumberedViolation;
use gnomon::push::PushMonitor;
use gnomon::report::json::violation;
use gnomon::report::json::write::object_text;
use gnomon::trace::WrittenEvent;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use pyo3_arrow::input::AnyRecordBatch;

use crate::errors::{argument, of_run};
use crate::events::{EventKeys, PyEvents, fields};
use crate::interrupt::Interrupt;
use crate::options::{CheckOptions, end};
use crate::raw::RawReport;
use crate::spec::Spec;
use crate::stream::BatchSlices;
use crate::table::TableRows;
use crate::values;

/// Checks events that come one by one.
#[pyclass(module = "gnomon._gnomon")]
pub(crate) struct RawMonitor {
    spec: Spec,
    /// `None` after `finish`.
    run: Option<PushMonitor>,
}

#[pymethods]
impl RawMonitor {
    #[new]
    fn new(spec: Spec, by: Option<&str>) -> Self {
        let run = PushMonitor::new(spec.compiled.clone(), by);
        RawMonitor { spec, run: Some(run) }
    }

    /// Restores a saved monitor.
    #[staticmethod]
    fn restore(spec: Spec, state: &[u8]) -> PyResult<Self> {
        let run = PushMonitor::restore(state, &spec.compiled);
        let run = run.map_err(|error| PyValueError::new_err(format!("the monitor cannot be restored: {error}")))?;
        Ok(RawMonitor { spec, run: Some(run) })
    }

    fn copy(&self) -> PyResult<Self> {
        Ok(RawMonitor { spec: self.spec.clone(), run: Some(self.run()?.clone()) })
    }

    #[getter]
    fn spec(&self) -> Spec {
        self.spec.clone()
    }

    /// Returns the number of events.
    #[getter]
    fn events(&self) -> PyResult<u64> {
        Ok(self.run()?.event_count())
    }

    /// Takes an event.
    fn step(&mut self, name: &str, time: &Bound<'_, PyAny>, of: &Bound<'_, PyDict>) -> PyResult<u64> {
        let event = WrittenEvent { name: name.to_owned(), time: values::time(time)?, fields: fields(of)? };
        let (spec, run) = self.parts()?;
        run.step(&event).map_err(|error| of_run(&spec.source, &error))
    }

    /// Takes the events of an iterable.
    fn feed(
        &mut self,
        py: Python<'_>,
        events: &Bound<'_, PyAny>,
        event: Option<String>,
        time: Option<String>,
    ) -> PyResult<u64> {
        let declared = self.spec.compiled.spec.time.field.clone();
        let interrupt = Arc::<Interrupt>::default();
        let events = PyEvents::new(events, EventKeys { event, time: time.or(declared) }, interrupt.clone())?;
        let (spec, run) = self.parts()?;
        let before = run.event_count();
        let result = py.detach(|| {
            for event in events {
                let Ok(event) = event else { break };
                run.step(&event)?;
            }
            Ok(())
        });
        interrupt.finish(result, spec)?;
        Ok(run.event_count() - before)
    }

    /// Takes the rows of record batches.
    fn feed_arrow(&mut self, py: Python<'_>, batches: AnyRecordBatch, options: CheckOptions) -> PyResult<u64> {
        let interrupt = Arc::<Interrupt>::default();
        let slices = BatchSlices::new(batches.into_reader()?, interrupt.clone());
        let (spec, run) = self.parts()?;
        let input = NamedInput::batches(options.name.clone(), Box::new(slices));
        let options = options.options(spec)?;
        let result = py.detach(|| run.feed(input, &options));
        interrupt.finish(result, spec)
    }

    /// Advances time.
    fn advance(&mut self, time: &Bound<'_, PyAny>) -> PyResult<()> {
        let time = values::time(time)?.ok_or_else(|| argument("`advance` needs a time"))?;
        let (spec, run) = self.parts()?;
        run.advance(&time.into()).map_err(|error| of_run(&spec.source, &error))
    }

    /// Returns the earliest time whose passing may decide something, as text.
    #[getter]
    fn next_deadline(&self) -> PyResult<Option<String>> {
        Ok(self.run()?.next_deadline())
    }

    /// Returns the latest time, as text.
    #[getter]
    fn now(&self) -> PyResult<Option<String>> {
        let run = self.run()?;
        let clock = self.spec.about().clock();
        Ok(run.now().map(|time| clock.print(run.time_kind(), time)))
    }

    /// Drains the violations found since the last call: number, true if it was drained before and has grown, property, and
    /// the rest as JSON.
    fn drain_violations(&mut self) -> PyResult<Vec<(u64, bool, String, String)>> {
        let (spec, run) = self.parts()?;
        let found = run.drain_violations();
        let about = spec.about();
        let symbols = run.symbols().unwrap_or(spec.compiled.plan.symbols());
        let context = TraceContext { symbols, time_kind: run.time_kind() };
        let render = |found: NumberedViolation| {
            let json = object_text(|out| violation(out, &found.violation, found.case.as_deref(), &about, context));
            (found.number, found.grew, about.property_name(found.property).to_owned(), json)
        };
        Ok(found.into_iter().map(render).collect())
    }

    /// Reports the properties so far.
    fn report(&self, py: Python<'_>, name: &str, how: &str) -> PyResult<RawReport> {
        let (run, how) = (self.run()?, end(how)?);
        let report = py.detach(|| run.report(name, how));
        Ok(RawReport::new(self.spec.clone(), report, TableRows::cases()))
    }

    /// Reports the properties and ends the monitor.
    fn finish(&mut self, py: Python<'_>, name: &str, how: &str) -> PyResult<RawReport> {
        let report = self.report(py, name, how)?;
        self.run = None;
        Ok(report)
    }

    /// Saves the state without the spec.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.run()?.save()))
    }
}

impl RawMonitor {
    fn run(&self) -> PyResult<&PushMonitor> {
        self.run.as_ref().ok_or_else(finished)
    }

    fn parts(&mut self) -> PyResult<(&Spec, &mut PushMonitor)> {
        Ok((&self.spec, self.run.as_mut().ok_or_else(finished)?))
    }
}

fn finished() -> PyErr {
    PyRuntimeError::new_err(
        "this monitor has been finished; make a new one, or ask for `report()` instead of `finish()`",
    )
}
