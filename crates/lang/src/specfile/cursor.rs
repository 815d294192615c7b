// SPDX-License-Identifier: MIT OR Apache-2.0
//! A place in the token stream, the diagnostics found so far, and the limits that keep any input from doing harm.

use std::collections::BTreeSet;

use gnomon_core::diagnostic::{Diagnostic, Severity, Span};

use super::lexer::{Kind, Notation, Token, is_number, lex_from};

/// How deep brackets, operators and conditions may nest: the parsers are recursive, and so is all that reads their trees.
pub(crate) const MAX_DEPTH: u32 = 200;
/// How many nodes one statement's tree may have.
pub(crate) const MAX_NODES: u32 = 20_000;
/// How many diagnostics are kept: nobody reads more, and a broken megabyte could give a million.
const MAX_DIAGNOSTICS: usize = 100;
/// How long a source may be.
const MAX_SOURCE: usize = 4 << 20;

/// Reads tokens from left to right.
pub(crate) struct Cursor<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    /// For every opening brace, by token, the token that closes it.
    closing: Vec<Option<u32>>,
    at: usize,
    /// The token at which the part being read ends.
    limit: usize,
    /// What that end is called.
    place: &'static str,
    depth: u32,
    nodes: u32,
    /// The token of the latest error: a second one at the same token would only be its echo.
    blamed: Option<usize>,
    /// Opening braces that were found to lack their closing one: as many closing braces have lost their opening one.
    unclosed_braces: u32,
    /// Set where reading was given up: what follows is no news.
    muted: bool,
    /// The variables that are quantified in the part being read.
    bound: BTreeSet<String>,
    diagnostics: Vec<Diagnostic>,
}

impl<'s> Cursor<'s> {
    /// A cursor at the beginning of a source. `place` names the whole, as in "the end of the file".
    pub(crate) fn new(source: &'s str, place: &'static str) -> Self {
        Cursor::over(source, place, Notation::Plain)
    }

    /// Likewise, of a source in this notation.
    pub(crate) fn over(source: &'s str, place: &'static str, notation: Notation) -> Self {
        let too_long = source.len() > MAX_SOURCE;
        let source = if too_long { "" } else { source };
        let mut cursor = Cursor::at(source, lex_from(source, 0, notation), place);
        if too_long {
            let message = format!("{place} is longer than {} MiB", MAX_SOURCE >> 20);
            cursor.report(Diagnostic::error("G0114", Span::default(), message).help("split it into several files"));
        }
        cursor.report_open_texts();
        cursor
    }

    fn at(source: &'s str, tokens: Vec<Token>, place: &'static str) -> Self {
        Cursor {
            source,
            closing: closing_braces(&tokens),
            at: 0,
            limit: tokens.len() - 1,
            place,
            depth: 0,
            nodes: 0,
            blamed: None,
            unclosed_braces: 0,
            muted: false,
            bound: BTreeSet::new(),
            diagnostics: Vec::new(),
            tokens,
        }
    }

    /// Reads the rest of the part being read in another notation, where words end elsewhere.
    pub(crate) fn renotated<T>(&mut self, notation: Notation, read: impl FnOnce(&mut Self) -> T) -> T {
        let (start, end) = (self.peek().span.start as usize, self.tokens[self.limit].span.start as usize);
        let mut inner = Cursor::at(self.source, lex_from(&self.source[..end], start, notation), self.place);
        let result = read(&mut inner);
        inner.diagnostics.into_iter().for_each(|diagnostic| self.report(diagnostic));
        self.at = self.limit;
        result
    }

