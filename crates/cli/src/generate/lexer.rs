// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tokens of a model file. The lexer never fails: it returns [`TokenKind::Unknown`], which the parser reports.

use gnomon::diagnostic::Span;

/// A token of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
    /// True if it is the first token of its line.
    pub(super) first: bool,
}

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    Word,
    /// A quoted text.
    Text,
    /// A text without a closing quote; it ends with its line.
    OpenText,
    /// A number without a sign.
    Number,
    Symbol(&'static str),
    Unknown,
    End,
}

const SYMBOLS: [&str; 10] = ["..", "{", "}", "(", ")", "=", ",", "|", "%", "-"];

/// Splits a source into tokens; the last one is [`TokenKind::End`].
pub(super) fn lex(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut at, mut first) = (0, true);
    while let Some(letter) = source[at..].chars().next() {
        let rest = &source[at..];
        if letter == '#' {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if letter.is_whitespace() {
            first |= letter == '\n';
            at += letter.len_utf8();
            continue;
        }
        let (kind, length) = if letter == '"' {
            text(rest)
        } else if letter.is_ascii_digit() {
            (TokenKind::Number, number(rest))
        } else if letter.is_alphabetic() || letter == '_' {
            (TokenKind::Word, word(rest))
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            (TokenKind::Symbol(symbol), symbol.len())
        } else {
            (TokenKind::Unknown, letter.len_utf8())
        };
        tokens.push(Token { kind, span: Span::new(at, at + length), first });
        first = false;
        at += length;
    }
    tokens.push(Token { kind: TokenKind::End, span: Span::new(source.len(), source.len()), first: true });
    tokens
}

fn text(rest: &str) -> (TokenKind, usize) {
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            '\n' => return (TokenKind::OpenText, at),
            '"' if !escaped => return (TokenKind::Text, at + 1),
            _ => escaped = letter == '\\' && !escaped,
        }
    }
    (TokenKind::OpenText, rest.len())
}

/// Returns the length of a number. A point belongs to it only if a digit follows: `1..4` contains two numbers.
fn number(rest: &str) -> usize {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(rest);
    match rest[whole..].strip_prefix('.').map(digits) {
        Some(fraction) if fraction > 0 => whole + 1 + fraction,
        _ => whole,
    }
}

/// Returns the length of a word: letters, digits and `_`; inside it also `-` and `.` before one of these, and `:` before a
/// letter.
fn word(rest: &str) -> usize {
    let mut letters = rest.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let inside = match letter {
            '-' | '.' => next.is_some_and(|next| next.is_alphanumeric() || next == '_'),
            ':' => next.is_some_and(|next| next.is_alphabetic() || next == '_'),
            _ => letter.is_alphanumeric() || letter == '_',
        };
        if !inside {
            return at;
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[&str]) {
        let tokens: Vec<&str> = lex(source).iter().map(|token| token.span.text(source)).collect();
        assert_eq!(tokens[..tokens.len() - 1], *expected, "{source:?}");
    }

    #[test]
    fn ranges_fractions_and_names_are_distinguished() {
        check("1..4 2.5% a..b", &["1", "..", "4", "2.5", "%", "a", "..", "b"]);
        check("late-reply concept:name a.b {a}", &["late-reply", "concept:name", "a.b", "{", "a", "}"]);
        check("x # to the end } \n\"a \\\" b\" -3", &["x", "\"a \\\" b\"", "-", "3"]);
        check("é支\u{301}", &["é支", "\u{301}"]);
    }

    #[test]
    fn an_open_text_ends_with_its_line() {
        let tokens = lex("kind \"a\nseed");
        assert_eq!(
            tokens.iter().map(|token| token.kind).collect::<Vec<_>>(),
            [TokenKind::Word, TokenKind::OpenText, TokenKind::Word, TokenKind::End]
        );
        assert_eq!(tokens.iter().map(|token| token.first).collect::<Vec<_>>(), [true, false, true, true]);
    }
}
