// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a person types for an event, a value or a variable, read as the language reads it.

use gnomon_core::diagnostic::{Diagnostic, Severity, Span};
use gnomon_core::value::Value;
use gnomon_ir::check::check;
use gnomon_ir::pattern::{Argument, Atom};
use gnomon_ir::requirement::Behaviour;
use gnomon_ir::spec::{Body, Spec};

use crate::known::Known;
use crate::wrong::Wrong;

/// An event by its name alone.
pub(crate) fn plain(name: &str) -> Atom {
    let span = Span::default();
    Atom { name: name.to_owned(), name_span: span, arguments: None, condition: None, span }
}

/// Whether nothing is said of its data.
pub(crate) fn is_plain(atom: &Atom) -> bool {
    atom.arguments.is_none() && atom.condition.is_none()
}

/// Reads an event: the name of one that is known, an atom of the language, or any other name.
///
/// A word in parentheses is a value that is the same wherever the word stands: who types `pay(u)` means every `u`.
pub(crate) fn read(text: &str, known: &Known) -> Result<Atom, Wrong> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Wrong::new("an event needs a name").help("type the name that it has in the log"));
    }
    if known.names().contains(&text) {
        return Ok(plain(text));
    }
    let words = words(text);
    let prefix = if words.is_empty() { String::new() } else { format!("for every {}: ", words.join(", ")) };
    let mut declared = known.spec.clone();
    (declared.properties, declared.examples) = (vec![], vec![]);
    match absence(&format!("pattern x {{ {prefix}globally: absence of {text} }}"), declared) {
        Ok(atom) => checked(atom, known),
        // A name such as `GET /orders` is no word; as it has nothing that an atom would have, it is meant as a name.
        Err(_) if !text.contains(['(', ')', '[', ']', '{', '}', '"', '\n']) => Ok(plain(text)),
        Err(wrong) => Err(wrong),
    }
}

/// An event that a catalogue knows has the parameters that the catalogue says.
fn checked(atom: Atom, known: &Known) -> Result<Atom, Wrong> {
    let (Some(arguments), None, Some(_)) = (&atom.arguments, known.declared(&atom.name), known.event(&atom.name))
    else {
        return Ok(atom);
    };
    let parameters = known.parameters(&atom.name);
    if parameters.len() == arguments.len() {
        return Ok(atom);
    }
    let list = parameters.join(", ");
    let (name, given) = (&atom.name, arguments.len());
    Err(Wrong::new(format!("every `{name}` carries {} values, not {given}", parameters.len()))
        .help(format!("write `{name}`, or `{name}({list})` with a value, a name, `_` or `*` for each")))
}

/// Reads a value: a number, `true`, `false`, `null`, a text in quotes, or a text as it stands.
pub(crate) fn value(text: &str) -> Value<'static> {
    let text = text.trim();
    let read = absence(&format!("pattern x {{ globally: absence of e({text}) }}"), Spec::default());
    match read.ok().and_then(|atom| atom.arguments).as_deref() {
        Some([Argument::Literal(value)]) => value.clone(),
        _ => Value::Text(text.to_owned().into()),
    }
}

/// Whether a word can be a variable.
pub(crate) fn is_variable(word: &str) -> bool {
    is_word(word)
        && absence(&format!("pattern x {{ for every {word}: globally: absence of e({word}) }}"), Spec::default())
            .is_ok()
}

fn is_word(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The one atom of a spec with one absence, if that is what it is.
fn absence(source: &str, declared: Spec) -> Result<Atom, Wrong> {
    let (mut spec, diagnostics) = gnomon_lang::parse(source);
    if let Some(wrong) = first_error(&diagnostics) {
        return Err(wrong);
    }
    spec.events = declared.events;
    let [property] = spec.properties.as_slice() else { return Err(no_event()) };
    if let Some(wrong) = first_error(&check(&spec, property).1) {
        return Err(wrong);
    }
    match &property.body {
        Body::Requirement(requirement) => match &requirement.behaviour {
            Behaviour::Absence(atom) => Ok(atom.clone()),
            _ => Err(no_event()),
        },
        _ => Err(no_event()),
    }
}

fn no_event() -> Wrong {
    Wrong::new("this is no event").help("type a name, or a name with parameters such as `pay(user, _)`")
}

/// The first error among diagnostics, without its place: the text was never seen by the person who made it.
pub(crate) fn first_error(diagnostics: &[Diagnostic]) -> Option<Wrong> {
    let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error)?;
    let wrong = Wrong::new(error.message.clone());
    Some(match &error.help {
        Some(help) => wrong.help(help.text.clone()),
        None => wrong,
    })
}

/// The bare words among the parameters of an event as it is typed: `pay(u, "x", _)` has `u`.
fn words(text: &str) -> Vec<String> {
    let Some((_, inside)) = text.split_once('(') else { return vec![] };
    let inside = inside.split(')').next().unwrap_or_default();
    let mut words: Vec<String> = Vec::new();
    for part in inside.split(',').map(str::trim) {
        if is_word(part) && !["true", "false", "null"].contains(&part) && !words.iter().any(|word| word == part) {
            words.push(part.to_owned());
        }
    }
    words
}

/// The words among the parameters of atoms, in their order: what `for every` has to name.
pub(crate) fn variables<'a>(atoms: impl Iterator<Item = &'a Atom>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for argument in atoms.filter_map(|atom| atom.arguments.as_ref()).flatten() {
        if let Argument::Variable(variable) = argument
            && !names.contains(&variable.name)
        {
            names.push(variable.name.clone());
        }
    }
    names
}
