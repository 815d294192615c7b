// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints properties as `ccsl` blocks, with a line for each definition and relation.

use gnomon_ir::{Atom, Body, ClockDefinition, ClockExpression, ClockRelation, Property};

use super::WORDS;
use crate::specfile::is_statement;
use crate::specfile::print::block;
use crate::syntax::print;

/// Writes a property as a block that parses back to the same, apart from spans. The body of a property of another kind is left empty.
///
/// ```
/// let source = "ccsl handshake { clock late := req $ 1 req < ack ack < late }";
/// let (spec, _) = gnomon_lang::parse(source);
/// let printed = gnomon_lang::ccsl::print(&spec.properties[0]);
/// assert_eq!(printed, "ccsl handshake {\n  clock late := req $ 1\n  req < ack\n  ack < late\n}\n");
/// ```
pub fn print(property: &Property) -> String {
    let mut out = String::from("\n");
    if let Body::Clocks(clocks) = &property.body {
        for definition in &clocks.definitions {
            print::fmt(&mut out, format_args!("  {}\n", print_definition(definition)));
        }
        for relation in &clocks.relations {
            print::fmt(&mut out, format_args!("  {}\n", print_relation(relation)));
        }
    }
    block(property, &[], &out)
}

/// Writes a definition: `clock late := req $ 1`.
pub fn print_definition(definition: &ClockDefinition) -> String {
    let mut out = "clock ".to_owned();
    name(&definition.clock.name, &mut out);
    out.push_str(" := ");
    expression(&definition.expression, &mut out);
    out
}

/// Writes a relation: `req < ack`.
pub fn print_relation(relation: &ClockRelation<Atom>) -> String {
    let ClockRelation { kind, left, right, .. } = relation;
    print::text(|out| {
        name(&left.name, out);
        print::fmt(out, format_args!(" {kind} "));
        name(&right.name, out);
    })
}

fn name(name: &str, out: &mut String) {
    print::name(name, &|word| WORDS.contains(&word) || is_statement(word), out);
}

fn expression(of: &ClockExpression<Atom>, out: &mut String) {
    let mut infix = |left: &Atom, sign: &str, right: &Atom| {
        name(&left.name, out);
        print::fmt(out, format_args!(" {sign} "));
        name(&right.name, out);
    };
    match of {
        ClockExpression::Union(left, right) => infix(left, "+", right),
        ClockExpression::Intersection(left, right) => infix(left, "*", right),
        ClockExpression::Difference(left, right) => infix(left, "-", right),
        ClockExpression::UpTo(left, right) => infix(left, "upto", right),
        ClockExpression::Then(left, right) => infix(left, ";", right),
        ClockExpression::Sampled { of, by, strictly: false } => infix(of, "sampled", by),
        ClockExpression::Sampled { of, by, strictly: true } => infix(of, "strictly sampled", by),
        ClockExpression::DelayOn { of, by, on } => infix(of, &format!("$ {by} on"), on),
        ClockExpression::Infimum(left, right) => function("inf", left, right, out),
        ClockExpression::Supremum(left, right) => function("sup", left, right, out),
        ClockExpression::Delay(of, by) => postfix(of, &format!("$ {by}"), out),
        ClockExpression::Every { of, period, from: None } => postfix(of, &format!("every {period}"), out),
        ClockExpression::Every { of, period, from: Some(from) } => {
            postfix(of, &format!("every {period} from {from}"), out);
        }
        ClockExpression::Filter(of, word) => postfix(of, &format!("filter {word}"), out),
        ClockExpression::Wait(of, ticks) => postfix(of, &format!("wait {ticks}"), out),
    }
}

fn postfix(of: &Atom, rest: &str, out: &mut String) {
    name(&of.name, out);
    print::fmt(out, format_args!(" {rest}"));
}

fn function(function: &str, left: &Atom, right: &Atom, out: &mut String) {
    print::fmt(out, format_args!("{function}("));
    name(&left.name, out);
    out.push_str(", ");
    name(&right.name, out);
    out.push(')');
}
