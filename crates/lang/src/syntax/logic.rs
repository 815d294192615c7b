// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conditions over values, `n + 1 < 9 and not (s = t)`, and one parser for every language that has them.
//!
//! Parentheses may hold a value or a condition, so one function reads both into an [`Operand`], and the operator that
//! uses the operand checks which of the two it is.

use gnomon_core::{Diagnostic, Number, Value};
use gnomon_ir::{Arithmetic, Expression, Guard};

use super::condition::comparison;
use super::cursor::Cursor;
use super::formula::{Infix, Precedence};
use super::lexer::Token;
use super::subtree::{Subtree, both, chain, over};

/// A value or a condition.
pub(crate) enum Operand {
    Value(Expression),
    Condition(Guard),
}

/// A language of conditions.
pub(crate) trait Logic: Sized {
    /// The loosest operator in what a negation applies to.
    const NEGATED: Precedence;

    /// True if reading stops at an operator whose left operand is not a value.
    const STOPS_AT_LEFT: bool;

    /// The symbol for equality.
    const EQUAL: &'static str;

    /// Advice about a condition in the place of a value.
    const VALUES: &'static str;

    /// Returns the operator at the current token, and its right spelling if it is spelt differently there.
    fn infix(&self, cursor: &Cursor<'_>) -> Option<Infix>;

    /// Reads an operand without infix operators.
    fn operand(&self, cursor: &mut Cursor<'_>) -> Option<Subtree<Operand>>;

    /// Returns the multiplication at the current token. Returns `None` after reporting that the language has none.
    fn multiplication(&self, cursor: &mut Cursor<'_>) -> Option<Arithmetic>;

    /// Returns the condition that a value alone stands for, if it does for any.
    fn of_value(_value: &Expression) -> Option<Guard> {
        None
    }

    /// Checks the token behind a comparison. Returns `false` after reporting one that cannot stand there.
    fn ends_comparison(&self, _cursor: &mut Cursor<'_>) -> bool {
        true
    }
}

/// Reads operands and the operators between them that bind at least as tightly as `loosest`.
fn climb<L: Logic>(cursor: &mut Cursor<'_>, logic: &L, loosest: Precedence) -> Option<Subtree<Operand>> {
    cursor.count_node();
    let mut left = if cursor.enter() { logic.operand(cursor) } else { None };
    while let Some((level, _)) = logic.infix(cursor).filter(|(level, _)| *level >= loosest) {
        let Some(first) = left else { break };
        left = match level {
            Precedence::Implies => implies(cursor, logic, first),
            Precedence::Or => conditions(cursor, logic, first, level, Precedence::And),
            Precedence::And => conditions(cursor, logic, first, level, Precedence::Compare),
            Precedence::Compare => compare(cursor, logic, first),
            _ => arithmetic(cursor, logic, first, level),
        };
    }
    cursor.leave();
    left
}

/// Reads a condition of operators that bind at least as tightly as `loosest`. Returns `None` after reporting an error.
pub(crate) fn condition<L: Logic>(cursor: &mut Cursor<'_>, logic: &L, loosest: Precedence) -> Option<Subtree<Guard>> {
    let operand = climb(cursor, logic, loosest)?;
    as_condition::<L>(cursor, operand)
}

/// Reads a value of operators that bind at least as tightly as `loosest`. Returns `None` after reporting an error.
pub(crate) fn value<L: Logic>(cursor: &mut Cursor<'_>, logic: &L, loosest: Precedence) -> Option<Subtree<Expression>> {
    let operand = climb(cursor, logic, loosest)?;
    as_value::<L>(cursor, operand)
}

/// Reads `b => c` as `!b || c`.
fn implies<L: Logic>(cursor: &mut Cursor<'_>, logic: &L, first: Subtree<Operand>) -> Option<Subtree<Operand>> {
    cursor.bump();
    let left = as_condition::<L>(cursor, first)?;
    let right = condition(cursor, logic, Precedence::Implies)?;
    let span = left.span;
    let left = over(cursor, left, span, |left| Guard::Not(Box::new(left)))?;
    both(cursor, left, right, |left, right| Operand::Condition(Guard::Or(Box::new(left), Box::new(right))))
}

/// Reads `b or c or ...`, `b and c and ...`.
fn conditions<L: Logic>(
    cursor: &mut Cursor<'_>,
    logic: &L,
    first: Subtree<Operand>,
    level: Precedence,
    tighter: Precedence,
) -> Option<Subtree<Operand>> {
    let mut parts = vec![as_condition::<L>(cursor, first)?];
    while let Some((_, meant)) = logic.infix(cursor).filter(|(found, _)| *found == level) {
        cursor.take(meant);
        parts.push(condition(cursor, logic, tighter)?);
    }
    let make = if level == Precedence::Or { Guard::Or } else { Guard::And };
    chain(cursor, parts, make).map(|part| part.map(Operand::Condition))
}

fn compare<L: Logic>(cursor: &mut Cursor<'_>, logic: &L, first: Subtree<Operand>) -> Option<Subtree<Operand>> {
    let comparison = comparison(cursor)?;
    let (left, right) = values(cursor, logic, first, Precedence::Sum)?;
    if !logic.ends_comparison(cursor) {
        return None;
    }
    both(cursor, left, right, |left, right| Operand::Condition(Guard::Compare(left, comparison, right)))
}

/// Reads the right operand; both must be values.
fn values<L: Logic>(
    cursor: &mut Cursor<'_>,
    logic: &L,
    left: Subtree<Operand>,
    tighter: Precedence,
) -> Option<(Subtree<Expression>, Subtree<Expression>)> {
    if L::STOPS_AT_LEFT {
        let left = as_value::<L>(cursor, left)?;
        return Some((left, value(cursor, logic, tighter)?));
    }
    let right = climb(cursor, logic, tighter)?;
    let (left, right) = (as_value::<L>(cursor, left), as_value::<L>(cursor, right));
    Some((left?, right?))
}

fn arithmetic<L: Logic>(
    cursor: &mut Cursor<'_>,
    logic: &L,
    first: Subtree<Operand>,
    level: Precedence,
) -> Option<Subtree<Operand>> {
    let (operator, tighter) = match level {
        Precedence::Sum if cursor.is("+") => (Arithmetic::Add, Precedence::Product),
        Precedence::Sum => (Arithmetic::Subtract, Precedence::Product),
        _ => (logic.multiplication(cursor)?, Precedence::Operand),
    };
    take_operator(cursor);
    let (left, right) = values(cursor, logic, first, tighter)?;
    both(cursor, left, right, |left, right| {
        Operand::Value(Expression::Arithmetic(operator, Box::new(left), Box::new(right)))
    })
}

/// Takes an arithmetic operator. The lexer takes the minus of `n-1` for a part of a word, of which only the minus is
/// taken.
pub(crate) fn take_operator(cursor: &mut Cursor<'_>) {
    if cursor.word().is_some() {
        cursor.take_front(1);
    } else {
        cursor.bump();
    }
}

/// Reads `(b)`.
pub(crate) fn parenthesised<L: Logic>(cursor: &mut Cursor<'_>, logic: &L) -> Option<Subtree<Operand>> {
    let opening = cursor.bump().span;
    let inner = climb(cursor, logic, Precedence::Implies)?;
    let end = cursor.close(opening, ")")?;
    Some(Subtree { span: opening.to(end), ..inner })
}

/// Reads `not b`; the sign or word is the current token, and `meant` its right spelling if that is another.
pub(crate) fn not<L: Logic>(cursor: &mut Cursor<'_>, logic: &L, meant: Option<&str>) -> Option<Subtree<Operand>> {
    let start = cursor.take(meant);
    let of = condition(cursor, logic, L::NEGATED)?;
    let span = start.to(of.span);
    over(cursor, of, span, |of| Operand::Condition(Guard::Not(Box::new(of))))
}

/// Reads `-x` as `0 - x`, unless `x` is a number.
pub(crate) fn minus<L: Logic>(cursor: &mut Cursor<'_>, logic: &L) -> Option<Subtree<Operand>> {
    let start = cursor.bump().span;
    let of = value(cursor, logic, Precedence::Operand)?;
    let span = start.to(of.span);
    let zero = Expression::Literal(Value::Number(Number::Int(0)));
    over(cursor, of, span, |of| {
        Operand::Value(Expression::Arithmetic(Arithmetic::Subtract, Box::new(zero), Box::new(of)))
    })
}

/// Returns true if the current token is a minus that belongs to no number.
pub(crate) fn is_minus(cursor: &Cursor<'_>) -> bool {
    cursor.is("-") && cursor.nth(1).kind != Token::Number
}

/// Returns the value that an operand is. Reports a condition.
fn as_value<L: Logic>(cursor: &mut Cursor<'_>, operand: Subtree<Operand>) -> Option<Subtree<Expression>> {
    let Subtree { node, span, depth } = operand;
    match node {
        Operand::Value(node) => Some(Subtree { node, span, depth }),
        Operand::Condition(_) => {
            let diagnostic = Diagnostic::error("G0101", span, "expected a value, found a condition");
            cursor.report(diagnostic.label("this is true or false, not a value").help(L::VALUES));
            None
        }
    }
}

/// Returns the condition that an operand is. Reports a value that stands for none.
fn as_condition<L: Logic>(cursor: &mut Cursor<'_>, operand: Subtree<Operand>) -> Option<Subtree<Guard>> {
    let Subtree { node, span, depth } = operand;
    let condition = match node {
        Operand::Condition(condition) => Some(condition),
        Operand::Value(value) => L::of_value(&value),
    };
    if condition.is_none() {
        let (written, equal) = (cursor.slice(span), L::EQUAL);
        let help = format!("compare it: `{written} {equal} true`, or with one of `{equal} != < <= > >=`");
        let diagnostic = Diagnostic::error("G0101", span, "expected a condition, found a value");
        cursor.report(diagnostic.label("compared with nothing").help(help));
    }
    condition.map(|node| Subtree { node, span, depth })
}

#[cfg(test)]
mod tests {
    fn codes_and_messages(source: &str) -> Vec<String> {
        let (_, found) = crate::parse(source);
        found.iter().map(|diagnostic| format!("{} {}", diagnostic.code, diagnostic.message)).collect()
    }

    #[test]
    fn values_and_conditions_are_distinguished() {
        let guard =
            |text: &str| codes_and_messages(&format!("qea(p) {{ accept skip(a) {{ e(x) if [ {text} ] -> a }} }}"));
        let data = |text: &str| codes_and_messages(&format!("mu p {{ forall x:Int. val({text}) => [a] false }}"));
        assert_eq!(guard("x + 1 < 9 and not (x = 3 or x = -x)"), [""; 0]);
        assert_eq!(data("x + 1 < 9 && !(x == 3 || x == -x)"), [""; 0]);
        for found in [guard("(x = 1) + 2 = 3"), data("(x == 1) + 2 == 3")] {
            assert_eq!(found, ["G0101 expected a value, found a condition"]);
        }
        for found in [guard("x + 1"), data("x + 1")] {
            assert_eq!(found, ["G0101 expected a condition, found a value"]);
        }
    }
}
