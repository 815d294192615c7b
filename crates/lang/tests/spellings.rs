// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae in several spellings: parsing what was printed gives the same formula, and so do the two notations.

use gnomon_core::diagnostic::Span;
use gnomon_core::number::Number;
use gnomon_core::time::{Quantity, Unit as TimeUnit};
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, Kind, Unary};
use gnomon_ir::pattern::{Argument, Atom, Condition, Path};
use gnomon_lang::{parse_formula, soloist};

/// The formula without its places.
fn bare(source: &str) -> Formula {
    let (formula, diagnostics) = parse_formula(source);
    assert!(diagnostics.is_empty(), "{source}: {diagnostics:?}");
    let mut formula = formula.unwrap_or_else(|| panic!("{source}"));
    forget(&mut formula);
    formula
}

fn forget(formula: &mut Formula) {
    formula.span = Span::default();
    match &mut formula.kind {
        Kind::Constant(_) => {}
        Kind::Atom(atom) => (atom.span, atom.name_span) = (Span::default(), Span::default()),
        Kind::Not(of) => forget(of),
        Kind::Connective(_, left, right) => {
            forget(left);
            forget(right);
        }
        Kind::Unary { interval, of, .. } => {
            interval.span = interval.span.map(|_| Span::default());
            forget(of);
        }
        Kind::Binary { interval, left, right, .. } => {
            interval.span = interval.span.map(|_| Span::default());
            forget(left);
            forget(right);
        }
        Kind::Aggregate { aggregate, .. } => match aggregate.as_mut() {
            Aggregate::Count { of, .. } | Aggregate::Average { of, .. } | Aggregate::Maximum { of, .. } => forget(of),
            Aggregate::Gap { from, to, .. } => {
                forget(from);
                forget(to);
            }
        },
    }
}

#[test]
fn both_notations_lower_alike() {
    for (paper, ascii) in [
        ("¬a ∧ b ∨ c → d ↔ e", "!a && b || c -> d <-> e"),
        ("a ⇒ b ⇔ c", "a -> b <-> c"),
        ("⊤ ∧ ⊥", "true && false"),
        ("a U_{(0,10)} b", "a U(0,10) b"),
        ("a U_(0,10) b", "a U(0,10)b"),
        ("(¬a)S b", "!a S b"),
        ("a 𝖴_{[2,∞)} b", "a U[2,inf) b"),
        ("G_{[0,5]} a", "G[0,5](a)"),
        ("F_{=5} a", "F=5 a"),
        ("F_{=5s} a", "F=5 s a"),
        ("F=2 𝒟_{<3}^{5}(a, b)", "F[2,2] D^{5}_{<3}{(a, b)}"),
        ("X^{6}(a)", "X^6 a"),
        ("X^6_{(0,3]} a", "X_{(0,3]}^6 a"),
        ("X^0 a", "a"),
        ("𝒞^{600}_{≤3}(a)", "count[600](a) <= 3"),
        ("ℭ_{≤3}^{600}(a)", "C^{600}_{<=3}(a)"),
        ("ℂ^600_≤3(a)", "C^{600}_{<=3}(a)"),
        ("𝔘^{10,5}_{<2}(a)", "avg[10,5](a) < 2"),
        ("𝒰_{<2}^{10,5}(a)", "U^{10,5}_{<2}(a)"),
        ("𝔐^{10,5}_{≥2}(a)", "max[10,5](a) >= 2"),
        ("ℳ^{10m,5s}_{>2.5}(a)", "M^{10 m,5 s}_{>2.5}(a)"),
        ("𝔇^{900}_{≤5}{(a, b)}", "gap[900](a, b) <= 5"),
        ("𝒟^{900}_{=5s}(a, b)", "D^{900}_{==5 s}{(a, b)}"),
        ("a[x ≠ 1 ∧ ¬(y ≥ 2)]", "a[x != 1 && !y >= 2]"),
    ] {
        assert_eq!(bare(paper), bare(ascii), "{paper} | {ascii}");
    }
}

