// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers the quantifiers in front of a property and numbers their variables.

use gnomon_core::{Diagnostic, Span, TICKS_PER_BARE_UNIT};

use super::Checker;
use crate::{Property, QuantifierCore, Ratio, ThresholdCore, Variable, VariableId};

/// Limit on the number of quantified variables.
const MAX_VARIABLES: usize = 16;
/// Code of the error about a parameter that is neither quantified nor a literal.
const UNBOUND: &str = "G0306";

/// The variables that a property may refer to.
pub(super) struct Variables {
    names: Vec<String>,
    used: Vec<bool>,
    /// Number of quantified variables; the others are free variables of an automaton.
    quantified: usize,
    /// True if an unknown name declares a free variable.
    open: bool,
    /// Names that are neither quantified nor declared by a free variable.
    unbound: Vec<String>,
}

impl Variables {
    pub(super) fn of(property: &Property) -> Self {
        let names: Vec<String> = variables(property).map(|variable| variable.name.clone()).collect();
        Variables { used: vec![false; names.len()], quantified: names.len(), names, open: false, unbound: Vec::new() }
    }

    /// Variables that are quantified inside a formula: first those of the whole formula, then those of parts of it.
    pub(super) fn inside(whole: Vec<String>, parts: Vec<String>) -> Self {
        let quantified = whole.len();
        let names: Vec<String> = whole.into_iter().chain(parts).collect();
        Variables { used: vec![false; names.len()], quantified, names, open: false, unbound: Vec::new() }
    }

    /// Lets every unknown name declare a free variable from now on.
    pub(super) fn open(&mut self) {
        self.open = true;
    }

    /// The number of a variable.
    fn number(&mut self, name: &str) -> Option<VariableId> {
        let found = self.names.iter().position(|known| known == name);
        if found.is_none() && !self.open {
            return None;
        }
        let index = found.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.used.push(false);
            self.names.len() - 1
        });
        Some(VariableId(index as u32))
    }

    /// Marks a variable as used, also if it is quantified twice, which is an error of its own.
    fn mark_used(&mut self, name: &str) {
        let quantified = self.used.iter_mut().zip(&self.names).take(self.quantified);
        for (used, _) in quantified.filter(|(_, known)| *known == name) {
            *used = true;
        }
    }

    pub(super) fn is_quantified(&self, id: VariableId) -> bool {
        (id.0 as usize) < self.quantified
    }

    /// The names of the free variables.
    pub(super) fn free(&self) -> Vec<String> {
        self.names[self.quantified..].to_vec()
    }

    fn names(&self) -> &[String] {
        &self.names[..self.quantified]
    }
}

fn variables(property: &Property) -> impl Iterator<Item = &Variable> {
    property.prefix.iter().flat_map(|quantifier| &quantifier.variables)
}

impl Checker<'_> {
    pub(super) fn prefix(&mut self, property: &Property) -> Vec<QuantifierCore> {
        let mut prefix: Vec<QuantifierCore> = Vec::new();
        let mut spans: Vec<Span> = Vec::new();
        for quantifier in &property.prefix {
            let threshold = quantifier.threshold.map(|threshold| ThresholdCore {
                comparison: threshold.comparison,
                amount: Ratio {
                    numerator: threshold.amount.billionths,
                    denominator: TICKS_PER_BARE_UNIT * if threshold.percent { 100 } else { 1 },
                },
                of_all: threshold.percent,
            });
            for variable in &quantifier.variables {
                if let Some(before) = prefix.iter().position(|known| known.variable == variable.name) {
                    self.diagnostics.push(
                        Diagnostic::error("G0201", variable.span, format!("`{}` is quantified twice", variable.name))
                            .also(spans[before], "here for the first time")
                            .help("give the second one another name"),
                    );
                }
                spans.push(variable.span);
                prefix.push(QuantifierCore { variable: variable.name.clone(), kind: quantifier.kind, threshold });
            }
        }
        self.too_many_variables(&spans);
        prefix
    }

    /// Refuses more variables than a binding has room for.
    pub(super) fn too_many_variables(&mut self, spans: &[Span]) {
        if let Some(span) = spans.get(MAX_VARIABLES) {
            self.diagnostics.push(
                Diagnostic::error("G0312", *span, format!("more than {MAX_VARIABLES} quantified variables"))
                    .label("one too many")
                    .help("split the property, or leave out variables that `_` can stand for"),
            );
        }
    }

    /// A variable in no atom ranges over nothing.
    pub(super) fn unused_variables(&mut self, property: &Property) {
        self.unused(variables(property));
    }

    /// Reports quantified variables that occur in no atom.
    pub(super) fn unused<'v>(&mut self, variables: impl Iterator<Item = &'v Variable>) {
        let unused: Vec<&Variable> =
            variables.zip(&self.variables.used).filter(|(_, used)| !**used).map(|(variable, _)| variable).collect();
        for variable in unused {
            self.diagnostics.push(
                Diagnostic::error("G0311", variable.span, format!("`{}` is not used in any event", variable.name))
                    .label("its values come from the events that carry it")
                    .help(format!("use it as a parameter, for example `request({})`, or leave it out", variable.name)),
            );
        }
    }

    /// The number of a variable that an atom has as a parameter.
    pub(super) fn variable(&mut self, variable: &Variable) -> Option<VariableId> {
        let found = self.named(variable);
        if found.is_some() {
            self.variables.mark_used(&variable.name);
        }
        found
    }

    /// The number of a variable, wherever it stands.
    pub(super) fn named(&mut self, variable: &Variable) -> Option<VariableId> {
        let found = self.variables.number(&variable.name);
        if found.is_none() {
            self.unbound(variable);
        }
        found
    }

    /// Reports a variable that is not quantified. One missing quantifier is one error, however often its variables occur.
    fn unbound(&mut self, variable: &Variable) {
        let Variable { name, span } = variable;
        let is_first = self.variables.unbound.is_empty();
        if !self.variables.unbound.contains(name) {
            self.variables.unbound.push(name.clone());
        }
        let known = self.diagnostics.iter_mut().rfind(|known| known.code == UNBOUND).filter(|_| !is_first);
        if let Some(known) = known {
            // An atom with several alternatives is visited once for each.
            if std::iter::once(&known.primary).chain(&known.secondary).any(|label| label.span == *span) {
                return;
            }
            let names = self.variables.unbound.join(", ");
            let help = format!(
                "quantify in front of the formula: `forall {names}. ...`; or write texts in quotes, `_` for any value"
            );
            *known = known.clone().also(*span, "nor is this").help(help);
            return;
        }
        let names = self.variables.names();
        let error = Diagnostic::error(UNBOUND, *span, format!("`{name}` is neither quantified nor a literal"));
        let error = if names.is_empty() {
            error.label("there is no quantifier before the formula")
        } else {
            error.label(format!("the variables are {}", names.join(", ")))
        };
        self.diagnostics.push(error.edit(
            format!("write a text in quotes, `_` for any value, or quantify it: `forall {name}. ...`"),
            *span,
            format!("\"{name}\""),
        ));
    }
}
