// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generated properties survive being written and read, fully parenthesised and as the languages' own printers write
//! them.

use gnomon_core::diagnostic::Severity;
use gnomon_ir::spec::{Body, Language, Property, Spec};
use gnomon_test::case::Case;
use gnomon_test::corpus::{self, CaseEvaluator, run};
use gnomon_test::print;
use gnomon_test::property::{for_all, for_all_in};
use gnomon_test::spans::without_spans;

fn read(text: &str) -> Result<Spec, String> {
    let (spec, diagnostics) = gnomon_lang::parse(text);
    let wrong: Vec<_> = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect();
    if wrong.is_empty() { Ok(spec) } else { Err(format!("`{text}` is refused: {wrong:?}")) }
}

/// The property that stands in the text.
fn read_back(text: &str) -> Result<Property, String> {
    Ok(without_spans(&read(text)?.properties[0]))
}

#[test]
fn soloist_that_is_written_is_read_back() {
    for_all("written", 3_000, |case| {
        let written = without_spans(case.property());
        let Body::Formula(formula) = &written.body else { return Ok(()) };
        let options = if print::uses_full_window(formula) { "(full-window)" } else { "" };
        for text in [print::property(&written), gnomon_lang::soloist::print(formula)] {
            let read = read_back(&format!("soloist case {options} {{ {text} }}"))?;
            if read.body != written.body {
                return Err(format!("`{text}` is read as `{}`", print::property(&read)));
            }
        }
        Ok(())
    });
}

fn is_read_back(case: &Case, print: fn(&Property) -> String) -> Result<(), String> {
    let written = without_spans(case.property());
    let options = print::options(&written).join(", ");
    let options = if options.is_empty() { options } else { format!("({options}) ") };
    let plain = format!("{} case {options}{{\n{}\n}}\n", written.language.word(), print::property(&written));
    for text in [plain, print(&written)] {
        let read = read_back(&text)?;
        if read != written {
            return Err(format!("`{text}` is read as `{}`", print::property(&read)));
        }
    }
    Ok(())
}

#[test]
fn mtl_that_is_written_is_read_back() {
    for_all_in(Language::Mtl, "written", 4_000, |case| is_read_back(case, gnomon_lang::mtl::print));
}

#[test]
fn qea_that_is_written_is_read_back() {
    for_all_in(Language::Qea, "written", 4_000, |case| is_read_back(case, gnomon_lang::qea::print));
}

#[test]
fn nomad_that_is_written_is_read_back() {
    for_all_in(Language::Nomad, "written", 4_000, |case| is_read_back(case, gnomon_lang::nomad::print));
}

#[test]
fn albert_that_is_written_is_read_back() {
    for_all_in(Language::Albert, "written", 4_000, |case| is_read_back(case, gnomon_lang::albert::print));
}

#[test]
fn patterns_that_are_written_are_read_back() {
    for_all_in(Language::Pattern, "written", 4_000, |case| is_read_back(case, gnomon_lang::pattern::print));
}

#[test]
fn mu_that_is_written_is_read_back() {
    for_all_in(Language::Mu, "written", 4_000, |case| is_read_back(case, gnomon_lang::mu::print));
}

#[test]
fn mop_that_is_written_is_read_back() {
    for_all_in(Language::Mop, "written", 4_000, |case| is_read_back(case, gnomon_lang::mop::print));
}

#[test]
fn ccsl_that_is_written_is_read_back() {
    for_all_in(Language::Ccsl, "written", 4_000, |case| is_read_back(case, gnomon_lang::ccsl::print));
}

/// The printed form of a failing case can be added to the corpus.
#[test]
fn cases_are_shown_as_the_corpus_reads_them() {
    let languages = [
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
    for language in languages {
        for_all_in(language, "shown", 300, |case| {
            let shown = case.to_markdown("shown");
            let read = corpus::read(&shown, "shown").map_err(|error| format!("{error}\n{shown}"))?;
            let [read] = read.as_slice() else { return Err(format!("{} cases\n{shown}", read.len())) };
            run(read, CaseEvaluator::Oracle)?;
            if read.case.events == case.events { Ok(()) } else { Err(format!("other events: {shown}")) }
        });
    }
}
