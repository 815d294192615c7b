// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the files of JavaMOP (`.mop`) and RV-Monitor (`.rvm`).
//!
//! Pointcuts are not read, apart from `endProgram`: the trace has the events by their own names, with the parameters of the advice, then those
//! of `returning` or `throwing`, by place. Code is skipped by balanced brackets.

use gnomon_core::{Diagnostic, Span};
use gnomon_ir::{
    Argument, Atom, Body, ForbiddenCategory, Fsm, FsmState, Language, Logic, LogicKind, Options, Plugin, PluginEvent,
    Property, Spec, Variable,
};

use super::java::{JavaScanner, JavaToken, Reports, mentions, message, reports, without_comments};
use super::sections::{END, quantifiers};
use super::{end_of, logic};
use crate::specfile;
use crate::syntax::cursor::MAX_SOURCE;
use crate::syntax::lexer::LexerMode;
use crate::syntax::{Cursor, Diagnostics, suggest};

/// Parameter of a property that is monitored for each thread.
const THREAD: &str = "thread";

/// Modifiers of a specification.
const MODIFIERS: [&str; 6] = ["full-binding", "suffix", "connected", "perthread", "unsynchronized", "decentralized"];

/// Reads a whole file.
pub(super) fn parse(source: &str) -> (Spec, Vec<Diagnostic>) {
    if source.len() > MAX_SOURCE {
        let error =
            Diagnostic::error("G0114", Span::default(), format!("the file is longer than {} MiB", MAX_SOURCE >> 20));
        return (Spec::default(), vec![error.help("split it into several files")]);
    }
    let text = without_comments(source);
    let mut file = SpecificationFile { text: &text, report: Diagnostics::default(), spec: Spec::default() };
    let mut scanner = JavaScanner::new(&text, Span::new(0, text.len()));
    header(&mut scanner);
    while scanner.peek().is_some() {
        if file.specification(&mut scanner).is_none() {
            break;
        }
    }
    if file.spec.properties.is_empty() && file.report.count() == 0 {
        let span = Span::new(0, text.len().min(1));
        let help = "a specification has a name, parameters and events: `HasNext(Iterator i) { event next before(Iterator i) : ... {} ... }`";
        file.report.add(Diagnostic::error("G0109", span, "the file has no specification").help(help));
    }
    let SpecificationFile { mut report, spec, .. } = file;
    for found in specfile::check_names(&spec) {
        report.add(found);
    }
    (spec, report.sorted())
}

struct SpecificationFile<'t> {
    text: &'t str,
    report: Diagnostics,
    spec: Spec,
}

/// The content of a specification between its braces.
#[derive(Default)]
struct Content {
    events: Vec<EventText>,
    bodies: Vec<BodyText>,
    /// Code that belongs to neither.
    code: Vec<Span>,
}

struct EventText {
    name: Variable,
    arguments: Vec<Variable>,
    creates: bool,
    is_end: bool,
    body: Span,
}

struct BodyText {
    /// The word before the colon.
    word: Variable,
    text: Span,
    handlers: Vec<ForbiddenCategory>,
}

