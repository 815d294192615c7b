// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains comparisons of values of states: cites the events that determine the values.

use gnomon_core::rounding::{rounded, rounded_beside};
use gnomon_core::{Duration, Fraction};
use gnomon_ir::core::{Edge, TermCore, TermId};
use gnomon_ir::describe;

use super::MAX_CITED;
use super::formula::FormulaExplainer;
use crate::term::happened;
use crate::term_value::TermValue;

impl FormulaExplainer<'_> {
    /// Explains a comparison by the values of its sides.
    pub(super) fn compare(&mut self, edge: Edge, sides: [TermId; 2], position: usize) -> String {
        let core = self.core;
        let is_literal =
            |side: &TermId| matches!(core.terms[side.0 as usize], TermCore::Number(_) | TermCore::Value(_));
        let value = |(side, other): (TermId, TermId)| {
            format!("`{}` is {}", describe::words(core, side), self.value_beside(side, other, position))
        };
        let [left, right] = sides;
        let compared = [(left, right), (right, left)].into_iter().filter(|(side, _)| !is_literal(side));
        let notes: Vec<String> = compared.map(value).collect();
        let note = notes.join(", ");
        for side in sides {
            self.cite_term(side, position);
        }
        self.cite(position, edge, if note.is_empty() { "false here".to_owned() } else { note.clone() });
        let wanted = self.describe(if self.is_true(edge, position) { !edge } else { edge });
        if note.is_empty() { format!("{wanted} does not hold") } else { format!("{wanted} does not hold: {note}") }
    }

    /// Writes the value of a term at a position.
    fn value(&self, id: TermId, position: usize) -> String {
        match self.value_at(id, position) {
            Some(TermValue::Number(number)) => rounded(&number.to_string()),
            Some(TermValue::Other(value)) => value.to_string(),
            None => "undefined".to_owned(),
        }
    }

    /// Writes the value of a term that is compared with another one.
    fn value_beside(&self, id: TermId, other: TermId, position: usize) -> String {
        match (self.value_at(id, position), self.value_at(other, position)) {
            (Some(TermValue::Number(number)), Some(TermValue::Number(other))) => {
                rounded_beside(&number.to_string(), &other.to_string())
            }
            _ => self.value(id, position),
        }
    }

    fn value_at(&self, id: TermId, position: usize) -> Option<&TermValue> {
        self.table.terms[id.0 as usize].get(position)?.as_ref()
    }

    /// Cites the events that determine the value of a term at a position.
    fn cite_term(&mut self, id: TermId, position: usize) {
        let (core, facts) = (self.core, self.facts);
        let in_window = |explainer: &Self, reach: Duration| -> Vec<usize> {
            (0..=position).filter(|earlier| explainer.time(position) - explainer.time(*earlier) <= reach).collect()
        };
        match &core.terms[id.0 as usize] {
            TermCore::Number(_) | TermCore::Value(_) | TermCore::Element { .. } => {}
            TermCore::Operation(_, left, right) => {
                self.cite_term(*left, position);
                self.cite_term(*right, position);
            }
            TermCore::Variable { variable, .. } => {
                let (name, events) = (&core.variables[*variable], self.builder.evidence.trace.events());
                let end = facts.positions[position].events.start;
                let set = |event: &usize| events[*event].fields.iter().any(|(key, _)| key == name);
                let is_set_here = facts.positions[position].events.clone().any(|event| set(&event));
                if let Some(event) = (0..end).rev().find(set).filter(|_| !is_set_here) {
                    let value = self.value(id, position);
                    self.builder.cite(event, format!("`{}` is {value} from here on", describe::words(core, id)));
                }
            }
            TermCore::Past { of, event, back } => {
                let place = usize::try_from(back - 1).unwrap_or(usize::MAX);
                if let Some(then) = happened(facts, *event, position).nth(place) {
                    let value = self.value(*of, then);
                    let cited = facts.positions[then].events.start;
                    self.builder.cite(cited, format!("`{}` is {value} here", describe::words(core, *of)));
                    self.cite_term(*of, then);
                }
            }
            TermCore::Count { of, reach } => {
                let counted = in_window(self, *reach).into_iter().filter(|earlier| self.is_true(*of, *earlier));
                let events: Vec<usize> = counted.map(|earlier| self.event_of(earlier, *of)).collect();
                let window = self.times.constant(*reach);
                self.builder
                    .cite_counted(&events, |place, all| format!("counted: {place} of {all} in the last {window}"));
            }
            TermCore::Fold { of, reach, .. } => {
                let window = self.times.constant(*reach);
                let row = &self.table.terms[of.0 as usize];
                let is_number = |at: &usize| row[*at].as_ref().and_then(TermValue::number);
                let values: Vec<(usize, Fraction)> =
                    in_window(self, *reach).into_iter().filter_map(|at| Some((at, is_number(&at)?))).collect();
                for (earlier, value) in &values[values.len().saturating_sub(MAX_CITED)..] {
                    let event = facts.positions[*earlier].events.start;
                    self.builder.cite(event, format!("{value}, in the last {window}"));
                }
            }
            TermCore::Elapsed { event, .. } => {
                if let Some(then) = happened(facts, *event, position).next() {
                    let ago = self.times.amount(self.time(position) - self.time(then));
                    let name = &core.atoms[event.atom.0 as usize].name;
                    let what = if event.starts { "start of " } else { "" };
                    self.builder
                        .cite(facts.positions[then].events.start, format!("the last {what}`{name}`, {ago} earlier"));
                }
            }
        }
    }
}
