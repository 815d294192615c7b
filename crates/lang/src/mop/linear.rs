// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses formulae of linear temporal logic. Unary operators bind most tightly, then `and`, `xor`, `or`; `U`, `R`, `S`, `=>` and `<=>` are on
//! one level and need parentheses between them.

use gnomon_core::{Diagnostic, Span};
use gnomon_ir::{Linear, LinearBinary, LinearUnary};

use super::{EndOfBody, after_body, name, no_body};
use crate::syntax::subtree::{both, chain, over};
use crate::syntax::{Cursor, Subtree, Token};

type Parsed = Option<Subtree<Linear>>;

/// Words that are operators or constants. An event of such a name is written in quotes.
pub(super) const WORDS: [&str; 11] = ["true", "false", "not", "and", "xor", "or", "o", "U", "W", "R", "S"];

/// Reads a formula.
pub(super) fn formula(cursor: &mut Cursor<'_>, ends: EndOfBody) -> Option<Linear> {
    if cursor.at_end() || ends(cursor) {
        return no_body(cursor, "write a formula, for example `[](next => (*) hasnext)`");
    }
    let mut parser = LinearParser { cursor, ends };
    let whole = parser.relation()?;
    if !parser.at_end() {
        return after_body(parser.cursor, "an operator or the end of the body");
    }
    Some(whole.node)
}

struct LinearParser<'c, 's> {
    cursor: &'c mut Cursor<'s>,
    ends: EndOfBody,
}

impl LinearParser<'_, '_> {
    fn at_end(&self) -> bool {
        self.cursor.at_end() || (self.ends)(self.cursor)
    }

    /// Reads operands with at most one of `U W R S => <=>` between them.
    fn relation(&mut self) -> Parsed {
        let is_allowed = self.cursor.enter();
        let read = if is_allowed { self.relation_inside() } else { None };
        self.cursor.leave();
        read
    }

    fn relation_inside(&mut self) -> Parsed {
        let mut left = self.connected(Level::Or)?;
        let mut first: Option<Span> = None;
        while let Some((operator, length)) = self.relation_sign().filter(|_| !self.at_end()) {
            let start = self.cursor.peek().span;
            self.cursor.skip_to(self.cursor.index() + length);
            let sign = self.cursor.since(start);
            if let Some(before) = first {
                return self.chained(before, sign);
            }
            first = Some(sign);
            self.cursor.count_node();
            let right = self.connected(Level::Or)?;
            left = both(self.cursor, left, right, |left, right| {
                Linear::Binary(operator, Box::new(left), Box::new(right))
            })?;
        }
        Some(left)
    }

    fn chained<T>(&mut self, before: Span, sign: Span) -> Option<T> {
        let (one, other) = (self.cursor.slice(before), self.cursor.slice(sign));
        self.cursor.report(
            Diagnostic::error("G0162", sign, format!("`{other}` follows `{one}` without parentheses"))
                .also(before, "both bind equally tightly")
                .help(format!("write parentheses, as in `a {one} (b {other} c)`")),
        );
        None
    }

    /// Returns the operator at the current token, and its number of tokens.
    fn relation_sign(&self) -> Option<(LinearBinary, usize)> {
        let dual = self.cursor.is("~");
        Some(match (dual, if dual { self.cursor.nth_word(1)? } else { self.cursor.symbol_or_word()? }) {
            (false, "U") => (LinearBinary::Until, 1),
            (false, "W") => (LinearBinary::WeakUntil, 1),
            (false, "R") => (LinearBinary::Release, 1),
            (false, "S") => (LinearBinary::Since, 1),
            (false, "=>" | "->") => (LinearBinary::Implies, 1),
            (false, "<=>" | "<->") => (LinearBinary::Iff, 1),
            (true, "U") => (LinearBinary::DualUntil, 2),
            (true, "S") => (LinearBinary::DualSince, 2),
            _ => return None,
        })
    }

