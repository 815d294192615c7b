// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mapping as it was published, errors and all: Bianculli, Ghezzi, Krstić, "Runtime verification competition 2014:
//! Specification package", section 1.1. Only what is printed there: no `S`, no unbounded `G`.

use gnomon_core::time::{Quantity, TICKS_PER_BARE_UNIT};
use gnomon_core::value::Comparison;
use gnomon_ir::atom::Atom;
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, FormulaKind, Unary};
use gnomon_ir::ltl::{Builder, LimitExceeded, Limits, LtlFormula, LtlId};

/// In which direction the exponents of `Y` in the translation of D go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArgumentOrder {
    /// As printed: the start nearer to the present than its end.
    Printed,
    /// The other way round, so that other errors can be seen.
    Mended,
}

/// The translation of a formula.
pub(crate) fn rho(formula: &Formula, order: ArgumentOrder) -> LtlFormula {
    let builder = Builder::new(Limits { shared: 1_000_000, written: u64::MAX });
    let mut published = Published { builder, atoms: vec![], order };
    let root = published.formula(formula).expect("test formulae are small");
    published.builder.finish(root, published.atoms)
}

struct Published {
    builder: Builder,
    atoms: Vec<Atom>,
    order: ArgumentOrder,
}

/// A constant of a test formula: small and whole.
fn whole(quantity: Quantity) -> i64 {
    i64::try_from(quantity.billionths / TICKS_PER_BARE_UNIT).expect("test formulae have small constants")
}

/// An interval as the open one of whole numbers, which the paper's rules speak of: `(l, u)`.
fn open(bounds: &Bounds) -> (i64, Option<i64>) {
    let lo = whole(bounds.lo);
    let lo = if bounds.lo_closed { (lo - 1).max(0) } else { lo };
    (lo, bounds.hi.map(|hi| whole(hi) + i64::from(bounds.hi_closed)))
}

type Made = Result<LtlId, LimitExceeded>;

