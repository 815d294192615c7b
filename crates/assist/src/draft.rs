// SPDX-License-Identifier: MIT OR Apache-2.0
//! The property under construction: the effect of all answers so far.
//!
//! Each answer adds its effects or fills a slot. Example: "after an event, another must follow" sets the behaviour *response*; the events
//! `pay` and `ship` fill the slots of cause and effect; "within 2 days" sets the greatest distance. From these, `build` makes the property
//! `ship responds to pay within 2d`, and `wording` the text of later questions, which name `pay` and `ship`.

mod build;
mod carriers;
mod wording;

use gnomon_core::list::unique;
use gnomon_core::{Clock, Quantity, Unit, Value};
use gnomon_ir::atom::Atom;

use crate::answer_error::AnswerError;
use crate::context::SessionContext;
use crate::tree::{AnswerEffect, AskCondition, BehaviourKind, EventRole, StatisticKind, TimeBound};
use crate::typed_event;

/// A property under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    /// Effects of the chosen answers.
    effects: Vec<AnswerEffect>,
    /// The events, in the order of the answers.
    slots: Vec<EventSlot>,
    /// Index of the event that questions about data refer to.
    pub(crate) current: usize,
    /// The field of that event that they refer to.
    pub(crate) field: String,
    /// The variable that was named last.
    variable: String,
    number: Option<u64>,
    /// The number that a statistic is compared with.
    bound: Option<Quantity>,
    least: Option<Quantity>,
    most: Option<Quantity>,
    span: Option<Quantity>,
    name: Option<String>,
}

/// An event of the property.
#[derive(Clone, Debug)]
struct EventSlot {
    role: EventRole,
    /// The event as typed.
    atom: Atom,
    /// Constraints on its fields.
    data: Vec<(String, DataConstraint)>,
}

/// The value that a field must have.
#[derive(Clone, Debug)]
enum DataConstraint {
    /// One value.
    Constant(Value<'static>),
    /// The value of a variable with this name.
    Variable(String),
    /// Any value; each is checked separately.
    Each,
}

impl Draft {
    pub(crate) fn apply_effects(&mut self, effects: &[AnswerEffect]) {
        for effect in effects {
            match effect {
                AnswerEffect::EachValue => self.constrain_field(DataConstraint::Each),
                effect => self.effects.push(effect.clone()),
            }
        }
    }

    pub(crate) fn add_event(
        &mut self,
        role: EventRole,
        text: &str,
        context: &SessionContext,
    ) -> Result<(), AnswerError> {
        let atom = typed_event::read(text, context)?;
        self.current = self.slots.len();
        self.slots.push(EventSlot { role, atom, data: vec![] });
        Ok(())
    }

    /// Returns the events that restrict no data, with their indices.
    pub(crate) fn plain_events(&self) -> Vec<(usize, &Atom, EventRole)> {
        let slots = self.slots.iter().enumerate().filter(|(index, _)| self.is_plain(*index));
        slots.map(|(index, slot)| (index, &slot.atom, slot.role)).collect()
    }

    /// Returns true if the event restricts no data. If its parameters were typed at another occurrence, it does.
    fn is_plain(&self, index: usize) -> bool {
        let atom = &self.slots[index].atom;
        let typed = |other: &EventSlot| other.atom.name == atom.name && other.atom.arguments.is_some();
        typed_event::is_plain(atom) && !self.slots.iter().any(typed)
    }

    /// Returns the name of the event that questions about data refer to.
    pub(crate) fn current_event(&self) -> &str {
        self.slots.get(self.current).map_or("", |slot| &slot.atom.name)
    }

    pub(crate) fn select_field(&mut self, text: &str, context: &SessionContext) -> Result<(), AnswerError> {
        let field = text.trim();
        let name = self.current_event();
        if let Some(parameters) = context.declared(name)
            && !parameters.iter().any(|parameter| parameter == field)
        {
            let help = match parameters {
                [] => format!("give `{name}` parameters where it is declared, as in `event {name}({field})`"),
                parameters => format!("choose one of {}", parameters.join(", ")),
            };
            return Err(AnswerError::new(format!("the spec declares no parameter `{field}` of `{name}`")).help(help));
        }
        if field.is_empty() || field.split('/').any(str::is_empty) || field.chars().any(char::is_control) {
            return Err(
                AnswerError::new("a piece of data needs a name").help("type the name of a column or field of the log")
            );
        }
        field.clone_into(&mut self.field);
        Ok(())
    }

    pub(crate) fn set_value(&mut self, text: &str) -> Result<(), AnswerError> {
        if text.trim().is_empty() {
            return Err(AnswerError::new("no value was given")
                .help("type a number, a text, true or false; \"\" is an empty text"));
        }
        self.constrain_field(DataConstraint::Constant(typed_event::value(text)));
        Ok(())
    }

