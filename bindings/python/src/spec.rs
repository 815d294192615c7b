// SPDX-License-Identifier: MIT OR Apache-2.0
//! Specs: compiled once for each text in a process, and pickled as text.

#![expect(clippy::needless_pass_by_value, reason = "pyo3 creates owned arguments for each call")]

use std::collections::{BTreeSet, HashMap};
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gnomon::compile::{CompiledSpec, compile_file};
use gnomon::diagnostic::line_column;
use gnomon::event::FieldSelection;
use gnomon::externs::ExternSources;
use gnomon::ir::spec::PropertySeverity;
use gnomon::report::SpecContext;
use gnomon::report::json;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::errors::{DiagnosticFields, argument, of_spec, raise, spec_failure};

/// Number of specs that stay compiled.
const MAX_KEPT: usize = 64;

/// The text of a spec, and which part of it is wanted.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SpecSource {
    pub(crate) name: String,
    pub(crate) text: String,
    /// The names of the wanted properties; empty: all.
    pub(crate) only: Vec<String>,
    /// The folder of files that the spec names.
    pub(crate) folder: Option<PathBuf>,
}

/// Properties against which traces are checked.
#[pyclass(frozen, eq, hash, module = "gnomon", from_py_object)]
#[derive(Clone)]
pub(crate) struct Spec {
    pub(crate) source: Arc<SpecSource>,
    pub(crate) compiled: Arc<CompiledSpec>,
}

impl PartialEq for Spec {
    fn eq(&self, other: &Self) -> bool {
        let parts = |spec: &Self| (spec.source.text.clone(), spec.source.only.clone());
        Arc::ptr_eq(&self.compiled, &other.compiled) || parts(self) == parts(other)
    }
}

impl std::hash::Hash for Spec {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (&self.source.text, &self.source.only).hash(state);
    }
}

/// A property of a spec.
#[pyclass(frozen, get_all, module = "gnomon")]
pub(crate) struct Property {
    /// Its name.
    name: String,
    /// The language that it is written in.
    language: &'static str,
    /// Its text without name and language.
    text: String,
    /// Its title for people.
    title: Option<String>,
    /// Its severity: `low`, `medium` or `high`.
    severity: Option<&'static str>,
    /// True if its violation stops the verification of a trace.
    critical: bool,
    /// The line of the spec in which it begins.
    line: usize,
}

#[pymethods]
impl Property {
    fn __repr__(&self) -> String {
        format!("Property({:?}, language={:?})", self.name, self.language)
    }

    fn __str__(&self) -> &str {
        &self.text
    }
}

static KEPT: Mutex<Option<HashMap<SpecSource, Spec>>> = Mutex::new(None);

impl Spec {
    pub(crate) fn about(&self) -> SpecContext<'_> {
        SpecContext { spec_name: &self.source.name, compiled: &self.compiled }
    }

    /// Returns the access to external variables.
    pub(crate) fn sources(&self) -> ExternSources {
        ExternSources::beside(self.source.folder.clone().unwrap_or_default())
    }

    fn new(py: Python<'_>, source: SpecSource) -> PyResult<Spec> {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.get_or_insert_default();
        if let Some(spec) = kept.get(&source) {
            return Ok(spec.clone());
        }
        let spec = compile(py, source)?;
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert((*spec.source).clone(), spec.clone());
        Ok(spec)
    }
}

fn compile(py: Python<'_>, source: SpecSource) -> PyResult<Spec> {
    let (compiled, diagnostics) = compile_file(&source.name, &source.text, &source.only);
    let fields = of_spec(&source, &diagnostics);
    let Some(compiled) = compiled else {
        let is_error = |of: &DiagnosticFields<'_>| of.severity == "error";
        let errors: Vec<DiagnosticFields<'_>> = fields.into_iter().filter(is_error).collect();
        return Err(raise("SpecError", &errors));
    };
    let names: Vec<&str> = compiled.spec.properties.iter().map(|property| property.name.as_str()).collect();
    if names.is_empty() {
        let help = "write one, for example `soloist calm { G(!alarm) }`";
        return Err(spec_failure("G0709", &source, "the spec has no property", help));
    }
    if let Some(wanted) = source.only.iter().find(|wanted| !names.contains(&wanted.as_str())) {
        let message = format!("the spec has no property `{wanted}`");
        let help = format!("the properties are {}", names.join(", "));
        return Err(spec_failure("G0705", &source, &message, &help));
    }
    let category = py.import("gnomon.errors")?.getattr("SpecWarning")?;
    for warning in &fields {
        let text = CString::new(warning.rendered.replace('\0', "\u{fffd}"))?;
        PyErr::warn(py, &category, &text, 2)?;
    }
    drop(fields);
    Ok(Spec { source: Arc::new(source), compiled: Arc::new(compiled) })
}

