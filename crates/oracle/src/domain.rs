// SPDX-License-Identifier: MIT OR Apache-2.0
//! The values that variables range over, and every combination of them.
// RULE Q1, Q6

use gnomon_core::{Binding, Comparison, Value};
use gnomon_ir::{AtomDefinition, QuantifierCore, VariableId};

use crate::atom;
use crate::trace::Trace;

/// The values of each quantified variable, in the order of reports.
pub(crate) struct Domains {
    of: Vec<Vec<Value<'static>>>,
    /// For each value, the first event that has it.
    shown: Vec<Vec<usize>>,
}

/// Index of the chosen value in the domain of each of the first variables.
pub(crate) type Choice = Vec<usize>;

impl Domains {
    /// Collects the values of the first `variables` variables in the events that match an atom which binds them.
    pub(crate) fn new(atoms: &[AtomDefinition], variables: usize, trace: &Trace) -> Domains {
        Domains::of_kind(atoms, variables, trace, |_, _| true)
    }

    /// Collects values like [`Self::new`], but an event matches only if `may_be` admits the value of each variable.
    pub(crate) fn of_kind(
        atoms: &[AtomDefinition],
        variables: usize,
        trace: &Trace,
        may_be: impl Fn(usize, &Value<'static>) -> bool,
    ) -> Domains {
        let mut of: Vec<Vec<(Value<'static>, usize)>> = vec![vec![]; variables];
        for (index, event) in trace.events().iter().enumerate() {
            let patterns = atoms.iter().flat_map(|atom| &atom.patterns);
            let atom_matches = patterns.filter_map(|pattern| atom::values(pattern, event));
            let fits = |values: &Vec<(VariableId, Value<'static>)>| {
                values.iter().all(|(VariableId(id), value)| may_be(*id as usize, value))
            };
            for (id, value) in atom_matches.filter(fits).flatten() {
                // The free variables of an automaton range over nothing.
                let Some(domain) = of.get_mut(id.0 as usize) else { continue };
                if !domain.iter().any(|(known, _)| Comparison::Equal.holds(known, &value)) {
                    domain.push((value, index));
                }
            }
        }
        for domain in &mut of {
            domain.sort_by(|(left, _), (right, _)| left.order(right));
        }
        let (of, shown) = of.into_iter().map(|domain| domain.into_iter().unzip()).unzip();
        Domains { of, shown }
    }

    /// The values of the variable of this number, in order.
    pub(crate) fn of(&self, variable: usize) -> &[Value<'static>] {
        &self.of[variable]
    }

    /// Counts the values of the variable with this number.
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

    /// The first event after which all values chosen have been seen; `None` if none is chosen.
    pub(crate) fn shown(&self, choice: &[usize]) -> Option<usize> {
        self.shown.iter().zip(choice).map(|(shown, place)| shown[*place]).max()
    }

    /// The first event that has a value of a variable.
    pub(crate) fn first_event(&self, variable: usize, value: &Value<'static>) -> Option<usize> {
        let place = self.of[variable].iter().position(|known| known == value)?;
        Some(self.shown[variable][place])
    }

    /// The values chosen, with the variables' names.
    pub(crate) fn binding(&self, prefix: &[QuantifierCore], choice: &[usize]) -> Binding {
        let names = prefix.iter().map(|quantifier| quantifier.variable.clone());
        Binding { values: names.zip(self.values(choice)).collect() }
    }
}
