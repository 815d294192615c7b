// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the events of one position say of the atoms of a property, and for which values.

use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_ir::core::{AtomId, MeasureId};
use serde::{Deserialize, Serialize};

use super::values::{Id, NONE};

/// A set of variables, a bit for each.
pub(crate) type Mask = u32;

/// The matches of the open position.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Matches {
    list: Vec<Match>,
    /// For each match, the value of each quantified variable, or [`NONE`].
    pub(super) ids: Vec<Id>,
    registers: Vec<(u32, Value<'static>)>,
    numbers: Vec<(u32, Number)>,
}

/// An event matches an atom if these variables have these values.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Match {
    atom: u32,
    pub(crate) origin: Origin,
    pub(crate) mask: Mask,
    registers: (u32, u32),
    numbers: (u32, u32),
}

impl Match {
    #[inline]
    pub(crate) fn atom(&self) -> AtomId {
        AtomId(self.atom)
    }

    /// Whether it has numbers for measures.
    #[inline]
    pub(crate) fn has_numbers(&self) -> bool {
        self.numbers.0 < self.numbers.1
    }
}

impl Matches {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.ids.clear();
        self.registers.clear();
        self.numbers.clear();
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> &Match {
        &self.list[index as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Match> {
        self.list.iter()
    }

    /// The values that a match asks for.
    #[inline]
    pub(crate) fn ids(&self, index: usize, variables: usize) -> &[Id] {
        &self.ids[index * variables..(index + 1) * variables]
    }

    /// A match of one variable's value is all there is.
    #[inline]
    pub(crate) fn set(&mut self, atom: AtomId, origin: &Origin, id: Id) {
        self.ids.clear();
        self.ids.push(id);
        self.list.clear();
        self.list.push(Match { atom: atom.0, origin: *origin, mask: 1, registers: (0, 0), numbers: (0, 0) });
    }

    /// Begins a match; what is added until [`Matches::commit`] belongs to it.
    pub(crate) fn begin(&mut self, variables: usize) -> Draft {
        self.ids.resize((self.list.len() + 1) * variables, NONE);
        Draft { variables, mask: 0, registers: self.registers.len() as u32, numbers: self.numbers.len() as u32 }
    }

    /// A variable has a value at one of its places. `false`: at another place it has another value.
    pub(crate) fn bind(&mut self, draft: &mut Draft, variable: usize, id: Id) -> bool {
        let slot = &mut self.ids[self.list.len() * draft.variables + variable];
        let fits = *slot == NONE || *slot == id;
        *slot = id;
        draft.mask |= 1 << variable;
        fits
    }

    /// A free variable has a value at one of its places.
    pub(crate) fn register(&mut self, draft: &Draft, register: u32, value: Value<'static>) -> bool {
        let own = &self.registers[draft.registers as usize..];
        if let Some((_, known)) = own.iter().find(|(known, _)| *known == register) {
            return gnomon_core::value::Comparison::Equal.holds(known, &value);
        }
        self.registers.push((register, value));
        true
    }

    pub(crate) fn measure(&mut self, measure: MeasureId, number: Number) {
        self.numbers.push((measure.0, number));
    }

    /// Takes the match back.
    pub(crate) fn abandon(&mut self, draft: &Draft) {
        self.ids.truncate(self.list.len() * draft.variables);
        self.registers.truncate(draft.registers as usize);
        self.numbers.truncate(draft.numbers as usize);
    }

    /// Keeps the match, unless the same event matches the same atom for the same values already: then the first counts.
    #[inline]
    pub(crate) fn commit(&mut self, draft: Draft, atom: AtomId, origin: &Origin) {
        let (last, variables) = (self.list.len(), draft.variables);
        let same = |index: &usize| {
            let other = &self.list[*index];
            other.atom == atom.0
                && other.origin.event_index == origin.event_index
                && self.ids(*index, variables) == self.ids(last, variables)
                && self.registers[other.registers.0 as usize..other.registers.1 as usize]
                    == self.registers[draft.registers as usize..]
        };
        if (0..last).any(|index| same(&index)) {
            self.abandon(&draft);
            return;
        }
        self.list.push(Match {
            atom: atom.0,
            origin: *origin,
            mask: draft.mask,
            registers: (draft.registers, self.registers.len() as u32),
            numbers: (draft.numbers, self.numbers.len() as u32),
        });
    }

    /// Some of the matches, without the values of quantified variables.
    pub(crate) fn extract(&self, some: &[u32]) -> Matches {
        let mut matches = Matches::default();
        for index in some {
            let one = self.get(*index);
            let draft = matches.begin(0);
            matches.registers.extend_from_slice(self.registers(one));
            matches.numbers.extend(self.numbers(one).map(|(measure, number)| (measure.0, number)));
            matches.commit(draft, one.atom(), &one.origin);
        }
        matches
    }

    /// The values that a match gives to free variables.
    pub(crate) fn registers(&self, of: &Match) -> &[(u32, Value<'static>)] {
        &self.registers[of.registers.0 as usize..of.registers.1 as usize]
    }

    /// The numbers that a match has for measures.
    pub(crate) fn numbers(&self, of: &Match) -> impl Iterator<Item = (MeasureId, Number)> {
        let numbers = &self.numbers[of.numbers.0 as usize..of.numbers.1 as usize];
        numbers.iter().map(|(measure, number)| (MeasureId(*measure), *number))
    }
}

/// A match in the making.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draft {
    variables: usize,
    mask: Mask,
    registers: u32,
    numbers: u32,
}
