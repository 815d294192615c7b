// SPDX-License-Identifier: MIT OR Apache-2.0
//! The place in the tokens, what has been found wrong so far, and how reading goes on after it.

use gnomon::diagnostic::{Diagnostic, Span};

use super::super::lexer::{Kind, Token, lex};

/// The words that begin statements.
pub(super) const STATEMENTS: [&str; 8] = ["time", "case", "seed", "set", "kind", "activity", "part", "process"];

/// The other words with a meaning; as names they need quotes.
const INNER: [&str; 14] = [
    "in", "is", "takes", "slow", "fails", "skipped", "repeated", "then", "choose", "else", "repeat", "while", "maybe",
    "wait",
];

/// Every word with a meaning.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    STATEMENTS.iter().chain(&INNER).copied()
}

/// How many diagnostics a report has at most.
const ENOUGH: usize = 50;

/// Something could not be read, and a diagnostic says so.
pub(super) struct Broken;

pub(super) type Parsed<T> = Result<T, Broken>;

pub(super) struct Cursor<'a> {
    pub(super) source: &'a str,
    tokens: Vec<Token>,
    at: usize,
    pub(super) found: Vec<Diagnostic>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a str) -> Cursor<'a> {
        Cursor { source, tokens: lex(source), at: 0, found: Vec::new() }
    }

    pub(super) fn peek(&self) -> Token {
        // The last token is the end, and nobody goes past it.
        self.tokens[self.at]
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// The number of the token here.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// The name behind the token of this number, if one stands there.
    pub(super) fn name_after(&self, place: usize) -> Option<String> {
        let token = self.tokens.get(place + 1)?;
        let text = token.span.text(self.source);
        matches!(token.kind, Kind::Word | Kind::Text).then(|| text.trim_matches('"').to_owned())
    }

    /// Where the token before this one ends.
    pub(super) fn last_end(&self) -> u32 {
        self.at.checked_sub(1).map_or(0, |before| self.tokens[before].span.end)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.peek().kind == Kind::End || self.found.len() >= ENOUGH
    }

    pub(super) fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek().kind, Kind::Symbol(other) if other == symbol)
    }

    pub(super) fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    /// The word here, if it has a meaning.
    pub(super) fn keyword(&self) -> Option<&'static str> {
        let token = self.peek();
        let text = token.span.text(self.source);
        (token.kind == Kind::Word).then(|| words().find(|word| *word == text)).flatten()
    }

    pub(super) fn eat_keyword(&mut self, word: &str) -> bool {
        let found = self.keyword() == Some(word);
        if found {
            self.advance();
        }
        found
    }

    /// Whether a statement begins here: its word, first on the line.
    pub(super) fn is_statement(&self) -> bool {
        self.peek().first && self.keyword().is_some_and(|word| STATEMENTS.contains(&word))
    }

    pub(super) fn skip_to_statement(&mut self) {
        while self.peek().kind != Kind::End && !self.is_statement() {
            self.advance();
        }
    }

    /// A name: a word without another meaning, or a text.
    pub(super) fn name(&mut self, wanted: &str) -> Parsed<(String, Span)> {
        let token = self.peek();
        match (token.kind, self.keyword()) {
            (Kind::Word, None) => {
                self.advance();
                Ok((token.span.text(self.source).to_owned(), token.span))
            }
            (Kind::Text, _) => Ok((self.text()?, token.span)),
            (Kind::Word, Some(word)) if !self.is_statement() => {
                let error = Diagnostic::error("G0801", token.span, format!("`{word}` has a meaning of its own"))
                    .label(format!("here belongs {wanted}"))
                    .edit("as a name it stands in quotes", token.span, format!("\"{word}\""));
                self.fail(error)
            }
            _ => self.unexpected(wanted),
        }
    }

    /// The content of a text.
    pub(super) fn text(&mut self) -> Parsed<String> {
        let token = self.peek();
        if token.kind != Kind::Text {
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

    pub(super) fn expect(&mut self, symbol: &str, help: &str) -> Parsed<()> {
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

    /// The closing partner of a bracket.
    pub(super) fn close(&mut self, symbol: &str, opening: Span) -> Parsed<()> {
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

    pub(super) fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let token = self.peek();
        let error = Self::open_text(token).unwrap_or_else(|| {
            let message = format!("expected {wanted}; found {}", self.describe(token));
            Diagnostic::error("G0801", token.span, message)
        });
        self.fail(error)
    }

    fn open_text(token: Token) -> Option<Diagnostic> {
        (token.kind == Kind::OpenText).then(|| {
            Diagnostic::error("G0802", token.span, "this text has no closing quote")
                .help("a text ends on the line on which it begins; a line break in it is written `\\n`")
        })
    }

    pub(super) fn fail<T>(&mut self, error: Diagnostic) -> Parsed<T> {
        self.found.push(error);
        Err(Broken)
    }

    /// A token, for a message.
    pub(super) fn describe(&self, token: Token) -> String {
        match token.kind {
            Kind::End => "the end of the file".to_owned(),
            Kind::Text | Kind::OpenText => "a text".to_owned(),
            _ => format!("`{}`", token.span.text(self.source)),
        }
    }
}
