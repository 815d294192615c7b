// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses extended regular expressions, and grammars, whose right sides are regular expressions without `&`, `~` and powers.

use gnomon_core::{Diagnostic, Span};
use gnomon_ir::{Ere, GrammarRule};

use super::{EndOfBody, after_body, name, no_body};
use crate::syntax::subtree::{chain, over};
use crate::syntax::{Cursor, Subtree, Token};

/// Limit on the exponent of `r^n`.
const MAX_POWER: u32 = 1_000;

/// Advice where an operand is missing.
const ADVICE: &str = "the word without events is written `epsilon`";

type Parsed = Option<Subtree<Ere>>;

/// The operators that are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operators {
    All,
    OfGrammars,
}

struct ExpressionParser<'c, 's> {
    cursor: &'c mut Cursor<'s>,
    operators: Operators,
    ends: EndOfBody,
}

/// Reads an expression.
pub(super) fn ere(cursor: &mut Cursor<'_>, ends: EndOfBody) -> Option<Ere> {
    if ends(cursor) || cursor.at_end() {
        return no_body(cursor, "write an expression, for example `create next* modify+ next`");
    }
    let mut parser = ExpressionParser { cursor, operators: Operators::All, ends };
    let whole = parser.alternatives()?;
    if !parser.at_end() {
        return after_body(parser.cursor, "an event, `|`, `&`, `*` or the end of the body");
    }
    Some(whole.node)
}

/// Reads rules, with commas between them.
pub(super) fn grammar(cursor: &mut Cursor<'_>, ends: EndOfBody) -> Option<Vec<GrammarRule>> {
    if ends(cursor) || cursor.at_end() {
        return no_body(cursor, "write rules, for example `S -> lock S unlock | epsilon`");
    }
    let mut parser = ExpressionParser { cursor, operators: Operators::OfGrammars, ends };
    let mut rules = Vec::new();
    loop {
        let left = if parser.at_end() { None } else { name(parser.cursor) };
        let Some(name) = left else {
            let help = "a rule begins with the nonterminal on its left: `S -> a S b | epsilon`";
            return parser.cursor.expected_help("a nonterminal", help).none();
        };
        if parser.cursor.eat("->").is_none() {
            if parser.cursor.is("=") || parser.cursor.is(":") {
                parser.cursor.respell("->");
            } else {
                return parser.cursor.expected_help("`->`", "rules are separated by commas").none();
            }
        }
        rules.push(GrammarRule { name, right: parser.alternatives()?.node });
        if parser.cursor.eat(",").is_none() || parser.at_end() {
            break;
        }
    }
    if !parser.at_end() {
        return after_body(parser.cursor, "a symbol, `|`, or `,` and the next rule");
    }
    Some(rules)
}

impl ExpressionParser<'_, '_> {
    fn at_end(&self) -> bool {
        self.cursor.at_end() || (self.ends)(self.cursor)
    }

    fn alternatives(&mut self) -> Parsed {
        let is_allowed = self.cursor.enter();
        let read = if is_allowed { self.alternatives_inside() } else { None };
        self.cursor.leave();
        read
    }

    fn alternatives_inside(&mut self) -> Parsed {
        let mut parts = vec![self.conjunction()?];
        while self.cursor.is("|") || self.cursor.is("||") {
            self.cursor.take(self.cursor.is("||").then_some("|"));
            parts.push(self.conjunction()?);
        }
        chain(self.cursor, parts, Ere::Or)
    }

    fn conjunction(&mut self) -> Parsed {
        let mut parts = vec![self.sequence()?];
        while self.cursor.is("&") || self.cursor.is("&&") {
            if self.operators == Operators::OfGrammars {
                return self.not_in_grammars();
            }
            self.cursor.take(self.cursor.is("&&").then_some("&"));
            parts.push(self.sequence()?);
        }
        chain(self.cursor, parts, Ere::And)
    }

    fn sequence(&mut self) -> Parsed {
        let mut parts = vec![self.complement()?];
        while self.begins_operand() {
            parts.push(self.complement()?);
        }
        chain(self.cursor, parts, Ere::Then)
    }

