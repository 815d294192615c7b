// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints a pattern.

use gnomon_core::time::Quantity;
use gnomon_ir::{Argument, Atom, Behaviour, Body, Bounds, Pattern, Property, Quantifier, Scope, ScopeKind};

use super::is_keyword;
use crate::specfile::print::block;
use crate::syntax::wildcard::{self, PrintedNames};
use crate::syntax::{print, quantifier};

/// Writes a property as a block that parses back to the same, apart from spans. The body of a property of another kind
/// is left empty.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("pattern late { for each u: after last open: reply( u ) responds to ask(u) within [0, 3s] }");
/// let printed = gnomon_lang::pattern::print(&spec.properties[0]);
/// assert_eq!(printed, "pattern late { for every u: after last open: reply(u) responds to ask(u) within 3s }\n");
/// ```
pub fn print(property: &Property) -> String {
    let body = match &property.body {
        Body::Pattern(pattern) => print_pattern(&property.prefix, pattern),
        _ => String::new(),
    };
    block(property, &[], &format!(" {body} "))
}

/// Writes the text between the braces: `for every t: before done: pop(t) responds to push(t)`.
///
/// A variable that stands for a `*` is written as `*` if it stands in one place, else under a name of its own.
pub fn print_pattern(prefix: &[Quantifier], pattern: &Pattern) -> String {
    let atoms = pattern.atoms();
    let names = PrintedNames::of(&quantifier::variables(prefix), &wildcard::alone(&atoms));
    let mut out = String::new();
    for quantifier in prefix {
        let variables = quantifier.variables.iter().map(|variable| names.shown(&variable.name));
        let variables: Vec<&str> = variables.filter(|name| *name != "*").collect();
        if !variables.is_empty() {
            print::fmt(&mut out, format_args!("for every {}: ", variables.join(", ")));
        }
    }
    let printer = Printer { names };
    printer.scope(&pattern.scope, &mut out);
    out.push_str(": ");
    printer.behaviour(&pattern.behaviour, &mut out);
    out
}

struct Printer {
    names: PrintedNames,
}

impl Printer {
    fn scope(&self, scope: &Scope, out: &mut String) {
        let Scope { kind, opens, closes, .. } = scope;
        let (before, between) = match kind {
            ScopeKind::Globally => ("globally", ""),
            ScopeKind::Before => ("", "before "),
            ScopeKind::Until => ("", "until "),
            ScopeKind::After => ("after ", ""),
            ScopeKind::AfterLast => ("after last ", ""),
            ScopeKind::Between => ("between ", " and "),
            ScopeKind::BetweenLast => ("between last ", " and "),
            ScopeKind::AfterUntil => ("after ", " until "),
            ScopeKind::AfterLastUntil => ("after last ", " until "),
        };
        self.events(before, opens.as_slice(), between, out);
        self.events("", closes.as_slice(), "", out);
    }

    fn behaviour(&self, behaviour: &Behaviour, out: &mut String) {
        match behaviour {
            Behaviour::Absence(event) => self.event("absence of ", event, "", out),
            Behaviour::Universality(event) => self.event("universality of ", event, "", out),
            Behaviour::Existence { event, within } => {
                self.event("existence of ", event, &limit(within.as_ref()), out);
            }
            Behaviour::Count { amount, number, event } => {
                self.event(&format!("{} {number} ", amount.words()), event, "", out);
            }
            Behaviour::Rate { number, event, window } => {
                self.event(&format!("at most {number} "), event, &format!(" in {window}"), out);
            }
            Behaviour::Only(events) => self.events("only ", events, "", out),
            Behaviour::Precedence { causes, effects, required, within } => {
                self.events("", causes, if causes.len() == 1 { " precedes " } else { " precede " }, out);
                self.events("", effects, &limit(within.as_ref()), out);
                self.required(*required, causes, out);
            }
            Behaviour::Response { stimuli, responses, without, required, within } => {
                self.events("", responses, "", out);
                if let Some(event) = without {
                    self.event(" without ", event, "", out);
                }
                out.push_str(if responses.len() == 1 { " responds to " } else { " respond to " });
                self.events("", stimuli, &limit(within.as_ref()), out);
                self.required(*required, stimuli, out);
            }
            Behaviour::Recurrence { event, every, .. } => {
                self.event("", event, &format!(" recurs every {every}"), out);
            }
        }
    }

    /// Writes an event between two texts.
    fn event(&self, before: &str, event: &Atom, after: &str, out: &mut String) {
        self.events(before, std::slice::from_ref(event), after, out);
    }

    /// Writes events, with commas between them, between two texts.
    fn events(&self, before: &str, events: &[Atom], after: &str, out: &mut String) {
        print::list(before, events, after, out, |event, out| {
            let mut argument = |argument: &Argument, out: &mut String| match argument {
                Argument::Variable(variable) => out.push_str(self.names.shown(&variable.name)),
                _ => print::argument(argument, out),
            };
            print::atom_with(event, &is_keyword, &|_| false, &mut argument, out);
        });
    }

    fn required(&self, required: bool, events: &[Atom], out: &mut String) {
        if required {
            self.events(", ", events, " required", out);
        }
    }
}

/// Returns the text of a time limit.
fn limit(bounds: Option<&Bounds>) -> String {
    match bounds {
        None => String::new(),
        Some(Bounds { lo, lo_closed: true, hi: Some(hi), hi_closed: true, .. }) if *lo == Quantity::whole(0) => {
            format!(" within {hi}")
        }
        Some(bounds) => format!(" within {}", print::text(|out| print::bounds(bounds, out))),
    }
}
