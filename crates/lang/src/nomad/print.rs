// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a rule back to text, in the ASCII spelling and with no more parentheses than it needs.

use std::fmt::Write as _;

use gnomon_core::time::Unit;
use gnomon_ir::rule::{Action, Context, Correlation, Matching, Member, Rule};
use gnomon_ir::spec::{Body, Property, Spec};

use crate::specfile::print::{self, block};

/// Writes a property as a block that reads back as the same, spans apart. The body of a property of another kind is left
/// empty.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("nomad auth { P(start(a) | O^{d∈[10,0]s} done(b) ∧ done(¬c)) / (a.id, b.id) }");
/// let printed = gnomon_lang::nomad::print(&spec.properties[0]);
/// assert_eq!(printed, "nomad auth { P(start(a) | O[10,0]s (done(b) && done(!c))) / {{a.id, b.id}} }\n");
/// ```
pub fn print(property: &Property) -> String {
    let Body::Rule(rule) = &property.body else { return block(property, &[], " ") };
    let matching = (rule.matching == Matching::Any).then_some("matching any");
    let strict_end = rule.strict_end.then_some(super::STRICT_END);
    let own: Vec<&'static str> = matching.into_iter().chain(strict_end).collect();
    block(property, &own, &format!(" {} ", print_rule(rule)))
}

/// Writes rules as a spec file of their own, with the declarations of the spec. Properties of other languages are left
/// out.
pub fn print_spec(spec: &Spec, properties: &[&Property]) -> String {
    let mut out = print::declarations(spec);
    for property in properties.iter().filter(|property| matches!(property.body, Body::Rule(_))) {
        out.push_str(&self::print(property));
    }
    out
}

/// Writes a rule, without the options of its block.
pub fn print_rule(rule: &Rule) -> String {
    let mut out = format!("{}(", rule.modality.letter());
    for (index, alternative) in rule.supposition.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { " || " });
        action(alternative, &mut out);
    }
    out.push_str(" | ");
    let (from, to, unit) = rule.window.written();
    fmt(&mut out, format_args!("O[{from},{to}]{} ", unit.map_or("", Unit::symbol)));
    // One window is for the whole context; parentheses show it.
    let several = !matches!(rule.context, Context::Action(_));
    out.push_str(if several { "(" } else { "" });
    context(&rule.context, 0, &mut out);
    out.push_str(if several { "))" } else { ")" });
    for (index, set) in rule.correlations.iter().enumerate() {
        out.push_str(if index == 0 { " / {" } else { ", " });
        correlation(set, &mut out);
    }
    out.push_str(if rule.correlations.is_empty() { "" } else { "}" });
    out
}

fn action(action: &Action, out: &mut String) {
    let mark = if action.negated { "!" } else { "" };
    fmt(out, format_args!("{}({mark}", action.phase.word()));
    print::atom(&action.message, &is_reserved, out);
    out.push(')');
}

/// A message of such a name would be read as a negation.
fn is_reserved(word: &str) -> bool {
    matches!(word, "NOT" | "not")
}

/// Writes a context; `level` is 0 where any may stand, 1 right of `||`, 2 under `&&`, 3 right of `&&`.
fn context(of: &Context, level: u8, out: &mut String) {
    let (own, left, symbol, right) = match of {
        Context::Action(of) => return action(of, out),
        Context::Or(left, right) => (0, left, " || ", right),
        Context::And(left, right) => (2, left, " && ", right),
    };
    out.push_str(if own < level { "(" } else { "" });
    context(left, own, out);
    out.push_str(symbol);
    context(right, own + 1, out);
    out.push_str(if own < level { ")" } else { "" });
}

fn correlation(set: &Correlation, out: &mut String) {
    for (index, Member { message, field, .. }) in set.members.iter().enumerate() {
        out.push_str(if index == 0 { "{" } else { ", " });
        // A dot inside a name would be read as the one between message and field.
        let dotted = |name: &str| name.contains('.');
        let either = dotted(message) || dotted(&field.field);
        print::name(message, &|_| either, out);
        out.push('.');
        print::name(&field.field, &|_| either, out);
        print::steps(&field.steps, &|_| false, out);
    }
    out.push('}');
}

fn fmt(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments).expect("writing to a string cannot fail");
}