impl Published {
    fn formula(&mut self, formula: &Formula) -> Made {
        match &formula.kind {
            FormulaKind::Constant(value) => Ok(self.builder.constant(*value)),
            FormulaKind::Atom(atom) => {
                let known = self.atoms.iter().position(|known| known.name == atom.name);
                if known.is_none() {
                    self.atoms.push(atom.clone());
                }
                self.builder.proposition(known.unwrap_or(self.atoms.len() - 1))
            }
            FormulaKind::Not(of) => {
                let of = self.formula(of)?;
                self.builder.not(of)
            }
            FormulaKind::Connective(connective, left, right) => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                match connective {
                    Connective::And => self.builder.and(left, right),
                    Connective::Or => self.builder.or(left, right),
                    Connective::Implies => self.builder.implies(left, right),
                    Connective::Iff => panic!("it is not printed"),
                }
            }
            FormulaKind::Unary { operator, interval, of, .. } => {
                let of = self.formula(of)?;
                let (lo, hi) = open(interval);
                match operator {
                    // `T_X` is printed for `=i` only.
                    Unary::Next => self.next(lo + 1, of),
                    Unary::Always => self.always(lo + 1, hi.expect("T_G is a finite conjunction") - 1, of),
                    Unary::Eventually => self.until(lo, hi, self.builder.constant(true), of),
                    Unary::Once | Unary::Historically | Unary::Previous => panic!("the past is left to the reader"),
                }
            }
            FormulaKind::Binary { operator: Binary::Until, interval, left, right, .. } => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                let (lo, hi) = open(interval);
                self.until(lo, hi, left, right)
            }
            FormulaKind::Binary { .. } => panic!("the past is left to the reader"),
            FormulaKind::OnEvent(_)
            | FormulaKind::Compare(..)
            | FormulaKind::InFuture { .. }
            | FormulaKind::Each { .. } => {
                panic!("it is not a formula of the paper")
            }
            FormulaKind::Aggregate { aggregate, comparison, bound, .. } => {
                self.aggregate(aggregate, *comparison, whole(*bound))
            }
        }
    }

    /// `T_X`
    fn next(&mut self, distance: i64, of: LtlId) -> Made {
        let there = self.builder.and(self.builder.marker(), of)?;
        (0..distance).try_fold(there, |whole, _| self.builder.next(whole))
    }

    /// `T_G` over `from ..= to`
    fn always(&mut self, from: i64, to: i64, of: LtlId) -> Made {
        (from..=to).try_fold(self.builder.constant(true), |whole, distance| {
            let there = self.next(distance, of)?;
            self.builder.and(whole, there)
        })
    }

    /// `T_U1` to `T_U5`, over the open interval.
    fn until(&mut self, lo: i64, hi: Option<i64>, left: LtlId, right: LtlId) -> Made {
        let (before, from_there) = match hi {
            Some(hi) if hi <= lo + 1 => return Ok(self.builder.constant(false)),
            // `T_U3`
            Some(hi) if lo == 0 => {
                let later = self.until(0, Some(hi - 1), left, right)?;
                let later = self.builder.and(left, later)?;
                let here = self.builder.or(right, later)?;
                return self.builder.next(here);
            }
            // `T_U2`
            Some(hi) if hi == lo + 2 => (self.always(1, lo, left)?, self.next(lo + 1, right)?),
            // `T_U4`
            Some(hi) => {
                let rest = self.until(0, Some(hi - lo), left, right)?;
                (self.always(1, lo, left)?, self.next(lo, rest)?)
            }
            // `T_U5`, whose right side has an U without an interval: LTL's own.
            None => {
                let rest = self.builder.until(left, right)?;
                (self.always(1, lo, left)?, self.next(lo, rest)?)
            }
        };
        self.builder.and(before, from_there)
    }

    fn aggregate(&mut self, aggregate: &Aggregate, comparison: Comparison, number: i64) -> Made {
        match aggregate {
            Aggregate::Count { window, of, .. } => {
                let of = self.formula(of)?;
                self.count(whole(*window), comparison, number, of)
            }
            Aggregate::Average { window, step, of } => {
                let of = self.formula(of)?;
                let steps = whole(*window) / whole(*step);
                self.count(steps * whole(*step), comparison, number * steps, of)
            }
            Aggregate::Maximum { window, step, of } => {
                let of = self.formula(of)?;
                self.maximum(whole(*window), whole(*step), comparison, number, of)
            }
            Aggregate::Rate { .. }
            | Aggregate::Fold { .. }
            | Aggregate::Percentile { .. }
            | Aggregate::Distinct { .. } => panic!("not an aggregate of the paper"),
            Aggregate::Gap { window, from, to } => {
                let (from, to) = (self.formula(from)?, self.formula(to)?);
                self.gap(whole(*window), comparison, number, from, to)
            }
        }
    }

    /// The base case, and the others by means of it.
    fn count(&mut self, window: i64, comparison: Comparison, number: i64, of: LtlId) -> Made {
        match comparison {
            Comparison::Greater => self.more(window, number, of),
            Comparison::AtLeast => self.more(window, number - 1, of),
            Comparison::AtMost => {
                let more = self.more(window, number, of)?;
                self.builder.not(more)
            }
            Comparison::Less => {
                let enough = self.more(window, number - 1, of)?;
                self.builder.not(enough)
            }
            Comparison::Equal | Comparison::NotEqual => {
                let (enough, more) = (self.more(window, number - 1, of)?, self.more(window, number, of)?);
                let not_more = self.builder.not(more)?;
                self.builder.and(enough, not_more)
            }
        }
    }

    fn more(&mut self, window: i64, number: i64, of: LtlId) -> Made {
        let mut ways = Vec::new();
        for way in combinations(window, number + 1) {
            let hits: Vec<(i64, LtlId)> = way.into_iter().map(|distance| (distance, of)).collect();
            ways.push(self.all(&hits)?);
        }
        self.any(&ways)
    }

    /// The two base cases.
    fn maximum(&mut self, window: i64, step: i64, comparison: Comparison, number: i64, of: LtlId) -> Made {
        let steps = window / step;
        let mut parts = Vec::new();
        for m in 0..=steps {
            let length = if m < steps { step } else { window % step };
            let part = self.count(length, comparison, number, of)?;
            parts.push(self.back(m * step, part)?);
        }
        match comparison {
            Comparison::Greater => self.any(&parts),
            Comparison::Less => {
                let yes = self.builder.constant(true);
                parts.into_iter().try_fold(yes, |whole, part| self.builder.and(whole, part))
            }
            _ => panic!("only two comparisons are printed"),
        }
    }

    fn gap(&mut self, window: i64, comparison: Comparison, number: i64, from: LtlId, to: LtlId) -> Made {
        let order = self.order;
        let pair = |near_and_far: &[i64]| match order {
            ArgumentOrder::Printed => (near_and_far[0], near_and_far[1]),
            ArgumentOrder::Mended => (near_and_far[1], near_and_far[0]),
        };
        let mut ways = Vec::new();
        for number_of_pairs in 1..=window / 2 {
            for way in combinations(window, 2 * number_of_pairs) {
                let pairs: Vec<(i64, i64)> = way.chunks(2).map(pair).collect();
                let sum: i64 = pairs.iter().map(|(start, end)| (start - end).abs()).sum();
                if !comparison.accepts(sum.cmp(&(number * number_of_pairs))) {
                    continue;
                }
                let there: Vec<(i64, LtlId)> =
                    pairs.iter().flat_map(|(start, end)| [(*start, from), (*end, to)]).collect();
                let there = self.all(&there)?;
                let mut others = Vec::new();
                for (start, end) in combinations(window, 2).iter().map(|two| pair(two)) {
                    if pairs.iter().all(|pair| pair.0 != start && pair.1 != end) {
                        others.push(self.all(&[(start, from), (end, to)])?);
                    }
                }
                let others = self.any(&others)?;
                let no_others = self.builder.not(others)?;
                ways.push(self.builder.and(there, no_others)?);
            }
        }
        self.any(&ways)
    }

    /// `Y^i(e && f)` for each of these.
    fn all(&mut self, parts: &[(i64, LtlId)]) -> Made {
        parts.iter().try_fold(self.builder.constant(true), |whole, (distance, of)| {
            let there = self.builder.and(self.builder.marker(), *of)?;
            let there = self.back(*distance, there)?;
            self.builder.and(whole, there)
        })
    }

    fn any(&mut self, parts: &[LtlId]) -> Made {
        parts.iter().try_fold(self.builder.constant(false), |whole, part| self.builder.or(whole, *part))
    }

    fn back(&mut self, distance: i64, of: LtlId) -> Made {
        (0..distance).try_fold(of, |whole, _| self.builder.previous(whole))
    }
}

/// All ways to take so many of `0 .. end`, each in ascending order.
fn combinations(end: i64, take: i64) -> Vec<Vec<i64>> {
    let mut ways = vec![vec![]];
    for _ in 0..take {
        let longer = |way: &Vec<i64>| {
            let from = way.last().map_or(0, |last| last + 1);
            let way = way.clone();
            (from..end).map(move |next| [way.clone(), vec![next]].concat())
        };
        ways = ways.iter().flat_map(longer).collect();
    }
    ways
}
