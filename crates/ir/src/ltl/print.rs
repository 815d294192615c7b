// SPDX-License-Identifier: MIT OR Apache-2.0
//! LTL as text, in ASCII, with no more parentheses than it needs.

use super::{LtlFormula, LtlId, LtlNode};
use crate::atom::Atom;

/// Words that are operators, constants or the marker: an event of such a name is quoted.
const RESERVED: [&str; 11] = ["X", "Y", "U", "S", "G", "F", "H", "O", "e", "true", "false"];

/// Writes a formula. `spelling` gives the text of an event; a text that is not a plain name is put in quotes.
///
/// ```
/// use gnomon_ir::ltl::{Builder, Limits, print};
/// let mut builder = Builder::new(Limits::written(100));
/// let e = builder.marker();
/// let later = builder.constant(true);
/// let later = builder.until(later, e).and_then(|later| builder.next(later)).unwrap();
/// let root = builder.implies(e, later).unwrap();
/// assert_eq!(print(&builder.finish(root, vec![]), &|atom| atom.name.clone()), "e -> X F e");
/// ```
pub fn print(ltl: &LtlFormula, spelling: &dyn Fn(&Atom) -> String) -> String {
    let names: Vec<String> = ltl.propositions.iter().map(|atom| quoted_if_needed(&spelling(atom))).collect();
    let mut out = String::new();
    // Walks are as deep as their windows are long: the stack is our own.
    let mut pending = vec![PrintStep::Part(ltl.root, LtlPrecedence::Implies)];
    while let Some(piece) = pending.pop() {
        match piece {
            PrintStep::Text(text) => out.push_str(text),
            PrintStep::Part(id, at_least) => {
                let node = ltl.nodes[id.index()];
                let bare = level(node) >= at_least;
                if !bare {
                    out.push('(');
                    pending.push(PrintStep::Text(")"));
                }
                write(node, &names, &mut out, &mut pending);
            }
        }
    }
    out
}

/// Binding strength of operators, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LtlPrecedence {
    Implies,
    Or,
    And,
    Until,
    Operand,
}

enum PrintStep {
    Part(LtlId, LtlPrecedence),
    Text(&'static str),
}

fn level(node: LtlNode) -> LtlPrecedence {
    match node {
        LtlNode::Implies(..) => LtlPrecedence::Implies,
        LtlNode::Or(..) => LtlPrecedence::Or,
        LtlNode::And(..) => LtlPrecedence::And,
        LtlNode::Until(..) | LtlNode::Since(..) => LtlPrecedence::Until,
        _ => LtlPrecedence::Operand,
    }
}

fn write(node: LtlNode, names: &[String], out: &mut String, pending: &mut Vec<PrintStep>) {
    let mut unary = |symbol: &str, of: LtlId| {
        out.push_str(symbol);
        pending.push(PrintStep::Part(of, LtlPrecedence::Operand));
    };
    match node {
        LtlNode::Constant(value) => out.push_str(if value { "true" } else { "false" }),
        LtlNode::Marker => out.push('e'),
        LtlNode::Proposition(index) => out.push_str(&names[index]),
        LtlNode::Not(of) => unary("!", of),
        LtlNode::Next(of) => unary("X ", of),
        LtlNode::Previous(of) => unary("Y ", of),
        LtlNode::Always(of) => unary("G ", of),
        LtlNode::Eventually(of) => unary("F ", of),
        LtlNode::Historically(of) => unary("H ", of),
        LtlNode::Once(of) => unary("O ", of),
        // `&&` and `||` associate, the others get parentheses, so that their meaning does not depend on a convention.
        LtlNode::And(left, right) => binary(left, " && ", right, [LtlPrecedence::And, LtlPrecedence::And], pending),
        LtlNode::Or(left, right) => binary(left, " || ", right, [LtlPrecedence::Or, LtlPrecedence::Or], pending),
        LtlNode::Implies(left, right) => binary(left, " -> ", right, [LtlPrecedence::Or, LtlPrecedence::Or], pending),
        LtlNode::Until(left, right) => {
            binary(left, " U ", right, [LtlPrecedence::Operand, LtlPrecedence::Operand], pending);
        }
        LtlNode::Since(left, right) => {
            binary(left, " S ", right, [LtlPrecedence::Operand, LtlPrecedence::Operand], pending);
        }
    }
}

fn binary(left: LtlId, symbol: &'static str, right: LtlId, levels: [LtlPrecedence; 2], pending: &mut Vec<PrintStep>) {
    pending.extend([PrintStep::Part(right, levels[1]), PrintStep::Text(symbol), PrintStep::Part(left, levels[0])]);
}

fn quoted_if_needed(name: &str) -> String {
    let plain = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !RESERVED.contains(&name);
    if plain {
        return name.to_owned();
    }
    let mut quoted = String::from('"');
    for letter in name.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            _ if letter.is_whitespace() => quoted.push(' '),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