#[test]
fn operators_bind_as_documented() {
    for (short, long) in [
        ("a U b U c", "a U (b U c)"),
        ("a S b U c S d", "a S (b U (c S d))"),
        ("a && b && c", "(a && b) && c"),
        ("a || b && c || d", "(a || (b && c)) || d"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a <-> b <-> c", "(a <-> b) <-> c"),
        ("!a U b", "(!a) U b"),
        ("G a U b", "(G a) U b"),
        ("G[0,5] !F a && b", "(G[0,5](!(F(a)))) && b"),
        ("a U b && c", "(a U b) && c"),
        ("C^{5}_{<3}(a) U b", "(C^{5}_{<3}(a)) U b"),
        ("count[5](a) < 3 && b", "(count[5](a) < 3) && b"),
        ("count[5](a) < 3 U b", "(count[5](a) < 3) U b"),
        ("a[x = 1 || y = 2 && z = 3]", "a[x = 1 || (y = 2 && z = 3)]"),
    ] {
        assert_eq!(bare(short), bare(long), "{short} | {long}");
    }
}

#[test]
fn what_looks_like_an_operator_may_be_an_event() {
    for source in
        ["\"G\"", "count", "count[amount > 3]", "max(1)", "F=5 s", "F=5 s(1)", "next", "always(1)", "g(\"a\")", "inf"]
    {
        let printed = soloist::print(&bare(source));
        assert_eq!(bare(&printed), bare(source), "{source} | {printed}");
    }
    assert_eq!(
        soloist::print(&bare("\"G\" && \"a b\" && \"x\" && \"next\" && \"🦀\"")),
        "\"G\" && \"a b\" && x && \"next\" && \"🦀\""
    );
    assert!(matches!(bare("F=5 s").kind, Kind::Unary { of, .. } if matches!(of.kind, Kind::Atom(_))));
}

#[test]
fn long_chains_stay_shallow_and_print_back() {
    for count in [2, 16, 17, 100, 5_000] {
        let source = (0..count).map(|index| format!("e{index}")).collect::<Vec<_>>().join(" || ");
        let formula = bare(&source);
        let printed = soloist::print(&formula);
        assert_eq!(bare(&printed), formula, "{count}");
    }
}

#[test]
fn printing_and_parsing_are_inverse() {
    let mut random = Random(0x5eed);
    for case in 0..6_000 {
        let formula = random.formula(case % 7);
        let printed = soloist::print(&formula);
        assert_eq!(bare(&printed), formula, "case {case}: {printed}");
    }
}

#[test]
fn printed_formulae_have_no_needless_parentheses() {
    for source in [
        "G(recvlogoff -> C^{600}_{<=3}(repwithdraw))",
        "X^6 G D^{900}_{<=5}{(start, complete)}",
        "G(replogon -> !replogon S invcheckaccess_complete)",
        "(a -> b) -> c && (d || e) <-> (f <-> g)",
        "(a U b) S[0,5] !(c && d)",
        "pay(_, 3, \"x\")[a/b/0 > 1 && (c = null || !(d = true))]",
        "G(4,inf)(a -> P[2ms,3.5s] b)",
    ] {
        assert_eq!(soloist::print(&bare(source)), source);
    }
}

/// A small xorshift generator: the same formulae on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % bound
    }

    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize].clone()
    }

    fn formula(&mut self, depth: u32) -> Formula {
        let kind = if depth == 0 { self.below(5) } else { 3 + self.below(12) };
        let part = |random: &mut Random| Box::new(random.formula(depth.saturating_sub(1)));
        let kind = match kind {
            0 => Kind::Constant(self.below(2) == 0),
            1..=4 => Kind::Atom(self.atom()),
            5 => Kind::Not(part(self)),
            6..=8 => {
                let connective = self.pick(&[Connective::And, Connective::Or, Connective::Implies, Connective::Iff]);
                Kind::Connective(connective, part(self), part(self))
            }
            9 | 10 => {
                let operator = self.pick(&[
                    Unary::Always,
                    Unary::Eventually,
                    Unary::Historically,
                    Unary::Once,
                    Unary::Next,
                    Unary::Previous,
                ]);
                let repeated = matches!(operator, Unary::Next | Unary::Previous) && self.below(3) == 0;
                let times = if repeated { 1 + self.below(1_000) as u32 } else { 1 };
                Kind::Unary { operator, times, interval: self.interval(), of: part(self) }
            }
            11 | 12 => {
                let operator = self.pick(&[Binary::Until, Binary::Since]);
                Kind::Binary { operator, interval: self.interval(), left: part(self), right: part(self) }
            }
            _ => self.aggregate(depth),
        };
        Formula { kind, span: Span::default() }
    }

    fn aggregate(&mut self, depth: u32) -> Kind {
        let (window, step) = (self.quantity(), self.quantity());
        let of = self.formula(depth.saturating_sub(1));
        let aggregate = match self.below(4) {
            0 => Aggregate::Count { window, of },
            1 => Aggregate::Average { window, step, of },
            2 => Aggregate::Maximum { window, step, of },
            _ => Aggregate::Gap { window, from: of, to: self.formula(depth.saturating_sub(1)) },
        };
        let comparison = self.pick(&[
            Comparison::Equal,
            Comparison::Less,
            Comparison::AtMost,
            Comparison::Greater,
            Comparison::AtLeast,
        ]);
        Kind::Aggregate { aggregate: Box::new(aggregate), comparison, bound: self.quantity(), full_window: false }
    }

    fn quantity(&mut self) -> Quantity {
        let billionths = match self.below(4) {
            0 => i128::from(self.below(1 << 40)),
            _ => i128::from(self.below(1_000)) * 1_000_000_000,
        };
        let unit = if self.below(2) == 0 { None } else { Some(self.pick(&TimeUnit::ALL)) };
        Quantity { billionths, unit }
    }

    fn interval(&mut self) -> Bounds {
        if self.below(3) == 0 {
            return Bounds::POSITIVE;
        }
        let hi = if self.below(3) == 0 { None } else { Some(self.quantity()) };
        Bounds {
            lo: self.quantity(),
            lo_closed: self.below(2) == 0,
            hi,
            hi_closed: hi.is_some() && self.below(2) == 0,
            span: Some(Span::default()),
        }
    }

    fn name(&mut self) -> String {
        let names = [
            "a",
            "b",
            "recvlogoff",
            "late-reply",
            "concept:name",
            "A.b",
            "G",
            "U",
            "C",
            "count",
            "gap",
            "not",
            "and",
            "s",
            "true",
            "_",
            "a b",
            "",
            "\"",
            "\\",
            "a\nb",
            "µs",
            "ℂ",
            "x_",
            "U_",
            "A_",
            "𝒰_",
            "_x",
            "1a",
            "{",
            "#",
            "inf",
            "next",
        ];
        self.pick(&names).to_owned()
    }

    fn atom(&mut self) -> Atom {
        let arguments = match self.below(3) {
            0 => Some((0..self.below(4)).map(|_| self.argument()).collect()),
            _ => None,
        };
        let condition = (self.below(3) == 0).then(|| self.condition(3));
        Atom { name: self.name(), name_span: Span::default(), arguments, condition, span: Span::default() }
    }

    fn argument(&mut self) -> Argument {
        if self.below(3) == 0 { Argument::Any } else { Argument::Literal(self.value()) }
    }

    fn value(&mut self) -> Value<'static> {
        match self.below(6) {
            0 => Value::Null,
            1 => Value::Bool(self.below(2) == 0),
            2 => Value::Number(Number::Int(self.below(2_000) as i64 - 1_000)),
            3 => Value::Number(Number::Decimal { mantissa: self.below(2_000) as i64 * 10 - 9_999, scale: 3 }),
            4 => Value::Number(Number::Float(1e300)),
            _ => Value::Text(self.name().into()),
        }
    }

    fn condition(&mut self, depth: u32) -> Condition {
        let part = |random: &mut Random| Box::new(random.condition(depth - 1));
        match if depth == 0 { 0 } else { self.below(6) } {
            0..=2 => {
                let steps = (0..self.below(3)).map(|_| if self.below(2) == 0 { "0".to_owned() } else { self.name() });
                let steps = steps.collect();
                let comparison = self.pick(&[
                    Comparison::Equal,
                    Comparison::NotEqual,
                    Comparison::Less,
                    Comparison::AtMost,
                    Comparison::Greater,
                    Comparison::AtLeast,
                ]);
                Condition::Compare(Path { field: self.name(), steps }, comparison, self.value())
            }
            3 => Condition::Not(part(self)),
            4 => Condition::And(part(self), part(self)),
            _ => Condition::Or(part(self), part(self)),
        }
    }
}
