// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the answers so far come to.

mod build;

use gnomon_core::time::{Clock, Quantity, Unit};
use gnomon_core::value::Value;
use gnomon_ir::pattern::Atom;

use crate::event;
use crate::known::Known;
use crate::tree::{Bound, Fill, Part, Shape, When};
use crate::wrong::Wrong;

/// A property in the making.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    /// What chosen answers said.
    fills: Vec<Fill>,
    /// The events, in the order in which they were named.
    slots: Vec<Slot>,
    /// The event that questions about data are about.
    current: usize,
    /// The piece of its data that they are about.
    field: String,
    number: Option<u64>,
    least: Option<Quantity>,
    most: Option<Quantity>,
    span: Option<Quantity>,
    name: Option<String>,
}

/// An event of the property.
#[derive(Clone, Debug)]
struct Slot {
    part: Part,
    /// As it was typed.
    atom: Atom,
    /// What was answered about its data.
    data: Vec<(String, Datum)>,
}

/// Which value a piece of data must have.
#[derive(Clone, Debug)]
enum Datum {
    Fixed(Value<'static>),
    Same(String),
    Each,
}

impl Draft {
    pub(crate) fn fill(&mut self, fills: &[Fill]) {
        for fill in fills {
            match fill {
                Fill::EachValue => self.datum(Datum::Each),
                fill => self.fills.push(*fill),
            }
        }
    }

    pub(crate) fn event(&mut self, part: Part, text: &str, known: &Known) -> Result<(), Wrong> {
        let atom = event::read(text, known)?;
        self.current = self.slots.len();
        self.slots.push(Slot { part, atom, data: vec![] });
        Ok(())
    }

    /// The events that questions about data can be about, by number.
    pub(crate) fn plain(&self) -> Vec<(usize, &Atom, Part)> {
        let slots = self.slots.iter().enumerate().filter(|(index, _)| self.is_plain(*index));
        slots.map(|(index, slot)| (index, &slot.atom, slot.part)).collect()
    }

    /// An event whose parameters were typed elsewhere has them there too.
    fn is_plain(&self, index: usize) -> bool {
        let atom = &self.slots[index].atom;
        let typed = |other: &Slot| other.atom.name == atom.name && other.atom.arguments.is_some();
        event::is_plain(atom) && !self.slots.iter().any(typed)
    }

    /// Turns to one of them.
    pub(crate) fn turn_to(&mut self, index: usize) {
        self.current = index;
    }

    /// The name of the event that questions about data are about.
    pub(crate) fn current(&self) -> &str {
        self.slots.get(self.current).map_or("", |slot| &slot.atom.name)
    }

    /// The piece of data that the next answer is about.
    pub(crate) fn current_field(&self) -> &str {
        &self.field
    }

    pub(crate) fn field(&mut self, text: &str, known: &Known) -> Result<(), Wrong> {
        let field = text.trim();
        let name = self.current();
        if let Some(parameters) = known.declared(name)
            && !parameters.iter().any(|parameter| parameter == field)
        {
            let help = match parameters {
                [] => format!("give `{name}` parameters where it is declared, as in `event {name}({field})`"),
                parameters => format!("choose one of {}", parameters.join(", ")),
            };
            return Err(Wrong::new(format!("the spec declares no parameter `{field}` of `{name}`")).help(help));
        }
        if field.is_empty() || field.split('/').any(str::is_empty) || field.chars().any(char::is_control) {
            return Err(
                Wrong::new("a piece of data needs a name").help("type the name of a column or field of the log")
            );
        }
        field.clone_into(&mut self.field);
        Ok(())
    }

    pub(crate) fn value(&mut self, text: &str) -> Result<(), Wrong> {
        if text.trim().is_empty() {
            return Err(
                Wrong::new("no value was given").help("type a number, a text, true or false; \"\" is an empty text")
            );
        }
        self.datum(Datum::Fixed(event::value(text)));
        Ok(())
    }

    pub(crate) fn variable(&mut self, text: &str) -> Result<(), Wrong> {
        let word = text.trim();
        if !event::is_variable(word) {
            return Err(Wrong::new(format!("`{word}` cannot be the name of a value"))
                .help("type a short word of letters and digits, such as `id`"));
        }
        self.datum(Datum::Same(word.to_owned()));
        Ok(())
    }

    fn datum(&mut self, datum: Datum) {
        let Some(slot) = self.slots.get_mut(self.current) else { return };
        slot.data.retain(|(field, _)| *field != self.field);
        slot.data.push((self.field.clone(), datum));
    }