impl SpecificationFile<'_> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: &str) {
        self.report.add(Diagnostic::error(code, span, message).help(help));
    }

    /// Reads a specification; `None` if what follows cannot be read.
    fn specification(&mut self, scanner: &mut JavaScanner<'_>) -> Option<()> {
        let mut words: Vec<Variable> = Vec::new();
        while let Some((word, span)) = scanner.word(true) {
            words.push(Variable { name: word.to_owned(), span });
        }
        let here = Span::new(scanner.at, scanner.at + scanner.rest().chars().next().map_or(0, char::len_utf8));
        let Some(name) = words.pop() else {
            let found = here.text(self.text);
            self.error(
                "G0101",
                here,
                format!("expected a specification, found `{found}`"),
                "a specification begins with its name and its parameters: `HasNext(Iterator i) {`",
            );
            return None;
        };
        let is_allowed = self.modifiers(&words);
        let parameters = if scanner.peek() == Some('(') {
            let start = scanner.at;
            match scanner.bracketed() {
                Some(inside) => self.parameters(inside),
                None => return self.unbalanced(Span::new(start, start + 1)),
            }
        } else {
            vec![]
        };
        if scanner.peek() != Some('{') {
            let span = end_of(name.span);
            let help = "a specification has its events and its body in braces";
            self.error("G0101", span, format!("`{{` is expected after `{}`", name.name), help);
            return None;
        }
        let opening = Span::new(scanner.at, scanner.at + 1);
        let Some(inside) = scanner.bracketed() else { return self.unbalanced(opening) };
        let content = self.content(inside);
        if let Some(content) = content.filter(|_| is_allowed) {
            let has = |word: &str| words.iter().any(|known| known.name == word);
            let parameters: Vec<Variable> = parameters.into_iter().flatten().collect();
            let alphabet = Alphabet::new(&content.events, parameters, has("perthread").then_some(&name));
            let properties = if content.bodies.is_empty() {
                self.without_body(&name, &alphabet, &content, inside, &has).into_iter().collect()
            } else {
                self.with_bodies(&name, &alphabet, &content, inside, &has)
            };
            self.spec.properties.extend(properties);
        }
        Some(())
    }

    fn unbalanced<T>(&mut self, opening: Span) -> Option<T> {
        let bracket = opening.text(self.text);
        let message = format!("no closing bracket for this `{bracket}`");
        self.error("G0102", opening, message, "close every bracket of the specification and of the code in it");
        None
    }

    /// Checks the words before the name. Returns true if they are allowed.
    fn modifiers(&mut self, words: &[Variable]) -> bool {
        let mut is_allowed = true;
        for Variable { name, span } in words {
            if MODIFIERS.contains(&name.as_str()) {
                continue;
            }
            is_allowed = false;
            if matches!(name.as_str(), "enforce" | "avoid") {
                let message = format!("`{name}` changes the program: a log cannot be changed");
                self.error("G0163", *span, message, "leave the word out to check the specification");
                continue;
            }
            let error = Diagnostic::error("G0206", *span, format!("`{name}` is not a modifier of a specification"));
            let near = crate::syntax::nearest(name, MODIFIERS);
            self.report.add(suggest(error, *span, near, format!("modifiers are {}", MODIFIERS.join(", "))));
        }
        is_allowed
    }

    /// Returns the names of a list of parameters; `None` for one that has only a type.
    fn parameters(&mut self, inside: Span) -> Vec<Option<Variable>> {
        let mut scanner = JavaScanner::new(self.text, inside);
        let mut names: Vec<Option<Variable>> = Vec::new();
        let (mut words, mut last, mut depth) = (0, None, 0_u32);
        let mut is_empty = true;
        while scanner.peek().is_some() {
            let Some(token) = scanner.token() else { break };
            is_empty = false;
            match token {
                JavaToken::Other('<') => depth += 1,
                JavaToken::Other('>') => depth = depth.saturating_sub(1),
                JavaToken::Other(',') if depth == 0 => {
                    names.push(last.take().filter(|_| words > 1));
                    words = 0;
                }
                JavaToken::Word(word, span) if depth == 0 => {
                    words += 1;
                    last = Some(Variable { name: word.to_owned(), span });
                }
                _ => {}
            }
        }
        let is_void = words == 1 && names.is_empty() && last.as_ref().is_some_and(|only| only.name == "void");
        if !is_empty && !is_void {
            names.push(last.filter(|_| words > 1));
        }
        names
    }

    fn content(&mut self, inside: Span) -> Option<Content> {
        let mut scanner = JavaScanner::new(self.text, inside);
        let mut content = Content::default();
        let mut after_brace = true;
        let mut is_whole = true;
        while let Some(first) = scanner.peek() {
            let start = scanner.at;
            if first == '#' {
                scanner.at += scanner.rest().find('\n').unwrap_or(scanner.rest().len());
                continue;
            }
            if first == '@' && !content.bodies.is_empty() {
                is_whole &= self.handler(&mut scanner, &mut content).is_some();
                after_brace = true;
                continue;
            }
            if let Some((creates, event)) = begins_event(scanner) {
                scanner = event;
                match self.event(&mut scanner, creates) {
                    Some(event) => content.events.push(event),
                    None => return None,
                }
                after_brace = true;
                continue;
            }
            if let Some((word, text)) = begins_body(scanner, after_brace) {
                scanner = text;
                let end = end_of_body(scanner);
                // `raw:` is followed by code and stands for no body.
                if word.name != "raw" {
                    content.bodies.push(BodyText { word, text: Span::new(scanner.at, end), handlers: vec![] });
                }
                scanner.at = end;
                continue;
            }
            match scanner.token() {
                Some(JavaToken::Bracketed(bracket, _)) => after_brace = bracket == '{',
                Some(_) => after_brace = false,
                None => {
                    let span = Span::new(scanner.at, scanner.at + 1);
                    return self.unbalanced(span);
                }
            }
            content.code.push(Span::new(start, scanner.at));
        }
        is_whole.then_some(content)
    }

    /// Reads `@violation { ... }`.
    fn handler(&mut self, scanner: &mut JavaScanner<'_>, content: &mut Content) -> Option<()> {
        scanner.eat('@');
        let here = Span::new(scanner.at, scanner.at);
        let Some((word, span)) = scanner.word(true) else {
            self.error("G0101", here, "expected the name of a category after `@`", "write `@fail { ... }`");
            return None;
        };
        if scanner.peek() != Some('{') {
            let message = format!("`{{` is expected after `@{word}`");
            self.error("G0101", end_of(span), message, "the code of a handler is in braces");
            return None;
        }
        let opening = Span::new(scanner.at, scanner.at + 1);
        let Some(code) = scanner.bracketed() else { return self.unbalanced(opening) };
        let body = content.bodies.last_mut()?;
        body.handlers.push(ForbiddenCategory {
            name: Variable { name: word.to_owned(), span },
            message: message(self.text, code, super::java::DEFAULT_MESSAGE),
            resets: mentions(self.text, code, "__RESET"),
        });
        Some(())
    }

    /// Reads an event behind the word `event`.
    fn event(&mut self, scanner: &mut JavaScanner<'_>, creates: bool) -> Option<EventText> {
        let (word, span) = scanner.word(false)?;
        let name = Variable { name: word.to_owned(), span };
        let mut arguments: Vec<Option<Variable>> = Vec::new();
        let mut is_end = word == END;
        if scanner.peek() == Some('(') {
            let inside = scanner.bracketed()?;
            arguments = self.parameters(inside);
        } else {
            // The type of an `around` advice comes before its word.
            loop {
                match scanner.token() {
                    Some(JavaToken::Word("before" | "after" | "around", _)) => break,
                    Some(JavaToken::Bracketed('{' | '(', _) | JavaToken::Other(':' | ';')) | None => {
                        let message = format!("the event `{word}` has no `before`, `after` or `around`");
                        let help = "write `event next before(Iterator i) : ... {}`, or in RV-Monitor `event next(Iterator i) {}`";
                        self.error("G0101", span, message, help);
                        return None;
                    }
                    Some(_) => {}
                }
            }
            if scanner.peek() == Some('(') {
                let inside = scanner.bracketed()?;
                arguments = self.parameters(inside);
            }
            let mut next = *scanner;
            while let Some(("returning" | "throwing", _)) = next.word(false) {
                if next.peek() == Some('(') {
                    let inside = next.bracketed()?;
                    arguments.extend(self.parameters(inside));
                }
                *scanner = next;
            }
        }
        // The pointcut, up to the code.
        loop {
            let start = scanner.at;
            match scanner.token() {
                Some(JavaToken::Bracketed('{', body)) => {
                    let arguments = arguments
                        .into_iter()
                        .map(|argument| argument.unwrap_or(Variable { name: "_".to_owned(), span: Span::default() }));
                    return Some(EventText { name, arguments: arguments.collect(), creates, is_end, body });
                }
                Some(JavaToken::Word("endProgram", _)) => is_end = true,
                Some(_) => {}
                None if scanner.peek() == Some('{') => return self.unbalanced(Span::new(scanner.at, scanner.at + 1)),
                None => {
                    let message = format!("the event `{word}` has no code");
                    let at = Span::new(start.min(scanner.end), start.min(scanner.end));
                    self.report.add(
                        Diagnostic::error("G0101", span, message)
                            .also(at, "`{` is expected before this")
                            .help("write braces after the pointcut, even if there is no code: `{}`"),
                    );
                    return None;
                }
            }
        }
    }

    /// Returns a property for each body.
    fn with_bodies(
        &mut self,
        name: &Variable,
        alphabet: &Alphabet,
        content: &Content,
        inside: Span,
        has: &dyn Fn(&str) -> bool,
    ) -> Vec<Property> {
        let mut properties = Vec::new();
        for (index, body) in content.bodies.iter().enumerate() {
            let Some(logic) = self.body(body) else { continue };
            let mut forbidden = body.handlers.clone();
            for one in &mut forbidden {
                if one.message.as_deref() == Some(super::java::DEFAULT_MESSAGE) {
                    one.message = Some(name.name.clone());
                }
            }
            let number = if index == 0 { String::new() } else { format!("-{}", index + 1) };
            let name = Variable { name: format!("{}{number}", name.name), span: name.span };
            properties.push(alphabet.property(name, logic, forbidden, inside, has));
        }
        properties
    }

    /// Reads the text of a body.
    fn body(&mut self, body: &BodyText) -> Option<Logic> {
        let Variable { name, span } = &body.word;
        let Some(kind) = LogicKind::parse(name) else {
            let message = format!("the logic `{name}` is not supported");
            self.error("G0163", *span, message, "logics are `ere`, `fsm`, `cfg`, `ltl` and `ptltl`");
            return None;
        };
        let mut cursor = Cursor::over_part(self.text, body.text, "the body", LexerMode::Marked);
        let read = logic(&mut cursor, kind, |_| false);
        for found in cursor.into_diagnostics() {
            self.report.add(found);
        }
        read
    }

    /// Makes a property of a specification without a body: each event whose code always reports is a violation of its instances.
    fn without_body(
        &mut self,
        name: &Variable,
        alphabet: &Alphabet,
        content: &Content,
        inside: Span,
        has: &dyn Fn(&str) -> bool,
    ) -> Option<Property> {
        if content.events.is_empty() {
            let message = format!("`{}` has no events and no body", name.name);
            self.error("G0109", name.span, message, "declare events: `event next before(Iterator i) : ... {}`");
            return None;
        }
        let text = self.text;
        let own = self.reporting_functions(&content.code);
        let mut reporting: Vec<(Variable, Option<String>)> = Vec::new();
        let mut silent: Vec<&str> = Vec::new();
        for event in &content.events {
            match reports(text, event.body, &|word| own.contains(&word)) {
                Reports::Never => silent.push(&event.name.name),
                Reports::Always => {
                    if !reporting.iter().any(|(known, _)| known.name == event.name.name) {
                        reporting.push((event.name.clone(), message(text, event.body, &name.name)));
                    }
                }
                Reports::Sometimes => {
                    let message = format!("the report of `{}` depends on code that is not read", event.name.name);
                    self.report.add(
                        Diagnostic::error("G0163", event.name.span, message)
                            .label("its report is under a condition, or in a function")
                            .help(
                                "declare one event for the bad case, with a body that always reports, or write a logic",
                            ),
                    );
                    return None;
                }
            }
        }
        if let Some((mixed, _)) = reporting.iter().find(|(event, _)| silent.contains(&event.name.as_str())) {
            let message = format!("`{}` is declared several times, and only some of its code reports", mixed.name);
            self.error("G0163", mixed.span, message, "give the events that report a name of their own");
            return None;
        }
        if reporting.is_empty() {
            let message = format!("no event of `{}` reports, so nothing violates it", name.name);
            let help = "print a message in the code of the events that are violations, or write a logic";
            self.report.add(Diagnostic::warning("G0163", name.span, message).help(help));
        }
        // Names of categories ignore case, and `fail` and `nonfail` are categories of every machine.
        let mut names: Vec<String> = vec!["fail".to_owned(), "nonfail".to_owned()];
        let mut state_name = |word: &str| {
            let mut own = word.to_owned();
            while names.contains(&own.to_lowercase()) {
                own.push('_');
            }
            names.push(own.to_lowercase());
            Variable { name: own, span: name.span }
        };
        let targets: Vec<Variable> = reporting.iter().map(|(event, _)| state_name(&event.name)).collect();
        let quiet = state_name("quiet");
        let events = || reporting.iter().map(|(event, _)| event.clone());
        let state = |own: &Variable| FsmState {
            name: own.clone(),
            transitions: events().zip(targets.iter().cloned()).collect(),
            default: Some(quiet.clone()),
        };
        let states = std::iter::once(&quiet).chain(&targets).map(state).collect();
        let forbidden = targets.iter().zip(&reporting).map(|(target, (_, message))| ForbiddenCategory {
            name: target.clone(),
            message: message.clone(),
            resets: false,
        });
        let logic = Logic::Fsm(Fsm { states, aliases: vec![] });
        Some(alphabet.property(name.clone(), logic, forbidden.collect(), inside, has))
    }

    /// Returns the functions of the specification's own code, if that code reports.
    fn reporting_functions(&self, code: &[Span]) -> Vec<&str> {
        let mut functions = Vec::new();
        let mut has_report = false;
        for pair in code.windows(2) {
            let is_list = pair[1].text(self.text).trim_start().starts_with('(');
            if is_list {
                functions.push(pair[0].text(self.text).trim());
            }
        }
        for span in code {
            has_report |= reports(self.text, *span, &|_| false) != Reports::Never;
        }
        if has_report { functions } else { vec![] }
    }
}

