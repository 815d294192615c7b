// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints properties fully parenthesised. It does not use the printers of the languages, so parsers and printers can be
//! tested with it.

mod albert;
mod automaton;
mod clocks;
mod modal;
mod pattern;
mod plugin;
mod rule;

use gnomon_ir::atom::{Argument, Atom, Condition, TimeComparison};
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, FormulaKind, Unary};
use gnomon_ir::spec::{Alternative, Body, EventDeclaration, Language, Property, Quantifier, QuantifierKind};

pub use self::albert::albert;

/// The text between a property's braces.
pub fn property(property: &Property) -> String {
    match &property.body {
        Body::Formula(formula) if property.language == Language::Albert => albert(invariant(formula)),
        Body::Formula(formula) => format!("{}{}", prefix(&property.prefix), soloist(formula)),
        Body::Automaton(automaton) => automaton::text(&property.prefix, automaton),
        Body::Rule(rule) => rule::text(rule),
        Body::Pattern(pattern) => pattern::text(&property.prefix, pattern),
        Body::Modal(modal) => modal::text(modal),
        Body::Plugin(plugin) => plugin::text(&property.prefix, plugin),
        Body::Clocks(clocks) => clocks::text(clocks),
    }
}

/// Returns the body of an ALBERT property below its outermost `G`.
pub fn invariant(formula: &Formula) -> &Formula {
    match &formula.kind {
        FormulaKind::Unary { operator: Unary::Always, of, .. } => of,
        _ => formula,
    }
}

/// The options that its body needs.
pub fn options(property: &Property) -> Vec<&'static str> {
    match &property.body {
        Body::Formula(formula) if uses_full_window(formula) => vec!["full-window"],
        Body::Formula(_)
        | Body::Automaton(_)
        | Body::Pattern(_)
        | Body::Modal(_)
        | Body::Plugin(_)
        | Body::Clocks(_) => vec![],
        Body::Rule(rule) => rule::options(rule),
    }
}

/// `event d(x) = p[a >= 2, a as x] | r[b as x]`
pub fn declaration(event: &EventDeclaration) -> String {
    let parameters = event.parameters.as_ref().map_or(String::new(), |names| format!("({})", names.join(", ")));
    let alternative = |alternative: &Alternative| {
        let condition = alternative.condition.iter().map(condition_text);
        let renames = alternative.renames.iter().map(|(path, name)| format!("{path} as {name}"));
        let parts: Vec<String> = condition.chain(renames).collect();
        let parts = if parts.is_empty() { String::new() } else { format!("[{}]", parts.join(", ")) };
        format!("{}{parts}", alternative.event)
    };
    let alternatives: Vec<String> = event.alternatives.iter().map(alternative).collect();
    format!("event {}{parameters} = {}", event.name, alternatives.join(" | "))
}

/// `forall x, y. exists >= 3 z. `
fn prefix(prefix: &[Quantifier]) -> String {
    let quantifier = |quantifier: &Quantifier| {
        let word = match quantifier.kind {
            QuantifierKind::Forall => "forall",
            QuantifierKind::Exists => "exists",
        };
        let threshold = quantifier.threshold.map_or(String::new(), |threshold| {
            let percent = if threshold.percent { "%" } else { "" };
            format!("{} {}{percent} ", threshold.comparison, threshold.amount)
        });
        let names: Vec<&str> = quantifier.variables.iter().map(|variable| variable.name.as_str()).collect();
        format!("{word} {threshold}{}. ", names.join(", "))
    };
    prefix.iter().map(quantifier).collect()
}

