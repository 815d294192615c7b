// SPDX-License-Identifier: MIT OR Apache-2.0
//! A monitor that Python pushes events into.

#![expect(clippy::needless_pass_by_value, reason = "arguments are made for the call, of what Python hands over")]

use std::sync::Arc;

use gnomon::event::Fields;
use gnomon::offline::{Input, Legend, setup};
use gnomon::online::{Found, NamedFields};
use gnomon::pushed::Pushed;
use gnomon::report::json::violation;
use gnomon::report::json::write::object;
use gnomon::symbols::Symbols;
use gnomon::trace::{Reader, open_content};
use gnomon::value::Value;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use pyo3_arrow::input::AnyRecordBatch;

use crate::errors::{argument, of_run, of_trace};
use crate::events::{Events, Keys, Named, fields};
use crate::interrupt::Interrupt;
use crate::options::{Given, end};
use crate::raw::RawReport;
use crate::spec::Spec;
use crate::stream::Slices;
use crate::table::CaseRows;
use crate::values;

/// Events that come one by one, and what is found in them.
#[pyclass(module = "gnomon._gnomon", name = "RawMonitor")]
pub(crate) struct Monitor {
    spec: Spec,
    /// `None` once it has been finished.
    run: Option<Pushed>,
}

#[pymethods]
impl Monitor {
    #[new]
    fn new(spec: Spec, by: Option<&str>) -> Self {
        let run = Pushed::new(spec.compiled.clone(), by);
        Monitor { spec, run: Some(run) }
    }

    /// A monitor as it was saved.
    #[staticmethod]
    fn restore(spec: Spec, state: &[u8]) -> PyResult<Self> {
        let run = Pushed::restore(state, &spec.compiled);
        let run = run.map_err(|error| PyValueError::new_err(format!("the monitor cannot be restored: {error}")))?;
        Ok(Monitor { spec, run: Some(run) })
    }

    fn copy(&self) -> PyResult<Self> {
        Ok(Monitor { spec: self.spec.clone(), run: Some(self.run()?.clone()) })
    }

    #[getter]
    fn spec(&self) -> Spec {
        self.spec.clone()
    }

    /// How many events there were.
    #[getter]
    fn events(&self) -> PyResult<u64> {
        Ok(self.run()?.events())
    }

    /// An event happens.
    fn step(&mut self, name: &str, time: &Bound<'_, PyAny>, of: &Bound<'_, PyDict>) -> PyResult<u64> {
        let (time, of) = (values::time(time)?, fields(of)?);
        let spec = self.spec.clone();
        self.run_mut()?.step(name, time.as_deref(), &Named(&of)).map_err(|error| of_run(&spec.source, &error))
    }

    /// The events of an iterable happen.
    fn feed(
        &mut self,
        py: Python<'_>,
        events: &Bound<'_, PyAny>,
        event: Option<String>,
        time: Option<String>,
    ) -> PyResult<u64> {
        let declared = self.spec.compiled.spec.time.field.clone();
        let interrupt = Arc::<Interrupt>::default();
        let events = Events::new(events, Keys { event, time: time.or(declared) }, interrupt.clone())?;
        let spec = self.spec.clone();
        let run = self.run_mut()?;
        let before = run.events();
        let result = py.detach(|| {
            for event in events {
                let Ok(event) = event else { break };
                run.step(&event.name, event.time.as_deref(), &Named(&event.fields))?;
            }
            Ok(())
        });
        let fed = run.events() - before;
        match interrupt.take() {
            Some(error) => Err(error),
            None => result.map(|()| fed).map_err(|error| of_run(&spec.source, &error)),
        }
    }

