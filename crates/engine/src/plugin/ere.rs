// SPDX-License-Identifier: MIT OR Apache-2.0
//! Extended regular expressions as automata, by derivatives (Brzozowski 1964; Owens, Reppy and Turon 2009).
//!
//! The derivative of an expression by a letter describes the rests of its words that begin with the letter. Complement and intersection
//! commute with it, so no automaton has to be determinised. Each state is an expression; a word is in the language if the state that it
//! leads to contains the empty word.
//!
//! Expressions are numbered, equal ones alike, in a normal form: alternatives and intersections are sorted sets without nesting,
//! sequences lean to the right, and what is empty, the empty word or everything is simplified. An expression has finitely many
//! derivatives in this form. Example: by `a`, `a* b` is itself and `a` the empty word.
//!
//! COST: the number of derivatives can be exponential in the size of the expression, doubly so with `~` and `&`. Beyond
//! [`MOST_STATES`] the expression is refused.

use gnomon_ir::Ere;
use gnomon_ir::core::LetterId;
use rustc_hash::FxHashMap;

use super::table::{MOST_STATES, TooManyStates};

/// The number of an expression.
type ExpressionId = u32;

/// The most expressions that are numbered: derivatives and their parts.
const MOST_EXPRESSIONS: usize = 400_000;

/// An expression in normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum ExpressionNode {
    Empty,
    Epsilon,
    Letter(u32),
    /// Two or more, in ascending order, none of them an alternative.
    Or(Box<[ExpressionId]>),
    /// Two or more, in ascending order, none of them an intersection.
    And(Box<[ExpressionId]>),
    /// The first is no sequence.
    Then(ExpressionId, ExpressionId),
    Star(ExpressionId),
    Not(ExpressionId),
}

const EMPTY: ExpressionId = 0;
const EPSILON: ExpressionId = 1;
/// All words: `~empty`.
const ALL: ExpressionId = 2;

/// A deterministic automaton: its moves, and whether each state accepts.
pub(super) struct EreAutomaton {
    pub(super) next: Vec<u32>,
    pub(super) accepting: Vec<bool>,
}

/// Returns the automaton of an expression.
pub(super) fn automaton(ere: &Ere<LetterId>, letters: usize) -> Result<EreAutomaton, TooManyStates> {
    let mut expressions = Expressions::new();
    let first = expressions.build(ere)?;
    let mut states = vec![first];
    let mut numbers: FxHashMap<ExpressionId, u32> = FxHashMap::from_iter([(first, 0)]);
    let mut automaton = EreAutomaton { next: vec![], accepting: vec![] };
    let mut at = 0;
    while let Some(&state) = states.get(at) {
        automaton.accepting.push(expressions.is_nullable(state));
        for letter in 0..letters {
            let derivative = expressions.derive(state, letter as u32)?;
            let fresh = states.len() as u32;
            let number = *numbers.entry(derivative).or_insert(fresh);
            if number == fresh {
                if states.len() == MOST_STATES {
                    return Err(TooManyStates);
                }
                states.push(derivative);
            }
            automaton.next.push(number);
        }
        at += 1;
    }
    Ok(automaton)
}

/// Numbered expressions.
struct Expressions {
    nodes: Vec<ExpressionNode>,
    /// For each expression, true if it contains the empty word.
    nullable: Vec<bool>,
    numbers: FxHashMap<ExpressionNode, ExpressionId>,
    derivatives: FxHashMap<(ExpressionId, u32), ExpressionId>,
}

impl Expressions {
    fn new() -> Self {
        let mut expressions = Expressions {
            nodes: vec![],
            nullable: vec![],
            numbers: FxHashMap::default(),
            derivatives: FxHashMap::default(),
        };
        for (node, is_nullable) in
            [(ExpressionNode::Empty, false), (ExpressionNode::Epsilon, true), (ExpressionNode::Not(EMPTY), true)]
        {
            expressions.numbers.insert(node.clone(), expressions.nodes.len() as ExpressionId);
            expressions.nodes.push(node);
            expressions.nullable.push(is_nullable);
        }
        expressions
    }

    fn is_nullable(&self, of: ExpressionId) -> bool {
        self.nullable[of as usize]
    }