/// A formula's text, in SOLOIST or MTL.
pub fn soloist(formula: &Formula) -> String {
    match &formula.kind {
        FormulaKind::Constant(value) => value.to_string(),
        FormulaKind::Atom(atom) => atom_text(atom),
        FormulaKind::Not(of) => format!("!({})", soloist(of)),
        FormulaKind::Connective(connective, left, right) => {
            format!("({}) {} ({})", soloist(left), symbol(*connective), soloist(right))
        }
        FormulaKind::Unary { operator, times, interval, of, .. } => {
            let letter = match operator {
                Unary::Always => "G",
                Unary::Eventually => "F",
                Unary::Historically => "H",
                Unary::Once => "P",
                Unary::Next => "X",
                Unary::Previous => "Y",
            };
            let power = if *times == 1 { String::new() } else { format!("^{times}") };
            format!("{letter}{power}{}({})", bounds(interval), soloist(of))
        }
        FormulaKind::Binary { operator, interval, left, right, .. } => {
            let letter = match operator {
                Binary::Until => "U",
                Binary::Since => "S",
                Binary::WeakUntil => "W",
                Binary::Release => "R",
            };
            format!("({}) {letter}{} ({})", soloist(left), bounds(interval), soloist(right))
        }
        FormulaKind::OnEvent(_)
        | FormulaKind::Compare(..)
        | FormulaKind::InFuture { .. }
        | FormulaKind::Each { .. } => albert(formula),
        FormulaKind::Aggregate { aggregate, comparison, bound, .. } => {
            let compared = format!("_{{{comparison}{bound}}}");
            // MTL has closed windows, SOLOIST open ones and a spelling with subscripts, which is used for half of them.
            let windowed = |word: &str, window: &gnomon_core::time::Quantity, closed: bool, of: &str| {
                if closed || window.billionths % 2_000_000_000 == 0 {
                    format!("{word}[{window}]({of}) {comparison} {bound}")
                } else {
                    format!("{word}^{{{window}}}{compared}({of})")
                }
            };
            match aggregate.as_ref() {
                Aggregate::Count { window, closed: true, of } => {
                    format!("count[{window}]({}) {comparison} {bound}", soloist(of))
                }
                Aggregate::Count { window, closed: false, of } => format!("C^{{{window}}}{compared}({})", soloist(of)),
                Aggregate::Average { window, step, of } => format!("U^{{{window},{step}}}{compared}({})", soloist(of)),
                Aggregate::Maximum { window, step, of } => format!("M^{{{window},{step}}}{compared}({})", soloist(of)),
                Aggregate::Gap { window, from, to } => {
                    format!("D^{{{window}}}{compared}{{({}, {})}}", soloist(from), soloist(to))
                }
                Aggregate::Fold { fold, window, of, field } => {
                    format!("{}[{window}]({}.{}) {comparison} {bound}", fold.word(), atom_text(of), field)
                }
                Aggregate::Rate { window, closed, of } => windowed("rate", window, *closed, &soloist(of)),
                Aggregate::Percentile { percent, window, closed, of, field } => {
                    windowed(&format!("p{percent}"), window, *closed, &format!("{}.{field}", atom_text(of)))
                }
                Aggregate::Distinct { window, closed, of, field } => {
                    windowed("distinct", window, *closed, &format!("{}.{field}", atom_text(of)))
                }
            }
        }
    }
}

fn symbol(connective: Connective) -> &'static str {
    match connective {
        Connective::And => "&&",
        Connective::Or => "||",
        Connective::Implies => "->",
        Connective::Iff => "<->",
    }
}

/// Returns true if an aggregate requires a full window: an option of the property, not part of the formula's text.
pub fn uses_full_window(formula: &Formula) -> bool {
    matches!(formula.kind, FormulaKind::Aggregate { full_window: true, .. })
        || formula.children().into_iter().any(uses_full_window)
}

fn bounds(bounds: &Bounds) -> String {
    if bounds.span.is_none() {
        return String::new();
    }
    let open = if bounds.lo_closed { '[' } else { '(' };
    let close = if bounds.hi_closed { ']' } else { ')' };
    let hi = bounds.hi.map_or("inf".to_owned(), |hi| hi.to_string());
    format!("{open}{},{hi}{close}", bounds.lo)
}

fn atom_text(atom: &Atom) -> String {
    let mut text = atom.name.clone();
    if let Some(arguments) = &atom.arguments {
        let arguments = arguments.iter().map(|argument| match argument {
            Argument::Any => "_".to_owned(),
            Argument::Literal(value) => value.to_string(),
            Argument::Variable(variable) => variable.name.clone(),
        });
        text = format!("{text}({})", arguments.collect::<Vec<_>>().join(", "));
    }
    if let Some(condition) = &atom.condition {
        text = format!("{text}[{}]", condition_text(condition));
    }
    text
}

fn condition_text(condition: &Condition) -> String {
    match condition {
        Condition::Compare(path, comparison, value) => {
            format!("{path} {comparison} {value}")
        }
        Condition::Time(time) => {
            let TimeComparison { part, comparison, literal, .. } = &**time;
            format!("@{} {comparison} {literal}", part.word())
        }
        Condition::Not(of) => format!("!({})", condition_text(of)),
        Condition::And(left, right) => format!("({}) && ({})", condition_text(left), condition_text(right)),
        Condition::Or(left, right) => format!("({}) || ({})", condition_text(left), condition_text(right)),
    }
}
