// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers [`Syntax`] to the shared [`Pattern`]: checks that the parts of a phrase fit together, and resolves the words
//! among parameters.

use gnomon_core::{Diagnostic, Quantity, Span};
use gnomon_ir::{Atom, Behaviour, CountBound, Pattern, Quantifier, QuantifierKind, Scope, atom};

use super::syntax::{EventParameter, EventSyntax, Phrase, Syntax, TimeLimit, Verb};
use crate::syntax::literal::variable;
use crate::syntax::{ArgumentSyntax, Cursor, Wildcards, collect_all, respelt};

/// Lowers a pattern; the result has its variables and the pattern. Returns `None` if a part is missing, which has been
/// reported.
pub(super) fn lower(cursor: &mut Cursor<'_>, syntax: Syntax) -> Option<(Vec<Quantifier>, Pattern)> {
    let Syntax { prefix, scope, phrase } = syntax;
    let delimiters = scope.iter().flat_map(|scope| scope.opens.iter().chain(&scope.closes));
    let events = phrase.iter().flat_map(|phrase| {
        let between = phrase.without.iter().map(|clause| &clause.event);
        phrase.subjects.iter().chain(&phrase.objects).chain(between)
    });
    let count = delimiters.chain(events).map(wildcards).sum();
    let mut lowering = Lowering { cursor, wildcards: Wildcards::new(count) };
    // Both parts are lowered before either is given up: each may report errors.
    let scope = scope.and_then(|scope| {
        let (opens, closes) = (lowering.optional(scope.opens.as_ref()), lowering.optional(scope.closes.as_ref()));
        Some(Scope { kind: scope.kind, opens: opens?, closes: closes?, span: scope.span })
    });
    let behaviour_span = phrase.as_ref().map_or_else(Span::default, |phrase| phrase.span);
    let behaviour = phrase.and_then(|phrase| lowering.behaviour(&phrase));
    let wildcards = lowering.wildcards.variables;
    let mut prefix = prefix?;
    let pattern = Pattern { scope: scope?, behaviour: behaviour?, behaviour_span };
    if let (Some(first), Some(last)) = (wildcards.first(), wildcards.last()) {
        let span = first.span.to(last.span);
        prefix.push(Quantifier { kind: QuantifierKind::Forall, threshold: None, variables: wildcards, span });
    }
    Some((prefix, pattern))
}

/// Counts the `*` of an event.
fn wildcards(event: &EventSyntax) -> usize {
    event.arguments.iter().flatten().filter(|argument| matches!(argument, EventParameter::Every(_))).count()
}

struct Lowering<'c, 's> {
    cursor: &'c mut Cursor<'s>,
    /// The variables that `*` stands for.
    wildcards: Wildcards,
}

impl Lowering<'_, '_> {
    fn event(&mut self, event: &EventSyntax) -> Option<Atom> {
        event.lower_with(|argument| match argument {
            EventParameter::Plain(plain) => plain.lower(|span| self.variable(span)),
            EventParameter::Every(span) => Some(atom::Argument::Variable(self.wildcards.add(*span))),
        })
    }

    /// Lowers an optional event. Returns `None` if there is one that could not be understood, which has been reported.
    fn optional(&mut self, event: Option<&EventSyntax>) -> Option<Option<Atom>> {
        event.map_or(Some(None), |event| self.event(event).map(Some))
    }

    fn events(&mut self, events: &[EventSyntax]) -> Option<Vec<Atom>> {
        collect_all(events.iter().map(|event| self.event(event)))
    }

    /// Lowers a word among the parameters.
    fn variable(&mut self, span: Span) -> Option<atom::Argument> {
        let variable = variable(self.cursor, span)?;
        let name = &variable.name;
        if self.cursor.is_bound(name) {
            return Some(atom::Argument::Variable(variable));
        }
        self.cursor.report(
            Diagnostic::error("G0306", span, format!("`{name}` is neither a variable nor a literal"))
                .label("no `for every` in front names it")
                .edit(
                    format!("write a text in quotes, `*` for each value, `_` for any, or name it: `for every {name}:`"),
                    span,
                    format!("\"{name}\""),
                ),
        );
        None
    }

    fn behaviour(&mut self, phrase: &Phrase) -> Option<Behaviour> {
        let subjects = self.events(&phrase.subjects);
        let objects = self.events(&phrase.objects);
        let without = self.optional(phrase.without.as_ref().map(|clause| &clause.event));
        let required = self.required(phrase);
        let allowed = self.without(phrase);
        let bound = self.bound(phrase);
        let (subjects, mut objects, without) = (subjects?, objects?, without?);
        let (required, bound) = (required?, bound?);
        allowed.then_some(())?;
        let within = bound.map(|bound| bound.bounds);
        Some(match phrase.verb {
            Verb::Precede => Behaviour::Precedence { causes: subjects, effects: objects, required, within },
            Verb::Respond => Behaviour::Response { stimuli: objects, responses: subjects, without, required, within },
            Verb::Only => Behaviour::Only(objects),
            Verb::Absence => Behaviour::Absence(objects.pop()?),
            Verb::Universality => Behaviour::Universality(objects.pop()?),
            Verb::Existence => Behaviour::Existence { event: objects.pop()?, within },
            Verb::Count(amount, number) => match bound.and_then(|bound| bound.single) {
                Some(window) => Behaviour::Rate { number, event: objects.pop()?, window },
                None => Behaviour::Count { amount, number, event: objects.pop()? },
            },
            Verb::Recur => {
                let every: Quantity = bound?.single?;
                Behaviour::Recurrence { event: objects.pop()?, every, every_span: bound?.span }
            }
        })
    }

