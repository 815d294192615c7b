// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae as written, and one parser for all languages of formulae.
//!
//! All of them have constants, atoms, negation and the four connectives; a language adds its own forms
//! ([`LanguageForm`]) and operators ([`Grammar`]). [`climb`] reads operators by precedence climbing. For `a && b -> c
//! || d` and the loosest level [`Precedence::Iff`]:
//!
//! 1. It reads the operand `a` and meets `&&`, which binds more tightly than `<->`. [`chain`] reads all operands of
//!    `&&`, each with a nested `climb` that stops at anything as loose as `&&`: the tree is `a && b`.
//! 2. It meets `->`, and a nested `climb` at the level of `->` reads `c || d`. The result is `(a && b) -> (c || d)`.
//!
//! A part that cannot be understood is reported and becomes [`SyntaxKind::Missing`], so that one run finds all errors.
//! A tree with a missing part lowers to nothing ([`Lower::formula`]).
//!
//! Depth and size of a tree are measured on the formula that it *lowers* to: `Becomes(c)` of ALBERT stands for
//! `c && Y !c`, so nested ones would double the formula at every level without this count ([`LanguageForm::doubles`]).

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::formula::{self, Connective, Formula};

use super::atom::{AtomSyntax, atom};
use super::cursor::{Cursor, MAX_DEPTH, MAX_NODES};
use super::lexer::Token;
use super::subtree::join;

/// A formula and its position. In a language with values it may be a value, because parentheses hold either.
#[derive(Debug)]
pub(crate) struct Syntax<F> {
    /// Boxed, to keep the stack frames of the recursive parser small.
    pub(crate) kind: Box<SyntaxKind<F>>,
    /// The position without the parentheses around it.
    pub(crate) span: Span,
    /// The position with the parentheses around it.
    pub(crate) outer: Span,
    /// The height of the formula that it lowers to.
    depth: u32,
    /// The number of nodes of the formula that it lowers to.
    size: u32,
}

/// The forms of a formula.
#[derive(Debug)]
pub(crate) enum SyntaxKind<F> {
    /// A part that could not be understood; it has been reported.
    Missing,
    Constant(bool),
    Atom(AtomSyntax),
    Not(Syntax<F>),
    Connective(Connective, Syntax<F>, Syntax<F>),
    /// A form that only this language has.
    Own(F),
}

/// The forms that only one language has.
pub(crate) trait LanguageForm: Sized {
    /// Returns the formulae and values in it.
    fn parts(&self) -> Vec<&Syntax<Self>>;

    /// Returns true if it lowers to a formula three levels high in which its first part occurs twice.
    fn doubles(&self) -> bool {
        false
    }
}

impl<F: LanguageForm> Syntax<F> {
    /// Creates the placeholder for a formula that is missing.
    pub(crate) fn missing(span: Span) -> Self {
        Syntax::new(SyntaxKind::Missing, span)
    }

    /// Creates a formula; its depth and size follow from its parts.
    pub(crate) fn new(kind: SyntaxKind<F>, span: Span) -> Self {
        let (parts, doubles) = match &kind {
            SyntaxKind::Missing | SyntaxKind::Constant(_) | SyntaxKind::Atom(_) => (vec![], false),
            SyntaxKind::Not(of) => (vec![of], false),
            SyntaxKind::Connective(_, left, right) => (vec![left, right], false),
            SyntaxKind::Own(form) => (form.parts(), form.doubles()),
        };
        let levels = if doubles { 3 } else { 1 };
        let again = parts.first().filter(|_| doubles);
        let depth = parts.iter().map(|part| part.depth).max().unwrap_or(0) + levels;
        let size = parts.iter().chain(again).map(|part| part.size).fold(levels, u32::saturating_add);
        Syntax { kind: Box::new(kind), span, outer: span, depth, size }
    }

    /// Returns the form that only this language has, if it is one.
    pub(crate) fn own(&self) -> Option<&F> {
        match self.kind.as_ref() {
            SyntaxKind::Own(form) => Some(form),
            _ => None,
        }
    }
}

/// Binding strength of operators, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precedence {
    Iff,
    Implies,
    Or,
    And,
    /// `U`, `S` and the like
    Temporal,
    Compare,
    Sum,
    Product,
    Operand,
}