    pub(crate) fn set_variable(&mut self, text: &str) -> Result<(), AnswerError> {
        let word = text.trim();
        if !typed_event::is_variable(word) {
            return Err(AnswerError::new(format!("`{word}` cannot be the name of a value"))
                .help("type a short word of letters and digits, such as `id`"));
        }
        word.clone_into(&mut self.variable);
        self.constrain_field(DataConstraint::Variable(word.to_owned()));
        Ok(())
    }

    /// Sets the constraint on the selected field of the selected event.
    fn constrain_field(&mut self, constraint: DataConstraint) {
        let Some(slot) = self.slots.get_mut(self.current) else { return };
        slot.data.retain(|(field, _)| *field != self.field);
        slot.data.push((self.field.clone(), constraint));
    }

    /// Returns the variables used so far.
    pub(crate) fn variables(&self) -> Vec<String> {
        let typed = typed_event::variables(self.slots.iter().map(|slot| &slot.atom));
        let constraints = self.slots.iter().flat_map(|slot| &slot.data);
        let answered = constraints.filter_map(|(_, constraint)| match constraint {
            DataConstraint::Variable(name) => Some(name.clone()),
            _ => None,
        });
        unique(typed.into_iter().filter(|name| !name.starts_with('*')).chain(answered))
    }

    pub(crate) fn set_number(&mut self, text: &str) -> Result<(), AnswerError> {
        let number: u64 = text.trim().parse().map_err(|_| {
            AnswerError::new(format!("`{}` is not a whole number", text.trim())).help("type how many times, such as 3")
        })?;
        if number == 0 && self.behaviour_kind() == Some(BehaviourKind::AtLeast) {
            return Err(AnswerError::new("at least 0 times is always true").help("type 1 or more"));
        }
        self.number = Some(number);
        Ok(())
    }

    pub(crate) fn set_bound(&mut self, text: &str) -> Result<(), AnswerError> {
        let text = text.trim();
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
        let read = Quantity::read(digits.trim()).ok().filter(|quantity| quantity.unit.is_none());
        let quantity = read.ok_or_else(|| {
            AnswerError::new(format!("`{text}` is not a number"))
                .help("type a number without a unit, such as 200 or 2.5; it is compared with the values in the log")
        })?;
        self.bound = Some(Quantity { billionths: sign * quantity.billionths, unit: None });
        Ok(())
    }

    /// Divides a chain of events: those from this one on, counted from 0, depend on those before.
    pub(crate) fn split(&mut self, text: &str) -> Result<(), AnswerError> {
        let chain: Vec<usize> = (0..self.slots.len()).filter(|index| self.is_in_chain(*index)).collect();
        let number = text.trim().parse::<usize>().ok().filter(|number| (1..chain.len()).contains(number));
        let number = number.ok_or_else(|| {
            AnswerError::new(format!("`{text}` is not one of the answers"))
                .help(format!("choose how many events come first, from 1 to {}", chain.len().saturating_sub(1)))
        })?;
        for (place, index) in chain.into_iter().enumerate() {
            self.slots[index].role = if place < number { EventRole::First } else { EventRole::Then };
        }
        Ok(())
    }

    fn is_in_chain(&self, index: usize) -> bool {
        matches!(self.slots[index].role, EventRole::First | EventRole::Then)
    }

    fn role_count(&self, role: EventRole) -> usize {
        self.slots.iter().filter(|slot| slot.role == role).count()
    }

    pub(crate) fn set_time(&mut self, bound: TimeBound, text: &str) -> Result<(), AnswerError> {
        let amount: String = text.split_whitespace().collect();
        if amount.is_empty() {
            return Err(AnswerError::new("no time was given").help("type an amount such as 10s, 500ms or 2h"));
        }
        let quantity = Quantity::read(&amount).map_err(AnswerError::new)?;
        let ticks = Clock::new(None).duration(quantity);
        let ticks = ticks.ok_or_else(|| {
            AnswerError::new(format!("`{quantity}` is not a whole number of nanoseconds"))
                .help("round it, or use a finer unit")
        })?;
        if ticks.ticks() == 0 && bound != TimeBound::Most {
            return Err(
                AnswerError::new("a time of zero is not a limit").help("type an amount above zero, such as 10s")
            );
        }
        if let (TimeBound::Most, Some(least)) = (bound, self.least) {
            if least.unit.is_some() != quantity.unit.is_some() {
                return Err(AnswerError::new(format!("`{least}` and `{quantity}` cannot be compared"))
                    .help("write both with a unit, or both without"));
            }
            if Clock::new(None).duration(least).is_some_and(|least| least > ticks) {
                return Err(AnswerError::new(format!("`{quantity}` is less than `{least}`")).help("type a longer time"));
            }
        }
        match bound {
            TimeBound::Least => self.least = Some(quantity),
            TimeBound::Most => self.most = Some(quantity),
            TimeBound::Span => self.span = Some(quantity),
        }
        Ok(())
    }

