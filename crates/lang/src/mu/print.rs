// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints a formula in the notation of mCRL2, and chooses the printed names of its variables.
//!
//! INVARIANT: the text parses back to the same formula, apart from spans. Two things need care:
//! - A `*` in the text is a variable that the parser quantifies around the whole formula. A variable is printed as `*` only if its
//!   quantifier stands in front of everything, over all values, and it occurs in one place and in no comparison.
//! - A constant is printed as a plain word only if no quantifier binds that word; otherwise it stands in quotes.

use std::collections::BTreeSet;

use gnomon_core::value::{Comparison, Value};
use gnomon_ir::atom::{Argument, Atom};
use gnomon_ir::automaton::Expression;
use gnomon_ir::modal::{ActionFormula, DataCondition, ModalFormula, RegularFormula, Sort, SortedVariable};
use gnomon_ir::spec::{Body, Property};
use gnomon_ir::walk::{Walk, walk};

use super::KEYWORDS;
use crate::specfile::print::block;
use crate::syntax::lexer::is_plain_word;
use crate::syntax::print::{self, Node, OperatorPrinter};
use crate::syntax::wildcard;

/// Writes a property as a block that parses back to the same, apart from spans. The body of a property of another kind
/// is left empty.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("mu done { forall t:Int.[true*.push(Job,t).(not (pop(Job) or done))*.done]false }");
/// let printed = gnomon_lang::mu::print(&spec.properties[0]);
/// assert_eq!(printed, "mu done { forall t:Int. [true* . push(Job, t) . (!(pop(Job) || done))* . done] false }\n");
/// ```
pub fn print(property: &Property) -> String {
    let body = match &property.body {
        Body::Modal(modal) => print_modal(modal),
        _ => String::new(),
    };
    block(property, &[], &format!(" {body} "))
}

/// Writes a formula, as between the braces or in a file of its own.
///
/// A variable that stands for a `*` is written as `*` if it stands in one place, else under a name of its own.
pub fn print_modal(modal: &ModalFormula) -> String {
    print::text(|out| Printer { names: ModalNames::of(modal) }.write(modal, 0, out))
}

/// Writes the inside of the brackets `[...]` of a formula, whatever variables are quantified around it: texts stand in quotes.
pub fn print_regular(regular: &RegularFormula) -> String {
    let renamed = wildcard::PrintedNames::of(&[], &BTreeSet::new());
    print::text(|out| Printer { names: ModalNames { renamed, bound: None } }.regular(regular, out))
}

struct Printer {
    names: ModalNames,
}

impl Printer {
    /// Writes `forall x:Nat, b:Bool. phi`: neighbouring quantifiers share a word.
    fn forall(&self, first: &SortedVariable, of: &ModalFormula, out: &mut String) {
        out.push_str("forall ");
        self.sorted(first, out);
        let mut inner = of;
        while let ModalFormula::Forall(sorted, of) = inner {
            if self.names.shown(&sorted.variable.name) != "*" {
                out.push_str(", ");
                self.sorted(sorted, out);
            }
            inner = of;
        }
        out.push_str(". ");
        self.write(inner, 0, out);
    }

    /// Writes what stands in brackets: one action formula needs no parentheses there.
    fn regular(&self, regular: &RegularFormula, out: &mut String) {
        match regular {
            RegularFormula::Action(action) => self.write(action, 0, out),
            regular => self.write(regular, 0, out),
        }
    }

    fn sorted(&self, sorted: &SortedVariable, out: &mut String) {
        let SortedVariable { variable, sort_name, .. } = sorted;
        out.extend([self.names.shown(&variable.name), ":", sort_name]);
    }

    fn atom(&self, atom: &Atom, out: &mut String) {
        let mut argument = |argument: &Argument, out: &mut String| match argument {
            Argument::Any => out.push('_'),
            Argument::Literal(literal) => self.literal(literal, out),
            Argument::Variable(variable) => out.push_str(self.names.shown(&variable.name)),
        };
        let is_marked = |word: &str| !is_plain_word(word);
        let reserved = |word: &str| KEYWORDS.contains(&word) || is_marked(word);
        print::atom_with(atom, &reserved, &is_marked, &mut argument, out);
    }

