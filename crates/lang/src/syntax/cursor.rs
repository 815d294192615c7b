// SPDX-License-Identifier: MIT OR Apache-2.0
//! The position of a parser in the token stream, with the diagnostics found so far and the limits on hostile input.
//!
//! # Error recovery
//!
//! A parser of this crate never stops at its first error. A person who has misspelt three operators wants three
//! messages, and no message that only follows from another one. Three mechanisms of [`Cursor`] give that:
//!
//! 1. *A function that cannot read its part reports it and returns a placeholder*: `None`, or a tree with a missing
//!    node. The caller continues behind the part, so that the rest of the text is checked too. The placeholder makes
//!    the whole property invalid, but silently, because the reason has been reported. [`ErrorGuaranteed`] is the
//!    type-level proof of the report: `return cursor.expected("a number").none()`.
//! 2. *One error per token.* [`Cursor::report_once`] reports an error about the current token unless one was reported
//!    there before. Where a function has skipped a part that it did not understand, it calls [`Cursor::suppress`],
//!    which marks the token where reading resumes in the same way; [`Cursor::follows_error`] asks for the mark.
//! 3. *Skipping stops at what the enclosing parser is waiting for*: a closing bracket, a separator, a new statement.
//!
//! For `G(request => F[0,3s) reply` the parser reports `=>` (written `->` here) and reads on as if `->` were there; the
//! interval is read as meant, since `)` may close it; at the end of the text the parenthesis of `G` is reported as
//! unclosed. Nothing else is reported: the missing parenthesis is found at a token where nothing was reported before.
//!
//! # Positions in messages
//!
//! Every token carries its [`Span`] in the source, and every diagnostic points at spans. Three helpers build the spans
//! that are not tokens: [`Cursor::since`] (from a start up to the last token taken), [`Cursor::gap`] (the empty span
//! behind the last token, where something is missing), and [`Cursor::take_front`] (the front of a word that is cut in
//! two). An edit in a diagnostic replaces exactly its span, so that applying it yields the text that the message
//! promises.
//!
//! # Limits
//!
//! [`MAX_DEPTH`] bounds the recursion of parsers and of everything that walks their trees, [`MAX_NODES`] the size of
//! one property, `MAX_SOURCE` the file, and `Diagnostics` the number of messages. A parser that hits a limit reports
//! it, jumps to the end of its part and stays silent from there.

use std::collections::BTreeSet;

use gnomon_core::diagnostic::{Diagnostic, Span};

use super::diagnostics::{Diagnostics, respelt, unknown_character};
use super::lexer::{LexerMode, SpannedToken, Token, is_number, lex_from};

/// Limit on nesting of brackets, operators and conditions: the parsers are recursive, and so is all that reads their
/// trees.
pub(crate) const MAX_DEPTH: u32 = 200;
/// Limit on the nodes of one statement's tree.
pub(crate) const MAX_NODES: u32 = 20_000;
/// Limit on the length of a source.
pub(crate) const MAX_SOURCE: usize = 4 << 20;

/// Reads tokens from left to right.
pub(crate) struct Cursor<'s> {
    source: &'s str,
    tokens: Vec<SpannedToken>,
    /// For every opening brace, by token, the token that closes it.
    closing: Vec<Option<u32>>,
    at: usize,
    /// The token at which the part being read ends.
    limit: usize,
    /// The name of that part in messages, as in "the end of the file".
    place: &'static str,
    depth: u32,
    nodes: u32,
    /// The token of the latest error. A second error at the same token would only follow from the first.
    reported_at: Option<usize>,
    /// The number of opening braces reported as unclosed. As many closing braces without an opening one are not
    /// reported.
    unclosed_braces: u32,
    /// Set after a limit was hit: no further diagnostics until the end of the part.
    muted: bool,
    /// The variables that are quantified in the part being read.
    bound: BTreeSet<String>,
    diagnostics: Diagnostics,
}

impl<'s> Cursor<'s> {
    /// Creates a cursor at the beginning of a source. `place` names the source, as in "the end of the file".
    pub(crate) fn new(source: &'s str, place: &'static str) -> Self {
        Cursor::over(source, place, LexerMode::Plain)
    }

