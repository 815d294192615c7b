// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses what a user types for an event, a value or a variable.
//!
//! The text is put into a small spec with one absence property, and the parser of the language reads that. So the
//! assistant accepts exactly the atoms that a spec file accepts.

use gnomon_core::list::unique;
use gnomon_core::{Diagnostic, Severity, Span, Value};
use gnomon_ir::check::check;
use gnomon_ir::{Argument, Atom, Behaviour, Body, Spec};

use crate::answer_error::AnswerError;
use crate::context::SessionContext;
use crate::pattern_parts::for_every_prefix;

/// Returns an event that has only a name.
pub(crate) fn plain(name: &str) -> Atom {
    let span = Span::default();
    Atom { name: name.to_owned(), name_span: span, arguments: None, condition: None, span }
}

/// Returns true if the atom restricts no data.
pub(crate) fn is_plain(atom: &Atom) -> bool {
    atom.arguments.is_none() && atom.condition.is_none()
}

/// Reads an event: the name of a known one, an atom of the language, or any other name.
///
/// A word in parentheses is a variable: `pay(u)` means `for every u: ... pay(u)`.
pub(crate) fn read(text: &str, context: &SessionContext) -> Result<Atom, AnswerError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(AnswerError::new("an event needs a name").help("type the name that it has in the log"));
    }
    if context.names().contains(&text) {
        return Ok(plain(text));
    }
    let prefix = for_every_prefix(&words(text));
    let mut declared = context.spec.clone();
    (declared.properties, declared.examples) = (vec![], vec![]);
    match parse_absence(&format!("pattern x {{ {prefix}globally: absence of {text} }}"), declared) {
        Ok(atom) => check_name(atom, text, context).and_then(|atom| check_argument_count(atom, context)),
        // A name such as `GET /orders` is not a word. Without any bracket or quote it can only be meant as a name.
        Err(_) if !text.contains(['(', ')', '[', ']', '{', '}', '"', '\n']) => check_name(plain(text), text, context),
        Err(error) => Err(error),
    }
}

/// Checks that the name is not a misspelt one. A name in quotes is meant as it is.
fn check_name(atom: Atom, text: &str, context: &SessionContext) -> Result<Atom, AnswerError> {
    match context.similar(&atom.name).filter(|_| !text.starts_with('"')) {
        Some(similar) => Err(AnswerError::new(format!("no known event is called `{}`", atom.name))
            .help(format!("type `{similar}`, or \"{}\" in quotes if you mean this name", atom.name))),
        None => Ok(atom),
    }
}

/// Checks that an undeclared event of a catalogue has as many arguments as the catalogue describes.
fn check_argument_count(atom: Atom, context: &SessionContext) -> Result<Atom, AnswerError> {
    let (Some(arguments), None, Some(_)) = (&atom.arguments, context.declared(&atom.name), context.event(&atom.name))
    else {
        return Ok(atom);
    };
    let parameters = context.parameters(&atom.name);
    if parameters.len() == arguments.len() {
        return Ok(atom);
    }
    let list = parameters.join(", ");
    let (name, count) = (&atom.name, arguments.len());
    Err(AnswerError::new(format!("every `{name}` carries {} values, not {count}", parameters.len()))
        .help(format!("write `{name}`, or `{name}({list})` with a value, a name, `_` or `*` for each")))
}

/// Reads a value: a number, `true`, `false`, `null`, a text in quotes, or any other text verbatim.
pub(crate) fn value(text: &str) -> Value<'static> {
    let text = text.trim();
    let read = parse_absence(&format!("pattern x {{ globally: absence of e({text}) }}"), Spec::default());
    match read.ok().and_then(|atom| atom.arguments).as_deref() {
        Some([Argument::Literal(value)]) => value.clone(),
        _ => Value::Text(text.to_owned().into()),
    }
}

/// Returns true if a word can be a variable.
pub(crate) fn is_variable(word: &str) -> bool {
    is_word(word)
        && parse_absence(&format!("pattern x {{ for every {word}: globally: absence of e({word}) }}"), Spec::default())
            .is_ok()
}

fn is_word(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Parses a spec with one absence property and returns its atom.
fn parse_absence(source: &str, declared: Spec) -> Result<Atom, AnswerError> {
    let not_an_event = || {
        AnswerError::new("this is not an event").help("type a name, or a name with parameters such as `pay(user, _)`")
    };
    let (mut spec, diagnostics) = gnomon_lang::parse(source);
    if let Some(error) = first_error(&diagnostics) {
        return Err(error);
    }
    spec.events = declared.events;
    let [property] = spec.properties.as_slice() else { return Err(not_an_event()) };
    if let Some(error) = first_error(&check(&spec, property).1) {
        return Err(error);
    }
    if let Body::Pattern(pattern) = &property.body
        && let Behaviour::Absence(atom) = &pattern.behaviour
    {
        return Ok(atom.clone());
    }
    Err(not_an_event())
}

/// Returns the first error among diagnostics, without its place: the user never saw the text that it points into.
pub(crate) fn first_error(diagnostics: &[Diagnostic]) -> Option<AnswerError> {
    let diagnostic = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error)?;
    let error = AnswerError::new(diagnostic.message.clone());
    Some(match &diagnostic.help {
        Some(help) => error.help(help.text.clone()),
        None => error,
    })
}

/// Returns the bare words among the arguments of a typed event: `pay(u, "x", _)` has `u`.
fn words(text: &str) -> Vec<String> {
    let Some((_, inside)) = text.split_once('(') else { return vec![] };
    let arguments = inside.split(')').next().unwrap_or_default().split(',').map(str::trim);
    let words = arguments.filter(|argument| is_word(argument) && !["true", "false", "null"].contains(argument));
    unique(words.map(str::to_owned))
}

/// Returns the variables among the arguments of atoms, in their order.
pub(crate) fn variables<'a>(atoms: impl Iterator<Item = &'a Atom>) -> Vec<String> {
    let arguments = atoms.filter_map(|atom| atom.arguments.as_ref()).flatten();
    unique(arguments.filter_map(|argument| match argument {
        Argument::Variable(variable) => Some(variable.name.clone()),
        _ => None,
    }))
}
