// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine for responses says what the network says of the same property.

use gnomon_core::diagnostic::Span;
use gnomon_core::random;
use gnomon_core::symbols::Name;
use gnomon_core::time::{Quantity, TICKS_PER_BARE_UNIT, Timestamp};
use gnomon_core::verdict::{Durations, End, Origin, Outcome};
use gnomon_ir::atom::Atom;
use gnomon_ir::check::check;
use gnomon_ir::core::{AtomId, Core};
use gnomon_ir::formula::{Binary, Bounds, Connective, Formula, FormulaKind, Unary};
use gnomon_ir::spec::{Body, Language, Options, Property, Spec};

use super::Responses;
use crate::accounting::{ObligationRecord, ViolationLog};
use crate::network::Network;
use crate::slice::machine::{BindingPosition, Extent, Machine, Matches, Sink};
use crate::slice::storage::values::ValueInterner;

/// Formulae and traces, from a fixed pseudo-random walk. Each part of a formula gets a text of its own.
struct RandomTrace {
    numbers: random::Random,
    written: u32,
}

impl RandomTrace {
    fn below(&mut self, below: u64) -> u64 {
        self.numbers.below(below)
    }

    fn formula(&mut self, kind: FormulaKind) -> Formula {
        self.written += 1;
        Formula { kind, span: Span { start: self.written, end: self.written + 1 } }
    }

    fn atom(&mut self, name: &str) -> Formula {
        let span = Span::default();
        let atom = Atom { name: name.to_owned(), name_span: span, arguments: None, condition: None, span };
        self.formula(FormulaKind::Atom(atom))
    }

    fn any_atom(&mut self) -> Formula {
        let name = ["a", "b", "c"][self.below(3) as usize];
        self.atom(name)
    }

    fn not(&mut self, of: Formula) -> Formula {
        self.formula(FormulaKind::Not(Box::new(of)))
    }

    fn connect(&mut self, connective: Connective, left: Formula, right: Formula) -> Formula {
        self.formula(FormulaKind::Connective(connective, Box::new(left), Box::new(right)))
    }

    /// False where nothing happens.
    fn event(&mut self) -> Formula {
        let (one, other) = (self.any_atom(), self.any_atom());
        match self.below(5) {
            0 => self.connect(Connective::Or, one, other),
            1 => self.connect(Connective::And, one, other),
            2 => {
                let other = self.not(other);
                self.connect(Connective::And, one, other)
            }
            _ => one,
        }
    }

    fn bounds(&mut self) -> Bounds {
        let lo = self.below(3);
        let hi = (self.below(4) > 0).then(|| lo + 1 + self.below(3));
        Bounds {
            lo: Quantity::whole(lo as i64),
            lo_closed: self.below(2) == 0,
            hi: hi.map(|hi| Quantity::whole(hi as i64)),
            hi_closed: self.below(2) == 0,
            span: None,
        }
    }

    fn consequent(&mut self) -> Formula {
        let (interval, strict) = (self.bounds(), self.below(2) == 0);
        let right = self.event();
        let formula = match self.below(5) {
            0 => {
                let no = self.not(right);
                self.formula(FormulaKind::Unary {
                    operator: Unary::Always,
                    strict,
                    times: 1,
                    interval,
                    of: Box::new(no),
                })
            }
            1 | 2 => {
                let of = Box::new(right);
                self.formula(FormulaKind::Unary { operator: Unary::Eventually, strict, times: 1, interval, of })
            }
            3 => {
                let event = self.event();
                let (left, right) = (Box::new(self.not(event)), Box::new(right));
                self.formula(FormulaKind::Binary { operator: Binary::Until, strict, interval, left, right })
            }
            _ => {
                let other = self.event();
                self.connect(Connective::And, right, other)
            }
        };
        if self.below(4) == 0 { self.not(formula) } else { formula }
    }

    fn clause(&mut self) -> Formula {
        let (antecedent, consequent) = (self.event(), self.consequent());
        let of = Box::new(self.connect(Connective::Implies, antecedent, consequent));
        self.formula(FormulaKind::Unary { operator: Unary::Always, strict: false, times: 1, interval: Bounds::ANY, of })
    }

    fn network(&mut self) -> Network {
        let mut formula = self.clause();
        if self.below(2) == 0 {
            let other = self.clause();
            formula = self.connect(Connective::And, formula, other);
        }
        let property = Property {
            name: "p".to_owned(),
            name_span: Span::default(),
            title: None,
            language: Language::Mtl,
            options: Options::default(),
            prefix: vec![],
            body: Body::Formula(formula),
            body_span: Span::default(),
        };
        match check(&Spec::default(), &property) {
            (Some(Core::Formula(core)), _) => Network::new(core),
            (_, diagnostics) => panic!("{diagnostics:?}"),
        }
    }
}