/// Skips `package`, `import` and `#include`.
fn header(scanner: &mut JavaScanner<'_>) {
    loop {
        let mut next = *scanner;
        if next.peek() == Some('#') {
            scanner.at = next.at + next.rest().find('\n').unwrap_or(next.rest().len());
            continue;
        }
        let Some(("package" | "import", _)) = next.word(false) else { return };
        while !matches!(next.token(), Some(JavaToken::Other(';')) | None) {}
        *scanner = next;
    }
}

/// The parameters and events of a specification.
struct Alphabet {
    parameters: Vec<Variable>,
    events: Vec<PluginEvent>,
    creation: Vec<Variable>,
}

impl Alphabet {
    /// `for_threads` is the name of a specification that is monitored for each thread.
    fn new(declared: &[EventText], mut parameters: Vec<Variable>, for_threads: Option<&Variable>) -> Self {
        let per_thread = for_threads.map(|name| {
            let mut own = THREAD.to_owned();
            while parameters.iter().any(|parameter| parameter.name == own) {
                own.push('_');
            }
            Variable { name: own, span: name.span }
        });
        parameters.extend(per_thread.clone());
        let mut alphabet = Alphabet { parameters, events: vec![], creation: vec![] };
        for event in declared {
            if event.creates && !alphabet.creation.iter().any(|known| known.name == event.name.name) {
                alphabet.creation.push(event.name.clone());
            }
            let event = plugin_event(event, &alphabet.parameters, per_thread.as_ref());
            let is_same = |known: &&PluginEvent| {
                let shown = |atom: &Atom| crate::print_atom(atom, &[]);
                known.is_end == event.is_end && shown(&known.atom) == shown(&event.atom)
            };
            // An event is declared once for each of its pointcuts.
            if !alphabet.events.iter().any(|known| is_same(&known)) {
                alphabet.events.push(event);
            }
        }
        alphabet
    }

