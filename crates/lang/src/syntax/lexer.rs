// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lexer that spec files and all languages share.
//!
//! It never fails. A character without a meaning becomes [`Token::Unknown`], and the parser that meets it reports it
//! with the advice that fits there. The spellings of papers (`¬`, `≤`, ...) become the ASCII symbols they stand for, so
//! that parsers know one spelling only; [`SpannedToken::span`] still gives the text as written.
//!
//! Words are the hard part, because names of real logs contain marks: `late-reply`, `Map.create` and `concept:name` are
//! one word each. A mark belongs to a word only if a letter or digit follows it directly, so `a->b`, `a. b` and `user:
//! x` are several tokens. A parser for which `n-1` is a subtraction, or `x.` a variable and its dot, cuts the word with
//! [`Cursor::take_front`](super::cursor::Cursor::take_front).

use gnomon_core::diagnostic::Span;

/// A token and its position in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SpannedToken {
    pub(crate) kind: Token,
    pub(crate) span: Span,
}

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// A name or keyword.
    Word,
    /// A text in quotes.
    Text,
    /// A text whose closing quote is missing: it ends with its line.
    OpenText,
    /// A number without sign or unit.
    Number,
    /// An operator or bracket, in its ASCII spelling.
    Symbol(&'static str),
    /// A character with no meaning.
    Unknown,
    /// The end of the source, or of the part being read.
    End,
}

/// Operators and brackets; where one begins with another, the longer comes first.
const SYMBOLS: &[&str] = &[
    "<->", "<=>", "&&", "||", "->", "=>", "==", "=<", "!=", "<=", ">=", "(", ")", "[", "]", "{", "}", ",", ".", ":",
    ";", "@", "^", "/", "#", "|", "&", "=", "<", ">", "!", "~", "$", "-", "+", "*", "%",
];

/// Other spellings of symbols.
const SPELLINGS: &[(&str, &[&str])] = &[
    ("!=", &["!==", "≠"]),
    ("==", &["==="]),
    ("!", &["¬"]),
    ("&&", &["∧"]),
    ("||", &["∨"]),
    ("->", &["→", "⇒"]),
    ("<->", &["↔", "⇔"]),
    ("<=", &["≤", "⩽"]),
    (">=", &["≥", "⩾"]),
    ("true", &["⊤"]),
    ("false", &["⊥"]),
    ("inf", &["∞"]),
    ("-", &["−"]),
];

/// Returns the symbol that a text begins with, and the length of its spelling there.
fn symbol(text: &str) -> Option<(&'static str, usize)> {
    let respelt = SPELLINGS.iter().flat_map(|(symbol, others)| others.iter().map(move |spelling| (*symbol, *spelling)));
    let plain = SYMBOLS.iter().map(|symbol| (*symbol, *symbol));
    // The other spellings come first: `!==` and `===` begin with symbols.
    let (symbol, spelling) = respelt.chain(plain).find(|(_, spelling)| text.starts_with(spelling))?;
    Some((symbol, spelling.len()))
}

/// Rules for words and comments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LexerMode {
    /// The rules of spec files: `late-reply`, `Map.create` and `concept:name` are words.
    Plain,
    /// The rules of mCRL2: words have no marks inside, because `a.b` is two actions and `n-1` a difference; `%` begins
    /// a comment too.
    Marked,
}

/// Splits a source into tokens, beginning at byte `start`; the last token is [`Token::End`].
pub(crate) fn lex_from(source: &str, start: usize, mode: LexerMode) -> Vec<SpannedToken> {
    let mut tokens: Vec<SpannedToken> = Vec::new();
    // The number of open braces, from that of a `ccsl` block on.
    let mut clock_braces = 0_u32;
    let mut at = start;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let (kind, length) = if is_space(first) {
            at += first.len_utf8();
            continue;
        } else if (first == '#' && (clock_braces == 0 || is_first_on_line(&source[..at])))
            || rest.starts_with("//")
            || (first == '%' && mode == LexerMode::Marked)
        {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if first == '"' {
            text(rest)
        } else if first.is_ascii_digit() {
            (Token::Number, number(rest))
        } else if starts_word(first) {
            (Token::Word, if mode == LexerMode::Plain { word(rest) } else { plain_word(rest) })
        } else if let Some((symbol, length)) = symbol(rest) {
            (Token::Symbol(symbol), length)
        } else {
            (Token::Unknown, first.len_utf8())
        };
        match kind {
            Token::Symbol("{") if clock_braces > 0 || opens_clocks(source, &tokens) => clock_braces += 1,
            Token::Symbol("}") => clock_braces = clock_braces.saturating_sub(1),
            _ => {}
        }
        tokens.push(SpannedToken { kind, span: Span::new(at, at + length) });
        at += length;
    }
    tokens.push(SpannedToken { kind: Token::End, span: Span::new(source.len(), source.len()) });
    tokens
}