    fn number(&mut self, node: ExpressionNode) -> Result<ExpressionId, TooManyStates> {
        if let Some(known) = self.numbers.get(&node) {
            return Ok(*known);
        }
        if self.nodes.len() >= MOST_EXPRESSIONS {
            return Err(TooManyStates);
        }
        let is_nullable = match &node {
            ExpressionNode::Empty | ExpressionNode::Letter(_) => false,
            ExpressionNode::Epsilon | ExpressionNode::Star(_) => true,
            ExpressionNode::Or(parts) => parts.iter().any(|part| self.is_nullable(*part)),
            ExpressionNode::And(parts) => parts.iter().all(|part| self.is_nullable(*part)),
            ExpressionNode::Then(left, right) => self.is_nullable(*left) && self.is_nullable(*right),
            ExpressionNode::Not(of) => !self.is_nullable(*of),
        };
        let id = self.nodes.len() as ExpressionId;
        self.numbers.insert(node.clone(), id);
        self.nodes.push(node);
        self.nullable.push(is_nullable);
        Ok(id)
    }

    fn build(&mut self, ere: &Ere<LetterId>) -> Result<ExpressionId, TooManyStates> {
        match ere {
            Ere::Empty => Ok(EMPTY),
            Ere::Epsilon => Ok(EPSILON),
            Ere::Letter(letter) => self.number(ExpressionNode::Letter(letter.0)),
            Ere::Or(left, right) => {
                let parts = [self.build(left)?, self.build(right)?];
                self.or(parts.into())
            }
            Ere::And(left, right) => {
                let parts = [self.build(left)?, self.build(right)?];
                self.and(parts.into())
            }
            Ere::Then(left, right) => {
                let (left, right) = (self.build(left)?, self.build(right)?);
                self.then(left, right)
            }
            Ere::Not(of) => {
                let of = self.build(of)?;
                self.not(of)
            }
            Ere::Star(of) => {
                let of = self.build(of)?;
                self.star(of)
            }
            Ere::Plus(of) => {
                let of = self.build(of)?;
                let star = self.star(of)?;
                self.then(of, star)
            }
            Ere::Optional(of) => {
                let of = self.build(of)?;
                self.or(vec![of, EPSILON])
            }
            Ere::Power(of, times) => {
                let of = self.build(of)?;
                let mut power = EPSILON;
                for _ in 0..*times {
                    let before = power;
                    power = self.then(of, power)?;
                    if power == before {
                        break;
                    }
                }
                Ok(power)
            }
        }
    }

