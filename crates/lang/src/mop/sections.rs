// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses the sections of a `mop` block: parameters, events, creation events, modifiers, the body, forbidden categories.

use gnomon_core::{Diagnostic, Span};
use gnomon_ir::{
    Argument, Body, ForbiddenCategory, Logic, LogicKind, Plugin, PluginEvent, Quantifier, QuantifierKind, Variable,
};

use super::{logic, name};
use crate::specfile::{BlockContent, LanguageOptions};
use crate::syntax::literal::{text, variable};
use crate::syntax::{Cursor, Token, atom, declared_variable, duplicate, nearest, suggest};

/// Words that begin a section. An event of such a name is written in quotes.
pub(super) const SECTIONS: [&str; 7] =
    ["parameters", "events", "creation", "suffix", "full-binding", "connected", "forbid"];

/// The event at the end of a complete trace.
pub(super) const END: &str = "endProgram";

/// The sections that were read.
#[allow(clippy::struct_excessive_bools)]
#[derive(Default)]
struct Sections {
    parameters: Vec<Variable>,
    events: Vec<PluginEvent>,
    creation: Vec<Variable>,
    forbidden: Vec<ForbiddenCategory>,
    suffix: bool,
    full_binding: bool,
    connected: bool,
    logic: Option<Logic>,
    /// Each section that was read, by its first word; a body is `body`.
    seen: Vec<(&'static str, Span)>,
    /// True if some part could not be understood, which has been reported.
    is_broken: bool,
}

/// Reads the content of a block.
pub(super) fn read(cursor: &mut Cursor<'_>, _options: &LanguageOptions) -> Option<BlockContent> {
    let start = cursor.peek().span;
    let mut sections = Sections::default();
    while !cursor.at_end() {
        cursor.count_node();
        let before = cursor.index();
        if section(cursor, &mut sections).is_none() {
            sections.is_broken = true;
            if cursor.index() == before {
                cursor.bump();
            }
            while !cursor.at_end() && !at_section(cursor) {
                cursor.bump();
            }
        }
    }
    if sections.is_broken {
        return None;
    }
    if sections.events.is_empty() {
        return cursor
            .report_empty("the property has no events", "", "declare them, for example `events create(c, i), next(i)`")
            .none();
    }
    let Some(logic) = sections.logic else {
        let help = "write a body, for example `ere: create next* modify+ next`; or `fsm:`, `cfg:`, `ltl:`, `ptltl:`";
        return cursor.report_empty("the property has no body", "", help).none();
    };
    let prefix = quantifiers(sections.parameters, start);
    let plugin = Plugin {
        events: sections.events,
        creation: sections.creation,
        suffix: sections.suffix,
        full_binding: sections.full_binding,
        connected: sections.connected,
        logic,
        forbidden: sections.forbidden,
    };
    Some((prefix, Body::Plugin(plugin)))
}

/// Returns the quantifiers that parameters stand for.
pub(super) fn quantifiers(parameters: Vec<Variable>, otherwise: Span) -> Vec<Quantifier> {
    let span = parameters.iter().map(|parameter| parameter.span).reduce(Span::to).unwrap_or(otherwise);
    let quantifier = Quantifier { kind: QuantifierKind::Forall, threshold: None, variables: parameters, span };
    if quantifier.variables.is_empty() { vec![] } else { vec![quantifier] }
}

/// Returns true if a section begins at the current token.
fn at_section(cursor: &Cursor<'_>) -> bool {
    cursor.word().is_some_and(|word| SECTIONS.contains(&word)) || body_kind(cursor).is_some()
}

/// Returns the kind of body that begins at the current token, and the length of its word. `ere:create` is one token.
fn body_kind(cursor: &Cursor<'_>) -> Option<(LogicKind, usize)> {
    let word = cursor.word()?;
    let (front, is_glued) = word.split_once(':').map_or((word, false), |(front, _)| (front, true));
    let kind = LogicKind::parse(front)?;
    (is_glued || cursor.nth_is(1, ":")).then_some((kind, front.len()))
}

fn section(cursor: &mut Cursor<'_>, sections: &mut Sections) -> Option<()> {
    let token = cursor.peek();
    if let Some((kind, length)) = body_kind(cursor) {
        cursor.take_front(length);
        take_colon(cursor);
        once(cursor, sections, "body", token.span)?;
        cursor.new_tree();
        sections.logic = Some(logic(cursor, kind, at_section)?);
        return Some(());
    }
    let Some(word) = cursor.word().and_then(|word| SECTIONS.into_iter().find(|known| *known == word)) else {
        return unknown(cursor);
    };
    cursor.bump();
    once(cursor, sections, word, token.span)?;
    match word {
        "parameters" => parameters(cursor, sections),
        "events" => events(cursor, sections),
        "creation" => names(cursor, &mut sections.creation, "a creation event"),
        "forbid" => forbid(cursor, sections),
        "suffix" => {
            sections.suffix = true;
            Some(())
        }
        "full-binding" => {
            sections.full_binding = true;
            Some(())
        }
        _ => {
            sections.connected = true;
            Some(())
        }
    }
}

/// Takes the colon behind the word of a body, which may be the front of a longer word.
fn take_colon(cursor: &mut Cursor<'_>) {
    if cursor.word().is_some_and(|word| word.starts_with(':')) {
        cursor.take_front(1);
    } else {
        cursor.eat(":");
    }
}

/// Reports a section that occurs twice.
fn once(cursor: &mut Cursor<'_>, sections: &mut Sections, word: &'static str, span: Span) -> Option<()> {
    if let Some((_, before)) = sections.seen.iter().find(|(known, _)| *known == word) {
        let message =
            if word == "body" { "a property has one body".to_owned() } else { format!("`{word}` occurs twice") };
        let diagnostic = duplicate("G0208", span, *before, message, "written");
        cursor.report(diagnostic.help("write a block for each body, or one list"));
        return None;
    }
    sections.seen.push((word, span));
    Some(())
}

fn unknown(cursor: &mut Cursor<'_>) -> Option<()> {
    let token = cursor.peek();
    if cursor.is_closing_bracket() {
        cursor.closes_nothing();
        return None;
    }
    let known = SECTIONS.into_iter().chain(LogicKind::WORDS.iter().map(|(word, _)| *word));
    let near = cursor.word().and_then(|word| nearest(word, known));
    let diagnostic = cursor.mismatch("a section", "no section begins like this");
    let help = "sections are `parameters`, `events`, `creation`, `suffix`, `full-binding`, `connected`, a body such as `ere:`, and `forbid`";
    cursor.report_once(suggest(diagnostic, token.span, near, help));
    None
}

fn parameters(cursor: &mut Cursor<'_>, sections: &mut Sections) -> Option<()> {
    loop {
        let Some(span) = cursor.word().filter(|_| !at_section(cursor)).map(|_| cursor.peek().span) else {
            return cursor.expected("a parameter").none();
        };
        cursor.bump();
        sections.parameters.push(declared_variable(cursor, span)?);
        if cursor.eat(",").is_none() {
            return Some(());
        }
    }
}

fn events(cursor: &mut Cursor<'_>, sections: &mut Sections) -> Option<()> {
    loop {
        cursor.count_node();
        let is_end = cursor.word() == Some(END);
        let atom = if at_section(cursor) { None } else { atom::atom(cursor) };
        let Some(syntax) = atom else {
            return cursor.expected_help("an event", "declare it with its parameters: `create(c, i)`").none();
        };
        let mut atom = syntax.lower(|span| variable(cursor, span).map(Argument::Variable))?;
        if is_end && cursor.eat_word("as").is_some() {
            let Some(own) = name(cursor) else { return cursor.expected("the name of the event").none() };
            atom.span = atom.span.to(own.span);
            (atom.name, atom.name_span) = (own.name, own.span);
        }
        sections.events.push(PluginEvent { atom, is_end });
        if cursor.eat(",").is_none() {
            return Some(());
        }
    }
}

fn names(cursor: &mut Cursor<'_>, into: &mut Vec<Variable>, what: &str) -> Option<()> {
    loop {
        let found = if at_section(cursor) { None } else { name(cursor) };
        let Some(found) = found else { return cursor.expected(what).none() };
        into.push(found);
        if cursor.eat(",").is_none() {
            return Some(());
        }
    }
}

/// Reads `forbid fail "message" reset, match`.
fn forbid(cursor: &mut Cursor<'_>, sections: &mut Sections) -> Option<()> {
    loop {
        let found = if at_section(cursor) { None } else { name(cursor) };
        let Some(name) = found else {
            return cursor.expected_help("a category", "write one, for example `forbid match`").none();
        };
        let message = matches!(cursor.peek().kind, Token::Text | Token::OpenText).then(|| text(cursor));
        let resets = cursor.eat_word("reset").is_some();
        sections.forbidden.push(ForbiddenCategory { name, message, resets });
        if cursor.eat(",").is_none() {
            break;
        }
    }
    if !cursor.at_end() && !at_section(cursor) {
        let token = cursor.peek();
        let error = Diagnostic::error(
            "G0101",
            token.span,
            format!("expected `,` or a section, found {}", cursor.describe(token)),
        )
        .label("a category is followed by its message in quotes, `reset`, or `,`");
        return cursor.report_once(error.help("write `forbid fail \"message\" reset, match`")).none();
    }
    Some(())
}
