// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a trace could not be judged, said where it can be seen.

use gnomon::diagnostic::{Diagnostic, Span};
use gnomon::offline::{By, Cases, Limit, Overload};
use gnomon::time::Quantity;

use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::memory;
use crate::render::About;
use crate::spec::SpecFile;

/// The word for `--by` that means the whole trace.
const BY_NONE: &str = "none";

/// What is judged as a trace of its own.
pub(crate) fn by(field: Option<&str>) -> By {
    match field {
        None => By::Format,
        Some(BY_NONE) => By::Whole,
        Some(field) => By::Field(field.to_owned()),
    }
}

/// What messages speak of.
pub(crate) struct Trouble<'a> {
    pub(crate) about: &'a About<'a>,
    pub(crate) file: &'a SpecFile,
    pub(crate) console: &'a Console,
    pub(crate) reorder: Option<Quantity>,
}

impl Trouble<'_> {
    /// What took too much, and what can be done about it.
    fn too_much(&self, overload: &Overload) -> Failure {
        let Overload { limit, total, property, most } = overload;
        let (what, option) = match limit {
            Limit::Bindings(limit) => {
                (format!("{} bindings must be remembered, and {limit} are allowed", total.bindings), "--max-bindings")
            }
            Limit::Memory(limit) => {
                let limit = memory::print_size(*limit);
                (format!("bindings and cases take more memory than the {limit} that are allowed"), "--max-memory")
            }
        };
        let size = memory::print_size(most.bytes as u64);
        let name = self.about.property_name(*property);
        let message = format!("{what}; `{name}` has the most: {} bindings in {size}", most.bindings);
        Failure::new("G0712", message).at(&self.file.name).help(format!(
            "allow more with `{option}`, judge fewer properties at a time with `--property`, bound the formula so that \
             bindings can be forgotten, or judge each session on its own with `--by`"
        ))
    }

    /// Says what is in the way, and gives it back in a line.
    pub(crate) fn give_up(&self, failure: &Failure) -> String {
        self.console.fail(failure);
        failure.in_a_line()
    }

    /// Says why a trace cannot be judged, and gives it back in a line.
    pub(crate) fn tell(&self, error: &gnomon::Error) -> String {
        if let Some(overload) = error.as_overload() {
            return self.give_up(&self.too_much(overload));
        }
        match (error.diagnostic(), error.trace()) {
            (Some(diagnostic), _) => match self.reorder.filter(|_| diagnostic.primary.span == Span::default()) {
                Some(delay) => return self.give_up(&bad_delay(delay, diagnostic)),
                None => self.file.complain(std::slice::from_ref(diagnostic), self.console),
            },
            (None, Some(error)) => return self.give_up(&Failure::of_trace(error)),
            (None, None) => self.console.complain(&format!("{error}\n")),
        }
        error.to_string()
    }
}

/// A field that no event has is more likely a slip than a trace without cases.
pub(crate) fn no_cases(path: &str, cases: Option<&Cases>) -> Option<Failure> {
    let cases = cases.filter(|cases| cases.total == 0 && cases.without > 0)?;
    let field = cases.field.as_deref().unwrap_or("case");
    let failure = Failure::new("G0710", format!("no event has the field `{field}`, so there is no case to judge"));
    let help = "check the name that `--by` is given; names are told apart by case";
    Some(failure.at(files::display_name(path)).help(help))
}

/// A delay on the command line has no place in the spec to point at.
fn bad_delay(delay: Quantity, diagnostic: &Diagnostic) -> Failure {
    let failure = Failure::new(diagnostic.code, format!("`--reorder {delay}`: {}", diagnostic.message));
    match &diagnostic.help {
        Some(help) => failure.help(&help.text),
        None => failure.help("write a whole number of nanoseconds or more"),
    }
}