impl From<Connective> for Precedence {
    fn from(connective: Connective) -> Precedence {
        match connective {
            Connective::Iff => Precedence::Iff,
            Connective::Implies => Precedence::Implies,
            Connective::Or => Precedence::Or,
            Connective::And => Precedence::And,
        }
    }
}

/// The precedence of an operator between formulae, and its right spelling if it is spelt differently.
pub(crate) type Infix = (Precedence, Option<&'static str>);

/// A language of formulae.
pub(crate) trait Grammar {
    /// The forms that only this language has.
    type Form: LanguageForm;

    /// The name of an operand in messages.
    const OPERAND: &'static str;

    /// The loosest operator in what a negation applies to.
    const NEGATED: Precedence;

    /// Symbols that end a formula in parentheses.
    const ENDS: &'static [&'static str];

    /// Reads an operand: a formula without infix operators outside of brackets.
    fn operand(&self, cursor: &mut Cursor<'_>) -> Syntax<Self::Form>;

    /// Returns true if the current token begins a formula.
    fn starts_operand(&self, cursor: &Cursor<'_>) -> bool;

    /// Returns the infix operator at the current token. `left` is the formula before it, where that is known.
    fn infix(&self, cursor: &Cursor<'_>, left: Option<&Syntax<Self::Form>>) -> Option<Infix>;

    /// Reads an operator of this precedence, which is not a connective, and its right operand.
    fn apply(&self, cursor: &mut Cursor<'_>, level: Precedence, left: Syntax<Self::Form>) -> Syntax<Self::Form>;

    /// Returns advice about a token that begins no formula.
    fn advice(&self, token: Token, text: &str) -> Option<String>;

    /// Returns advice about a token that belongs to no formula.
    fn joins(&self, token: Token) -> String;

    /// Adds advice to the diagnostic about a formula right behind another one; the current token begins it.
    fn separated(&self, cursor: &Cursor<'_>, diagnostic: Diagnostic) -> Diagnostic {
        let token = cursor.peek();
        diagnostic.edit("join the two, for example with `&&`", token.span, format!("&& {}", cursor.text(token)))
    }
}

/// Reads the whole text as one formula.
pub(crate) fn whole<G: Grammar>(cursor: &mut Cursor<'_>, grammar: &G) -> Syntax<G::Form> {
    let syntax = climb(cursor, grammar, Precedence::Iff);
    leftovers(cursor, grammar, &[]);
    syntax
}

/// Reads operands and the operators between them that bind at least as tightly as `loosest`. One function serves all
/// levels, so that a pair of parentheses costs few stack frames.
pub(crate) fn climb<G: Grammar>(cursor: &mut Cursor<'_>, grammar: &G, loosest: Precedence) -> Syntax<G::Form> {
    if !cursor.enter() {
        cursor.leave();
        return Syntax::missing(cursor.peek().span);
    }
    let mut left = grammar.operand(cursor);
    while let Some((level, meant)) = grammar.infix(cursor, Some(&left)).filter(|(level, _)| *level >= loosest) {
        left = match level {
            Precedence::Iff | Precedence::Implies => {
                cursor.take(meant);
                let connective = if level == Precedence::Iff { Connective::Iff } else { Connective::Implies };
                let right = climb(cursor, grammar, Precedence::Implies);
                both(cursor, connective, left, right)
            }
            Precedence::Or => chain(cursor, grammar, left, level, (Precedence::And, Connective::Or)),
            Precedence::And => chain(cursor, grammar, left, level, (Precedence::Temporal, Connective::And)),
            _ => grammar.apply(cursor, level, left),
        };
    }
    cursor.leave();
    left
}

/// Reads the operands of `f || g || ...` or `f && g && ...`; `tighter` is the loosest level inside an operand.
fn chain<G: Grammar>(
    cursor: &mut Cursor<'_>,
    grammar: &G,
    first: Syntax<G::Form>,
    level: Precedence,
    (tighter, connective): (Precedence, Connective),
) -> Syntax<G::Form> {
    let span = first.span;
    let mut operands = vec![first];
    while let Some((_, meant)) = grammar.infix(cursor, None).filter(|(found, _)| *found == level) {
        cursor.take(meant);
        operands.push(climb(cursor, grammar, tighter));
    }
    join(operands, &mut |left, right| both(cursor, connective, left, right)).unwrap_or_else(|| Syntax::missing(span))
}

fn both<F: LanguageForm>(
    cursor: &mut Cursor<'_>,
    connective: Connective,
    left: Syntax<F>,
    right: Syntax<F>,
) -> Syntax<F> {
    let span = left.outer.to(right.outer);
    node(cursor, SyntaxKind::Connective(connective, left, right), span)
}

/// Creates a node. If the tree becomes too high or too large, that is reported and the node is missing.
pub(crate) fn node<F: LanguageForm>(cursor: &mut Cursor<'_>, kind: SyntaxKind<F>, span: Span) -> Syntax<F> {
    cursor.count_node();
    let syntax = Syntax::new(kind, span);
    if syntax.depth > MAX_DEPTH {
        cursor.too_deep();
    } else if syntax.size > MAX_NODES {
        cursor.too_large();
    } else {
        return syntax;
    }
    Syntax::missing(span)
}

/// Reads `!f`; another sign or word for the negation is reported.
pub(crate) fn not<G: Grammar>(cursor: &mut Cursor<'_>, grammar: &G) -> Syntax<G::Form> {
    let start = cursor.take((!cursor.is("!")).then_some("!"));
    let of = climb(cursor, grammar, G::NEGATED);
    let span = start.to(of.outer);
    node(cursor, SyntaxKind::Not(of), span)
}

/// Reads `(f)`.
pub(crate) fn parenthesised<G: Grammar>(cursor: &mut Cursor<'_>, grammar: &G) -> Syntax<G::Form> {
    let opening = cursor.bump().span;
    let mut inner = climb(cursor, grammar, Precedence::Iff);
    leftovers(cursor, grammar, G::ENDS);
    let end = cursor.close(opening, ")").unwrap_or(inner.outer);
    inner.outer = opening.to(end);
    inner
}

/// Takes the current token, `true` or `false`.
pub(crate) fn constant<F: LanguageForm>(cursor: &mut Cursor<'_>, value: bool) -> Syntax<F> {
    let span = cursor.bump().span;
    node(cursor, SyntaxKind::Constant(value), span)
}

/// Reads an atom, which the current token begins.
pub(crate) fn event<F: LanguageForm>(cursor: &mut Cursor<'_>) -> Syntax<F> {
    let start = cursor.peek().span;
    match atom(cursor) {
        Some(atom) => {
            let span = atom.span;
            node(cursor, SyntaxKind::Atom(atom), span)
        }
        None => Syntax::missing(start),
    }
}

/// Reports that the current token begins no formula. Takes it if no enclosing part can use it.
#[inline(never)]
pub(crate) fn missing<G: Grammar>(cursor: &mut Cursor<'_>, grammar: &G) -> Syntax<G::Form> {
    let token = cursor.peek();
    let text = cursor.text(token);
    let help = match token.kind {
        Token::Symbol("&&" | "||" | "->" | "<->" | "=>" | "&" | "|") => {
            Some(format!("write a formula on both sides of `{text}`"))
        }
        kind => grammar.advice(kind, text),
    };
    match help {
        Some(help) => cursor.expected_help(G::OPERAND, help),
        None => cursor.expected(G::OPERAND),
    };
    if matches!(token.kind, Token::Number | Token::Unknown) {
        cursor.bump();
    }
    Syntax::missing(token.span)
}

/// Reads on to one of `ends`, where a formula should have ended, and reports what stands in between: once, until an
/// operator shows that the parser understands the text again.
pub(crate) fn leftovers<G: Grammar>(cursor: &mut Cursor<'_>, grammar: &G, ends: &[&str]) {
    let mut lost = cursor.follows_error();
    while !cursor.at_end() && !ends.iter().any(|end| cursor.is(end)) {
        if grammar.starts_operand(cursor) {
            if !lost {
                no_operator(cursor, grammar);
            }
            lost = true;
            climb(cursor, grammar, Precedence::Iff);
        } else if grammar.infix(cursor, None).is_some() {
            lost = false;
            cursor.bump();
            climb(cursor, grammar, Precedence::Iff);
        } else {
            if !lost {
                stray(cursor, grammar);
            }
            lost |= !cursor.is(")");
            cursor.bump();
        }
    }
}

/// Reports that the current token begins a formula right behind another one.
#[inline(never)]
fn no_operator<G: Grammar>(cursor: &mut Cursor<'_>, grammar: &G) {
    let token = cursor.peek();
    let message = format!("there is no operator before {}", cursor.describe(token));
    let diagnostic = Diagnostic::error("G0106", token.span, message).label("the formula before this is complete");
    cursor.report_once(grammar.separated(cursor, diagnostic));
}

/// Reports that the current token belongs to no formula.
#[inline(never)]
fn stray<G: Grammar>(cursor: &mut Cursor<'_>, grammar: &G) {
    let token = cursor.peek();
    let diagnostic = cursor.unexpected("an operator");
    cursor.report_once(match token.kind {
        _ if cursor.is_closing_bracket() => return cursor.closes_nothing(),
        Token::Unknown => diagnostic,
        Token::Symbol(mark @ (";" | ".")) => {
            diagnostic.edit(format!("leave out `{mark}`: a property is one formula"), token.span, "")
        }
        kind => diagnostic.help(grammar.joins(kind)),
    });
}

/// Lowers formulae as written to the shared [`Formula`].
pub(crate) trait Lower<F> {
    /// Lowers an atom. Returns `None` after reporting that it cannot stand there.
    fn atom(&mut self, atom: &AtomSyntax) -> Option<formula::FormulaKind>;

    /// Lowers a form that only this language has. Returns `None` after reporting an error.
    fn own(&mut self, form: &F, syntax: &Syntax<F>) -> Option<Formula>;

    /// Lowers a tree; `None` if a part of it is missing, which has been reported.
    fn formula(&mut self, syntax: &Syntax<F>) -> Option<Formula> {
        let kind = match syntax.kind.as_ref() {
            SyntaxKind::Missing => return None,
            SyntaxKind::Constant(value) => formula::FormulaKind::Constant(*value),
            SyntaxKind::Atom(atom) => self.atom(atom)?,
            SyntaxKind::Not(of) => formula::FormulaKind::Not(Box::new(self.formula(of)?)),
            SyntaxKind::Connective(connective, left, right) => {
                // Both sides are lowered before either is given up: each may report errors.
                let (left, right) = (self.formula(left), self.formula(right));
                formula::FormulaKind::Connective(*connective, Box::new(left?), Box::new(right?))
            }
            SyntaxKind::Own(form) => return self.own(form, syntax),
        };
        Some(Formula { kind, span: syntax.span })
    }
}

#[cfg(test)]
mod tests {
    use gnomon_ir::spec::Body;

    /// Reads and prints connectives in two languages.
    #[test]
    fn connectives_bind_alike_in_all_languages() {
        for (formula, expected) in [
            ("a && b || c -> d -> e", "a && b || c -> d -> e"),
            ("(a -> b) -> c", "(a -> b) -> c"),
            ("a <-> (b <-> c)", "a <-> (b <-> c)"),
            ("!(a || b) && ((c))", "!(a || b) && c"),
        ] {
            let (spec, found) = crate::parse(&format!("mtl p {{ {formula} }}"));
            assert_eq!(found, []);
            assert_eq!(crate::mtl::print(&spec.properties[0]), format!("mtl p {{ {expected} }}\n"));
            let events = |text: &str| {
                text.split_inclusive(|letter: char| letter.is_alphabetic())
                    .map(|part| match part.char_indices().next_back().filter(|(_, last)| last.is_alphabetic()) {
                        Some((at, letter)) => format!("{}onEvent({letter})", &part[..at]),
                        None => part.to_owned(),
                    })
                    .collect::<String>()
            };
            let (spec, found) = crate::parse(&format!("albert p {{ {} }}", events(formula)));
            assert_eq!(found, []);
            assert!(matches!(spec.properties[0].body, Body::Formula(_)));
            assert_eq!(crate::albert::print(&spec.properties[0]), format!("albert p {{ {} }}\n", events(expected)));
        }
    }

    #[test]
    fn two_formulae_in_a_row_are_reported_once() {
        for source in ["mtl p { a b c }", "albert p { onEvent(a) onEvent(b) onEvent(c) }"] {
            let (_, found) = crate::parse(source);
            assert_eq!(found.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(), ["G0106"], "{source}");
        }
    }
}