    pub(crate) fn set_name(&mut self, text: &str, context: &SessionContext) -> Result<(), AnswerError> {
        let name = text.trim();
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(AnswerError::new("a property needs a name").help("type a word or two, such as late-reply"));
        }
        if context.spec.property(name).is_some() {
            return Err(
                AnswerError::new(format!("the spec already has a property `{name}`")).help("choose another name")
            );
        }
        self.name = Some(name.to_owned());
        Ok(())
    }

    /// Returns true if the condition for asking a question is met.
    pub(crate) fn meets(&self, condition: AskCondition, context: &SessionContext) -> bool {
        match condition {
            AskCondition::UnitIsUnknown => {
                let has_unit = |quantity: &Option<Quantity>| quantity.is_some_and(|quantity| quantity.unit.is_some());
                let any = [self.least, self.most, self.span].iter().any(has_unit);
                any && context.spec.time.span.is_none() && !context.has_dates
            }
            // The values of a statistic are those of all events.
            AskCondition::SomeEventIsPlain => {
                self.behaviour_kind() != Some(BehaviourKind::Measured)
                    && (0..self.slots.len()).any(|index| self.is_plain(index))
            }
            AskCondition::LastEventIsPlain => self.slots.len().checked_sub(1).is_some_and(|last| self.is_plain(last)),
            AskCondition::OtherEventsArePlain => !self.other_events().is_empty(),
            AskCondition::FirstEventIsOne => self.role_count(EventRole::First) == 1,
            AskCondition::SeveralEventsFollow => {
                self.behaviour_kind() == Some(BehaviourKind::Response) && self.role_count(EventRole::Then) > 1
            }
        }
    }

    fn has_effect(&self, effect: &AnswerEffect) -> bool {
        self.effects.contains(effect)
    }

    pub(crate) fn behaviour_kind(&self) -> Option<BehaviourKind> {
        self.effects.iter().find_map(|effect| match effect {
            AnswerEffect::Behaviour(shape) => Some(*shape),
            _ => None,
        })
    }

    pub(crate) fn statistic(&self) -> Option<StatisticKind> {
        self.effects.iter().find_map(|effect| match effect {
            AnswerEffect::Statistic(kind) => Some(*kind),
            _ => None,
        })
    }

    fn unit(&self) -> Option<Unit> {
        self.effects.iter().find_map(|effect| match effect {
            AnswerEffect::Unit(symbol) => Unit::parse(symbol),
            _ => None,
        })
    }

    /// Suggests a descriptive name that no other property of the spec has.
    pub(crate) fn suggested_name(&self, context: &SessionContext) -> String {
        let (verb, role) = match self.behaviour_kind() {
            Some(BehaviourKind::Absence) => ("no", EventRole::Event),
            Some(BehaviourKind::Existence) => ("some", EventRole::Event),
            Some(BehaviourKind::AtMost | BehaviourKind::Rate) => ("at-most", EventRole::Event),
            Some(BehaviourKind::AtLeast) => ("at-least", EventRole::Event),
            Some(BehaviourKind::Exactly) => ("exactly", EventRole::Event),
            Some(BehaviourKind::Recurrence) => ("again", EventRole::Event),
            Some(BehaviourKind::Universality) => ("every", EventRole::Event),
            Some(BehaviourKind::Only) => ("only", EventRole::Event),
            Some(BehaviourKind::Response) => ("answered", EventRole::First),
            Some(BehaviourKind::Precedence) => ("allowed", EventRole::Then),
            Some(BehaviourKind::Measured) => ("limit-of", EventRole::Event),
            None => ("rule", EventRole::Event),
        };
        let number = self.number.map(|number| number.to_string());
        let events = self.slots.iter().filter(|slot| slot.role == role).map(|slot| word_of(&slot.atom.name));
        let words: Vec<String> = std::iter::once(verb.to_owned()).chain(number).chain(events.take(1)).collect();
        let name = words.join("-");
        let is_free = |name: &String| context.spec.property(name).is_none();
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
    }
}

/// Turns an event's name into a word: `GET /orders` becomes `GET-orders`.
fn word_of(name: &str) -> String {
    let kept = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { ' ' };
    let letters: String = name.chars().map(kept).collect();
    letters.split_whitespace().collect::<Vec<_>>().join("-")
}
