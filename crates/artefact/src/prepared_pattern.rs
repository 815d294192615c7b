// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pattern prepared for translation: its variables have names that every notation can write, and its spans are removed.

use std::collections::BTreeMap;

use gnomon_core::diagnostic::Span;
use gnomon_ir::walk::{WalkMut, walk_mut};
use gnomon_ir::{
    Atom, Behaviour, Body, Pattern, Property, Quantifier, QuantifierKind, Scope, ScopeKind, Spec, Variable,
};

use crate::refusal::Refusal;

/// A pattern with printable variables: a scope and a behaviour, with their events.
pub(crate) struct PreparedPattern<'s> {
    /// The spec with the declarations of events.
    pub(crate) spec: &'s Spec,
    pub(crate) scope: ScopeKind,
    /// The event Q that opens the scope.
    pub(crate) opens: Option<Atom>,
    /// The event R that closes the scope.
    pub(crate) closes: Option<Atom>,
    /// The behaviour that a segment must have.
    pub(crate) behaviour: Behaviour,
    /// The variables over whose values the pattern is quantified.
    pub(crate) variables: Vec<Variable>,
}

impl<'s> PreparedPattern<'s> {
    /// Prepares a `pattern` property. `what` completes the refusal for a property of another language.
    pub(crate) fn of(spec: &'s Spec, property: &Property, what: &str) -> Result<Self, Refusal> {
        let Body::Pattern(pattern) = &property.body else { return Err(Refusal::language(property, what)) };
        let mut names = WildcardNames::of(pattern, &property.prefix);
        let Pattern { mut scope, mut behaviour, .. } = pattern.clone();
        scope.opens.iter_mut().chain(&mut scope.closes).for_each(|atom| names.atom(atom));
        walk_mut::behaviour(&mut names, &mut behaviour);
        let mut variables: Vec<Variable> =
            property.prefix.iter().flat_map(|quantifier| &quantifier.variables).cloned().collect();
        for variable in &mut variables {
            names.variable(variable);
        }
        Ok(PreparedPattern { spec, scope: scope.kind, opens: scope.opens, closes: scope.closes, behaviour, variables })
    }

    /// Returns the pattern with the new names.
    pub(crate) fn pattern(&self) -> Pattern {
        let span = Span::default();
        let scope = Scope { kind: self.scope, opens: self.opens.clone(), closes: self.closes.clone(), span };
        Pattern { scope, behaviour: self.behaviour.clone(), behaviour_span: span }
    }

    /// Returns the quantifiers of the variables.
    pub(crate) fn prefix(&self) -> Vec<Quantifier> {
        let (kind, variables, span) = (QuantifierKind::Forall, self.variables.clone(), Span::default());
        let quantifier = Quantifier { kind, threshold: None, variables, span };
        if self.variables.is_empty() { vec![] } else { vec![quantifier] }
    }

    /// Returns every atom, those of the scope first.
    pub(crate) fn atoms(&self) -> Vec<&Atom> {
        self.opens.iter().chain(&self.closes).chain(self.behaviour.atoms()).collect()
    }

    /// Returns true if no event can match both atoms; false where that is not certain.
    pub(crate) fn apart(&self, left: &Atom, right: &Atom) -> bool {
        self.spec.are_disjoint(left, right)
    }
}

/// Returns an atom of all events of the name, without arguments and condition.
pub(crate) fn named(atom: &Atom) -> Atom {
    Atom { arguments: None, condition: None, ..atom.clone() }
}

/// New names for the variables of wildcards.
struct WildcardNames(BTreeMap<String, String>);

impl WildcardNames {
    fn of(pattern: &Pattern, prefix: &[Quantifier]) -> Self {
        let variables = || prefix.iter().flat_map(|quantifier| &quantifier.variables);
        let events: Vec<&str> = pattern.atoms().iter().map(|atom| atom.name.as_str()).collect();
        let mut names = BTreeMap::new();
        for variable in variables().filter(|variable| variable.name.starts_with('*')) {
            let taken = |name: &str| {
                events.contains(&name)
                    || variables().any(|known| known.name == name)
                    || names.values().any(|known| known == name)
            };
            let candidates = (0..).map(|number| if number == 0 { "x".to_owned() } else { format!("x{number}") });
            if let Some(fresh) = candidates.into_iter().find(|name| !taken(name)) {
                names.insert(variable.name.clone(), fresh);
            }
        }
        WildcardNames(names)
    }
}

/// Renames variables and removes spans, so that atoms with the same meaning are equal.
impl<'b> WalkMut<'b> for WildcardNames {
    fn variable(&mut self, variable: &'b mut Variable) {
        let name = self.0.get(&variable.name).unwrap_or(&variable.name);
        *variable = Variable { name: name.clone(), span: Span::default() };
    }

    fn span(&mut self, span: &'b mut Span) {
        *span = Span::default();
    }
}