    /// The names of values so far.
    pub(crate) fn variables(&self) -> Vec<String> {
        let mut names = event::variables(self.slots.iter().map(|slot| &slot.atom));
        names.retain(|name| !name.starts_with('*'));
        for (_, datum) in self.slots.iter().flat_map(|slot| &slot.data) {
            if let Datum::Same(name) = datum
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        names
    }

    pub(crate) fn number(&mut self, text: &str) -> Result<(), Wrong> {
        let number: u64 = text.trim().parse().map_err(|_| {
            Wrong::new(format!("`{}` is no whole number", text.trim())).help("type how many times, such as 3")
        })?;
        if number == 0 && self.shape() == Some(Shape::AtLeast) {
            return Err(Wrong::new("at least 0 times is always so").help("type 1 or more"));
        }
        self.number = Some(number);
        Ok(())
    }

    pub(crate) fn time(&mut self, bound: Bound, text: &str) -> Result<(), Wrong> {
        let amount: String = text.split_whitespace().collect();
        let quantity = Quantity::read(&amount).map_err(Wrong::new)?;
        let ticks = Clock::new(None).duration(quantity);
        let ticks = ticks.ok_or_else(|| {
            Wrong::new(format!("`{quantity}` is no whole number of nanoseconds")).help("round it, or use a finer unit")
        })?;
        if ticks.ticks() == 0 && bound != Bound::Most {
            return Err(Wrong::new("no time at all is no limit").help("type an amount above zero, such as 10s"));
        }
        if let (Bound::Most, Some(least)) = (bound, self.least) {
            if least.unit.is_some() != quantity.unit.is_some() {
                return Err(Wrong::new(format!("`{least}` and `{quantity}` cannot be compared"))
                    .help("write both with a unit, or both without"));
            }
            if Clock::new(None).duration(least).is_some_and(|least| least > ticks) {
                return Err(Wrong::new(format!("`{quantity}` is less than `{least}`")).help("type a longer time"));
            }
        }
        match bound {
            Bound::Least => self.least = Some(quantity),
            Bound::Most => self.most = Some(quantity),
            Bound::Span => self.span = Some(quantity),
        }
        Ok(())
    }

    pub(crate) fn name(&mut self, text: &str, known: &Known) -> Result<(), Wrong> {
        let name = text.trim();
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(Wrong::new("a property needs a name").help("type a word or two, such as late-reply"));
        }
        if known.spec.property(name).is_some() {
            return Err(Wrong::new(format!("the spec has a property `{name}` already")).help("choose another name"));
        }
        self.name = Some(name.to_owned());
        Ok(())
    }

    /// Whether a question has a meaning.
    pub(crate) fn is(&self, when: When, known: &Known) -> bool {
        match when {
            When::UnitIsUnknown => {
                let has_unit = |quantity: &Option<Quantity>| quantity.is_some_and(|quantity| quantity.unit.is_some());
                let any = [self.least, self.most, self.span].iter().any(has_unit);
                any && known.spec.time.span.is_none() && !known.has_dates
            }
            When::SomeEventIsPlain => (0..self.slots.len()).any(|index| self.is_plain(index)),
            When::LastEventIsPlain => self.slots.len().checked_sub(1).is_some_and(|last| self.is_plain(last)),
        }
    }

    fn has(&self, fill: Fill) -> bool {
        self.fills.contains(&fill)
    }

    fn shape(&self) -> Option<Shape> {
        self.fills.iter().find_map(|fill| match fill {
            Fill::Behaviour(shape) => Some(*shape),
            _ => None,
        })
    }

    fn unit(&self) -> Option<Unit> {
        self.fills.iter().find_map(|fill| match fill {
            Fill::Unit(symbol) => Unit::parse(symbol),
            _ => None,
        })
    }

    /// A name that says what the property is, and that no other property has.
    pub(crate) fn suggested_name(&self, known: &Known) -> String {
        let (verb, part) = match self.shape() {
            Some(Shape::Absence) => ("no", Part::Event),
            Some(Shape::Existence) => ("some", Part::Event),
            Some(Shape::AtMost | Shape::Rate) => ("at-most", Part::Event),
            Some(Shape::AtLeast) => ("at-least", Part::Event),
            Some(Shape::Exactly) => ("exactly", Part::Event),
            Some(Shape::Recurrence) => ("again", Part::Event),
            Some(Shape::Universality) => ("every", Part::Event),
            Some(Shape::Only) => ("only", Part::Event),
            Some(Shape::Response) => ("answered", Part::First),
            Some(Shape::Precedence) => ("allowed", Part::Then),
            None => ("rule", Part::Event),
        };
        let number = self.number.map(|number| number.to_string());
        let events = self.slots.iter().filter(|slot| slot.part == part).map(|slot| word_of(&slot.atom.name));
        let words: Vec<String> = std::iter::once(verb.to_owned()).chain(number).chain(events.take(1)).collect();
        let name = words.join("-");
        let is_free = |name: &String| known.spec.property(name).is_none();
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
    }
}

/// What is left of a name in a word.
fn word_of(name: &str) -> String {
    let kept = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { ' ' };
    let letters: String = name.chars().map(kept).collect();
    letters.split_whitespace().collect::<Vec<_>>().join("-")
}
