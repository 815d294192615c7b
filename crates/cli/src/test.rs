// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon test`: checks the examples inside a spec.

use std::fmt::Write as _;
use std::io;

use gnomon::diagnostic::line_column;
use gnomon::escape;
use gnomon::examples::{ExampleResult, examples};
use gnomon::ir::spec::{Example, ExampleTrace, Spec};
use gnomon::verdict::Verdict;

use crate::args::{TestArguments, TestFormat};
use crate::console::Console;
use crate::files;
use crate::outcome::{CommandResult, ExitStatus};
use crate::paint::{Ink, Paint};
use crate::render::line::sanitised;
use crate::render::numbers::{TimeFormat, counted};
use crate::render::violation::{self, ViolationContext};
use crate::render::{counts_values, json_line};
use crate::spec::SpecFile;

pub(crate) fn run(arguments: &TestArguments, console: &Console) -> CommandResult {
    let known = &arguments.known;
    files::at_most_one_stdin(std::iter::once(&arguments.spec).chain(&known.catalogues))?;
    let file = SpecFile::read(&arguments.spec)?.with(known)?;
    let compiled = file.compile(&[], console)?;
    if compiled.spec.examples.is_empty() && arguments.report == TestFormat::Human {
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
    let spec = &compiled.spec;
    console.print(&match arguments.report {
        TestFormat::Human => human(&file, spec, &results, console.out_paint),
        TestFormat::Json => json(&file, spec, &results),
        TestFormat::Junit => junit(&file, spec, &results),
    })?;
    let worst = results.iter().map(|result| match &result.got {
        Err(_) => ExitStatus::CouldNotCheck,
        Ok(_) if result.is_ok() => ExitStatus::Success,
        Ok(_) => ExitStatus::Violated,
    });
    Ok(worst.max().unwrap_or(ExitStatus::Success))
}

fn human(file: &SpecFile, spec: &Spec, results: &[ExampleResult], paint: Paint) -> String {
    let mut out = String::new();
    for result in results {
        show(&mut out, file, spec, result, paint);
    }
    out + &summary(results, paint)
}

/// Returns the line of an example in the spec.
fn line_of(file: &SpecFile, example: &Example) -> u64 {
    line_column(&file.text, example.span.start as usize).0 as u64
}

/// Returns the verdict of an example, or the reason why there is none.
fn verdict(result: &ExampleResult) -> Result<Option<Verdict>, &str> {
    result.got.as_ref().map(|report| report.outcomes.first().map(|outcome| outcome.verdict)).map_err(String::as_str)
}

fn json(file: &SpecFile, spec: &Spec, results: &[ExampleResult]) -> String {
    json_line(|fields| {
        fields.field("gnomon", env!("CARGO_PKG_VERSION"));
        fields.field("spec", &files::file_name(&file.name));
        fields.objects("examples", results, |fields, result| {
            let example = &spec.examples[result.index];
            fields.field("property", &example.property);
            fields.field("line", line_of(file, example));
            fields.field("example", &describe(example));
            fields.field("ok", result.is_ok());
            fields.field("expected", result.expected.word());
            fields.field("verdict", verdict(result).ok().flatten().map(Verdict::word));
            fields.optional("error", verdict(result).err());
        });
    })
}

/// Prints the report for build servers: an example is a test case.
fn junit(file: &SpecFile, spec: &Spec, results: &[ExampleResult]) -> String {
    let mut cases = String::new();
    let (mut failures, mut errors) = (0, 0);
    for result in results {
        let example = &spec.examples[result.index];
        let name = escape::xml(&format!("{} (line {})", describe(example), line_of(file, example)));
        let _ = writeln!(cases, "    <testcase name=\"{name}\" classname=\"{}\">", escape::xml(&example.property));
        match verdict(result) {
            Err(reason) => {
                errors += 1;
                let _ = writeln!(cases, "      <error message=\"{}\" type=\"example\"/>", escape::xml(reason));
            }
            Ok(got) if !result.is_ok() => {
                failures += 1;
                let got = got.map_or("no verdict", Verdict::word);
                let message = format!("expected {}, got {got}", result.expected);
                let mut explanation = String::new();
                show(&mut explanation, file, spec, result, Paint::PLAIN);
                let explanation = escape::xml(explanation.trim());
                let _ =
                    writeln!(cases, "      <failure message=\"{message}\" type=\"example\">{explanation}</failure>");
            }
            Ok(_) => {}
        }
        cases.push_str("    </testcase>\n");
    }
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\"", results.len());
    let name = escape::xml(&file.name);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gnomon\" {counts}>\n  \
         <testsuite name=\"{name}\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
    )
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
        width: None,
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
