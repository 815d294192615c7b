// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers grammars: groups, stars and pluses on right sides become nonterminals of their own.

use gnomon_core::list::reachable;
use gnomon_core::{Diagnostic, Span};

use super::{Checker, unknown};
use crate::{CfgCore, Ere, GrammarRule, GrammarSymbol, LetterCore, LetterId, NonterminalCore, Variable};

impl Checker<'_> {
    // RULE L7, L8
    pub(super) fn grammar(&mut self, rules: &[GrammarRule], letters: &[LetterCore]) -> CfgCore {
        let mut builder = GrammarBuilder { letters, nonterminals: Vec::new(), diagnostics: Vec::new() };
        for rule in rules {
            let Variable { name, span } = &rule.name;
            if letters.iter().any(|letter| letter.name == *name) {
                builder.diagnostics.push(
                    Diagnostic::error("G0201", *span, format!("`{name}` is an event and has a rule"))
                        .help("give the nonterminal another name"),
                );
            }
            if builder.number(name).is_none() {
                builder.nonterminals.push(NonterminalCore { name: name.clone(), productions: vec![] });
            }
        }
        for rule in rules {
            let Some(number) = builder.number(&rule.name.name) else { continue };
            let productions = builder.alternatives(number, &rule.right, rule.name.span);
            for production in productions {
                if !builder.nonterminals[number].productions.contains(&production) {
                    builder.nonterminals[number].productions.push(production);
                }
            }
        }
        let GrammarBuilder { nonterminals, diagnostics, .. } = builder;
        self.diagnostics.extend(diagnostics);
        self.never_used(rules, &nonterminals);
        CfgCore { nonterminals }
    }

    /// Warns of nonterminals that the start symbol never uses.
    fn never_used(&mut self, rules: &[GrammarRule], nonterminals: &[NonterminalCore]) {
        let used = reachable((0..nonterminals.len()).take(1), |number: usize| {
            let symbols = nonterminals[number].productions.iter().flatten();
            symbols.filter_map(|symbol| match symbol {
                GrammarSymbol::Nonterminal(number) => Some(*number),
                GrammarSymbol::Letter(_) => None,
            })
        });
        let start = rules.first().map_or("", |rule| rule.name.name.as_str());
        for (number, nonterminal) in nonterminals.iter().enumerate() {
            let rule = rules.iter().find(|rule| rule.name.name == nonterminal.name);
            if let (false, Some(rule)) = (used.contains(&number), rule) {
                self.diagnostics.push(
                    Diagnostic::warning("G0316", rule.name.span, format!("`{}` is never used", nonterminal.name))
                        .label(format!("the start symbol is `{start}`, the first one"))
                        .help("use it in the rules of the start symbol, or leave it out"),
                );
            }
        }
    }
}

struct GrammarBuilder<'a> {
    letters: &'a [LetterCore],
    nonterminals: Vec<NonterminalCore>,
    diagnostics: Vec<Diagnostic>,
}

impl GrammarBuilder<'_> {
    fn number(&self, name: &str) -> Option<usize> {
        self.nonterminals.iter().position(|nonterminal| nonterminal.name == name)
    }

    /// Returns the right sides that an expression stands for, in a rule of the nonterminal `of`.
    fn alternatives(&mut self, of: usize, right: &Ere, span: Span) -> Vec<Vec<GrammarSymbol>> {
        match right {
            Ere::Or(left, right) => {
                let mut all = self.alternatives(of, left, span);
                all.extend(self.alternatives(of, right, span));
                all
            }
            Ere::Empty => vec![],
            other => {
                let mut sequence = Vec::new();
                self.sequence(of, other, span, &mut sequence);
                vec![sequence]
            }
        }
    }

    /// Appends the symbols of an expression.
    fn sequence(&mut self, of: usize, right: &Ere, span: Span, into: &mut Vec<GrammarSymbol>) {
        match right {
            Ere::Epsilon => {}
            Ere::Letter(name) => into.extend(self.symbol(name)),
            Ere::Then(left, right) => {
                self.sequence(of, left, span, into);
                self.sequence(of, right, span, into);
            }
            Ere::Empty | Ere::Or(..) => {
                let productions = self.alternatives(of, right, span);
                into.push(self.fresh(of, productions));
            }
            Ere::Optional(inner) => {
                let mut productions = vec![vec![]];
                productions.extend(self.alternatives(of, inner, span));
                into.push(self.fresh(of, productions));
            }
            // `x*` is N -> | N x, `x+` is N -> x | N x: to the left, so that stacks stay short.
            Ere::Star(inner) | Ere::Plus(inner) => {
                let rounds = self.alternatives(of, inner, span);
                let new = self.fresh(of, vec![]);
                let GrammarSymbol::Nonterminal(number) = new else { return };
                let mut productions = if matches!(right, Ere::Star(_)) { vec![vec![]] } else { rounds.clone() };
                productions.extend(rounds.into_iter().map(|mut round| {
                    round.insert(0, new);
                    round
                }));
                self.nonterminals[number].productions = productions;
                into.push(new);
            }
            Ere::And(..) | Ere::Not(_) | Ere::Power(..) => self.diagnostics.push(
                Diagnostic::error("G0336", span, "this rule uses an operator that grammars do not have")
                    .help("right sides have juxtaposition, `|`, `*`, `+`, parentheses and `epsilon`"),
            ),
        }
    }

    fn symbol(&mut self, name: &Variable) -> Option<GrammarSymbol> {
        if let Some(number) = self.number(&name.name) {
            return Some(GrammarSymbol::Nonterminal(number));
        }
        let letter = self.letters.iter().position(|letter| letter.name == name.name);
        if letter.is_none() {
            let letters = self.letters.iter().map(|letter| letter.name.as_str());
            let known: Vec<&str> = letters.chain(self.nonterminals.iter().map(|one| one.name.as_str())).collect();
            let error = unknown("G0210", "an event of the property, and has no rule", name, &known);
            self.diagnostics.push(error);
        }
        letter.map(|index| GrammarSymbol::Letter(LetterId(index as u32)))
    }

    /// Adds a nonterminal, named for the one whose rule contains it.
    fn fresh(&mut self, of: usize, productions: Vec<Vec<GrammarSymbol>>) -> GrammarSymbol {
        let mut name = self.nonterminals[of].name.clone();
        while self.number(&name).is_some() {
            name.push('\'');
        }
        self.nonterminals.push(NonterminalCore { name, productions });
        GrammarSymbol::Nonterminal(self.nonterminals.len() - 1)
    }
}