    /// Returns the union of expressions.
    fn or(&mut self, parts: Vec<ExpressionId>) -> Result<ExpressionId, TooManyStates> {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match &self.nodes[part as usize] {
                ExpressionNode::Or(parts) => flat.extend_from_slice(parts),
                ExpressionNode::Empty => {}
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let is_everything = flat.contains(&ALL) || self.has_complements(&flat);
        match *flat.as_slice() {
            _ if is_everything => Ok(ALL),
            [] => Ok(EMPTY),
            [one] => Ok(one),
            // The empty word is in the other one already.
            [EPSILON, other] if self.is_nullable(other) => Ok(other),
            _ => self.number(ExpressionNode::Or(flat.into())),
        }
    }

    /// Returns the intersection of expressions.
    fn and(&mut self, parts: Vec<ExpressionId>) -> Result<ExpressionId, TooManyStates> {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match &self.nodes[part as usize] {
                ExpressionNode::And(parts) => flat.extend_from_slice(parts),
                _ if part == ALL => {}
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        if flat.contains(&EMPTY) || self.has_complements(&flat) {
            return Ok(EMPTY);
        }
        if flat.contains(&EPSILON) {
            let is_in_all = flat.iter().all(|part| self.is_nullable(*part));
            return Ok(if is_in_all { EPSILON } else { EMPTY });
        }
        match *flat.as_slice() {
            [] => Ok(ALL),
            [one] => Ok(one),
            _ => self.number(ExpressionNode::And(flat.into())),
        }
    }

    /// Returns true if an expression and its complement are among the parts.
    fn has_complements(&self, parts: &[ExpressionId]) -> bool {
        parts.iter().any(|part| match self.nodes[*part as usize] {
            ExpressionNode::Not(of) => parts.binary_search(&of).is_ok(),
            _ => false,
        })
    }

    fn then(&mut self, left: ExpressionId, right: ExpressionId) -> Result<ExpressionId, TooManyStates> {
        match (left, right) {
            (EMPTY, _) | (_, EMPTY) => return Ok(EMPTY),
            (EPSILON, other) | (other, EPSILON) => return Ok(other),
            (ALL, ALL) => return Ok(ALL),
            _ => {}
        }
        // Turns `(a b) c` into `a (b c)`. Sequences lean to the right, so the parts of the left one are in a list.
        let mut parts = Vec::new();
        let mut rest = left;
        while let ExpressionNode::Then(first, others) = self.nodes[rest as usize] {
            parts.push(first);
            rest = others;
        }
        let mut whole = self.number(ExpressionNode::Then(rest, right))?;
        while let Some(part) = parts.pop() {
            whole = self.number(ExpressionNode::Then(part, whole))?;
        }
        Ok(whole)
    }

    fn star(&mut self, of: ExpressionId) -> Result<ExpressionId, TooManyStates> {
        match &self.nodes[of as usize] {
            ExpressionNode::Empty | ExpressionNode::Epsilon => Ok(EPSILON),
            ExpressionNode::Star(_) => Ok(of),
            _ if of == ALL => Ok(ALL),
            _ => self.number(ExpressionNode::Star(of)),
        }
    }

    fn not(&mut self, of: ExpressionId) -> Result<ExpressionId, TooManyStates> {
        match self.nodes[of as usize] {
            ExpressionNode::Not(of) => Ok(of),
            _ => self.number(ExpressionNode::Not(of)),
        }
    }

    /// Returns the derivative of an expression by a letter.
    fn derive(&mut self, of: ExpressionId, letter: u32) -> Result<ExpressionId, TooManyStates> {
        if let Some(known) = self.derivatives.get(&(of, letter)) {
            return Ok(*known);
        }
        let derivative = match self.nodes[of as usize].clone() {
            ExpressionNode::Empty | ExpressionNode::Epsilon => EMPTY,
            ExpressionNode::Letter(own) => {
                if own == letter {
                    EPSILON
                } else {
                    EMPTY
                }
            }
            ExpressionNode::Or(parts) => {
                let parts = self.derive_each(&parts, letter)?;
                self.or(parts)?
            }
            ExpressionNode::And(parts) => {
                let parts = self.derive_each(&parts, letter)?;
                self.and(parts)?
            }
            ExpressionNode::Then(..) => self.derive_sequence(of, letter)?,
            ExpressionNode::Star(body) => {
                let body = self.derive(body, letter)?;
                self.then(body, of)?
            }
            ExpressionNode::Not(body) => {
                let body = self.derive(body, letter)?;
                self.not(body)?
            }
        };
        self.derivatives.insert((of, letter), derivative);
        Ok(derivative)
    }

    fn derive_each(&mut self, parts: &[ExpressionId], letter: u32) -> Result<Vec<ExpressionId>, TooManyStates> {
        parts.iter().map(|part| self.derive(*part, letter)).collect()
    }

    /// Derives a sequence part by part, as far as the parts may be empty. A loop, because sequences can be thousands of parts long.
    fn derive_sequence(&mut self, of: ExpressionId, letter: u32) -> Result<ExpressionId, TooManyStates> {
        let mut alternatives = Vec::new();
        let mut rest = of;
        while let ExpressionNode::Then(first, others) = self.nodes[rest as usize] {
            let begun = self.derive(first, letter)?;
            alternatives.push(self.then(begun, others)?);
            if !self.is_nullable(first) {
                return self.or(alternatives);
            }
            rest = others;
        }
        alternatives.push(self.derive(rest, letter)?);
        self.or(alternatives)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(number: u32) -> Ere<LetterId> {
        Ere::Letter(LetterId(number))
    }

    fn boxed(ere: Ere<LetterId>) -> Box<Ere<LetterId>> {
        Box::new(ere)
    }

    fn then(left: Ere<LetterId>, right: Ere<LetterId>) -> Ere<LetterId> {
        Ere::Then(boxed(left), boxed(right))
    }

    /// Tests membership by the definition: all divisions of the word are tried.
    fn contains(ere: &Ere<LetterId>, word: &[u32]) -> bool {
        let divisions = || (0..=word.len()).map(|at| word.split_at(at));
        match ere {
            Ere::Empty => false,
            Ere::Epsilon | Ere::Power(_, 0) => word.is_empty(),
            Ere::Letter(letter) => word == [letter.0],
            Ere::Or(left, right) => contains(left, word) || contains(right, word),
            Ere::And(left, right) => contains(left, word) && contains(right, word),
            Ere::Then(left, right) => divisions().any(|(one, two)| contains(left, one) && contains(right, two)),
            Ere::Not(of) => !contains(of, word),
            Ere::Star(of) => {
                word.is_empty()
                    || divisions().skip(1).any(|(one, two)| contains(of, one) && contains(&Ere::Star(of.clone()), two))
            }
            Ere::Plus(of) => divisions().any(|(one, two)| contains(of, one) && contains(&Ere::Star(of.clone()), two)),
            Ere::Optional(of) => word.is_empty() || contains(of, word),
            Ere::Power(of, times) => {
                let rest = Ere::Power(of.clone(), times - 1);
                divisions().any(|(one, two)| contains(of, one) && contains(&rest, two))
            }
        }
    }

    /// A small generator of numbers, so that the tests need no dependency.
    struct Choices(u64);

    impl Choices {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % bound
        }

        fn ere(&mut self, depth: u32) -> Ere<LetterId> {
            if depth == 0 {
                return match self.below(8) {
                    0 => Ere::Epsilon,
                    1 => Ere::Empty,
                    other => letter(other as u32 % 2),
                };
            }
            let sub = |own: &mut Self| boxed(own.ere(depth - 1));
            match self.below(9) {
                0 => Ere::Or(sub(self), sub(self)),
                1 => Ere::And(sub(self), sub(self)),
                2 | 3 => Ere::Then(sub(self), sub(self)),
                4 => Ere::Not(sub(self)),
                5 => Ere::Star(sub(self)),
                6 => Ere::Plus(sub(self)),
                7 => Ere::Optional(sub(self)),
                _ => Ere::Power(sub(self), self.below(3) as u32),
            }
        }
    }

    #[test]
    fn automata_accept_the_words_of_random_expressions() {
        let mut choices = Choices(7);
        let words: Vec<Vec<u32>> = (0..=6_u32)
            .flat_map(|length| (0..1_u32 << length).map(move |bits| (0..length).map(|at| bits >> at & 1).collect()))
            .collect();
        let mut accepted = 0;
        for round in 0..400 {
            let ere = choices.ere(1 + round % 4);
            let automaton = automaton(&ere, 2).unwrap();
            for word in &words {
                let state = word.iter().fold(0, |state, letter| automaton.next[state * 2 + *letter as usize] as usize);
                let expected = contains(&ere, word);
                accepted += usize::from(expected);
                assert_eq!(automaton.accepting[state], expected, "{ere:?} {word:?}");
            }
        }
        assert!(accepted > 1_000, "{accepted}");
    }

    #[test]
    fn deep_expressions_with_complements_stay_small() {
        let mut choices = Choices(99);
        for _ in 0..100 {
            let ere = choices.ere(6);
            let automaton = automaton(&ere, 2).map(|automaton| automaton.accepting.len());
            assert!(automaton.is_ok_and(|states| states < 5_000), "{ere:?}");
        }
    }

    #[test]
    fn long_powers_are_counted_and_longer_ones_refused() {
        let states = |ere: &Ere<LetterId>| automaton(ere, 2).map(|automaton| automaton.accepting.len());
        assert_eq!(states(&Ere::Power(boxed(letter(0)), 3_000)), Ok(3_002));
        assert_eq!(states(&Ere::Power(boxed(letter(0)), u32::MAX)), Err(TooManyStates));
        assert_eq!(states(&Ere::Power(boxed(Ere::Epsilon), u32::MAX)), Ok(2));
        // The letter 20 places before the end is 0: 2^21 states.
        let any = Ere::Or(boxed(letter(0)), boxed(letter(1)));
        let tail = Ere::Power(boxed(any.clone()), 20);
        let wide = then(Ere::Star(boxed(any)), then(letter(0), tail));
        assert_eq!(states(&wide), Err(TooManyStates));
    }
}
