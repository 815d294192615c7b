// SPDX-License-Identifier: MIT OR Apache-2.0
//! The values that variables range over, and every combination of them.
// RULE Q1, Q6

use gnomon_core::value::{Comparison, Value};
use gnomon_core::verdict::Binding;
use gnomon_ir::core::{AtomDefinition, Quantifier};
use gnomon_ir::pattern::VariableId;

use crate::atom;
use crate::trace::Trace;

/// The values of each quantified variable, in the order of reports.
pub(crate) struct Domains {
    of: Vec<Vec<Value<'static>>>,
}

/// For each of the first variables, the place of its value in its domain.
pub(crate) type Choice = Vec<usize>;

impl Domains {
    /// Of the first `variables` ones: what they are in the events that match an atom which has them.
    pub(crate) fn new(atoms: &[AtomDefinition], variables: usize, trace: &Trace) -> Domains {
        Domains::of_kind(atoms, variables, trace, |_, _| true)
    }

    /// The same, where an event matches only if the value of each variable may be one.
    pub(crate) fn of_kind(
        atoms: &[AtomDefinition],
        variables: usize,
        trace: &Trace,
        may_be: impl Fn(usize, &Value<'static>) -> bool,
    ) -> Domains {
        let mut of: Vec<Vec<Value<'static>>> = vec![vec![]; variables];
        for event in trace.events() {
            let patterns = atoms.iter().flat_map(|atom| &atom.patterns);
            let sightings = patterns.filter_map(|pattern| atom::values(pattern, event));
            let fits = |values: &Vec<(VariableId, Value<'static>)>| {
                values.iter().all(|(VariableId(id), value)| may_be(*id as usize, value))
            };
            for (id, value) in sightings.filter(fits).flatten() {
                // The free variables of an automaton range over nothing.
                let Some(domain) = of.get_mut(id.0 as usize) else { continue };
                if !domain.iter().any(|known| Comparison::Equal.holds(known, &value)) {
                    domain.push(value);
                }
            }
        }
        for domain in &mut of {
            domain.sort_by(Value::order);
        }
        Domains { of }
    }

    /// The values of the variable of this number, in order.
    pub(crate) fn of(&self, variable: usize) -> &[Value<'static>] {
        &self.of[variable]
    }

    /// How many values the variable of this number has.
    pub(crate) fn size(&self, variable: usize) -> usize {
        self.of[variable].len()
    }

    /// Every choice for the first `variables` ones, the last one changing fastest.
    pub(crate) fn choices(&self, variables: usize) -> Vec<Choice> {
        let mut choices: Vec<Choice> = vec![vec![]];
        for domain in &self.of[..variables] {
            let longer = |choice: &Choice| {
                let choice = choice.clone();
                (0..domain.len()).map(move |place| [choice.as_slice(), &[place]].concat())
            };
            choices = choices.iter().flat_map(longer).collect();
        }
        choices
    }

    /// The values chosen.
    pub(crate) fn values(&self, choice: &[usize]) -> Vec<Value<'static>> {
        self.of.iter().zip(choice).map(|(domain, place)| domain[*place].clone()).collect()
    }

    /// The values chosen, with the variables' names.
    pub(crate) fn binding(&self, prefix: &[Quantifier], choice: &[usize]) -> Binding {
        let names = prefix.iter().map(|quantifier| quantifier.variable.clone());
        Binding { values: names.zip(self.values(choice)).collect() }
    }
}
