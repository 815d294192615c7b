// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event atoms, which every language writes alike: `pay(user, 3, _)[amount > 1000]`.

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_core::value::Value;
use gnomon_ir::pattern::{Argument, Atom, Condition};

use super::condition::bracketed;
use super::cursor::Cursor;
use super::lexer::Kind;
use super::literal::{Literal, literal, try_name};

/// An atom as written.
#[derive(Debug)]
pub(crate) struct AtomSyntax<A = ArgumentSyntax> {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    /// Whether the name stands in quotes.
    pub(crate) quoted: bool,
    pub(crate) arguments: Option<Vec<A>>,
    pub(crate) condition: Option<Condition>,
    pub(crate) span: Span,
    /// Whether all of it was understood; what was not has been reported.
    pub(crate) whole: bool,
}

/// A parameter as written.
#[derive(Debug)]
pub(crate) enum ArgumentSyntax {
    /// `_`
    Any,
    /// A literal.
    Literal(Value<'static>),
    /// A word: a variable, in languages that have them.
    Word(Span),
}

/// Reads an atom, if the current token begins one.
pub(crate) fn atom(cursor: &mut Cursor<'_>) -> Option<AtomSyntax> {
    let mut atom = named(cursor)?;
    if cursor.is("(") {
        if !begins_arguments(cursor) {
            // What follows is read as a formula of its own; the caller says that an operator is missing.
            return Some(atom);
        }
        read_arguments(cursor, &mut atom, &mut argument);
    }
    read_condition(cursor, &mut atom);
    Some(atom)
}

/// Likewise, in a language that has more than literals and words among the parameters. `argument` reads one of them; if
/// there is none it leaves the current token, or blames it.
pub(crate) fn atom_with<A>(
    cursor: &mut Cursor<'_>,
    argument: &mut dyn FnMut(&mut Cursor<'_>) -> Option<A>,
) -> Option<AtomSyntax<A>> {
    let mut atom = named(cursor)?;
    if cursor.is("(") {
        read_arguments(cursor, &mut atom, argument);
    }
    read_condition(cursor, &mut atom);
    Some(atom)
}

/// An atom that is a name so far.
fn named<A>(cursor: &mut Cursor<'_>) -> Option<AtomSyntax<A>> {
    let quoted = cursor.peek().kind != Kind::Word;
    let name = try_name(cursor)?;
    Some(AtomSyntax {
        name: name.name,
        name_span: name.span,
        quoted,
        arguments: None,
        condition: None,
        span: name.span,
        whole: true,
    })
}

fn read_arguments<A>(
    cursor: &mut Cursor<'_>,
    atom: &mut AtomSyntax<A>,
    argument: &mut dyn FnMut(&mut Cursor<'_>) -> Option<A>,
) {
    atom.arguments = arguments(cursor, argument);
    atom.whole = atom.arguments.is_some();
    atom.span = atom.span.to(cursor.previous().map_or(atom.span, |token| token.span));
}

fn read_condition<A>(cursor: &mut Cursor<'_>, atom: &mut AtomSyntax<A>) {
    if let Some((condition, span)) = bracketed(cursor) {
        atom.whole &= condition.is_some();
        atom.condition = condition;
        atom.span = atom.span.to(span);
    }
}

/// Whether the parentheses that open `n` tokens on contain parameters, and not a formula.
pub(crate) fn is_argument_list(cursor: &Cursor<'_>, n: usize) -> bool {
    argument_list_end(cursor, n).is_some()
}

/// Where the list of parameters that opens `n` tokens on is closed, if it is one.
pub(crate) fn argument_list_end(cursor: &Cursor<'_>, n: usize) -> Option<usize> {
    let mut at = n + 1;
    if cursor.nth_is(at, ")") {
        return Some(at);
    }
    loop {
        at += usize::from(cursor.nth_is(at, "-"));
        if !matches!(cursor.nth(at).kind, Kind::Word | Kind::Number | Kind::Text | Kind::OpenText) {
            return None;
        }
        match cursor.nth(at + 1).kind {
            Kind::Symbol(",") => at += 2,
            Kind::Symbol(")") => return Some(at + 1),
            _ => return None,
        }
    }
}

/// The words in a list of parameters that are no literals.
fn words<'c, 's>(cursor: &'c Cursor<'s>, n: usize) -> impl Iterator<Item = &'s str> + use<'c, 's> {
    let inside = (n + 1..).take_while(|&at| !cursor.nth_is(at, ")") && cursor.nth(at).kind != Kind::End);
    inside.filter_map(|at| cursor.nth_word(at)).filter(|word| !matches!(*word, "_" | "true" | "false" | "null"))
}

/// Whether a list of parameters names a variable.
pub(crate) fn has_words(cursor: &Cursor<'_>, n: usize) -> bool {
    words(cursor, n).next().is_some()
}

/// Whether all variables in a list of parameters are known.
pub(crate) fn are_bound(cursor: &Cursor<'_>, n: usize) -> bool {
    words(cursor, n).all(|word| cursor.is_bound(word))
}

/// Whether the parentheses at the current token begin like a list of parameters.
fn begins_arguments(cursor: &Cursor<'_>) -> bool {
    match cursor.nth(1).kind {
        Kind::Symbol(")" | "-" | ",") | Kind::Number => true,
        Kind::Word | Kind::Text | Kind::OpenText => matches!(cursor.nth(2).kind, Kind::Symbol("," | ")") | Kind::End),
        _ => false,
    }
}

/// Reads a parameter, if there is one.
pub(crate) fn argument(cursor: &mut Cursor<'_>) -> Option<ArgumentSyntax> {
    Some(match literal(cursor)? {
        (Literal::Value(value), _) => ArgumentSyntax::Literal(value),
        (Literal::Word(span), _) if cursor.slice(span) == "_" => ArgumentSyntax::Any,
        (Literal::Word(span), _) => ArgumentSyntax::Word(span),
    })
}

/// Reads `(a, b)`; `None` if it could not be understood, which has been reported.
fn arguments<A>(cursor: &mut Cursor<'_>, argument: &mut dyn FnMut(&mut Cursor<'_>) -> Option<A>) -> Option<Vec<A>> {
    let opening = cursor.bump().span;
    let mut arguments = Vec::new();
    if cursor.eat(")").is_some() {
        return Some(arguments);
    }
    loop {
        cursor.grow();
        let Some(argument) = argument(cursor) else {
            cursor.expected("a parameter");
            break;
        };
        arguments.push(argument);
        if cursor.eat(")").is_some() {
            return Some(arguments);
        }
        if cursor.at_end() {
            cursor.unclosed(opening, ")");
            break;
        }
        if cursor.eat(",").is_none() {
            cursor.expected("`,` or `)`");
            break;
        }
    }
    skip_list(cursor);
    None
}

/// Skips to the end of a list of parameters that could not be understood, but not further than it can go.
fn skip_list(cursor: &mut Cursor<'_>) {
    while matches!(
        cursor.peek().kind,
        Kind::Word | Kind::Number | Kind::Text | Kind::OpenText | Kind::Symbol("," | "-")
    ) {
        cursor.bump();
    }
    cursor.eat(")");
    cursor.hush();
}

impl AtomSyntax {
    /// The atom that it stands for; `argument` says what a word among the parameters is. `None` if a part of it could
    /// not be understood, which has been reported.
    pub(crate) fn lower(&self, mut argument: impl FnMut(Span) -> Option<Argument>) -> Option<Atom> {
        self.lower_with(|written| written.lower(&mut argument))
    }
}

impl ArgumentSyntax {
    /// The parameter that it stands for; `word` says what a word is.
    pub(crate) fn lower(&self, word: impl FnOnce(Span) -> Option<Argument>) -> Option<Argument> {
        match self {
            ArgumentSyntax::Any => Some(Argument::Any),
            ArgumentSyntax::Literal(value) => Some(Argument::Literal(value.clone())),
            ArgumentSyntax::Word(span) => word(*span),
        }
    }
}

impl<A> AtomSyntax<A> {
    /// The atom that it stands for; `argument` says what each parameter is. `None` if a part of it could not be understood,
    /// which has been reported.
    pub(crate) fn lower_with(&self, argument: impl FnMut(&A) -> Option<Argument>) -> Option<Atom> {
        // All of them, before any is given up: each may have something to report.
        let arguments = self.arguments.as_ref().map(|arguments| arguments.iter().map(argument).collect::<Vec<_>>());
        let arguments = match arguments {
            Some(arguments) => Some(arguments.into_iter().collect::<Option<Vec<Argument>>>()?),
            None => None,
        };
        self.whole.then(|| Atom {
            name: self.name.clone(),
            name_span: self.name_span,
            arguments,
            condition: self.condition.clone(),
            span: self.span,
        })
    }
}

/// Reports a word among the parameters, for languages without variables.
pub(crate) fn no_variables(word: &str, span: Span, language: &str) -> Diagnostic {
    Diagnostic::error("G0306", span, format!("`{word}` is no literal"))
        .label(format!("parameters are literals or `_` in {language}"))
        .edit("write a text in quotes; `_` stands for any value", span, format!("\"{word}\""))
}