    fn property(
        &self,
        name: Variable,
        logic: Logic,
        forbidden: Vec<ForbiddenCategory>,
        body_span: Span,
        has: &dyn Fn(&str) -> bool,
    ) -> Property {
        let plugin = Plugin {
            events: self.events.clone(),
            creation: self.creation.clone(),
            suffix: has("suffix"),
            full_binding: has("full-binding"),
            connected: has("connected"),
            logic,
            forbidden,
        };
        Property {
            name_span: name.span,
            prefix: quantifiers(self.parameters.clone(), name.span),
            name: name.name,
            title: None,
            language: Language::Mop,
            options: Options::default(),
            body: Body::Plugin(plugin),
            body_span,
        }
    }
}

/// Returns an event with those of its arguments as variables that are parameters.
fn plugin_event(event: &EventText, parameters: &[Variable], thread: Option<&Variable>) -> PluginEvent {
    let argument = |argument: &Variable| {
        let is_parameter = parameters.iter().any(|parameter| parameter.name == argument.name);
        if is_parameter { Argument::Variable(argument.clone()) } else { Argument::Any }
    };
    let own = event.arguments.iter().map(argument);
    let thread = thread.filter(|_| !event.is_end).map(|thread| Argument::Variable(thread.clone()));
    let arguments: Vec<Argument> = own.chain(thread).collect();
    let arguments = if event.is_end && arguments.is_empty() { None } else { Some(arguments) };
    let Variable { name, span } = event.name.clone();
    PluginEvent { atom: Atom { name, name_span: span, arguments, condition: None, span }, is_end: event.is_end }
}