    /// The rows of record batches happen.
    fn feed_arrow(&mut self, py: Python<'_>, batches: AnyRecordBatch, options: Given) -> PyResult<u64> {
        let interrupt = Arc::<Interrupt>::default();
        let slices = Slices::new(batches.into_reader()?, interrupt.clone());
        let options = options.options(&self.spec)?;
        let spec = self.spec.clone();
        let run = self.run_mut()?;
        let result = py.detach(|| {
            let input = Input::batches("<batches>".to_owned(), Box::new(slices));
            let mut reader = open_content(input.content, &input.name, None, setup(&spec.compiled, &options))?;
            let mut fed = 0;
            while let Some(origin) = reader.advance()? {
                let fields = Read { fields: reader.fields(), symbols: reader.symbols() };
                let name = reader.symbols().name_text(origin.event);
                run.step_read(name, origin.time, reader.time_kind(), &fields)?;
                fed += 1;
            }
            Ok(fed)
        });
        result.map_err(|error: gnomon::Error| match error.trace() {
            Some(error) => of_trace(error),
            None => of_run(&spec.source, &error),
        })
    }

    /// Time passes.
    fn advance(&mut self, time: &Bound<'_, PyAny>) -> PyResult<()> {
        let time = values::time(time)?.ok_or_else(|| argument("`advance` needs a time"))?;
        let spec = self.spec.clone();
        self.run_mut()?.advance(&time).map_err(|error| of_run(&spec.source, &error))
    }

    /// The earliest time whose passing may decide something, as it is written.
    #[getter]
    fn next_deadline(&self) -> PyResult<Option<String>> {
        Ok(self.run()?.next_deadline())
    }

    /// The latest time that was told, as it is written.
    #[getter]
    fn now(&self) -> PyResult<Option<String>> {
        let run = self.run()?;
        let clock = self.spec.about().clock();
        Ok(run.now().map(|time| clock.print(run.time_kind(), time)))
    }

    /// What was found since this was last asked: for each, its number, whether it is known and has grown, its property, and the
    /// rest as JSON.
    fn take_found(&mut self) -> PyResult<Vec<(u64, bool, String, String)>> {
        let spec = self.spec.clone();
        let run = self.run_mut()?;
        let found = run.take_found();
        let about = spec.about();
        let symbols = run.symbols().unwrap_or(spec.compiled.plan.symbols());
        let legend = Legend { symbols, time_kind: run.time_kind() };
        let told = |found: Found| {
            let mut json = String::new();
            object(&mut json, |out| violation(out, &found.violation, found.case.as_deref(), &about, legend));
            (found.number, found.grew, about.property_name(found.property).to_owned(), json)
        };
        Ok(found.into_iter().map(told).collect())
    }

    /// What became of each property so far.
    fn report(&self, py: Python<'_>, name: &str, how: &str) -> PyResult<RawReport> {
        let (run, how) = (self.run()?, end(how)?);
        let report = py.detach(|| run.report(name, how));
        Ok(RawReport::new(self.spec.clone(), report, CaseRows::default()))
    }

    /// Nothing more comes.
    fn finish(&mut self, py: Python<'_>, name: &str, how: &str) -> PyResult<RawReport> {
        let report = self.report(py, name, how)?;
        self.run = None;
        Ok(report)
    }

    /// The state as data, without the spec.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.run()?.save()))
    }
}

impl Monitor {
    fn run(&self) -> PyResult<&Pushed> {
        self.run.as_ref().ok_or_else(finished)
    }

    fn run_mut(&mut self) -> PyResult<&mut Pushed> {
        self.run.as_mut().ok_or_else(finished)
    }
}

fn finished() -> PyErr {
    PyRuntimeError::new_err(
        "this monitor has been finished; make a new one, or ask for `report()` instead of `finish()`",
    )
}

/// The fields of a reader's event, by their names.
struct Read<'a> {
    fields: &'a dyn Fields,
    symbols: &'a Symbols,
}

impl NamedFields for Read<'_> {
    fn named(&self, name: &str) -> Option<Value<'_>> {
        self.fields.get(self.symbols.find_key(name)?)
    }
    fn count(&self) -> usize {
        self.fields.parameter_count()
    }
    fn nth(&self, index: usize) -> Value<'_> {
        self.fields.parameter(index)
    }
}
