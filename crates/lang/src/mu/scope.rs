// SPDX-License-Identifier: MIT OR Apache-2.0
//! The variables of a formula: those that quantifiers declare, `forall x,y:Nat, b:Bool.`, and those that `*` and
//! computed parameters stand for.

use std::borrow::Cow;
use std::collections::BTreeSet;

use gnomon_core::{Diagnostic, Span, Value};
use gnomon_ir::{Expression, ModalFormula, Sort, SortedVariable, Variable};

use super::KEYWORDS;
use crate::syntax::subtree::over;
use crate::syntax::{Cursor, Subtree, Token, Wildcards, declared_variable};

/// The variables in scope, and the source of new variables.
pub(super) struct NameScope {
    /// The variables that are quantified here, innermost last.
    variables: Vec<String>,
    wildcards: Wildcards,
    /// Every word of the formula, so that a new name is none of them.
    words: BTreeSet<String>,
    /// The number of new names that were tried.
    computed: u64,
}

impl NameScope {
    /// Creates the scope of the formula at the cursor, which is the whole text.
    pub(super) fn of(cursor: &Cursor<'_>) -> NameScope {
        let (mut stars, mut words, mut n) = (0, BTreeSet::new(), 0);
        while cursor.nth(n).kind != Token::End {
            stars += usize::from(is_wildcard(cursor, n));
            words.extend(cursor.nth_word(n).map(str::to_owned));
            n += 1;
        }
        NameScope { variables: Vec::new(), wildcards: Wildcards::new(stars), words, computed: 0 }
    }

    /// Adds a new variable for a `*`.
    pub(super) fn wildcard(&mut self, span: Span) -> Variable {
        self.wildcards.add(span)
    }

    /// Adds a new variable for a computed parameter.
    pub(super) fn computed(&mut self, span: Span) -> Variable {
        loop {
            self.computed += 1;
            let name = format!("arg{}", self.computed);
            if !self.words.contains(&name) {
                return Variable { name, span };
            }
        }
    }

    /// Returns the meaning of a word: a variable if a quantifier declares it, else a constant.
    pub(super) fn meaning(&self, word: &str, span: Span) -> Expression {
        if self.variables.iter().any(|name| name == word) {
            Expression::Variable(Variable { name: word.to_owned(), span })
        } else {
            Expression::Literal(Value::Text(Cow::Owned(word.to_owned())))
        }
    }

    /// Puts a quantifier for each `*` around the whole formula.
    pub(super) fn around(self, modal: ModalFormula) -> ModalFormula {
        self.wildcards.variables.into_iter().rev().fold(modal, |modal, variable| {
            let sorted = SortedVariable { variable, sort: Sort::Any, sort_name: Sort::Any.word().to_owned() };
            ModalFormula::Forall(sorted, Box::new(modal))
        })
    }