/// Returns true if only spaces are between the beginning of the line and the end of the text.
fn is_first_on_line(before: &str) -> bool {
    before.chars().rev().take_while(|character| *character != '\n').all(is_space)
}

/// Returns true if a brace behind these tokens opens a `ccsl` block, in which `#` is an operator: `ccsl name "title" (options) {`.
fn opens_clocks(source: &str, tokens: &[SpannedToken]) -> bool {
    let mut before = tokens.iter().rev().peekable();
    if before.next_if(|token| token.kind == Token::Symbol(")")).is_some() {
        while before.next_if(|token| matches!(token.kind, Token::Word | Token::Symbol(","))).is_some() {}
        if before.next_if(|token| token.kind == Token::Symbol("(")).is_none() {
            return false;
        }
    }
    // The name, and a title behind it.
    for _ in 0..2 {
        let is_block = |token: &&SpannedToken| token.kind == Token::Word && token.span.text(source) == "ccsl";
        if before.next_if(|token| matches!(token.kind, Token::Word | Token::Text)).is_some()
            && before.peek().is_some_and(is_block)
        {
            return true;
        }
    }
    false
}

/// Returns true if a text is one word, so that it needs no quotes to be read as a name.
pub(crate) fn is_word(text: &str) -> bool {
    text.chars().next().is_some_and(starts_word) && word(text) == text.len()
}

/// Returns true if a text is one number.
pub(crate) fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit()) && number(text) == text.len()
}

/// Returns true if a word is one token whatever follows it. `U_` is not: before a bracket it is an operator and the
/// mark of its subscript.
pub(crate) fn is_whole(word: &str) -> bool {
    !is_subscripted(word, "(")
}

fn is_space(character: char) -> bool {
    // The byte-order mark and the zero-width space are invisible, so an error about them would be confusing.
    character.is_whitespace() || matches!(character, '\u{feff}' | '\u{200b}')
}

fn starts_word(character: char) -> bool {
    character.is_alphabetic() || character == '_'
}

fn continues_word(character: char) -> bool {
    // Superscript digits are numeric too, but belong to no name.
    character.is_alphabetic()
        || character == '_'
        || character.is_ascii_digit()
        || (character.is_numeric() && !matches!(character, '²' | '³' | '¹' | '\u{2070}'..='\u{209f}'))
}

/// Returns the length of the word that the text begins with.
fn word(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    let mut end = 0;
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|&(_, next)| next);
        let inside = match character {
            // `late-reply` and `UnsafeMapIterator.create` are names; in `a->b` and `a. b` the mark stands alone.
            '-' | '.' => at > 0 && next.is_some_and(continues_word),
            // `concept:name` is a name; in `user:5` the colon stands alone.
            ':' => at > 0 && next.is_some_and(starts_word),
            _ => continues_word(character),
        };
        if !inside {
            break;
        }
        end = at + character.len_utf8();
    }
    if is_subscripted(&text[..end], &text[end..]) { end - 1 } else { end }
}

/// Returns the length of the word without marks that the text begins with.
fn plain_word(text: &str) -> usize {
    text.find(|character| !continues_word(character)).unwrap_or(text.len())
}

/// Returns true if a text is one word without marks.
pub(crate) fn is_plain_word(text: &str) -> bool {
    text.chars().next().is_some_and(starts_word) && plain_word(text) == text.len()
}

