// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints the reason why a trace could not be checked.

use gnomon::Error;
use gnomon::diagnostic::{Diagnostic, Span};
use gnomon::offline::{CaseSummary, ExceededLimit, Overload};
use gnomon::time::Quantity;

use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::memory;
use crate::render::SpecContext;
use crate::spec::SpecFile;

/// Prints errors of one check.
pub(crate) struct ErrorReporter<'a> {
    pub(crate) about: &'a SpecContext<'a>,
    pub(crate) file: &'a SpecFile,
    pub(crate) console: &'a Console,
    pub(crate) reorder: Option<Quantity>,
}

impl ErrorReporter<'_> {
    /// Describes an exceeded limit, with advice.
    fn overload(&self, overload: &Overload) -> Failure {
        let Overload { limit, total, property, most } = overload;
        let (what, option) = match limit {
            ExceededLimit::Bindings(limit) => {
                (format!("{} bindings must be remembered, and {limit} are allowed", total.bindings), "--max-bindings")
            }
            ExceededLimit::Memory(limit) => {
                let limit = memory::print_size(*limit);
                (format!("bindings and cases take more memory than the {limit} that are allowed"), "--max-memory")
            }
        };
        // Cases take memory without bindings, too; then no property has the most.
        let share = if most.bindings == 0 {
            format!("the cases take {}", memory::print_size(total.bytes as u64))
        } else {
            let (name, size) = (self.about.property_name(*property), memory::print_size(most.bytes as u64));
            format!("`{name}` has the most: {} bindings in {size}", most.bindings)
        };
        let message = format!("{what}; {share}");
        Failure::new("G0712", message).at(&self.file.name).help(format!(
            "allow more with `{option}`, judge fewer properties at a time with `--property`, bound the formula so that \
             bindings can be forgotten, or judge each session on its own with `--by`"
        ))
    }

    /// Prints a failure and returns it as one line.
    pub(crate) fn report_failure(&self, failure: &Failure) -> String {
        self.console.print_failure(failure);
        failure.in_a_line()
    }

    /// Prints the error of a check and returns it as one line.
    pub(crate) fn report(&self, error: &Error) -> String {
        match error {
            Error::Overload(overload) => return self.report_failure(&self.overload(overload)),
            Error::Trace(error) => return self.report_failure(&Failure::of_trace(error)),
            Error::Spec(diagnostic) => match self.reorder.filter(|_| diagnostic.primary.span == Span::default()) {
                Some(delay) => return self.report_failure(&bad_delay(delay, diagnostic)),
                None => self.file.print_diagnostics(std::slice::from_ref(diagnostic), self.console),
            },
            _ => self.console.eprint(&format!("{error}\n")),
        }
        error.to_string()
    }
}

/// Returns a failure if no event has the field of `--by`: that is more likely a typing error than a trace without cases.
pub(crate) fn no_cases(path: &str, cases: Option<&CaseSummary>) -> Option<Failure> {
    let cases = cases.filter(|cases| cases.total == 0 && cases.without > 0)?;
    let field = cases.field.as_deref().unwrap_or("case");
    let failure = Failure::new("G0710", format!("no event has the field `{field}`, so there is no case to judge"));
    let help = "check the name that `--by` is given; names are case-sensitive";
    Some(failure.at(files::display_name(path)).help(help))
}

/// Describes an invalid `--reorder`: the diagnostic has no place in the spec to point at.
fn bad_delay(delay: Quantity, diagnostic: &Diagnostic) -> Failure {
    let help = diagnostic.help.as_ref().map_or("write a whole number of nanoseconds or more", |help| &help.text);
    Failure::new(diagnostic.code, format!("`--reorder {delay}`: {}", diagnostic.message)).help(help)
}