/// Returns true if `creation` stands before the event, and the place behind the word `event`, if an event is declared here.
fn begins_event(mut scanner: JavaScanner<'_>) -> Option<(bool, JavaScanner<'_>)> {
    let mut creates = false;
    loop {
        match scanner.word(false)?.0 {
            "creation" => creates = true,
            "static" => {}
            "event" => {
                let mut name = scanner;
                name.word(false)?;
                return Some((creates, scanner));
            }
            _ => return None,
        }
    }
}

/// Returns the word of a body and the place behind its colon, if a body begins here. A word that is no logic begins one only behind a brace:
/// elsewhere it may be a label or a part of `a ? b : c`.
fn begins_body(mut scanner: JavaScanner<'_>, after_brace: bool) -> Option<(Variable, JavaScanner<'_>)> {
    let (word, span) = scanner.word(false)?;
    let is_body = scanner.eat(':') && !scanner.rest().starts_with(':');
    let is_known = LogicKind::parse(word).is_some();
    (is_body && (is_known || after_brace)).then(|| (Variable { name: word.to_owned(), span }, scanner))
}

/// Returns the end of the text of a body: the next handler, the next body, or the end of the specification.
fn end_of_body(mut scanner: JavaScanner<'_>) -> usize {
    while let Some(first) = scanner.peek() {
        if first == '@' || begins_body(scanner, false).is_some() {
            break;
        }
        if scanner.token().is_none() {
            // An unbalanced bracket belongs to the body, whose parser reports it.
            scanner.at += 1;
        }
    }
    scanner.at
}