/// Returns true if a word is an operator with the mark of its subscript: `U_` in `U_{(0,10)}`, `m_` in `C^10m_{<=3}`.
fn is_subscripted(word: &str, rest: &str) -> bool {
    let Some(letter) = word.strip_suffix('_') else { return false };
    let mut characters = letter.chars();
    let (Some(letter), None) = (characters.next(), characters.next()) else { return false };
    match rest.chars().next() {
        Some('{') => letter != '_',
        Some('(' | '[' | '=' | '<' | '>' | '≤' | '≥' | '⩽' | '⩾') => {
            "GFHPXYUSWRCMD".contains(letter) || !letter.is_ascii()
        }
        _ => false,
    }
}

/// Returns the length of the number that the text begins with.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = bytes.get(end + 1 + sign..).map_or(0, |_| digits(end + 1 + sign));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

/// Returns the kind and length of the text in quotes that the source begins with.
fn text(source: &str) -> (Token, usize) {
    let mut escaped = false;
    for (at, character) in source.char_indices().skip(1) {
        match character {
            '\n' => return (Token::OpenText, source[..at].trim_end_matches('\r').len()),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return (Token::Text, at + 1),
            _ => {}
        }
    }
    (Token::OpenText, source.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(source: &str) -> Vec<SpannedToken> {
        lex_from(source, 0, LexerMode::Plain)
    }

    fn check(source: &str, expected: &[&str]) {
        let tokens = lex(source);
        let texts: Vec<&str> = tokens.iter().map(|token| token.span.text(source)).collect();
        assert_eq!(texts[..texts.len() - 1], *expected, "{source}");
    }

    #[test]
    fn names_take_marks_only_inside() {
        check("late-reply a->b a - b", &["late-reply", "a", "->", "b", "a", "-", "b"]);
        check("a.b. c. d", &["a.b", ".", "c", ".", "d"]);
        check("concept:name user:5 user: x", &["concept:name", "user", ":", "5", "user", ":", "x"]);
        check("übung _x1", &["übung", "_x1"]);
    }

    #[test]
    fn numbers_end_before_units_and_stops() {
        check(
            "10s 2.5ms start@3. b@4.5. c",
            &["10", "s", "2.5", "ms", "start", "@", "3", ".", "b", "@", "4.5", ".", "c"],
        );
        check("1e3 1e 2E-7", &["1e3", "1", "e", "2E-7"]);
    }

    #[test]
    fn subscripts_stand_alone() {
        check("U_{(0,10)}", &["U", "_", "{", "(", "0", ",", "10", ")", "}"]);
        check("U_(0,10) a_(1) C_<=3", &["U", "_", "(", "0", ",", "10", ")", "a_", "(", "1", ")", "C", "_", "<=", "3"]);
        check("𝒰_{<3} 10m_{<=3}", &["𝒰", "_", "{", "<", "3", "}", "10", "m", "_", "{", "<=", "3", "}"]);
        check("X⁶", &["X", "⁶"]);
    }

    #[test]
    fn marks_stand_alone_in_the_other_notation() {
        let source = "a.b n-1 x:Int % c.d\ne // f";
        let tokens = lex_from(source, 4, LexerMode::Marked);
        let texts: Vec<&str> = tokens.iter().map(|token| token.span.text(source)).collect();
        assert_eq!(texts, ["n", "-", "1", "x", ":", "Int", "e", ""]);
    }

    #[test]
    fn comments_and_texts() {
        check("a # b\n// c\nd", &["a", "d"]);
        check(r#""a # b" "c\"d" e"#, &[r#""a # b""#, r#""c\"d""#, "e"]);
        check("\"open\r\nb", &["\"open", "b"]);
        assert_eq!(lex("\"open")[0].kind, Token::OpenText);
        assert_eq!(lex("\"open\\")[0].kind, Token::OpenText);
    }

    #[test]
    fn symbols_have_one_meaning_in_both_spellings() {
        let kinds = |source: &str| lex(source).iter().map(|token| token.kind).collect::<Vec<_>>();
        assert_eq!(kinds("¬a ∧ b ∨ c → d ↔ e"), kinds("!a && b || c -> d <-> e"));
        assert_eq!(kinds("≤ ≥ ≠ ="), kinds("<= >= != ="));
    }
}
