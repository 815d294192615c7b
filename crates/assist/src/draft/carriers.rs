// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events that carry the value of a variable, and those that do not.

use gnomon_core::list::unique;
use gnomon_ir::Argument;

use super::{DataConstraint, Draft, EventSlot};
use crate::answer_error::AnswerError;
use crate::context::SessionContext;

/// The answer that no other event carries the value.
const NONE: &str = "none";

impl Draft {
    /// Returns the names of the events, other than the selected one, that restrict no data and do not have the variable yet.
    pub(crate) fn other_events(&self) -> Vec<&str> {
        let slots = self.slots.iter().enumerate();
        let others = slots.filter(|(index, slot)| {
            *index != self.current && self.is_plain(*index) && !has_variable(slot, &self.variable)
        });
        unique(others.map(|(_, slot)| slot.atom.name.as_str()))
    }

    /// Returns the answer that is most likely right: the events that have the field, or of which no field is known.
    pub(crate) fn likely_carriers(&self, context: &SessionContext) -> String {
        let may_carry = |name: &&str| {
            let fields = context.fields(name);
            fields.is_empty() || fields.contains(&self.field.as_str())
        };
        let likely: Vec<&str> = self.other_events().into_iter().filter(may_carry).collect();
        if likely.is_empty() { NONE.to_owned() } else { likely.join(", ") }
    }

    /// Gives the variable to other events: `reply, close.ticket`.
    pub(crate) fn set_carriers(&mut self, text: &str, context: &SessionContext) -> Result<(), AnswerError> {
        let (selected, field, variable) = (self.current, self.field.clone(), self.variable.clone());
        let result = self.add_carriers(text, context, &variable);
        (self.current, self.field) = (selected, field);
        result
    }

    fn add_carriers(&mut self, text: &str, context: &SessionContext, variable: &str) -> Result<(), AnswerError> {
        let text = text.trim();
        if text == NONE && !self.other_events().contains(&NONE) {
            return Ok(());
        }
        let (own, field) = (self.current, self.field.clone());
        for item in text.split(',').map(str::trim) {
            let others: Vec<String> = self.other_events().into_iter().map(str::to_owned).collect();
            let is_event = |name: &str| others.iter().any(|other| other == name);
            let (event, field) = match item.rsplit_once('.') {
                _ if is_event(item) => (item, field.clone()),
                Some((event, field)) if is_event(event.trim()) => (event.trim(), field.trim().to_owned()),
                _ => {
                    return Err(AnswerError::new(format!("`{item}` is not one of the other events"))
                        .help(format!("type some of {}, with commas, or {NONE}", others.join(", "))));
                }
            };
            let slots = (0..self.slots.len()).filter(|index| *index != own && self.is_plain(*index));
            for index in slots.filter(|index| self.slots[*index].atom.name == event).collect::<Vec<_>>() {
                self.current = index;
                self.select_field(&field, context)?;
                self.constrain_field(DataConstraint::Variable(variable.to_owned()));
            }
            self.current = own;
        }
        Ok(())
    }

    /// Warns about events that count whatever value they carry, although others must carry the same one.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let lacking = |variable: String| {
            let slots = self.slots.iter().filter(|slot| !has_variable(slot, &variable));
            let names = unique(slots.map(|slot| format!("`{}`", slot.atom.name)));
            (!names.is_empty()).then(|| {
                let verb = if names.len() == 1 { "does" } else { "do" };
                let names = names.join(", ");
                format!(
                    "{names} {verb} not carry `{variable}`: any such event counts, whichever value the others carry"
                )
            })
        };
        self.variables().into_iter().filter_map(lacking).collect()
    }
}

/// Returns true if an event carries a variable.
fn has_variable(slot: &EventSlot, variable: &str) -> bool {
    let answered = |(_, constraint): &(String, DataConstraint)| matches!(constraint, DataConstraint::Variable(name) if name == variable);
    let typed = |argument: &Argument| matches!(argument, Argument::Variable(known) if known.name == variable);
    slot.data.iter().any(answered) || slot.atom.arguments.iter().flatten().any(typed)
}
