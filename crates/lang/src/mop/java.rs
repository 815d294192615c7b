// SPDX-License-Identifier: MIT OR Apache-2.0
//! Skips Java (or C) in the files of JavaMOP and RV-Monitor: comments, strings, characters, balanced brackets. Decides if the code of an
//! event reports.

use gnomon_core::Span;

/// Returns the text with every comment replaced by as many spaces, so that places stay the same. Line ends are kept.
pub(super) fn without_comments(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        let comment = if rest.starts_with("//") {
            Some(rest.find('\n').unwrap_or(rest.len()))
        } else {
            rest.strip_prefix("/*").map(|inside| inside.find("*/").map_or(rest.len(), |end| end + 4))
        };
        let first = rest.chars().next().map_or(1, char::len_utf8);
        if let Some(length) = comment {
            out.extend(rest[..length].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
            at += length;
        } else {
            let length = if rest.starts_with(['"', '\'']) { literal(rest) } else { first };
            out.push_str(&rest[..length]);
            at += length;
        }
    }
    out
}

/// Returns the length of the string or character literal that a text begins with. An unclosed one ends with its line.
fn literal(text: &str) -> usize {
    let quote = text.as_bytes()[0];
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'\n' => return at,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A position in a text without comments.
#[derive(Clone, Copy)]
pub(super) struct JavaScanner<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// End of the part that is read.
    pub(super) end: usize,
}

impl<'t> JavaScanner<'t> {
    pub(super) fn new(text: &'t str, span: Span) -> Self {
        JavaScanner { text, at: span.start as usize, end: span.end as usize }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..self.end]
    }

    /// Returns the next character that is not a space, and goes to it.
    pub(super) fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(|one: char| one.is_whitespace() || one == '\u{feff}').len();
        self.rest().chars().next()
    }

    /// Takes a character if it is the next one.
    pub(super) fn eat(&mut self, character: char) -> bool {
        let found = self.peek() == Some(character);
        self.at += if found { character.len_utf8() } else { 0 };
        found
    }

    /// Takes an identifier. With `hyphens`, `full-binding` is one.
    pub(super) fn word(&mut self, hyphens: bool) -> Option<(&'t str, Span)> {
        self.peek().filter(|first| is_start(*first))?;
        let rest = self.rest();
        let is_inside = |(at, one): (usize, char)| {
            is_part(one) || (hyphens && one == '-' && rest[at + 1..].starts_with(|next: char| next.is_alphabetic()))
        };
        let length = rest.char_indices().find(|found| !is_inside(*found)).map_or(rest.len(), |(at, _)| at);
        let span = Span::new(self.at, self.at + length);
        self.at += length;
        Some((&rest[..length], span))
    }

    /// Takes one token: an identifier or number, a literal, a bracketed part, or a character. Returns `None` at the end, or before a closing
    /// bracket that closes nothing here.
    pub(super) fn token(&mut self) -> Option<JavaToken<'t>> {
        let first = self.peek()?;
        if let Some((word, span)) = self.word(false) {
            return Some(JavaToken::Word(word, span));
        }
        if matches!(first, '"' | '\'') {
            let start = self.at;
            self.at += literal(self.rest());
            return Some(if first == '"' {
                JavaToken::Text(Span::new(start, self.at))
            } else {
                JavaToken::Other(first)
            });
        }
        if matches!(first, '(' | '[' | '{') {
            return self.bracketed().map(|inside| JavaToken::Bracketed(first, inside));
        }
        if matches!(first, ')' | ']' | '}') {
            return None;
        }
        self.at += first.len_utf8();
        if first.is_ascii_digit() {
            let rest = self.rest();
            self.at += rest.find(|one: char| !is_part(one)).unwrap_or(rest.len());
        }
        Some(JavaToken::Other(first))
    }

    /// Takes a part in brackets and returns its inside; `None` if the brackets are not balanced. The depth is bounded by the text, not by
    /// the stack.
    pub(super) fn bracketed(&mut self) -> Option<Span> {
        let start = self.at;
        let mut open: Vec<char> = Vec::new();
        let mut at = self.at;
        while at < self.end {
            let rest = &self.text[at..self.end];
            let first = rest.chars().next()?;
            match first {
                '"' | '\'' => {
                    at += literal(rest);
                    continue;
                }
                '(' => open.push(')'),
                '[' => open.push(']'),
                '{' => open.push('}'),
                ')' | ']' | '}' if open.pop() != Some(first) => return None,
                _ => {}
            }
            at += first.len_utf8();
            if open.is_empty() {
                self.at = at;
                return Some(Span::new(start + 1, at - 1));
            }
        }
        None
    }
}

/// A token of Java, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JavaToken<'t> {
    /// An identifier or keyword.
    Word(&'t str, Span),
    /// A string, with its quotes.
    Text(Span),
    /// A part in brackets, by the opening one; the span is the inside.
    Bracketed(char, Span),
    /// Any other character.
    Other(char),
}

fn is_start(character: char) -> bool {
    character.is_alphabetic() || matches!(character, '_' | '$')
}

