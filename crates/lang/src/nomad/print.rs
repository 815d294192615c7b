// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints a rule, in the ASCII spelling and with no more parentheses than it needs.

use gnomon_core::time::Unit;
use gnomon_ir::{Body, CorrelationMember, Matching, Property, Rule, RuleAction, RuleContext, Spec};

use crate::specfile::print::{block, declarations};
use crate::syntax::print::{self, Node, OperatorPrinter, list};

/// Writes a property as a block that parses back to the same, apart from spans. The body of a property of another kind
/// is left empty.
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
    let mut out = declarations(spec);
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
    let (from, to, unit) = rule.window.written();
    print::fmt(&mut out, format_args!(" | O[{from},{to}]{} ", unit.map_or("", Unit::symbol)));
    // Parentheses show that the window is for the whole context.
    Printer.write(&rule.context, 4, &mut out);
    out.push(')');
    if !rule.correlations.is_empty() {
        out.push_str(" / ");
        list("{", &rule.correlations, "}", &mut out, |set, out| list("{", &set.members, "}", out, member));
    }
    out
}

fn action(action: &RuleAction, out: &mut String) {
    out.extend([action.phase.word(), if action.negated { "(!" } else { "(" }]);
    // A message of such a name would be read as a negation.
    print::atom(&action.message, &|word| matches!(word, "NOT" | "not"), out);
    out.push(')');
}

struct Printer;

impl OperatorPrinter<RuleContext> for Printer {
    fn node<'t>(&self, of: &'t RuleContext) -> Node<'t, RuleContext> {
        match of {
            RuleContext::Action(_) => Node::Leaf(4),
            RuleContext::Or(left, right) => Node::Infix(0, (left, 0), " || ", (right, 1)),
            RuleContext::And(left, right) => Node::Infix(2, (left, 2), " && ", (right, 3)),
        }
    }

    fn leaf(&self, of: &RuleContext, out: &mut String) {
        if let RuleContext::Action(of) = of {
            action(of, out);
        }
    }
}

fn member(CorrelationMember { message, field, .. }: &CorrelationMember, out: &mut String) {
    // A dot inside a name would be read as the one between message and field.
    let either = message.contains('.') || field.field.contains('.');
    print::name(message, &|_| either, out);
    out.push('.');
    print::name(&field.field, &|_| either, out);
    print::steps(&field.steps, &|_| false, out);
}
