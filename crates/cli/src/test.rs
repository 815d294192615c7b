// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon test`: checks the examples inside a spec.

use std::fmt::Write as _;
use std::io;

use gnomon::diagnostic::line_column;
use gnomon::examples::{ExampleResult, examples};
use gnomon::ir::spec::{Example, ExampleTrace, Spec};
use gnomon::verdict::Verdict;

use crate::args::CatalogueArguments;
use crate::console::Console;
use crate::files;
use crate::outcome::{CommandResult, ExitStatus};
use crate::paint::{Ink, Paint};
use crate::render::counts_values;
use crate::render::line::sanitised;
use crate::render::numbers::{TimeFormat, counted};
use crate::render::violation::{self, ViolationContext};
use crate::spec::SpecFile;

pub(crate) fn run(path: &str, known: &CatalogueArguments, console: &Console) -> CommandResult {
    files::at_most_one_stdin(std::iter::once(&path.to_owned()).chain(&known.catalogues))?;
    let file = SpecFile::read(path)?.with(known)?;
    let compiled = file.compile(&[], console)?;
    if compiled.spec.examples.is_empty() {
        console.print(&no_examples(&file, &compiled.spec))?;
        return Ok(ExitStatus::Success);
    }
    let mut open = |name: &str| {
        let path = file.folder.join(name);
        files::open(&path.to_string_lossy())
            .map(|(bytes, _)| bytes)
            .map_err(|failure| io::Error::other(failure.in_a_line()))
    };
    let results = examples(&file.text, &compiled.spec, &mut open);
    let mut out = String::new();
    for result in &results {
        show(&mut out, &file, &compiled.spec, result, console.out_paint);
    }
    out.push_str(&summary(&results, console.out_paint));
    console.print(&out)?;
    let worst = results.iter().map(|result| match &result.got {
        Err(_) => ExitStatus::CouldNotCheck,
        Ok(_) if result.is_ok() => ExitStatus::Success,
        Ok(_) => ExitStatus::Violated,
    });
    Ok(worst.max().unwrap_or(ExitStatus::Success))
}

fn show(out: &mut String, file: &SpecFile, spec: &Spec, result: &ExampleResult, paint: Paint) {
    let example = &spec.examples[result.index];
    let (line, _) = line_column(&file.text, example.span.start as usize);
    let place = format!("{}:{line}", sanitised(&file.name));
    let what = describe(example);
    if result.is_ok() {
        let _ = writeln!(out, "{}      {place}  {what}", paint.ink(Ink::Good, "ok"));
        return;
    }
    let failed = paint.ink(Ink::Bad, "FAILED");
    let report = match &result.got {
        Ok(report) => report,
        Err(message) => {
            let _ = writeln!(out, "{failed}  {place}  {what}: {}", sanitised(message));
            return;
        }
    };
    let Some(outcome) = report.outcomes.first() else { return };
    let _ = writeln!(out, "{failed}  {place}  {what}: expected {}, got {}", result.expected, outcome.verdict);
    let scene = ViolationContext {
        spec_name: &file.name,
        source: &file.text,
        trace_name: match &example.trace {
            ExampleTrace::Events(_) => &place,
            ExampleTrace::File(name) => name,
        },
        time_format: TimeFormat::new(report.clock, report.time_kind),
        symbols: &report.symbols,
        locations: &report.locations,
        fails_as_a_whole: spec.property(&example.property).is_some_and(counts_values),
        paint,
    };
    if let Some(first) = outcome.violations.first() {
        let _ = writeln!(out, "\n{}", violation::render(first, &example.property, scene));
    }
}

/// Describes an example by the words that begin it in the spec.
fn describe(example: &Example) -> String {
    let property = &example.property;
    sanitised(&match (&example.trace, example.verdict) {
        (ExampleTrace::File(name), verdict) => format!("expect {property} {verdict} on {name:?}"),
        (ExampleTrace::Events(_), Verdict::Holds) => format!("accepts {property}"),
        (ExampleTrace::Events(_), _) => format!("rejects {property}"),
    })
}

fn summary(results: &[ExampleResult], paint: Paint) -> String {
    let good = results.iter().filter(|result| result.is_ok()).count();
    let bad = results.len() - good;
    let mut parts = Vec::new();
    if good > 0 {
        parts.push(paint.ink(Ink::Good, &format!("{good} ok")));
    }
    if bad > 0 {
        parts.push(paint.ink(Ink::Bad, &format!("{bad} FAILED")));
    }
    format!("\n{}: {}\n", counted(results.len() as u64, "example"), parts.join(", "))
}

fn no_examples(file: &SpecFile, spec: &Spec) -> String {
    let name = sanitised(spec.properties.first().map_or("NAME", |property| &property.name));
    format!(
        "{}: no examples. Write some beside the properties, such as\n\n  \
         accepts {name} {{ first@1. second@2 }}\n  \
         rejects {name} {{ first@1. third@9 }}\n  \
         expect {name} holds on \"trace.csv\"\n",
        sanitised(&file.name)
    )
}
