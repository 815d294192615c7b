// SPDX-License-Identifier: MIT OR Apache-2.0
//! LTL as text, in ASCII, with no more parentheses than it needs.

use super::{Id, Ltl, Node};
use crate::pattern::Atom;

/// Words that are operators, constants or the marker: an event of such a name is quoted.
const RESERVED: [&str; 11] = ["X", "Y", "U", "S", "G", "F", "H", "O", "e", "true", "false"];

/// Writes a formula. `spelling` gives the text of an event; what is no plain name is put in quotes.
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
pub fn print(ltl: &Ltl, spelling: &dyn Fn(&Atom) -> String) -> String {
    let names: Vec<String> = ltl.propositions.iter().map(|atom| quoted_if_needed(&spelling(atom))).collect();
    let mut out = String::new();
    // Walks are as deep as their windows are long: the stack is our own.
    let mut pending = vec![Piece::Part(ltl.root, Level::Implies)];
    while let Some(piece) = pending.pop() {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Part(id, at_least) => {
                let node = ltl.nodes[id.index()];
                let bare = level(node) >= at_least;
                if !bare {
                    out.push('(');
                    pending.push(Piece::Text(")"));
                }
                write(node, &names, &mut out, &mut pending);
            }
        }
    }
    out
}

/// How tightly a formula binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implies,
    Or,
    And,
    Until,
    Operand,
}

enum Piece {
    Part(Id, Level),
    Text(&'static str),
}

fn level(node: Node) -> Level {
    match node {
        Node::Implies(..) => Level::Implies,
        Node::Or(..) => Level::Or,
        Node::And(..) => Level::And,
        Node::Until(..) | Node::Since(..) => Level::Until,
        _ => Level::Operand,
    }
}

fn write(node: Node, names: &[String], out: &mut String, pending: &mut Vec<Piece>) {
    let mut unary = |symbol: &str, of: Id| {
        out.push_str(symbol);
        pending.push(Piece::Part(of, Level::Operand));
    };
    match node {
        Node::Constant(value) => out.push_str(if value { "true" } else { "false" }),
        Node::Marker => out.push('e'),
        Node::Proposition(index) => out.push_str(&names[index]),
        Node::Not(of) => unary("!", of),
        Node::Next(of) => unary("X ", of),
        Node::Previous(of) => unary("Y ", of),
        Node::Always(of) => unary("G ", of),
        Node::Eventually(of) => unary("F ", of),
        Node::Historically(of) => unary("H ", of),
        Node::Once(of) => unary("O ", of),
        // `&&` and `||` associate, the others are written so that nobody need know whether they do.
        Node::And(left, right) => binary(left, " && ", right, [Level::And, Level::And], pending),
        Node::Or(left, right) => binary(left, " || ", right, [Level::Or, Level::Or], pending),
        Node::Implies(left, right) => binary(left, " -> ", right, [Level::Or, Level::Or], pending),
        Node::Until(left, right) => binary(left, " U ", right, [Level::Operand, Level::Operand], pending),
        Node::Since(left, right) => binary(left, " S ", right, [Level::Operand, Level::Operand], pending),
    }
}

fn binary(left: Id, symbol: &'static str, right: Id, levels: [Level; 2], pending: &mut Vec<Piece>) {
    pending.extend([Piece::Part(right, levels[1]), Piece::Text(symbol), Piece::Part(left, levels[0])]);
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