    /// Returns true if `P required` names the one cause or stimulus. Returns `None` after reporting a wrong one.
    fn required(&mut self, phrase: &Phrase) -> Option<bool> {
        let Some(clause) = &phrase.required else { return Some(false) };
        let (needed, role) = match phrase.verb {
            Verb::Precede => (&phrase.subjects, "cause"),
            Verb::Respond => (&phrase.objects, "stimulus"),
            _ => {
                let behaviour = self.cursor.slice(phrase.verb_span);
                self.cursor.report(
                    Diagnostic::error("G0147", clause.span, format!("`required` has no meaning with `{behaviour}`"))
                        .label("it is for `precedes` and `responds to`")
                        .help("leave it out, or write a second property: `existence of ...`"),
                );
                return None;
            }
        };
        let [only] = needed.as_slice() else {
            let message = "`required` cannot select which of several events must occur";
            self.cursor.report(
                Diagnostic::error("G0144", clause.span, message)
                    .label(format!("it is for a pattern with one {role}"))
                    .help("leave it out, and write a second property for what must occur: `existence of ...`"),
            );
            return None;
        };
        if self.same(only, &clause.event) {
            return Some(true);
        }
        let (written, meant) = (self.cursor.slice(clause.event.span), self.cursor.slice(only.span));
        self.cursor.report(
            Diagnostic::error("G0143", clause.event.span, format!("`{written}` is not the {role} of this pattern"))
                .label(format!("only the {role} can be required"))
                .also(only.span, format!("the {role}"))
                .edit(format!("name the {role}"), clause.event.span, meant),
        );
        None
    }

    /// Returns true if two events are written alike, apart from spaces.
    fn same(&self, left: &EventSyntax, right: &EventSyntax) -> bool {
        let alike = |pair: (&EventParameter, &EventParameter)| match pair {
            (EventParameter::Every(_), EventParameter::Every(_)) => true,
            (EventParameter::Plain(left), EventParameter::Plain(right)) => match (left, right) {
                (ArgumentSyntax::Any, ArgumentSyntax::Any) => true,
                (ArgumentSyntax::Literal(left), ArgumentSyntax::Literal(right)) => left == right,
                (ArgumentSyntax::Word(left), ArgumentSyntax::Word(right)) => {
                    self.cursor.slice(*left) == self.cursor.slice(*right)
                }
                _ => false,
            },
            _ => false,
        };
        let arguments = match (&left.arguments, &right.arguments) {
            (Some(left), Some(right)) => left.len() == right.len() && left.iter().zip(right).all(alike),
            (None, None) => true,
            _ => false,
        };
        left.name == right.name && left.condition == right.condition && arguments
    }

    /// Returns true if `without` is used where it has a meaning; reports it otherwise.
    fn without(&mut self, phrase: &Phrase) -> bool {
        let Some(clause) = &phrase.without else { return true };
        let (message, label) = match phrase.verb {
            Verb::Respond if phrase.subjects.len() > 1 => return true,
            Verb::Respond => ("`without` requires two responses", "there is one response only"),
            _ => ("`without` is for responses only", "this is not a response"),
        };
        let help = "write `S, T without Z respond to P`, or leave it out and forbid the event in a property of its own";
        self.cursor.report(Diagnostic::error("G0145", clause.span, message).label(label).help(help));
        false
    }

    /// Returns the time limit, if there is one. Returns `None` after reporting one that the behaviour does not take, or
    /// a missing one that it needs.
    fn bound<'p>(&mut self, phrase: &'p Phrase) -> Option<Option<&'p TimeLimit>> {
        let Some(bound) = &phrase.bound else {
            if phrase.verb == Verb::Recur {
                let span = phrase.verb_span;
                self.cursor.report(
                    Diagnostic::error("G0142", span, "the period is missing").label("a time is expected").edit(
                        "state how far apart they may be",
                        span,
                        "recurs every 10",
                    ),
                );
                return None;
            }
            return Some(None);
        };
        let meant = match phrase.verb {
            Verb::Existence | Verb::Precede | Verb::Respond => "within",
            Verb::Count(CountBound::AtMost, _) => "in",
            Verb::Recur => "every",
            _ => {
                self.unbounded(phrase, bound);
                return None;
            }
        };
        let written = self.cursor.slice(bound.word);
        if meant != "within" && bound.single.is_none() {
            let diagnostic = Diagnostic::error("G0142", bound.span, format!("one time is expected after `{meant}`"));
            self.cursor
                .report(diagnostic.label("an interval has no meaning here").help(format!("write `{meant} 10s`")));
            return None;
        }
        if written != meant {
            self.cursor.report(respelt(written, bound.word, meant));
        }
        Some(Some(bound))
    }

    /// Reports a time limit on a behaviour that takes none.
    fn unbounded(&mut self, phrase: &Phrase, bound: &TimeLimit) {
        let behaviour = self.cursor.slice(phrase.verb_span);
        let (label, help) = match phrase.verb {
            Verb::Absence | Verb::Universality | Verb::Only => (
                "it is asked of every event of the segment, however late",
                "leave it out, and let the scope limit how far it reaches",
            ),
            _ => (
                "it is asked of the segment as a whole",
                "leave it out; `at most 2 P in 10s` bounds how close events come, `existence of P within 10s` when one must come",
            ),
        };
        let written = self.cursor.slice(bound.word);
        self.cursor.report(
            Diagnostic::error("G0142", bound.span, format!("`{written}` has no meaning with `{behaviour}`"))
                .label(label)
                .help(help),
        );
    }
}