    /// Reads a quantifier, whose word is the current token, and with its variables in scope the formula behind it.
    pub(super) fn quantified<T>(
        &mut self,
        cursor: &mut Cursor<'_>,
        read: impl FnOnce(&mut Cursor<'_>, &mut Self) -> Option<Subtree<T>>,
    ) -> Option<(Vec<SortedVariable>, Subtree<T>)> {
        let variables = declared_variables(cursor);
        let known = self.variables.len();
        self.variables.extend(variables.iter().flatten().map(|sorted| sorted.variable.name.clone()));
        let of = read(cursor, self);
        self.variables.truncate(known);
        Some((variables?, of?))
    }
}

/// Puts quantified variables around a formula, one by one with `make`. The quantifier's word is at `start`.
pub(super) fn quantify<T>(
    cursor: &mut Cursor<'_>,
    start: Span,
    (variables, of): (Vec<SortedVariable>, Subtree<T>),
    make: impl Fn(SortedVariable, Box<T>) -> T,
) -> Option<Subtree<T>> {
    variables.into_iter().rev().try_fold(of, |of, sorted| {
        let span = start.to(of.span);
        over(cursor, of, span, |of| make(sorted, Box::new(of)))
    })
}

/// Returns true if a `*` that is a parameter stands `n` tokens on. A `*` that iterates stands behind an operand.
pub(super) fn is_wildcard(cursor: &Cursor<'_>, n: usize) -> bool {
    let before = match n {
        0 => cursor.previous().map(|token| token.kind),
        _ => Some(cursor.nth(n - 1).kind),
    };
    cursor.nth_is(n, "*")
        && matches!(before, Some(Token::Symbol("(" | ",")))
        && matches!(cursor.nth(n + 1).kind, Token::Symbol("," | ")"))
}

/// Reads the variables of a quantifier, from its word to its dot. Returns `None` after reporting an error.
fn declared_variables(cursor: &mut Cursor<'_>) -> Option<Vec<SortedVariable>> {
    cursor.bump();
    let mut variables = Vec::new();
    let mut understood = true;
    loop {
        let names = names(cursor)?;
        let Some((sort, sort_name)) = sort(cursor, &names) else {
            understood = false;
            if cursor.eat(".").is_some() {
                break;
            }
            return None;
        };
        for variable in names {
            cursor.count_node();
            match variable {
                Some(variable) => {
                    cursor.bind(&variable.name);
                    variables.push(SortedVariable { variable, sort, sort_name: sort_name.clone() });
                }
                None => understood = false,
            }
        }
        if cursor.eat(",").is_none() {
            dot(cursor);
            break;
        }
    }
    understood.then_some(variables)
}

/// Reads `x, y` before a sort; an item is `None` if the word cannot be a variable.
fn names(cursor: &mut Cursor<'_>) -> Option<Vec<Option<Variable>>> {
    let mut names = Vec::new();
    loop {
        if cursor.peek().kind != Token::Word {
            return cursor.expected("a variable").none();
        }
        let span = cursor.bump().span;
        let word = cursor.slice(span);
        names.push(if KEYWORDS.contains(&word) {
            let diagnostic = Diagnostic::error("G0116", span, format!("`{word}` cannot be a variable"));
            cursor.report(diagnostic.label("this word has a meaning of its own").help("choose another name"));
            None
        } else {
            declared_variable(cursor, span)
        });
        if cursor.eat(",").is_none() {
            return Some(names);
        }
    }
}

/// Reads `: Nat`.
fn sort(cursor: &mut Cursor<'_>, names: &[Option<Variable>]) -> Option<(Sort, String)> {
    if cursor.eat(":").is_none() {
        let last = cursor.last_span(cursor.peek().span);
        let name = names.iter().flatten().next_back().map_or("x", |variable| variable.name.as_str());
        let advice = "state which: `Int`, `Nat`, `Pos`, `Real`, `Bool`; any other name is any value";
        let diagnostic = Diagnostic::error("G0157", last, format!("the variable `{name}` has no sort"));
        let diagnostic = diagnostic.label("what values may it have?").edit(advice, last, format!("{name}:Any"));
        return cursor.report_once(diagnostic).none();
    }
    let Some(word) = cursor.word() else {
        return cursor.expected("a sort, such as `Int` or `Bool`").none();
    };
    let start = cursor.bump().span;
    let end = applied(cursor, start);
    let sort = Sort::parse(word).filter(|_| end == start).unwrap_or(Sort::Any);
    Some((sort, cursor.slice(start.to(end)).to_owned()))
}

/// Reads the parentheses of `List(Nat)`. Returns the last token of the sort.
fn applied(cursor: &mut Cursor<'_>, start: Span) -> Span {
    let opening = cursor.peek().span;
    let mut depth = 0_u32;
    while cursor.is("(") || (depth > 0 && matches!(cursor.peek().kind, Token::Word | Token::Symbol(")" | ","))) {
        let token = cursor.bump();
        match token.kind {
            Token::Symbol("(") => depth += 1,
            Token::Symbol(")") => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return token.span;
        }
    }
    if depth > 0 {
        cursor.unclosed(opening, ")");
    }
    start
}

/// Takes the dot after the variables.
fn dot(cursor: &mut Cursor<'_>) {
    if cursor.eat(".").is_some() {
        return;
    }
    if let Token::Symbol(":" | "|") = cursor.peek().kind {
        cursor.respell(".");
        return;
    }
    cursor.expected_mark(".", "a dot ends the list of variables", "write a dot after the variables");
}

/// Takes a closing parenthesis, or skips to it where its content could not be understood.
pub(super) fn close(cursor: &mut Cursor<'_>, opening: Span, understood: bool) -> Option<Span> {
    if understood {
        return cursor.close(opening, ")");
    }
    skip_to(cursor, ")");
    cursor.eat(")")
}

/// Skips to the bracket that closes a part that could not be understood, if there is one.
pub(super) fn skip_to(cursor: &mut Cursor<'_>, symbol: &str) {
    let (mut n, mut depth) = (0, 0_u32);
    loop {
        match cursor.nth(n).kind {
            Token::End => return,
            Token::Symbol(found) if depth == 0 && found == symbol => break,
            Token::Symbol("(" | "[") => depth += 1,
            Token::Symbol(")" | "]") => depth = depth.saturating_sub(1),
            _ => {}
        }
        n += 1;
    }
    cursor.skip_to(cursor.index() + n);
}