    /// Writes a condition as a formula.
    fn val(&self, data: &DataCondition, out: &mut String) {
        if let DataCondition::Constant(_) = data {
            return self.write(data, 0, out);
        }
        self.write_list("val(", &[data], ")", out);
    }

    /// Writes a literal. A text that could be a constant of mCRL2 is written as one.
    fn literal(&self, value: &Value<'_>, out: &mut String) {
        match value {
            Value::Text(text)
                if is_plain_word(text) && text != "_" && !KEYWORDS.contains(&&**text) && !self.names.is_bound(text) =>
            {
                out.push_str(text);
            }
            _ => print::value(value, out),
        }
    }
}

impl OperatorPrinter<ModalFormula> for Printer {
    fn node<'t>(&self, of: &'t ModalFormula) -> Node<'t, ModalFormula> {
        match of {
            ModalFormula::Forall(..) => Node::Leaf(0),
            ModalFormula::Implies(..) => Node::Leaf(1),
            ModalFormula::And(left, right) => Node::Infix(2, (left, 2), " && ", (right, 3)),
            ModalFormula::Box { .. } | ModalFormula::Data(..) => Node::Leaf(3),
        }
    }

    fn leaf(&self, of: &ModalFormula, out: &mut String) {
        match of {
            ModalFormula::Data(data, _) => self.val(data, out),
            // A `*` is quantified in front of the whole formula.
            ModalFormula::Forall(sorted, of) if self.names.shown(&sorted.variable.name) == "*" => {
                self.write(of.as_ref(), 0, out);
            }
            ModalFormula::Forall(sorted, of) => self.forall(sorted, of, out),
            ModalFormula::Implies(data, of) => {
                self.val(data, out);
                out.push_str(" => ");
                self.write(of.as_ref(), 1, out);
            }
            ModalFormula::Box { regular, then, .. } => {
                out.push('[');
                self.regular(regular, out);
                out.push_str("] ");
                self.write(then.as_ref(), 3, out);
            }
            ModalFormula::And(..) => {}
        }
    }
}

impl OperatorPrinter<RegularFormula> for Printer {
    fn node<'t>(&self, of: &'t RegularFormula) -> Node<'t, RegularFormula> {
        match of {
            RegularFormula::Or(left, right) => Node::Infix(0, (left, 0), " + ", (right, 1)),
            RegularFormula::Then(left, right) => Node::Infix(1, (left, 1), " . ", (right, 2)),
            _ => Node::Leaf(3),
        }
    }

    fn leaf(&self, of: &RegularFormula, out: &mut String) {
        let (of, mark) = match of {
            RegularFormula::Action(action) => return self.write(action, ATOMIC, out),
            RegularFormula::Star(of) => (of, '*'),
            RegularFormula::Plus(of) => (of, '+'),
            _ => return out.push_str("nil"),
        };
        self.write(of.as_ref(), 3, out);
        out.push(mark);
    }
}

/// The level of an action formula without operators.
const ATOMIC: u8 = 5;

impl OperatorPrinter<ActionFormula> for Printer {
    fn node<'t>(&self, of: &'t ActionFormula) -> Node<'t, ActionFormula> {
        match of {
            ActionFormula::Quantified(..) => Node::Leaf(0),
            ActionFormula::Or(left, right) => Node::Infix(1, (left, 1), " || ", (right, 2)),
            ActionFormula::And(left, right) => Node::Infix(2, (left, 2), " && ", (right, 3)),
            ActionFormula::Not(of) => Node::Prefix(4, "!", (of, 4)),
            ActionFormula::Event(_) | ActionFormula::Data(_) => Node::Leaf(ATOMIC),
        }
    }

    fn leaf(&self, of: &ActionFormula, out: &mut String) {
        match of {
            ActionFormula::Event(atom) => self.atom(atom, out),
            ActionFormula::Data(data) => self.val(data, out),
            ActionFormula::Quantified(kind, sorted, of) => {
                out.extend([kind.word(), " "]);
                self.sorted(sorted, out);
                out.push_str(". ");
                self.write(of.as_ref(), 0, out);
            }
            _ => {}
        }
    }
}

