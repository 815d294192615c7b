// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a requirement back to text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gnomon_core::time::Quantity;
use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::{Argument, Atom};
use gnomon_ir::requirement::{Behaviour, Requirement, Scope, ScopeKind};
use gnomon_ir::spec::{Body, Property, Quantifier};

use super::KEYWORDS;
use crate::specfile::print::{self, block};
use crate::specfile::wildcard;

/// Writes a property as a block that reads back as the same, spans apart. The body of a property of another kind is left
/// empty.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("pattern late { for each u: after last open: reply( u ) responds to ask(u) within [0, 3s] }");
/// let printed = gnomon_lang::pattern::print(&spec.properties[0]);
/// assert_eq!(printed, "pattern late { for every u: after last open: reply(u) responds to ask(u) within 3s }\n");
/// ```
pub fn print(property: &Property) -> String {
    let body = match &property.body {
        Body::Requirement(requirement) => print_requirement(&property.prefix, requirement),
        _ => String::new(),
    };
    block(property, &[], &format!(" {body} "))
}

/// Writes what stands between the braces: `for every t: before done: pop(t) responds to push(t)`.
///
/// A variable that stands for a `*` is written as that if it stands at one place, else under a name of its own.
pub fn print_requirement(prefix: &[Quantifier], requirement: &Requirement) -> String {
    let names = Names::of(prefix, requirement);
    let mut out = String::new();
    for quantifier in prefix {
        let variables = quantifier.variables.iter().map(|variable| names.shown(&variable.name));
        let variables: Vec<&str> = variables.filter(|name| *name != "*").collect();
        if !variables.is_empty() {
            write!(out, "for every {}: ", variables.join(", ")).expect("writing to a string cannot fail");
        }
    }
    let mut printer = Printer { names, out };
    printer.scope(&requirement.scope);
    printer.out.push_str(": ");
    printer.behaviour(&requirement.behaviour);
    printer.out
}

/// What variables are called in print, where that is not what they are called.
struct Names(BTreeMap<String, String>);

impl Names {
    fn of(prefix: &[Quantifier], requirement: &Requirement) -> Names {
        let variables = prefix.iter().flat_map(|quantifier| &quantifier.variables);
        let variables: Vec<&str> = variables.map(|variable| variable.name.as_str()).collect();
        Names(wildcard::names(&variables, &wildcard::alone(&requirement.atoms())))
    }

    fn shown<'n>(&'n self, name: &'n str) -> &'n str {
        self.0.get(name).map_or(name, String::as_str)
    }
}

struct Printer {
    names: Names,
    out: String,
}

impl Printer {
    fn scope(&mut self, scope: &Scope) {
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
        self.out.push_str(before);
        self.events(opens.iter());
        self.out.push_str(between);
        self.events(closes.iter());
    }

    fn behaviour(&mut self, behaviour: &Behaviour) {
        match behaviour {
            Behaviour::Absence(event) => self.noun("absence of ", event),
            Behaviour::Universality(event) => self.noun("universality of ", event),
            Behaviour::Existence { event, within } => {
                self.noun("existence of ", event);
                self.within(within.as_ref());
            }
            Behaviour::Count { amount, number, event } => self.noun(&format!("{} {number} ", amount.words()), event),
            Behaviour::Rate { number, event, window } => {
                self.noun(&format!("at most {number} "), event);
                self.timed(" in ", *window);
            }
            Behaviour::Only(events) => {
                self.out.push_str("only ");
                self.events(events.iter());
            }
            Behaviour::Precedence { causes, effects, required, within } => {
                self.events(causes.iter());
                self.out.push_str(if causes.len() == 1 { " precedes " } else { " precede " });
                self.events(effects.iter());
                self.within(within.as_ref());
                self.required(*required, causes);
            }
            Behaviour::Response { stimuli, responses, without, required, within } => {
                self.events(responses.iter());
                if without.is_some() {
                    self.out.push_str(" without ");
                    self.events(without.iter());
                }
                self.out.push_str(if responses.len() == 1 { " responds to " } else { " respond to " });
                self.events(stimuli.iter());
                self.within(within.as_ref());
                self.required(*required, stimuli);
            }
            Behaviour::Recurrence { event, every, .. } => {
                self.noun("", event);
                self.timed(" recurs every ", *every);
            }
        }
    }

    fn noun(&mut self, words: &str, event: &Atom) {
        self.out.push_str(words);
        self.events([event].into_iter());
    }

    fn events<'a>(&mut self, events: impl Iterator<Item = &'a Atom>) {
        for (index, event) in events.enumerate() {
            self.out.push_str(if index == 0 { "" } else { ", " });
            let mut event = event.clone();
            for argument in event.arguments.iter_mut().flatten() {
                if let Argument::Variable(variable) = argument {
                    variable.name = self.names.shown(&variable.name).to_owned();
                }
            }
            print::atom(&event, &|word| KEYWORDS.contains(&word), &mut self.out);
        }
    }

    fn required(&mut self, required: bool, events: &[Atom]) {
        if required {
            self.out.push_str(", ");
            self.events(events.iter());
            self.out.push_str(" required");
        }
    }

    fn within(&mut self, bounds: Option<&Bounds>) {
        match bounds {
            None => {}
            Some(Bounds { lo, lo_closed: true, hi: Some(hi), hi_closed: true, .. }) if *lo == Quantity::whole(0) => {
                self.timed(" within ", *hi);
            }
            Some(bounds) => {
                self.out.push_str(" within ");
                print::bounds(bounds, &mut self.out);
            }
        }
    }

    fn timed(&mut self, words: &str, time: Quantity) {
        write!(self.out, "{words}{time}").expect("writing to a string cannot fail");
    }
}