/// The part of an outcome that is compared: a machine need not know the number of positions.
fn reported(outcome: Outcome) -> Outcome {
    Outcome { positions: 0, pending: 0, ..outcome }
}

#[test]
fn responses_are_as_the_network_says() {
    let mut random = RandomTrace { numbers: random::Random::new(4), written: 0 };
    let (mut tried, mut drained, mut broken) = (0, 0, 0);
    while drained < 1_500 {
        tried += 1;
        assert!(tried < 6_000, "few properties have the form: {drained}");
        let network = random.network();
        let Ok(responses) = Responses::new(network.clone()) else { continue };
        drained += 1;
        broken += u64::from(compare(&mut random, &network, &responses));
    }
    assert!(broken > 300, "few traces break anything: {broken}");
}

/// Runs one trace through both, comparing after every position; whether something was broken.
fn compare(random: &mut RandomTrace, network: &Network, responses: &Responses) -> bool {
    let most_listed = [1, 2, 20][random.below(3) as usize];
    let atoms = network.core.atoms.len() as u64;
    let mut buffers = <Network as Machine>::Scratch::default();
    let mut left = Machine::start(network, most_listed);
    let mut right = responses.start(most_listed);
    // Like `right`, but counting elsewhere.
    let mut bare = responses.start(most_listed);
    let (mut sum, mut found): (ObligationRecord, ViolationLog) =
        (ObligationRecord::new(most_listed), ViolationLog::new(most_listed));
    let (values, mut ticks) = (ValueInterner::default(), 0);
    for position in 0..=random.below(14) {
        ticks += i128::from(random.below(4)) * TICKS_PER_BARE_UNIT * i128::from(random.below(3) > 0);
        // Two clauses may have deadlines that are one tick apart as written and the same in ticks: the network tells
        // both as the first.
        ticks += i128::from(network.clauses.len() == 1 && random.below(4) == 0);
        let time = Timestamp::from_ticks(ticks);
        if random.below(2) == 0 {
            let own = &mut Sink { totals: None, found: &mut ViolationLog::new(most_listed) };
            Machine::advance(network, &mut left, &mut buffers, time, own);
            responses.advance(&mut right, &mut (), time, own);
            responses.advance(&mut bare, &mut (), time, own);
        }
        let origin = Origin { event_index: position + 7, time, event: Name(position as u32) };
        let mut matches = Matches::default();
        for atom in 0..atoms {
            if random.below(2) == 0 {
                let draft = matches.begin(0);
                matches.commit(draft, AtomId(atom as u32), &origin);
            }
        }
        let applying: Vec<u32> = (0..matches.len() as u32).collect();
        let at = BindingPosition {
            position,
            first: &origin,
            previous: None,
            matches: &matches,
            applying: &applying,
            ids: &[],
            values: &values,
        };
        let reacts = responses.reacts(&right, &at) || responses.schedule(&right).deadline < time;
        let before = format!("{right:?}");
        network.visit(
            &mut left,
            &mut buffers,
            &at,
            &mut Sink { totals: None, found: &mut ViolationLog::new(most_listed) },
        );
        responses.visit(
            &mut right,
            &mut (),
            &at,
            &mut Sink { totals: None, found: &mut ViolationLog::new(most_listed) },
        );
        assert!(reacts || before == format!("{right:?}"), "{:?}", network.core);
        let reported_before = sum.totals.violated;
        responses.visit(&mut bare, &mut (), &at, &mut Sink { totals: Some(&mut sum.totals), found: &mut found });
        let newly_found = found.take();
        assert!(sum.totals.violated > reported_before || newly_found.is_empty());
        sum.log.merge(newly_found.into_iter());

        let expected = reported(Machine::outcome(network, &left));
        assert_eq!(reported(responses.outcome(&right)), expected, "{:?}", network.core);
        let (actual, schedule) = (responses.schedule(&right), network.schedule(&left));
        assert_eq!(actual.busy_until, schedule.busy_until);
        assert!(actual.deadline >= schedule.deadline);
        assert_eq!(responses.counts(&right).violated, expected.violated);

        let positions = position + 1;
        let extent =
            Extent { positions, last_time: time, frontier: time, first: Some(origin), last: None, most_listed };
        for end in [End::Prefix, End::Complete] {
            let expected = Machine::finish(network, &mut left.clone(), &mut buffers, extent, end);
            let actual = responses.finish(&mut right.clone(), &mut (), extent, end);
            assert_eq!(actual, expected, "{:?}", network.core);
            let mut all = sum.clone();
            all.add(responses.finish(&mut bare.clone(), &mut (), extent, end));
            assert_eq!(counts(&all.outcome(expected.verdict, expected.presumably, positions)), counts(&expected));
        }
    }
    Machine::outcome(network, &left).violated > 0
}

fn counts(outcome: &Outcome) -> (u64, u64, u64, u64, Option<Durations>) {
    (outcome.activated, outcome.satisfied, outcome.violated, outcome.pending, outcome.durations)
}
