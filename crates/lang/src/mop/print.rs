// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints properties as `mop` blocks, and their bodies.

use gnomon_ir::{
    Body, Ere, Fsm, GrammarRule, Linear, LinearBinary, LinearUnary, Logic, Plugin, PluginEvent, Property, Variable,
};

use super::linear::WORDS;
use super::sections::{END, SECTIONS};
use crate::specfile::is_statement;
use crate::specfile::print::block;
use crate::syntax::print::{self, Node, OperatorPrinter};
use crate::syntax::quantifier;

/// Writes a property as a block that parses back to the same, apart from spans. The body of a property of another kind is left empty.
///
/// ```
/// let source = "mop p { parameters c, i events create(c, i), next(i) ere: create (next | epsilon)* forbid fail reset }";
/// let (spec, _) = gnomon_lang::parse(source);
/// let printed = gnomon_lang::mop::print(&spec.properties[0]);
/// assert_eq!(printed.lines().nth(3), Some("  ere: create (next | epsilon)*"));
/// ```
pub fn print(property: &Property) -> String {
    let mut out = String::from("\n");
    if let Body::Plugin(plugin) = &property.body {
        let parameters = quantifier::variables(&property.prefix).join(", ");
        if !parameters.is_empty() {
            print::fmt(&mut out, format_args!("  parameters {parameters}\n"));
        }
        sections(plugin, &mut out);
    }
    block(property, &[], &out)
}

fn sections(plugin: &Plugin, out: &mut String) {
    print::list("  events ", &plugin.events, "\n", out, event);
    if !plugin.creation.is_empty() {
        print::list("  creation ", &plugin.creation, "\n", out, |one, out| Surroundings::Block.name(one, &[], out));
    }
    let modifiers = [("suffix", plugin.suffix), ("full-binding", plugin.full_binding), ("connected", plugin.connected)];
    for (word, _) in modifiers.into_iter().filter(|(_, is_set)| *is_set) {
        print::fmt(out, format_args!("  {word}\n"));
    }
    print::fmt(out, format_args!("  {}:", plugin.logic.kind().word()));
    let body = print_logic(&plugin.logic);
    for line in body.lines() {
        out.push_str(if body.contains('\n') { "\n    " } else { " " });
        out.push_str(line);
    }
    out.push('\n');
    if !plugin.forbidden.is_empty() {
        print::list("  forbid ", &plugin.forbidden, "\n", out, |one, out| {
            Surroundings::Block.name(&one.name, &[], out);
            if let Some(message) = &one.message {
                out.push(' ');
                print::quoted(message, out);
            }
            out.push_str(if one.resets { " reset" } else { "" });
        });
    }
}

fn event(event: &PluginEvent, out: &mut String) {
    if !event.is_end {
        return print::atom(&event.atom, &is_reserved, out);
    }
    out.push_str(END);
    if event.atom.name != END {
        out.push_str(" as ");
        print::name(&event.atom.name, &is_reserved, out);
    }
}

/// Words that are not names in expressions and grammars.
const ERE_WORDS: [&str; 2] = ["epsilon", "empty"];
/// Words that are not names in state machines.
const FSM_WORDS: [&str; 2] = ["default", "alias"];

/// Returns true for a word that is not a name in any section.
fn is_reserved(word: &str) -> bool {
    SECTIONS.contains(&word) || is_statement(word) || word == END
}

/// The text around a body, whose words are not names in it.
#[derive(Clone, Copy)]
pub(super) enum Surroundings {
    /// A block of a spec file, with other sections and statements behind the body.
    Block,
    /// A specification of JavaMOP or RV-Monitor, in which `@` ends the body.
    Specification,
}

impl Surroundings {
    /// Writes a name, in quotes if it is one of the words of its section.
    fn name(self, of: &Variable, words: &[&str], out: &mut String) {
        let is_block = matches!(self, Surroundings::Block);
        print::name(&of.name, &|word| (is_block && is_reserved(word)) || words.contains(&word), out);
    }
}

/// Writes a body as in a block. Machines and grammars have a line for each state and rule.
pub fn print_logic(logic: &Logic) -> String {
    print_body(logic, Surroundings::Block)
}

pub(super) fn print_body(logic: &Logic, around: Surroundings) -> String {
    print::text(|out| match logic {
        Logic::Ere(ere) => ErePrinter(around).write(ere, 0, out),
        Logic::Fsm(fsm) => machine(fsm, around, out),
        Logic::Cfg(rules) => grammar(rules, around, out),
        Logic::Ltl(formula) | Logic::PastLtl(formula) => LinearPrinter(around).write(formula, 0, out),
    })
}

