// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event atoms, which every language writes alike: `pay(user, 3, _)[amount > 1000]`.

use gnomon_core::{Diagnostic, Span, Value};
use gnomon_ir::atom::{Argument, Atom, Condition};

use super::condition::bracketed;
use super::cursor::Cursor;
use super::lexer::Token;
use super::literal::{Literal, literal, try_name};
use super::table::collect_all;

/// An atom as written.
#[derive(Debug)]
pub(crate) struct AtomSyntax<A = ArgumentSyntax> {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    /// True if the name must be in quotes.
    pub(crate) quoted: bool,
    pub(crate) arguments: Option<Vec<A>>,
    pub(crate) condition: Option<Condition>,
    pub(crate) span: Span,
    /// True if all of it was understood; anything else has been reported.
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
    if cursor.nth_is(1, "(") && !begins_arguments(cursor, 1) {
        // The parentheses are read as a formula of their own; the caller reports that an operator is missing.
        return named(cursor);
    }
    atom_with(cursor, &mut argument)
}

/// Reads an atom of a language that has more than literals and words among the parameters. `argument` reads one of
/// them; if there is none, it leaves the current token or reports it.
pub(crate) fn atom_with<A>(
    cursor: &mut Cursor<'_>,
    argument: &mut dyn FnMut(&mut Cursor<'_>) -> Option<A>,
) -> Option<AtomSyntax<A>> {
    let mut atom = named(cursor)?;
    if cursor.is("(") {
        atom.arguments = arguments(cursor, argument);
        atom.whole = atom.arguments.is_some();
    }
    if let Some((condition, _)) = bracketed(cursor) {
        atom.whole &= condition.is_some();
        atom.condition = condition;
    }
    atom.span = cursor.since(atom.span);
    Some(atom)
}

/// Reads the name of an atom.
fn named<A>(cursor: &mut Cursor<'_>) -> Option<AtomSyntax<A>> {
    let quoted = cursor.peek().kind != Token::Word;
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

/// Returns true if the parentheses that open `n` tokens on contain parameters, and not a formula.
pub(crate) fn is_argument_list(cursor: &Cursor<'_>, n: usize) -> bool {
    argument_list_end(cursor, n).is_some()
}

/// Returns the index of the token that closes the list of parameters that opens `n` tokens on, if it is one.
pub(crate) fn argument_list_end(cursor: &Cursor<'_>, n: usize) -> Option<usize> {
    let mut at = n + 1;
    if cursor.nth_is(at, ")") {
        return Some(at);
    }
    loop {
        at += usize::from(cursor.nth_is(at, "-"));
        if !matches!(cursor.nth(at).kind, Token::Word | Token::Number | Token::Text | Token::OpenText) {
            return None;
        }
        match cursor.nth(at + 1).kind {
            Token::Symbol(",") => at += 2,
            Token::Symbol(")") => return Some(at + 1),
            _ => return None,
        }
    }
}

/// Returns true if the parentheses that open `n` tokens on contain a constant alone, which is a formula too.
pub(crate) fn is_constant(cursor: &Cursor<'_>, n: usize) -> bool {
    cursor.nth_is(n + 2, ")") && matches!(cursor.nth_word(n + 1), Some("true" | "false"))
}

/// Returns true if the parentheses that open `n` tokens on contain a text alone: a value, or the name of an event.
pub(crate) fn is_single_text(cursor: &Cursor<'_>, n: usize) -> bool {
    cursor.nth_is(n + 2, ")") && cursor.nth(n + 1).kind == Token::Text
}

/// Lists the words in a list of parameters that are not literals.
fn words<'c, 's>(cursor: &'c Cursor<'s>, n: usize) -> impl Iterator<Item = &'s str> + use<'c, 's> {
    let inside = (n + 1..).take_while(|&at| !cursor.nth_is(at, ")") && cursor.nth(at).kind != Token::End);
    inside.filter_map(|at| cursor.nth_word(at)).filter(|word| !matches!(*word, "_" | "true" | "false" | "null"))
}

/// Returns true if a list of parameters names a variable.
pub(crate) fn has_words(cursor: &Cursor<'_>, n: usize) -> bool {
    words(cursor, n).next().is_some()
}

/// Returns true if all variables in a list of parameters are quantified.
pub(crate) fn are_bound(cursor: &Cursor<'_>, n: usize) -> bool {
    words(cursor, n).all(|word| cursor.is_bound(word))
}

/// Returns true if the parentheses that open `n` tokens on begin like a list of parameters.
fn begins_arguments(cursor: &Cursor<'_>, n: usize) -> bool {
    match cursor.nth(n + 1).kind {
        Token::Symbol(")" | "-" | ",") | Token::Number => true,
        Token::Word | Token::Text | Token::OpenText => {
            matches!(cursor.nth(n + 2).kind, Token::Symbol("," | ")") | Token::End) || is_arithmetic(cursor, n + 2)
        }
        _ => false,
    }
}

/// Returns true if the sign of a calculation stands `n` tokens on.
fn is_arithmetic(cursor: &Cursor<'_>, n: usize) -> bool {
    matches!(cursor.nth(n).kind, Token::Symbol("+" | "-" | "*" | "/" | "%"))
}

/// Reads a parameter, if there is one.
pub(crate) fn argument(cursor: &mut Cursor<'_>) -> Option<ArgumentSyntax> {
    Some(match literal(cursor)? {
        (Literal::Value(value), _) => ArgumentSyntax::Literal(value),
        (Literal::Word(span), _) if cursor.slice(span) == "_" => ArgumentSyntax::Any,
        (Literal::Word(span), _) => ArgumentSyntax::Word(span),
    })
}

/// Reads `(a, b)`. Returns `None` after reporting what could not be understood.
fn arguments<A>(cursor: &mut Cursor<'_>, argument: &mut dyn FnMut(&mut Cursor<'_>) -> Option<A>) -> Option<Vec<A>> {
    let opening = cursor.bump().span;
    let mut arguments = Vec::new();
    if cursor.eat(")").is_some() {
        return Some(arguments);
    }
    loop {
        cursor.count_node();
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
        if is_arithmetic(cursor, 0) {
            calculated(cursor);
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

/// Reports a calculation among the parameters; its sign is the current token.
#[inline(never)]
fn calculated(cursor: &mut Cursor<'_>) {
    let token = cursor.peek();
    let message = format!("`{}` calculates among the parameters of an event", cursor.text(token));
    cursor.report_once(
        Diagnostic::error("G0148", token.span, message)
            .label("a parameter is a variable, a literal or `_`")
            .help("calculate in a `qea` guard or in a `mu` action, or log the result as a field of the event"),
    );
}

/// Skips to the end of a list of parameters that could not be understood, over tokens that such a list may contain.
fn skip_list(cursor: &mut Cursor<'_>) {
    cursor.skip_while(|kind| {
        matches!(kind, Token::Word | Token::Number | Token::Text | Token::OpenText)
            || matches!(kind, Token::Symbol("," | "+" | "-" | "*" | "/" | "%"))
    });
    cursor.eat(")");
    cursor.suppress();
}

impl AtomSyntax {
    /// Lowers the atom; `word` lowers a word among the parameters. Returns `None` if a part of it could not be
    /// understood, which has been reported.
    pub(crate) fn lower(&self, mut word: impl FnMut(Span) -> Option<Argument>) -> Option<Atom> {
        self.lower_with(|written| written.lower(&mut word))
    }
}

impl ArgumentSyntax {
    /// Lowers the parameter; `word` lowers a word.
    pub(crate) fn lower(&self, word: impl FnOnce(Span) -> Option<Argument>) -> Option<Argument> {
        match self {
            ArgumentSyntax::Any => Some(Argument::Any),
            ArgumentSyntax::Literal(value) => Some(Argument::Literal(value.clone())),
            ArgumentSyntax::Word(span) => word(*span),
        }
    }
}

impl<A> AtomSyntax<A> {
    /// Lowers the atom; `argument` lowers each parameter. Returns `None` if a part of it could not be understood, which
    /// has been reported.
    pub(crate) fn lower_with(&self, argument: impl FnMut(&A) -> Option<Argument>) -> Option<Atom> {
        let arguments = match &self.arguments {
            Some(arguments) => Some(collect_all(arguments.iter().map(argument))?),
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

/// Returns the diagnostic about a word among the parameters, for languages without variables.
pub(crate) fn no_variables(word: &str, span: Span, language: &str) -> Diagnostic {
    Diagnostic::error("G0306", span, format!("`{word}` is not a literal"))
        .label(format!("parameters are literals or `_` in {language}"))
        .edit("write a text in quotes; `_` stands for any value", span, format!("\"{word}\""))
}
