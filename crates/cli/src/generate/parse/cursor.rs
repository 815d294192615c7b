// SPDX-License-Identifier: MIT OR Apache-2.0
//! A position in the tokens, the diagnostics so far, and the recovery after an error.

use gnomon::diagnostic::{Diagnostic, Span};

use super::super::lexer::{Token, TokenKind, lex};

/// The words that begin statements.
pub(super) const STATEMENTS: [&str; 8] = ["time", "case", "seed", "set", "kind", "activity", "part", "process"];

/// The other keywords; as names they need quotes.
const INNER: [&str; 14] = [
    "in", "is", "takes", "slow", "fails", "skipped", "repeated", "then", "choose", "else", "repeat", "while", "maybe",
    "wait",
];

/// Returns all keywords.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    STATEMENTS.iter().chain(&INNER).copied()
}

/// Limit of reported diagnostics.
const MAX_DIAGNOSTICS: usize = 50;

/// Marks an error for which a diagnostic has been recorded.
pub(super) struct ParseFailed;

pub(super) type ParseResult<T> = Result<T, ParseFailed>;

/// A position in the tokens of a source.
#[derive(Default)]
pub(super) struct Cursor<'a> {
    pub(super) source: &'a str,
    tokens: Vec<Token>,
    /// The index of the current token.
    pub(super) at: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a str) -> Cursor<'a> {
        Cursor { source, tokens: lex(source), ..Cursor::default() }
    }

    pub(super) fn peek(&self) -> Token {
        // The cursor never goes past the last token, which is the end.
        self.tokens[self.at]
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Returns the name after the token of this index, if there is one.
    pub(super) fn name_after(&self, index: usize) -> Option<String> {
        let token = self.tokens.get(index + 1)?;
        let text = token.span.text(self.source);
        matches!(token.kind, TokenKind::Word | TokenKind::Text).then(|| text.trim_matches('"').to_owned())
    }

    /// Returns the end of the previous token.
    pub(super) fn last_end(&self) -> u32 {
        self.at.checked_sub(1).map_or(0, |before| self.tokens[before].span.end)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.peek().kind == TokenKind::End || self.diagnostics.len() >= MAX_DIAGNOSTICS
    }

    pub(super) fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Symbol(other) if other == symbol)
    }

    pub(super) fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    /// Returns the keyword at the cursor.
    pub(super) fn keyword(&self) -> Option<&'static str> {
        let token = self.peek();
        let text = token.span.text(self.source);
        (token.kind == TokenKind::Word).then(|| words().find(|word| *word == text)).flatten()
    }

    pub(super) fn eat_keyword(&mut self, word: &str) -> bool {
        let found = self.keyword() == Some(word);
        if found {
            self.advance();
        }
        found
    }

    /// Returns true if a statement begins here: its keyword is the first token of a line.
    pub(super) fn is_statement(&self) -> bool {
        self.peek().first && self.keyword().is_some_and(|word| STATEMENTS.contains(&word))
    }

    pub(super) fn skip_to_statement(&mut self) {
        while self.peek().kind != TokenKind::End && !self.is_statement() {
            self.advance();
        }
    }

    /// Reads a name: a word that is not a keyword, or a quoted text.
    pub(super) fn name(&mut self, wanted: &str) -> ParseResult<(String, Span)> {
        let token = self.peek();
        match (token.kind, self.keyword()) {
            (TokenKind::Word, None) => {
                self.advance();
                Ok((token.span.text(self.source).to_owned(), token.span))
            }
            (TokenKind::Text, _) => Ok((self.text()?, token.span)),
            (TokenKind::Word, Some(word)) if !self.is_statement() => {
                let error = Diagnostic::error("G0801", token.span, format!("`{word}` has a meaning of its own"))
                    .label(format!("here belongs {wanted}"))
                    .edit("as a name it must be in quotes", token.span, format!("\"{word}\""));
                self.fail(error)
            }
            _ => self.unexpected(wanted),
        }
    }

    /// Reads a quoted text.
    pub(super) fn text(&mut self) -> ParseResult<String> {
        let token = self.peek();
        if token.kind != TokenKind::Text {
            return self.unexpected("a text in quotes");
        }
        self.advance();
        let quoted = token.span.text(self.source);
        let mut text = String::new();
        let mut letters = quoted[1..quoted.len() - 1].chars();
        while let Some(letter) = letters.next() {
            let meant = match letter {
                '\\' => match letters.next() {
                    Some(plain @ ('"' | '\\')) => Some(plain),
                    Some('n') => Some('\n'),
                    Some('t') => Some('\t'),
                    _ => None,
                },
                other => (!other.is_control()).then_some(other),
            };
            let Some(meant) = meant else {
                let error =
                    Diagnostic::error("G0801", token.span, "this text has an unknown escape or a control character")
                        .help("the escapes are `\\\"`, `\\\\`, `\\n` and `\\t`");
                return self.fail(error);
            };
            text.push(meant);
        }
        Ok(text)
    }

    pub(super) fn expect(&mut self, symbol: &str, help: &str) -> ParseResult<()> {
        if self.eat_symbol(symbol) {
            return Ok(());
        }
        let token = self.peek();
        if let Some(error) = Self::open_text(token) {
            return self.fail(error);
        }
        let message = format!("expected `{symbol}`, found {}", self.describe(token));
        self.fail(Diagnostic::error("G0801", token.span, message).help(help))
    }

    /// Reads a closing bracket.
    pub(super) fn close(&mut self, symbol: &str, opening: Span) -> ParseResult<()> {
        if self.eat_symbol(symbol) {
            return Ok(());
        }
        let token = self.peek();
        let message = format!("`{}` is not closed", opening.text(self.source));
        let error = Diagnostic::error("G0802", opening, message)
            .also(token.span, format!("`{symbol}` is missing before this"))
            .help(format!("write `{symbol}` where it ends"));
        self.fail(error)
    }

    pub(super) fn unexpected<T>(&mut self, wanted: &str) -> ParseResult<T> {
        let token = self.peek();
        let error = Self::open_text(token).unwrap_or_else(|| {
            let message = format!("expected {wanted}; found {}", self.describe(token));
            Diagnostic::error("G0801", token.span, message)
        });
        self.fail(error)
    }

    fn open_text(token: Token) -> Option<Diagnostic> {
        (token.kind == TokenKind::OpenText).then(|| {
            Diagnostic::error("G0802", token.span, "this text has no closing quote")
                .help("a text ends on the line on which it begins; a line break in it is written `\\n`")
        })
    }

    pub(super) fn fail<T>(&mut self, error: Diagnostic) -> ParseResult<T> {
        self.diagnostics.push(error);
        Err(ParseFailed)
    }

    /// Describes a token for a message.
    pub(super) fn describe(&self, token: Token) -> String {
        match token.kind {
            TokenKind::End => "the end of the file".to_owned(),
            TokenKind::Text | TokenKind::OpenText => "a text".to_owned(),
            _ => format!("`{}`", token.span.text(self.source)),
        }
    }
}