#[pymethods]
impl Spec {
    /// Compiles a text.
    #[classmethod]
    #[pyo3(signature = (text, *, name = "<spec>", properties = None, folder = None))]
    fn from_text(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        text: String,
        name: &str,
        properties: Option<Vec<String>>,
        folder: Option<PathBuf>,
    ) -> PyResult<Spec> {
        Spec::new(py, SpecSource { name: name.to_owned(), text, only: properties.unwrap_or_default(), folder })
    }

    /// Compiles a file.
    #[classmethod]
    #[pyo3(signature = (path, *, properties = None))]
    fn from_file(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        path: PathBuf,
        properties: Option<Vec<String>>,
    ) -> PyResult<Spec> {
        let text = py.detach(|| std::fs::read(&path)).map_err(|error| open_error(py, &path, error))?;
        let name = path.to_string_lossy().into_owned();
        let text = String::from_utf8(text).map_err(|_| argument(format!("`{name}` is not UTF-8 text")))?;
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        let folder = path.parent().map(Path::to_path_buf);
        Spec::new(py, SpecSource { name, text, only: properties.unwrap_or_default(), folder })
    }

    /// The name of the spec.
    #[getter]
    fn name(&self) -> &str {
        &self.source.name
    }

    /// Its text.
    #[getter]
    fn text(&self) -> &str {
        &self.source.text
    }

    /// The wanted properties.
    #[getter]
    fn properties(&self) -> Vec<Property> {
        let property = |of: &gnomon::ir::spec::Property| Property {
            name: of.name.clone(),
            language: of.language.word(),
            text: of.body_span.text(&self.source.text).trim().to_owned(),
            title: of.title.clone(),
            severity: of.options.severity.map(PropertySeverity::word),
            critical: of.options.critical,
            line: line_column(&self.source.text, of.name_span.start as usize).0,
        };
        self.compiled.properties().map(property).collect()
    }

    /// The field that the spec declares as the time.
    #[getter]
    fn time_field(&self) -> Option<&str> {
        self.compiled.spec.time.field.as_deref()
    }

    /// The names of the fields that the properties read, sorted; `None` if some read all fields.
    #[getter]
    fn fields(&self) -> Option<Vec<String>> {
        let (symbols, projection) = (self.compiled.plan.symbols(), self.compiled.plan.projection());
        let mut fields = BTreeSet::new();
        for name in 0..symbols.name_count() as u32 {
            match projection.selection(gnomon::symbols::Name(name)) {
                FieldSelection::All => return None,
                FieldSelection::Nothing => {}
                FieldSelection::Fields(keys) => fields.extend(keys.iter().map(|key| symbols.key_text(*key).to_owned())),
            }
        }
        Some(fields.into_iter().collect())
    }

    /// The names of the events that the properties mention, sorted.
    #[getter]
    fn events(&self) -> Vec<String> {
        let atoms = self.compiled.plan.cores().iter().flat_map(gnomon::ir::core::Core::atoms);
        let names: BTreeSet<&String> = atoms.flat_map(|atom| &atom.patterns).map(|pattern| &pattern.event).collect();
        names.into_iter().cloned().collect()
    }

    /// The fields by which a trace can be partitioned without changing any verdict, and the reasons.
    #[pyo3(signature = (*, by = None))]
    fn plan<'py>(&self, py: Python<'py>, by: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (json::plan::render(&self.about(), by),))
    }

    /// Restricts the spec to these properties.
    fn only(&self, py: Python<'_>, properties: Vec<String>) -> PyResult<Spec> {
        Spec::new(py, SpecSource { only: properties, ..(*self.source).clone() })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (SpecPickle<'_>,))> {
        let made = py.import("gnomon.spec")?.getattr("_restored")?;
        let SpecSource { name, text, only, folder } = &*self.source;
        Ok((made, ((text, name, only.clone(), folder.as_deref()),)))
    }

    fn __str__(&self) -> &str {
        &self.source.text
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.compiled.properties().map(|property| property.name.as_str()).collect();
        format!("Spec({:?}, properties={names:?})", self.source.name)
    }
}

/// The arguments that recreate a spec when it is unpickled.
type SpecPickle<'a> = (&'a str, &'a str, Vec<String>, Option<&'a Path>);

/// Converts the error of a file that cannot be opened.
pub(crate) fn open_error(py: Python<'_>, path: &Path, error: std::io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(number) => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            let class = py.get_type::<pyo3::exceptions::PyOSError>();
            class.call1((number, text, path)).map_or_else(|error| error, PyErr::from_value)
        }
        None => error.into(),
    }
}