    /// Creates a cursor at the beginning of a source that is lexed in this mode.
    pub(crate) fn over(source: &'s str, place: &'static str, mode: LexerMode) -> Self {
        let too_long = source.len() > MAX_SOURCE;
        let source = if too_long { "" } else { source };
        let mut cursor = Cursor::at(source, lex_from(source, 0, mode), place);
        if too_long {
            let message = format!("{place} is longer than {} MiB", MAX_SOURCE >> 20);
            cursor.report(Diagnostic::error("G0114", Span::default(), message).help("split it into several files"));
        }
        cursor.report_open_texts();
        cursor
    }

    /// Creates a cursor over a part of a source, of at most [`MAX_SOURCE`] bytes, that is lexed in this mode.
    pub(crate) fn over_part(source: &'s str, part: Span, place: &'static str, mode: LexerMode) -> Self {
        let tokens = lex_from(&source[..part.end as usize], part.start as usize, mode);
        let mut cursor = Cursor::at(source, tokens, place);
        cursor.report_open_texts();
        cursor
    }

    fn at(source: &'s str, tokens: Vec<SpannedToken>, place: &'static str) -> Self {
        Cursor {
            source,
            closing: closing_braces(&tokens),
            at: 0,
            limit: tokens.len() - 1,
            place,
            depth: 0,
            nodes: 0,
            reported_at: None,
            unclosed_braces: 0,
            muted: false,
            bound: BTreeSet::new(),
            diagnostics: Diagnostics::default(),
            tokens,
        }
    }

    /// Reads the rest of the part being read with the lexer in another mode.
    pub(crate) fn with_mode<T>(&mut self, mode: LexerMode, read: impl FnOnce(&mut Self) -> T) -> T {
        let (start, end) = (self.peek().span.start as usize, self.tokens[self.limit].span.start as usize);
        let mut inner = Cursor::at(self.source, lex_from(&self.source[..end], start, mode), self.place);
        let result = read(&mut inner);
        inner.diagnostics.sorted().into_iter().for_each(|diagnostic| self.report(diagnostic));
        self.at = self.limit;
        result
    }

    fn report_open_texts(&mut self) {
        for index in 0..self.limit {
            let SpannedToken { kind: Token::OpenText, span } = self.tokens[index] else { continue };
            // The quote was probably meant to stand after the first word: brackets and operators follow it.
            let text = span.text(self.source);
            let word = text[1..].find(|letter: char| !letter.is_alphanumeric() && !"_-.:".contains(letter));
            let start = span.start as usize;
            let meant = Span::new(start, start + 1 + word.unwrap_or(text.len() - 1));
            self.report(
                Diagnostic::error("G0103", Span::new(start, start + 1), "no closing quote")
                    .label("the text begins here and its line ends without a second `\"`")
                    .edit("close the text where it ends", meant, format!("{}\"", meant.text(self.source))),
            );
        }
    }