fn is_part(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// The string that stands for the default message.
pub(super) const DEFAULT_MESSAGE: &str = "__DEFAULT_MESSAGE";

/// Returns the first string in a piece of code, else `name` if the default message is used there.
pub(super) fn message(text: &str, span: Span, name: &str) -> Option<String> {
    let mut uses_default = false;
    let mut first = None;
    each_token(text, span, &mut |token| match token {
        JavaToken::Text(span) if first.is_none() => first = Some(unescaped(span.text(text))),
        JavaToken::Word(DEFAULT_MESSAGE, _) => uses_default = true,
        _ => {}
    });
    first.filter(|text| !text.is_empty()).or_else(|| uses_default.then(|| name.to_owned()))
}

/// Returns true if a piece of code uses a name.
pub(super) fn mentions(text: &str, span: Span, name: &str) -> bool {
    let mut found = false;
    each_token(text, span, &mut |token| found |= matches!(token, JavaToken::Word(word, _) if word == name));
    found
}

/// Calls `visit` on every token, those in brackets too. Brackets are single characters here, so that the cost does not grow with the depth.
fn each_token(text: &str, span: Span, visit: &mut dyn FnMut(JavaToken<'_>)) {
    let mut scanner = JavaScanner::new(text, span);
    while let Some(first) = scanner.peek() {
        let token = if matches!(first, '(' | '[' | '{' | ')' | ']' | '}') {
            scanner.at += 1;
            Some(JavaToken::Other(first))
        } else {
            scanner.token()
        };
        token.into_iter().for_each(&mut *visit);
    }
}

/// Returns the text of a string literal.
fn unescaped(literal: &str) -> String {
    let inside = literal.strip_prefix('"').unwrap_or(literal);
    let inside = inside.strip_suffix('"').unwrap_or(inside);
    let mut out = String::new();
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        out.push(match character {
            '\\' => match characters.next() {
                Some('n' | 'r') | None => '\n',
                Some('t') => '\t',
                Some(other) => other,
            },
            other => other,
        });
    }
    out.trim().to_owned()
}

/// Decision if the code of an event reports a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reports {
    /// It never does.
    Never,
    /// It does, whatever happens.
    Always,
    /// It does under a condition that is not read.
    Sometimes,
}

/// Functions that print.
const PRINTING: [&str; 5] = ["println", "print", "printf", "fprintf", "puts"];

/// Decides if code reports. `is_own` tells the functions of the specification that report themselves.
pub(super) fn reports(text: &str, body: Span, is_own: &dyn Fn(&str) -> bool) -> Reports {
    let mut code = Code { text, is_own, may_have_stopped: false, found: Reports::Never };
    code.block(body);
    code.found
}

struct Code<'a> {
    text: &'a str,
    is_own: &'a dyn Fn(&str) -> bool,
    /// True behind a statement that may leave the code.
    may_have_stopped: bool,
    found: Reports,
}

impl Code<'_> {
    fn block(&mut self, span: Span) {
        let mut scanner = JavaScanner::new(self.text, span);
        while scanner.peek().is_some() {
            let start = scanner.at;
            let mut word = scanner;
            let keyword = word.word(false).map(|(word, _)| word);
            match keyword {
                None if scanner.peek() == Some('{') => match scanner.bracketed() {
                    // A block is as unconditional as what is around it, but only its own level is read.
                    Some(inside) => self.piece(inside, false),
                    None => return self.piece(span, true),
                },
                Some("synchronized") => {
                    scanner = word;
                    if scanner.peek() == Some('(') {
                        scanner.bracketed();
                    }
                    if scanner.peek() == Some('{')
                        && let Some(inside) = scanner.bracketed()
                    {
                        self.piece(inside, false);
                    }
                }
                Some("if" | "for" | "while" | "do" | "switch" | "try" | "else" | "catch" | "finally") => {
                    controlled(&mut scanner);
                    self.piece(Span::new(start, scanner.at), true);
                }
                _ => {
                    simple(&mut scanner);
                    self.piece(Span::new(start, scanner.at), false);
                }
            }
            if scanner.at == start {
                scanner.at += 1;
            }
        }
    }

    /// Takes in a statement, which is under a condition or not.
    fn piece(&mut self, span: Span, is_conditional: bool) {
        let (mut reports, mut passes_on, mut leaves) = (false, false, false);
        each_token(self.text, span, &mut |token| {
            let JavaToken::Word(word, _) = token else { return };
            reports |= PRINTING.contains(&word);
            passes_on |= word == DEFAULT_MESSAGE || (self.is_own)(word);
            leaves |= matches!(word, "return" | "throw" | "break" | "continue" | "goto");
        });
        let is_sure = reports && !is_conditional && !self.may_have_stopped;
        self.found = match self.found {
            Reports::Always => Reports::Always,
            _ if is_sure => Reports::Always,
            _ if reports || passes_on => Reports::Sometimes,
            before => before,
        };
        self.may_have_stopped |= leaves;
    }
}

/// Takes a statement with its conditions and the statement or block that they control.
fn controlled(scanner: &mut JavaScanner<'_>) {
    loop {
        scanner.word(false);
        if scanner.peek() == Some('(') && scanner.bracketed().is_none() {
            return scanner.at = scanner.end;
        }
        match scanner.peek() {
            Some('{') => {
                if scanner.bracketed().is_none() {
                    scanner.at = scanner.end;
                }
                return;
            }
            Some(first) if is_start(first) => {
                let mut word = *scanner;
                let keyword = word.word(false).map(|(word, _)| word);
                if !matches!(keyword, Some("if" | "for" | "while" | "do" | "switch" | "try")) {
                    return simple(scanner);
                }
            }
            _ => return simple(scanner),
        }
    }
}

/// Takes a statement up to its semicolon.
fn simple(scanner: &mut JavaScanner<'_>) {
    loop {
        match scanner.token() {
            Some(JavaToken::Other(';')) => return,
            Some(_) => {}
            None => {
                // The end, or a bracket that closes nothing.
                scanner.at = (scanner.at + 1).min(scanner.end);
                if scanner.peek().is_none() {
                    return;
                }
            }
        }
    }
}
