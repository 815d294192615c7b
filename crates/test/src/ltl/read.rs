// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the LTL that the printer writes, so that the text itself can be evaluated.

use gnomon_ir::atom::Atom;
use gnomon_ir::ltl::{Builder, Limits, LtlFormula, LtlId};

/// The formula of a text. The propositions are those of `atoms`, spelled like this; panics on what the printer would not
/// write.
pub fn read(text: &str, atoms: &[Atom], spelling: &dyn Fn(&Atom) -> String) -> LtlFormula {
    let names = atoms.iter().map(spelling).collect();
    let builder = Builder::new(Limits { shared: usize::MAX, written: u64::MAX });
    let mut reader = LtlParser { rest: text, names, builder };
    let root = reader.implication();
    assert_eq!(reader.rest, "", "the text goes on");
    reader.builder.finish(root, atoms.to_vec())
}

struct LtlParser<'a> {
    rest: &'a str,
    names: Vec<String>,
    builder: Builder,
}

impl LtlParser<'_> {
    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn implication(&mut self) -> LtlId {
        let left = self.disjunction();
        if !self.takes(" -> ") {
            return left;
        }
        let right = self.disjunction();
        self.builder.implies(left, right).expect("there is no limit")
    }

    fn disjunction(&mut self) -> LtlId {
        let mut whole = self.conjunction();
        while self.takes(" || ") {
            let right = self.conjunction();
            whole = self.builder.or(whole, right).expect("there is no limit");
        }
        whole
    }

    fn conjunction(&mut self) -> LtlId {
        let mut whole = self.binary();
        while self.takes(" && ") {
            let right = self.binary();
            whole = self.builder.and(whole, right).expect("there is no limit");
        }
        whole
    }

    fn binary(&mut self) -> LtlId {
        let left = self.operand();
        if self.takes(" U ") {
            let right = self.operand();
            return self.builder.until(left, right).expect("there is no limit");
        }
        if self.takes(" S ") {
            let right = self.operand();
            return self.builder.since(left, right).expect("there is no limit");
        }
        left
    }

    fn operand(&mut self) -> LtlId {
        if self.takes("(") {
            let inner = self.implication();
            assert!(self.takes(")"), "a parenthesis is open at {}", self.rest);
            return inner;
        }
        let yes = self.builder.constant(true);
        for symbol in ["!", "X ", "Y ", "G ", "F ", "H ", "O "] {
            if self.takes(symbol) {
                let of = self.operand();
                let builder = &mut self.builder;
                let made = match symbol {
                    "!" => builder.not(of),
                    "X " => builder.next(of),
                    "Y " => builder.previous(of),
                    "G " => builder.always(of),
                    "F " => builder.until(yes, of),
                    "H " => builder.historically(of),
                    _ => builder.since(yes, of),
                };
                return made.expect("there is no limit");
            }
        }
        self.word()
    }

    fn word(&mut self) -> LtlId {
        let name = if self.takes("\"") {
            let mut name = String::new();
            loop {
                let letter = self.rest.chars().next().expect("the quotes are closed");
                self.rest = &self.rest[letter.len_utf8()..];
                match letter {
                    '"' => break name,
                    '\\' => {
                        name.extend(self.rest.chars().next());
                        self.rest = &self.rest[1..];
                    }
                    _ => name.push(letter),
                }
            }
        } else {
            let end = self.rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            self.rest = rest;
            match name {
                "true" => return self.builder.constant(true),
                "false" => return self.builder.constant(false),
                "e" => return self.builder.marker(),
                _ => name.to_owned(),
            }
        };
        let index = self.names.iter().position(|known| *known == name);
        let index = index.unwrap_or_else(|| panic!("`{name}` is not an event of the formula"));
        self.builder.proposition(index).expect("there is no limit")
    }
}