    fn connected(&mut self, level: Level) -> Parsed {
        let next = match level {
            Level::Or => Some(Level::Xor),
            Level::Xor => Some(Level::And),
            Level::And => None,
        };
        let mut parts = Vec::new();
        loop {
            parts.push(match next {
                Some(next) => self.connected(next)?,
                None => self.unary()?,
            });
            let sign = self.cursor.symbol_or_word().filter(|_| !self.at_end());
            let is_own = match level {
                Level::Or => matches!(sign, Some("or" | "||")),
                Level::Xor => sign == Some("xor"),
                Level::And => matches!(sign, Some("and" | "&&")),
            };
            if !is_own {
                return match level {
                    Level::Or => chain(self.cursor, parts, |left, right| Linear::Binary(LinearBinary::Or, left, right)),
                    Level::Xor => {
                        chain(self.cursor, parts, |left, right| Linear::Binary(LinearBinary::Xor, left, right))
                    }
                    Level::And => {
                        chain(self.cursor, parts, |left, right| Linear::Binary(LinearBinary::And, left, right))
                    }
                };
            }
            self.cursor.bump();
            self.cursor.count_node();
        }
    }

    fn unary(&mut self) -> Parsed {
        let mut operators: Vec<(Option<LinearUnary>, Span)> = Vec::new();
        while let Some((operator, length)) = self.unary_sign().filter(|_| !self.at_end()) {
            let start = self.cursor.peek().span;
            self.cursor.skip_to(self.cursor.index() + length);
            operators.push((operator, self.cursor.since(start)));
            self.cursor.count_node();
        }
        let mut of = self.operand()?;
        for (operator, sign) in operators.into_iter().rev() {
            let span = sign.to(of.span);
            of = over(self.cursor, of, span, |of| match operator {
                Some(operator) => Linear::Unary(operator, Box::new(of)),
                None => Linear::Not(Box::new(of)),
            })?;
        }
        Some(of)
    }

    /// Returns the operator at the current token, and its number of tokens; `None` inside is a negation.
    fn unary_sign(&self) -> Option<(Option<LinearUnary>, usize)> {
        let cursor = &*self.cursor;
        let is = |n: usize, signs: &[&str]| signs.iter().enumerate().all(|(at, sign)| cursor.nth_is(n + at, sign));
        let own = |operator| Some(operator);
        Some(match () {
            () if cursor.is("!") || cursor.word() == Some("not") => (None, 1),
            () if cursor.word() == Some("o") => (own(LinearUnary::Next), 1),
            () if is(0, &["[", "]"]) => (own(LinearUnary::Always), 2),
            () if is(0, &["<", ">"]) => (own(LinearUnary::Eventually), 2),
            () if is(0, &["(", "*", ")"]) => (own(LinearUnary::Previous), 3),
            () if is(0, &["<", "*", ">"]) => (own(LinearUnary::Once), 3),
            () if is(0, &["[", "*", "]"]) => (own(LinearUnary::Historically), 3),
            () if is(0, &["~", "(", "*", ")"]) => (own(LinearUnary::WeakPrevious), 4),
            () if is(0, &["~"]) && cursor.nth_word(1) == Some("o") => (own(LinearUnary::WeakNext), 2),
            () => return None,
        })
    }

    fn operand(&mut self) -> Parsed {
        self.cursor.count_node();
        let token = self.cursor.peek();
        if self.at_end() {
            return self.cursor.expected("an event").none();
        }
        match (token.kind, self.cursor.symbol_or_word()) {
            (Token::Symbol("("), _) => {
                self.cursor.bump();
                let inner = self.relation()?;
                if !self.at_end() && !self.cursor.is(")") {
                    return after_body(self.cursor, "an operator or `)`");
                }
                let end = self.cursor.close(token.span, ")")?;
                Some(Subtree { span: token.span.to(end), ..inner })
            }
            (Token::Symbol("~"), _) => {
                let help = "`~` forms the duals `~U`, `~S`, `~o` and `~(*)`; negation is `!`";
                self.cursor.expected_help("an event", help).none()
            }
            (_, Some(word @ ("true" | "false"))) => {
                self.cursor.bump();
                Some(Subtree::leaf(Linear::Constant(word == "true"), token.span))
            }
            (Token::Word, Some(word)) if WORDS.contains(&word) => {
                let edit = |word: &str| format!("\"{word}\"");
                self.cursor.expected_edit("an event", "an event of that name must be in quotes", edit).none()
            }
            _ => match name(self.cursor) {
                Some(name) => Some(Subtree::leaf(Linear::Event(name), token.span)),
                None => self.cursor.expected("an event").none(),
            },
        }
    }
}

/// Connectives, loosest first.
#[derive(Clone, Copy)]
enum Level {
    Or,
    Xor,
    And,
}