impl OperatorPrinter<DataCondition> for Printer {
    fn node<'t>(&self, of: &'t DataCondition) -> Node<'t, DataCondition> {
        print::guard(of, [" || ", " && ", "!"])
    }

    fn leaf(&self, of: &DataCondition, out: &mut String) {
        match of {
            DataCondition::Constant(value) => print::constant(*value, out),
            DataCondition::Compare(left, comparison, right) => {
                self.write(left, 0, out);
                let symbol = if *comparison == Comparison::Equal { "==" } else { comparison.symbol() };
                out.extend([" ", symbol, " "]);
                self.write(right, 0, out);
            }
            _ => {}
        }
    }
}

impl OperatorPrinter<Expression> for Printer {
    fn node<'t>(&self, of: &'t Expression) -> Node<'t, Expression> {
        print::arithmetic(of)
    }

    fn leaf(&self, of: &Expression, out: &mut String) {
        match of {
            Expression::Literal(value) => self.literal(value, out),
            Expression::Variable(variable) => out.push_str(self.names.shown(&variable.name)),
            Expression::Arithmetic(..) => {}
        }
    }
}

/// The printed names of the variables of a formula.
struct ModalNames {
    renamed: wildcard::PrintedNames,
    /// Every name that a quantifier binds, as printed: no constant may be written like one. `None`: any name may be.
    bound: Option<BTreeSet<String>>,
}

impl ModalNames {
    fn of(modal: &ModalFormula) -> ModalNames {
        let mut uses = VariableUses::default();
        let mut inner = modal;
        // A variable is printed as `*` if it is quantified in front of all, over all values, and never compared.
        let mut stars = BTreeSet::new();
        while let ModalFormula::Forall(SortedVariable { variable, sort: Sort::Any, sort_name }, of) = inner {
            if sort_name == Sort::Any.word() && !stars.insert(variable.name.as_str()) {
                stars.remove(variable.name.as_str());
            }
            inner = of;
        }
        uses.modal(modal);
        let alone = wildcard::alone(&modal.atoms());
        let once = |name: &&str| uses.bound.iter().filter(|known| *known == name).count() == 1;
        stars.retain(|name| alone.contains(name) && once(name) && !uses.compared.contains(name));
        let renamed = wildcard::PrintedNames::of(&uses.bound, &stars);
        let bound = uses.bound.iter().map(|name| renamed.shown(name).to_owned()).collect();
        ModalNames { renamed, bound: Some(bound) }
    }

    /// Returns the printed name of a variable; `*` if it needs no quantifier.
    fn shown<'n>(&'n self, name: &'n str) -> &'n str {
        self.renamed.shown(name)
    }

    /// Returns true if a word would be read as a variable somewhere in the formula.
    fn is_bound(&self, word: &str) -> bool {
        self.bound.as_ref().is_none_or(|bound| bound.contains(word))
    }
}

/// The variables of a formula, collected by a walk over it.
#[derive(Default)]
struct VariableUses<'m> {
    /// The variables that quantifiers name, in the order of the text.
    bound: Vec<&'m str>,
    /// The variables in conditions.
    compared: BTreeSet<&'m str>,
}

impl<'m> Walk<'m> for VariableUses<'m> {
    fn modal(&mut self, modal: &'m ModalFormula) {
        if let ModalFormula::Forall(sorted, _) = modal {
            self.bound.push(&sorted.variable.name);
        }
        walk::modal(self, modal);
    }

    fn action(&mut self, action: &'m ActionFormula) {
        if let ActionFormula::Quantified(_, sorted, _) = action {
            self.bound.push(&sorted.variable.name);
        }
        walk::action(self, action);
    }

    fn expression(&mut self, expression: &'m Expression) {
        if let Expression::Variable(variable) = expression {
            self.compared.insert(&variable.name);
        }
        walk::expression(self, expression);
    }
}