fn machine(fsm: &Fsm, around: Surroundings, out: &mut String) {
    for (index, state) in fsm.states.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "\n" });
        around.name(&state.name, &FSM_WORDS, out);
        let mut parts: Vec<String> = Vec::new();
        for (event, target) in &state.transitions {
            parts.push(print::text(|out| {
                around.name(event, &FSM_WORDS, out);
                out.push_str(" -> ");
                around.name(target, &FSM_WORDS, out);
            }));
        }
        parts.extend(state.default.iter().map(|target| {
            print::text(|out| {
                out.push_str("default ");
                around.name(target, &FSM_WORDS, out);
            })
        }));
        let parts = parts.join(", ");
        print::fmt(out, format_args!("{}", if parts.is_empty() { " [ ]".to_owned() } else { format!(" [ {parts} ]") }));
    }
    for alias in &fsm.aliases {
        out.push_str("\nalias ");
        around.name(&alias.name, &FSM_WORDS, out);
        print::list(" = ", &alias.states, "", out, |state, out| around.name(state, &FSM_WORDS, out));
    }
}

fn grammar(rules: &[GrammarRule], around: Surroundings, out: &mut String) {
    for (index, rule) in rules.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ",\n" });
        around.name(&rule.name, &ERE_WORDS, out);
        out.push_str(" -> ");
        ErePrinter(around).write(&rule.right, 0, out);
    }
}

struct ErePrinter(Surroundings);

impl OperatorPrinter<Ere> for ErePrinter {
    fn node<'t>(&self, of: &'t Ere) -> Node<'t, Ere> {
        match of {
            Ere::Or(left, right) => Node::Infix(0, (left, 0), " | ", (right, 1)),
            Ere::And(left, right) => Node::Infix(1, (left, 1), " & ", (right, 2)),
            Ere::Then(left, right) => Node::Infix(2, (left, 2), " ", (right, 3)),
            Ere::Not(of) => Node::Prefix(3, "~", (of, 3)),
            Ere::Empty
            | Ere::Epsilon
            | Ere::Letter(_)
            | Ere::Star(_)
            | Ere::Plus(_)
            | Ere::Optional(_)
            | Ere::Power(..) => Node::Leaf(4),
        }
    }

    fn leaf(&self, of: &Ere, out: &mut String) {
        match of {
            Ere::Empty => out.push_str("empty"),
            Ere::Epsilon => out.push_str("epsilon"),
            Ere::Letter(letter) => self.0.name(letter, &ERE_WORDS, out),
            Ere::Star(of) => self.repeated(of, "*", out),
            Ere::Plus(of) => self.repeated(of, "+", out),
            Ere::Optional(of) => self.repeated(of, "?", out),
            Ere::Power(of, times) => self.repeated(of, &format!("^{times}"), out),
            Ere::Or(..) | Ere::And(..) | Ere::Then(..) | Ere::Not(_) => {}
        }
    }
}

impl ErePrinter {
    fn repeated(&self, of: &Ere, sign: &str, out: &mut String) {
        self.write(of, 4, out);
        out.push_str(sign);
    }
}

struct LinearPrinter(Surroundings);

impl OperatorPrinter<Linear> for LinearPrinter {
    fn node<'t>(&self, of: &'t Linear) -> Node<'t, Linear> {
        match of {
            Linear::Constant(_) | Linear::Event(_) => Node::Leaf(5),
            Linear::Not(of) => Node::Prefix(4, "!", (of, 4)),
            Linear::Unary(operator, of) => Node::Prefix(4, sign(*operator), (of, 4)),
            Linear::Binary(operator, left, right) => match operator {
                LinearBinary::And => Node::Infix(3, (left, 3), " and ", (right, 4)),
                LinearBinary::Xor => Node::Infix(2, (left, 2), " xor ", (right, 3)),
                LinearBinary::Or => Node::Infix(1, (left, 1), " or ", (right, 2)),
                LinearBinary::Implies => Node::Infix(0, (left, 1), " => ", (right, 1)),
                LinearBinary::Iff => Node::Infix(0, (left, 1), " <=> ", (right, 1)),
                LinearBinary::Until => Node::Infix(0, (left, 1), " U ", (right, 1)),
                LinearBinary::WeakUntil => Node::Infix(0, (left, 1), " W ", (right, 1)),
                LinearBinary::Release => Node::Infix(0, (left, 1), " R ", (right, 1)),
                LinearBinary::DualUntil => Node::Infix(0, (left, 1), " ~U ", (right, 1)),
                LinearBinary::Since => Node::Infix(0, (left, 1), " S ", (right, 1)),
                LinearBinary::DualSince => Node::Infix(0, (left, 1), " ~S ", (right, 1)),
            },
        }
    }

    fn leaf(&self, of: &Linear, out: &mut String) {
        match of {
            Linear::Constant(value) => print::constant(*value, out),
            Linear::Event(event) => self.0.name(event, &WORDS, out),
            Linear::Not(_) | Linear::Unary(..) | Linear::Binary(..) => {}
        }
    }
}

/// Returns an operator with the space that separates it from its operand.
fn sign(operator: LinearUnary) -> &'static str {
    match operator {
        LinearUnary::Always => "[] ",
        LinearUnary::Eventually => "<> ",
        LinearUnary::Next => "o ",
        LinearUnary::WeakNext => "~o ",
        LinearUnary::Previous => "(*) ",
        LinearUnary::WeakPrevious => "~(*) ",
        LinearUnary::Once => "<*> ",
        LinearUnary::Historically => "[*] ",
    }
}