    fn begins_operand(&self) -> bool {
        !self.at_end()
            && matches!(self.cursor.peek().kind, Token::Word | Token::Text | Token::OpenText | Token::Symbol("(" | "~"))
    }

    /// Reads `~r`, which binds less tightly than `*`, or an operand.
    fn complement(&mut self) -> Parsed {
        let mut signs: Vec<Span> = Vec::new();
        while self.cursor.is("~") || self.cursor.is("!") {
            if self.operators == Operators::OfGrammars {
                return self.not_in_grammars();
            }
            let meant = self.cursor.is("!").then_some("~");
            signs.push(self.cursor.take(meant));
            self.cursor.count_node();
        }
        let mut of = self.repeated()?;
        for sign in signs.into_iter().rev() {
            let span = sign.to(of.span);
            of = over(self.cursor, of, span, |of| Ere::Not(Box::new(of)))?;
        }
        Some(of)
    }

    fn repeated(&mut self) -> Parsed {
        let mut of = self.operand()?;
        loop {
            let token = self.cursor.peek();
            let make: fn(Box<Ere>) -> Ere = match token.kind {
                Token::Symbol("*") => Ere::Star,
                Token::Symbol("+") => Ere::Plus,
                Token::Symbol("^") if self.operators == Operators::All => {
                    of = self.power(of)?;
                    continue;
                }
                Token::Unknown if self.operators == Operators::All && self.cursor.text(token) == "?" => Ere::Optional,
                _ => return Some(of),
            };
            self.cursor.bump();
            self.cursor.count_node();
            let span = of.span.to(token.span);
            of = over(self.cursor, of, span, |of| make(Box::new(of)))?;
        }
    }

    fn power(&mut self, of: Subtree<Ere>) -> Parsed {
        self.cursor.bump();
        self.cursor.count_node();
        let token = self.cursor.peek();
        if token.kind != Token::Number {
            return self.cursor.expected_help("a whole number", "`r^3` is r three times").none();
        }
        self.cursor.bump();
        let written = self.cursor.text(token);
        let Some(times) = written.parse().ok().filter(|times| *times <= MAX_POWER) else {
            self.cursor.report(
                Diagnostic::error("G0308", token.span, format!("`{written}` is not an exponent"))
                    .label(format!("a whole number up to {MAX_POWER} is expected"))
                    .help("`r^3` is r three times; `r*` is r any number of times"),
            );
            return None;
        };
        let span = of.span.to(token.span);
        over(self.cursor, of, span, |of| Ere::Power(Box::new(of), times))
    }

    fn operand(&mut self) -> Parsed {
        self.cursor.count_node();
        let token = self.cursor.peek();
        if self.at_end() {
            return self.cursor.expected_help(self.expected(), ADVICE).none();
        }
        match (token.kind, self.cursor.word()) {
            (Token::Symbol("("), _) => {
                self.cursor.bump();
                let inner = self.alternatives()?;
                if !self.at_end() && !self.cursor.is(")") {
                    return after_body(self.cursor, "an operator or `)`");
                }
                let end = self.cursor.close(token.span, ")")?;
                Some(Subtree { span: token.span.to(end), ..inner })
            }
            (_, Some("epsilon")) => {
                self.cursor.bump();
                Some(Subtree::leaf(Ere::Epsilon, token.span))
            }
            (_, Some("empty")) if self.operators == Operators::All => {
                self.cursor.bump();
                Some(Subtree::leaf(Ere::Empty, token.span))
            }
            _ => match name(self.cursor) {
                Some(name) => Some(Subtree::leaf(Ere::Letter(name), token.span)),
                None => self.cursor.expected_help(self.expected(), ADVICE).none(),
            },
        }
    }

    fn expected(&self) -> &'static str {
        if self.operators == Operators::All { "an event" } else { "an event or a nonterminal" }
    }

    fn not_in_grammars<T>(&mut self) -> Option<T> {
        let token = self.cursor.peek();
        let message = format!("`{}` is not an operator of grammars", self.cursor.text(token));
        let help = "right sides have juxtaposition, `|`, `*`, `+`, parentheses and `epsilon`";
        self.cursor.report_once(Diagnostic::error("G0101", token.span, message).help(help)).none()
    }
}
