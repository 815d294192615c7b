// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints the reason why a trace could not be checked.

use gnomon::diagnostic::{Diagnostic, Span};
use gnomon::offline::{CaseSummary, ExceededLimit, Overload};
use gnomon::run::Error;
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
            "allow more with `{option}`, check fewer properties at a time with `--property`, bound the formula so that \
             bindings can be forgotten, or check each session separately with `--by`"
        ))
    }

    /// Prints the error of a check and returns it as a failure.
    pub(crate) fn report(&self, error: &Error) -> Failure {
        let failure = match error {
            Error::Overload(overload) => self.overload(overload),
            Error::Trace(error) => Failure::of_trace(error),
            Error::Spec(diagnostic) => {
                let Some(delay) = self.reorder.filter(|_| diagnostic.primary.span == Span::default()) else {
                    self.file.print_diagnostics(std::slice::from_ref(diagnostic), self.console);
                    return Failure::of_diagnostic(diagnostic);
                };
                bad_delay(delay, diagnostic)
            }
            other => Failure::new("G0905", other.to_string()),
        };
        self.console.print_failure(&failure);
        failure
    }
}

/// Returns a failure if no event has the field of `--by`: that is more likely a typing error than a trace without cases.
pub(crate) fn no_cases(path: &str, cases: Option<&CaseSummary>) -> Option<Failure> {
    let cases = cases.filter(|cases| cases.total == 0 && cases.without > 0)?;
    let field = cases.field.as_deref().unwrap_or("case");
    let failure = Failure::new("G0710", format!("no event has the field `{field}`, so there is no case to check"));
    let help = "check the name that `--by` is given; names are case-sensitive";
    Some(failure.at(files::display_name(path)).help(help))
}

/// Describes an invalid `--reorder`: the diagnostic has no place in the spec to point at.
fn bad_delay(delay: Quantity, diagnostic: &Diagnostic) -> Failure {
    let help = diagnostic.help.as_ref().map_or("write a whole number of nanoseconds or more", |help| &help.text);
    Failure::new(diagnostic.code, format!("`--reorder {delay}`: {}", diagnostic.message)).help(help)
}