    /// Returns all diagnostics, in the order of the source.
    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics.sorted()
    }

    /// Returns the current token.
    pub(crate) fn peek(&self) -> SpannedToken {
        self.nth(0)
    }

    /// Returns the token `n` places on.
    pub(crate) fn nth(&self, n: usize) -> SpannedToken {
        let index = self.at.saturating_add(n);
        if index < self.limit {
            return self.tokens[index];
        }
        SpannedToken { kind: Token::End, span: self.tokens[self.limit].span }
    }

    /// Returns the token before the current one.
    pub(crate) fn previous(&self) -> Option<SpannedToken> {
        self.at.checked_sub(1).map(|index| self.tokens[index])
    }

    /// Returns the span of the token before the current one; `otherwise` at the beginning.
    pub(crate) fn last_span(&self, otherwise: Span) -> Span {
        self.previous().map_or(otherwise, |last| last.span)
    }

    /// Returns the span from `start` to the end of the token before the current one.
    pub(crate) fn since(&self, start: Span) -> Span {
        start.to(self.last_span(start))
    }

    /// Returns the empty span right behind the token before the current one.
    pub(crate) fn gap(&self) -> Span {
        let end = self.previous().map_or(self.peek().span.start, |before| before.span.end);
        Span { start: end, end }
    }

    /// Takes the current token.
    pub(crate) fn bump(&mut self) -> SpannedToken {
        let token = self.peek();
        if self.at < self.limit {
            self.at += 1;
        }
        token
    }

    /// Takes the first `length` bytes of the current token, a word, and leaves the rest as a token: `x` of `x.G`, where
    /// that is two words and not one.
    pub(crate) fn take_front(&mut self, length: usize) -> Span {
        let span = self.peek().span;
        let front = Span { end: (span.start + length as u32).min(span.end), ..span };
        if self.at < self.limit && front.end < span.end {
            let rest = Span { start: front.end, ..span };
            let kind = if is_number(rest.text(self.source)) { Token::Number } else { Token::Word };
            self.tokens[self.at] = SpannedToken { kind, span: rest };
            return front;
        }
        self.bump().span
    }

    /// Declares a quantified variable, up to the end of the part being read.
    pub(crate) fn bind(&mut self, variable: &str) {
        self.bound.insert(variable.to_owned());
    }

    /// Returns true if a word is a variable that is quantified here.
    pub(crate) fn is_bound(&self, word: &str) -> bool {
        self.bound.contains(word)
    }

    /// Returns the text of a token, as written.
    pub(crate) fn text(&self, token: SpannedToken) -> &'s str {
        token.span.text(self.source)
    }

    /// Returns the text under a span.
    pub(crate) fn slice(&self, span: Span) -> &'s str {
        span.text(self.source)
    }

    /// Returns true if everything is read.
    pub(crate) fn at_end(&self) -> bool {
        self.peek().kind == Token::End
    }

    /// Returns true if the current token is this symbol.
    pub(crate) fn is(&self, symbol: &str) -> bool {
        self.nth_is(0, symbol)
    }

    /// Returns true if the token `n` places on is this symbol.
    pub(crate) fn nth_is(&self, n: usize, symbol: &str) -> bool {
        matches!(self.nth(n).kind, Token::Symbol(found) if found == symbol)
    }

    /// Takes the current token if it is this symbol.
    pub(crate) fn eat(&mut self, symbol: &str) -> Option<Span> {
        self.is(symbol).then(|| self.bump().span)
    }

    /// Returns the current token's text, if it is a word.
    pub(crate) fn word(&self) -> Option<&'s str> {
        self.nth_word(0)
    }

    /// Returns the text of the token `n` places on, if it is a word.
    pub(crate) fn nth_word(&self, n: usize) -> Option<&'s str> {
        let token = self.nth(n);
        (token.kind == Token::Word).then(|| self.text(token))
    }

    /// Returns the current token if it is a symbol, in its ASCII spelling, or a word: what operators are written with.
    pub(crate) fn symbol_or_word(&self) -> Option<&'s str> {
        match self.peek().kind {
            Token::Symbol(symbol) => Some(symbol),
            _ => self.word(),
        }
    }

    /// Takes the current token if it is this word.
    pub(crate) fn eat_word(&mut self, word: &str) -> Option<Span> {
        (self.word() == Some(word)).then(|| self.bump().span)
    }

    /// Returns true if the current token is the first on its line.
    pub(crate) fn starts_line(&self) -> bool {
        let before = self.previous().map_or(0, |token| token.span.end);
        before == 0 || Span { start: before, end: self.peek().span.start }.text(self.source).contains('\n')
    }

    /// Returns true if the nth token from here is the last of its line.
    pub(crate) fn ends_line(&self, n: usize) -> bool {
        let (token, next) = (self.nth(n), self.nth(n + 1));
        next.kind == Token::End || Span { start: token.span.end, end: next.span.start }.text(self.source).contains('\n')
    }

    /// Returns the name of a token in a message.
    pub(crate) fn describe(&self, token: SpannedToken) -> String {
        match token.kind {
            Token::End => format!("the end of {}", self.place),
            _ => format!("`{}`", self.text(token)),
        }
    }

    /// Adds a diagnostic.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.muted {
            self.diagnostics.add(diagnostic);
        }
    }

    /// Returns true if more diagnostics would be dropped, so that callers need not search for advice.
    pub(crate) fn is_full(&self) -> bool {
        self.diagnostics.is_full()
    }

    /// Adds a diagnostic about the current token, unless one was added about that token before.
    pub(crate) fn report_once(&mut self, diagnostic: Diagnostic) -> ErrorGuaranteed {
        if self.reported_at != Some(self.at) {
            self.reported_at = Some(self.at);
            self.report(diagnostic);
        }
        ErrorGuaranteed
    }

    /// Returns true if an error was reported here or right before, so that a further one may only follow from it.
    pub(crate) fn follows_error(&self) -> bool {
        self.reported_at.is_some_and(|reported_at| reported_at + 1 >= self.at)
    }

    /// Marks the current token as one about which an error was reported.
    pub(crate) fn suppress(&mut self) {
        self.reported_at = Some(self.at);
    }

    /// Reports that the current token is not what was expected.
    pub(crate) fn expected(&mut self, what: &str) -> ErrorGuaranteed {
        self.report_once(self.unexpected(what))
    }

    /// Reports that the current token is not what was expected, with advice.
    pub(crate) fn expected_help(&mut self, what: &str, help: impl Into<String>) -> ErrorGuaranteed {
        self.report_once(self.unexpected(what).help(help))
    }

    /// Reports that the current token is not what was expected, with advice unless the token itself gives a better one.
    pub(crate) fn expected_hint(&mut self, what: &str, help: impl Into<String>) -> ErrorGuaranteed {
        let diagnostic = self.unexpected(what);
        self.report_once(if diagnostic.help.is_none() { diagnostic.help(help) } else { diagnostic })
    }

    /// Reports that the current token is not what was expected; if it is a word, with what to write instead of it.
    pub(crate) fn expected_edit(
        &mut self,
        what: &str,
        advice: &str,
        edit: impl FnOnce(&str) -> String,
    ) -> ErrorGuaranteed {
        let (diagnostic, span) = (self.unexpected(what), self.peek().span);
        self.report_once(match self.word().map(edit) {
            Some(edit) => diagnostic.edit(advice, span, edit),
            None => diagnostic,
        })
    }

    /// Returns the diagnostic that one of these signs or words was expected and something else found at the current
    /// token.
    pub(crate) fn mismatch(&self, expected: &str, label: &str) -> Diagnostic {
        let token = self.peek();
        let message = format!("expected {expected}, found {}", self.describe(token));
        Diagnostic::error("G0101", token.span, message).label(label)
    }

    /// Reports that the current token is not the mark that should stand right behind the token before it.
    pub(crate) fn expected_mark(&mut self, mark: &str, label: &str, advice: &str) -> ErrorGuaranteed {
        self.report_once(self.mismatch(&format!("`{mark}`"), label).edit(advice, self.gap(), mark))
    }

    /// Reports that the current token, a word, stands right behind another item of a list.
    pub(crate) fn expected_comma(&mut self, label: &str) -> ErrorGuaranteed {
        let token = self.peek();
        let edit = format!(", {}", self.text(token));
        self.report_once(self.mismatch("`,` or `)`", label).edit("write a comma", token.span, edit))
    }

    /// Reports that a property has no text.
    pub(crate) fn report_empty(&mut self, message: &str, label: &str, help: &str) -> ErrorGuaranteed {
        let span = self.peek().span;
        self.report_once(Diagnostic::error("G0109", span, message).label(label).help(help))
    }

    /// Takes the current token; if another spelling is meant, that is reported.
    pub(crate) fn take(&mut self, meant: Option<&str>) -> Span {
        match meant {
            Some(meant) => self.respell(meant),
            None => self.bump().span,
        }
    }

    /// Takes the current token and reports that it is spelt differently here.
    pub(crate) fn respell(&mut self, meant: &str) -> Span {
        let token = self.bump();
        self.report(respelt(self.text(token), token.span, meant));
        token.span
    }

    /// Returns the diagnostic that the current token is not what was expected, for the caller to complete.
    pub(crate) fn unexpected(&self, what: &str) -> Diagnostic {
        let token = self.peek();
        if token.kind == Token::Unknown {
            return unknown_character(self.text(token), token.span);
        }
        self.mismatch(what, &format!("expected {what}"))
    }

    /// Takes a closing bracket, or reports that the opening one is unclosed.
    pub(crate) fn close(&mut self, opening: Span, symbol: &str) -> Option<Span> {
        let closed = self.eat(symbol);
        if closed.is_none() {
            self.unclosed(opening, symbol);
        }
        closed
    }

    /// Reports that an opening bracket has no closing one.
    pub(crate) fn unclosed(&mut self, opening: Span, symbol: &str) {
        if self.previous().is_some_and(|before| before.kind == Token::OpenText) {
            // The text without its closing quote contains the bracket.
            return self.suppress();
        }
        self.unclosed_braces += u32::from(symbol == "}");
        let token = self.peek();
        let bracket = self.slice(opening);
        self.report_once(
            Diagnostic::error("G0102", opening, format!("no closing `{symbol}` for this `{bracket}`"))
                .label("opened here")
                .also(token.span, format!("`{symbol}` expected before {}", self.describe(token)))
                .help(format!("write `{symbol}` at the end of the part that `{bracket}` opens")),
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
        self.report_once(
            Diagnostic::error("G0102", token.span, format!("this `{bracket}` closes nothing"))
                .label("no bracket is open here")
                .edit(format!("leave out this `{bracket}`"), token.span, ""),
        );
    }

    /// Returns true if the current token is a closing bracket.
    pub(crate) fn is_closing_bracket(&self) -> bool {
        matches!(self.peek().kind, Token::Symbol(")" | "]" | "}"))
    }

    /// Returns the number of errors and warnings.
    pub(crate) fn count(&self) -> usize {
        self.diagnostics.count()
    }

    /// Goes one level deeper; returns false if that is too deep, and reading was given up.
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
        self.give_up("G0113", format!("this is nested more than {MAX_DEPTH} levels deep"));
    }

    /// Counts a node of a tree.
    pub(crate) fn count_node(&mut self) {
        self.nodes += 1;
        if self.nodes == MAX_NODES + 1 {
            self.too_large();
        }
    }

    /// Reports that something has too many parts, and gives up.
    pub(crate) fn too_large(&mut self) {
        self.give_up("G0114", format!("this has more than {MAX_NODES} parts"));
    }

    /// Starts counting nodes from zero.
    pub(crate) fn new_tree(&mut self) {
        self.nodes = 0;
    }

    fn give_up(&mut self, code: &'static str, message: String) {
        self.report(Diagnostic::error(code, self.peek().span, message).help("split the property into several"));
        self.at = self.limit;
        self.muted = true;
    }

    /// Returns the token that closes the current one, an opening brace.
    pub(crate) fn closing_brace(&self) -> Option<usize> {
        self.closing.get(self.at).copied().flatten().map(|index| index as usize).filter(|&index| index < self.limit)
    }

    /// Returns the index of the current token, for [`Cursor::within`].
    pub(crate) fn index(&self) -> usize {
        self.at
    }

    /// Goes to a token further on.
    pub(crate) fn skip_to(&mut self, index: usize) {
        self.at = index.clamp(self.at, self.limit);
    }

    /// Skips to one of these symbols outside of brackets of these kinds, or to the end.
    pub(crate) fn skip_until(&mut self, stops: &[&str], opening: &[&str], closing: &[&str]) {
        let mut depth = 0_u32;
        while !self.at_end() {
            if let Token::Symbol(symbol) = self.peek().kind {
                if depth == 0 && stops.contains(&symbol) {
                    break;
                }
                depth += u32::from(opening.contains(&symbol));
                depth = depth.saturating_sub(u32::from(closing.contains(&symbol)));
            }
            self.bump();
        }
    }

    /// Skips tokens of these kinds.
    pub(crate) fn skip_while(&mut self, is_skipped: impl Fn(Token) -> bool) {
        while !self.at_end() && is_skipped(self.peek().kind) {
            self.bump();
        }
    }

    /// Goes back to an earlier token.
    pub(crate) fn rewind(&mut self, index: usize) {
        self.at = index;
    }

    /// Reads the part up to token `end` as if it were the whole source, then goes to `end`.
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

/// Proof that an error was reported.
pub(crate) struct ErrorGuaranteed;

impl ErrorGuaranteed {
    /// Returns `None`, the result of a function that could not read its part.
    pub(crate) fn none<T>(self) -> Option<T> {
        let ErrorGuaranteed = self;
        None
    }
}

/// Finds each opening brace's closing one in a single pass.
fn closing_braces(tokens: &[SpannedToken]) -> Vec<Option<u32>> {
    let mut closing = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            Token::Symbol("{") => open.push(index),
            Token::Symbol("}") => {
                if let Some(opening) = open.pop() {
                    closing[opening] = u32::try_from(index).ok();
                }
            }
            _ => {}
        }
    }
    closing
}