    fn report_open_texts(&mut self) {
        for index in 0..self.limit {
            let Token { kind: Kind::OpenText, span } = self.tokens[index] else { continue };
            // The quote was probably meant to stand after the first word: what follows is brackets and operators.
            let text = span.text(self.source);
            let word = text[1..].find(|letter: char| !letter.is_alphanumeric() && !"_-.:".contains(letter));
            let meant = Span::new(span.start as usize, span.start as usize + 1 + word.unwrap_or(text.len() - 1));
            let opening = Span::new(span.start as usize, span.start as usize + 1);
            self.report(
                Diagnostic::error("G0103", opening, "no closing quote")
                    .label("the text begins here and its line ends without a second `\"`")
                    .edit("close the text where it ends", meant, format!("{}\"", meant.text(self.source))),
            );
        }
    }

    /// All that was found wrong, in the order of the source.
    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics;
        diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span.start);
        diagnostics
    }

    /// The current token.
    pub(crate) fn peek(&self) -> Token {
        self.nth(0)
    }

    /// The token `n` places on.
    pub(crate) fn nth(&self, n: usize) -> Token {
        let index = self.at.saturating_add(n);
        if index < self.limit {
            return self.tokens[index];
        }
        Token { kind: Kind::End, span: self.tokens[self.limit].span }
    }

    /// The token before the current one.
    pub(crate) fn previous(&self) -> Option<Token> {
        self.at.checked_sub(1).map(|index| self.tokens[index])
    }

    /// Takes the current token.
    pub(crate) fn bump(&mut self) -> Token {
        let token = self.peek();
        if self.at < self.limit {
            self.at += 1;
        }
        token
    }

    /// Takes the first `length` bytes of the current token, a word, and leaves the rest of it: `x` of `x.G`, where that is
    /// two words and not one.
    pub(crate) fn take_front(&mut self, length: usize) -> Span {
        let span = self.peek().span;
        let front = Span { end: (span.start + length as u32).min(span.end), ..span };
        if self.at < self.limit && front.end < span.end {
            let rest = Span { start: front.end, ..span };
            let kind = if is_number(rest.text(self.source)) { Kind::Number } else { Kind::Word };
            self.tokens[self.at] = Token { kind, span: rest };
            return front;
        }
        self.bump().span
    }

    /// Makes a variable known up to the end of the part being read.
    pub(crate) fn bind(&mut self, variable: &str) {
        self.bound.insert(variable.to_owned());
    }

    /// Whether a word is a variable that is quantified here.
    pub(crate) fn is_bound(&self, word: &str) -> bool {
        self.bound.contains(word)
    }

    /// The text of a token, as written.
    pub(crate) fn text(&self, token: Token) -> &'s str {
        token.span.text(self.source)
    }

    /// The text under a span.
    pub(crate) fn slice(&self, span: Span) -> &'s str {
        span.text(self.source)
    }

    /// Whether everything is read.
    pub(crate) fn at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    /// Whether the current token is this symbol.
    pub(crate) fn is(&self, symbol: &str) -> bool {
        self.nth_is(0, symbol)
    }

    /// Whether the token `n` places on is this symbol.
    pub(crate) fn nth_is(&self, n: usize, symbol: &str) -> bool {
        matches!(self.nth(n).kind, Kind::Symbol(found) if found == symbol)
    }

    /// Takes the current token if it is this symbol.
    pub(crate) fn eat(&mut self, symbol: &str) -> Option<Span> {
        self.is(symbol).then(|| self.bump().span)
    }

    /// The current token's text, if it is a word.
    pub(crate) fn word(&self) -> Option<&'s str> {
        self.nth_word(0)
    }

    /// The text of the token `n` places on, if it is a word.
    pub(crate) fn nth_word(&self, n: usize) -> Option<&'s str> {
        let token = self.nth(n);
        (token.kind == Kind::Word).then(|| self.text(token))
    }

    /// Takes the current token if it is this word.
    pub(crate) fn eat_word(&mut self, word: &str) -> Option<Span> {
        (self.word() == Some(word)).then(|| self.bump().span)
    }

    /// Whether the current token is the first on its line.
    pub(crate) fn starts_line(&self) -> bool {
        let before = self.previous().map_or(0, |token| token.span.end);
        before == 0 || Span { start: before, end: self.peek().span.start }.text(self.source).contains('\n')
    }

    /// How to name a token in a message.
    pub(crate) fn describe(&self, token: Token) -> String {
        match token.kind {
            Kind::End => format!("the end of {}", self.place),
            _ => format!("`{}`", self.text(token)),
        }
    }

    /// Adds a diagnostic.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.muted {
            return;
        }
        if self.is_full() && diagnostic.severity == Severity::Error {
            // However many warnings there are, an error must not go unheard: the spec would pass for a good one.
            let warning = self.diagnostics.iter().rposition(|known| known.severity != Severity::Error);
            warning.map(|index| self.diagnostics.remove(index));
        }
        if !self.is_full() {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether more diagnostics would be dropped: no need to think of advice then.
    pub(crate) fn is_full(&self) -> bool {
        self.diagnostics.len() >= MAX_DIAGNOSTICS
    }

    /// Adds a diagnostic about the current token, unless that token has been blamed already.
    pub(crate) fn blame(&mut self, diagnostic: Diagnostic) {
        if self.blamed != Some(self.at) {
            self.blamed = Some(self.at);
            self.report(diagnostic);
        }
    }

    /// Whether an error stands right here or right before: what looks wrong now may be its echo.
    pub(crate) fn is_echo(&self) -> bool {
        self.blamed.is_some_and(|blamed| blamed + 1 >= self.at)
    }

    /// Marks what follows as the echo of an error already reported.
    pub(crate) fn hush(&mut self) {
        self.blamed = Some(self.at);
    }

    /// Blames the current token for not being what was expected.
    pub(crate) fn expected(&mut self, what: &str) {
        let diagnostic = self.unexpected(what);
        self.blame(diagnostic);
    }

    /// The diagnostic that the current token is not what was expected, for the caller to complete.
    pub(crate) fn unexpected(&self, what: &str) -> Diagnostic {
        let token = self.peek();
        if token.kind == Kind::Unknown {
            return unknown_character(self.text(token), token.span);
        }
        Diagnostic::error("G0101", token.span, format!("expected {what}, found {}", self.describe(token)))
            .label(format!("expected {what}"))
    }

    /// Takes a closing bracket, or blames the opening one.
    pub(crate) fn close(&mut self, opening: Span, symbol: &str) -> Option<Span> {
        let closed = self.eat(symbol);
        if closed.is_none() {
            self.unclosed(opening, symbol);
        }
        closed
    }

    /// Reports that an opening bracket has no closing one.
    pub(crate) fn unclosed(&mut self, opening: Span, symbol: &str) {
        if self.previous().is_some_and(|before| before.kind == Kind::OpenText) {
            // The text without its closing quote has swallowed the bracket.
            return self.hush();
        }
        self.unclosed_braces += u32::from(symbol == "}");
        let token = self.peek();
        let bracket = self.slice(opening);
        self.blame(
            Diagnostic::error("G0102", opening, format!("no closing `{symbol}` for this `{bracket}`"))
                .label("opened here")
                .also(token.span, format!("`{symbol}` expected before {}", self.describe(token)))
                .help(format!("write `{symbol}` where the part that `{bracket}` opens is to end")),
        );
    }

    /// Reports the current token, a closing bracket without an opening one.
    pub(crate) fn closes_nothing(&mut self) {
        let token = self.peek();
        let bracket = self.text(token);
        if bracket == "}" && self.unclosed_braces > 0 {
            self.unclosed_braces -= 1;
            return;
        }
        self.blame(
            Diagnostic::error("G0102", token.span, format!("this `{bracket}` closes nothing"))
                .label("no bracket is open here")
                .edit(format!("leave out this `{bracket}`"), token.span, ""),
        );
    }

    /// How many errors and warnings there are.
    pub(crate) fn count(&self) -> usize {
        self.diagnostics.len()
    }

    /// Goes one level deeper; `false` where that is too deep, and reading was given up.
    pub(crate) fn enter(&mut self) -> bool {
        self.depth += 1;
        // Parentheses nest too, but make no level of the tree: `G(G(...))` goes two levels down for one.
        if self.depth <= 2 * MAX_DEPTH {
            return true;
        }
        self.too_deep();
        false
    }

    /// Comes back from [`Cursor::enter`].
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Reports that something is nested too deeply, and gives up.
    pub(crate) fn too_deep(&mut self) {
        let span = self.peek().span;
        let message = format!("this is nested more than {MAX_DEPTH} levels deep");
        self.give_up(Diagnostic::error("G0113", span, message).help("split the property into several"));
    }

    /// Counts a node of a tree.
    pub(crate) fn grow(&mut self) {
        self.nodes += 1;
        if self.nodes == MAX_NODES + 1 {
            self.too_large();
        }
    }

    /// Reports that something has too many parts, and gives up.
    pub(crate) fn too_large(&mut self) {
        let span = self.peek().span;
        let message = format!("this has more than {MAX_NODES} parts");
        self.give_up(Diagnostic::error("G0114", span, message).help("split the property into several"));
    }

    /// Starts counting nodes anew.
    pub(crate) fn new_tree(&mut self) {
        self.nodes = 0;
    }

    fn give_up(&mut self, diagnostic: Diagnostic) {
        self.report(diagnostic);
        self.at = self.limit;
        self.muted = true;
    }

    /// The token that closes the current one, an opening brace.
    pub(crate) fn closing_brace(&self) -> Option<usize> {
        self.closing.get(self.at).copied().flatten().map(|index| index as usize).filter(|&index| index < self.limit)
    }

    /// The index of the current token, for [`Cursor::within`].
    pub(crate) fn index(&self) -> usize {
        self.at
    }

    /// Goes to a token further on.
    pub(crate) fn skip_to(&mut self, index: usize) {
        self.at = index.clamp(self.at, self.limit);
    }

    /// Goes back to a token seen before.
    pub(crate) fn rewind(&mut self, index: usize) {
        self.at = index;
    }

    /// Reads the part up to token `end` as if it were all there is, then goes to `end`.
    pub(crate) fn within<T>(&mut self, end: usize, place: &'static str, read: impl FnOnce(&mut Self) -> T) -> T {
        let (limit, outer) = (std::mem::replace(&mut self.limit, end), std::mem::replace(&mut self.place, place));
        self.new_tree();
        self.unclosed_braces = 0;
        self.bound.clear();
        let result = read(self);
        self.at = end;
        self.limit = limit;
        self.place = outer;
        self.muted = false;
        result
    }
}

fn unknown_character(text: &str, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error("G0110", span, format!("`{text}` has no meaning here"));
    match text {
        "'" | "“" | "”" | "‘" | "’" | "`" | "«" | "»" => {
            diagnostic.edit("texts stand in straight double quotes", span, "\"")
        }
        "∪" | "□" | "◇" | "○" => diagnostic.help("write the operator as a letter: `U G F X S H P Y`"),
        "⁰" | "¹" | "²" | "³" | "⁴" | "⁵" | "⁶" | "⁷" | "⁸" | "⁹" => {
            let digit = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|digit| text.starts_with(digit)).unwrap_or(0);
            diagnostic.edit("write an exponent with `^`", span, format!("^{digit}"))
        }
        _ => diagnostic.help("leave it out; a name with unusual characters stands in quotes"),
    }
}

/// Finds each opening brace's closing one in a single pass.
fn closing_braces(tokens: &[Token]) -> Vec<Option<u32>> {
    let mut closing = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Symbol("{") => open.push(index),
            Kind::Symbol("}") => {
                if let Some(opening) = open.pop() {
                    closing[opening] = u32::try_from(index).ok();
                }
            }
            _ => {}
        }
    }
    closing
}
