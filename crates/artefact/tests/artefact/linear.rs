// SPDX-License-Identifier: MIT OR Apache-2.0
//! The modal mu-calculus over one run that ends: read from its text, and evaluated as its textbooks define it.

use crate::segments::{Event, NAMES, P, S};

/// A state formula.
pub(crate) enum State {
    Constant(bool),
    Variable(String),
    Box(Regular, Box<State>),
    Diamond(Regular, Box<State>),
    Least(String, Box<State>),
    And(Box<State>, Box<State>),
}

pub(crate) enum Regular {
    Action(Action),
    Nil,
    Then(Box<Regular>, Box<Regular>),
    Or(Box<Regular>, Box<Regular>),
    Star(Box<Regular>),
}

pub(crate) enum Action {
    True,
    Named(String),
    Not(Box<Action>),
    And(Box<Action>, Box<Action>),
    Or(Box<Action>, Box<Action>),
}

struct Reader<'t> {
    tokens: Vec<&'t str>,
    at: usize,
}

/// Reads a formula without quantifiers.
pub(crate) fn read(text: &str) -> State {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            'a'..='z' | 'A'..='Z' => rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len()),
            '&' | '|' => 2,
            _ => 1,
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    let mut reader = Reader { tokens, at: 0 };
    let state = reader.state();
    assert_eq!(reader.at, reader.tokens.len(), "{text}");
    state
}

impl Reader<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).copied().unwrap_or("")
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.take(token), "{token} expected, not {:?} of {:?}", self.peek(), self.tokens);
    }

    fn word(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].to_owned()
    }

    fn state(&mut self) -> State {
        let mut left = self.part();
        while self.take("&&") {
            left = State::And(Box::new(left), Box::new(self.part()));
        }
        left
    }

    fn part(&mut self) -> State {
        if self.take("[") {
            let regular = self.regular();
            self.expect("]");
            return State::Box(regular, Box::new(self.part()));
        }
        if self.take("<") {
            let regular = self.regular();
            self.expect(">");
            return State::Diamond(regular, Box::new(self.part()));
        }
        if self.take("(") {
            let state = self.state();
            self.expect(")");
            return state;
        }
        match self.word().as_str() {
            "true" => State::Constant(true),
            "false" => State::Constant(false),
            "mu" => {
                let variable = self.word();
                self.expect(".");
                State::Least(variable, Box::new(self.state()))
            }
            variable => State::Variable(variable.to_owned()),
        }
    }

    fn regular(&mut self) -> Regular {
        let mut left = self.sequence();
        while self.take("+") {
            left = Regular::Or(Box::new(left), Box::new(self.sequence()));
        }
        left
    }

    fn sequence(&mut self) -> Regular {
        let mut left = self.starred();
        while self.take(".") {
            left = Regular::Then(Box::new(left), Box::new(self.starred()));
        }
        left
    }

    fn starred(&mut self) -> Regular {
        let mut of = if self.peek() == "(" && self.is_regular() {
            self.expect("(");
            let of = self.regular();
            self.expect(")");
            of
        } else if self.take("nil") {
            Regular::Nil
        } else {
            Regular::Action(self.either())
        };
        while self.take("*") {
            of = Regular::Star(Box::new(of));
        }
        of
    }

    /// Returns true if these parentheses have more than an action in them, or are starred.
    fn is_regular(&self) -> bool {
        let mut depth = 0;
        for (index, token) in self.tokens[self.at..].iter().enumerate() {
            match *token {
                "(" => depth += 1,
                ")" if depth == 1 => return self.tokens.get(self.at + index + 1) == Some(&"*"),
                ")" => depth -= 1,
                "." | "+" | "*" | "nil" => return true,
                _ => {}
            }
        }
        false
    }

    fn either(&mut self) -> Action {
        let mut left = self.both();
        while self.take("||") {
            left = Action::Or(Box::new(left), Box::new(self.both()));
        }
        left
    }

    fn both(&mut self) -> Action {
        let mut left = self.action();
        while self.take("&&") {
            left = Action::And(Box::new(left), Box::new(self.action()));
        }
        left
    }

    fn action(&mut self) -> Action {
        if self.take("!") {
            return Action::Not(Box::new(self.action()));
        }
        if self.take("(") {
            let of = self.either();
            self.expect(")");
            return of;
        }
        match self.word().as_str() {
            "true" => Action::True,
            // `u[good = true]`
            "u" if self.take("[") => {
                while !self.take("]") {
                    self.at += 1;
                }
                Action::Named("p".to_owned())
            }
            name => Action::Named(name.to_owned()),
        }
    }
}

/// Returns true if a run of these events that then gets stuck satisfies the formula.
pub(crate) fn holds(state: &State, events: &[Event]) -> bool {
    at(state, events, 0, &mut Vec::new())
}

fn at<'s>(state: &'s State, events: &[Event], place: usize, known: &mut Vec<(&'s str, &'s State)>) -> bool {
    match state {
        State::Constant(value) => *value,
        State::And(left, right) => at(left, events, place, known) && at(right, events, place, known),
        State::Box(regular, then) => ends(regular, events, place).into_iter().all(|end| at(then, events, end, known)),
        State::Diamond(regular, then) => {
            ends(regular, events, place).into_iter().any(|end| at(then, events, end, known))
        }
        State::Least(variable, of) => {
            // Every way back to the variable takes an event, and the run ends: unfolding it does.
            known.push((variable, of));
            let holds = at(of, events, place, known);
            known.pop();
            holds
        }
        State::Variable(name) => {
            let depth = known.iter().rposition(|(known, _)| known == name).expect("the variable is bound");
            let inner = known.split_off(depth + 1);
            let holds = at(known[depth].1, events, place, known);
            known.extend(inner);
            holds
        }
    }
}

/// Where a word of the set may end that begins here.
fn ends(regular: &Regular, events: &[Event], from: usize) -> Vec<usize> {
    let mut found: Vec<usize> = match regular {
        Regular::Nil => vec![from],
        Regular::Action(action) => {
            events.get(from).filter(|event| matches(action, event.0)).map(|_| from + 1).into_iter().collect()
        }
        Regular::Or(left, right) => [ends(left, events, from), ends(right, events, from)].concat(),
        Regular::Then(left, right) => {
            ends(left, events, from).into_iter().flat_map(|middle| ends(right, events, middle)).collect()
        }
        Regular::Star(of) => {
            let mut reached = vec![from];
            let mut next = 0;
            while let Some(place) = reached.get(next).copied() {
                for end in ends(of, events, place) {
                    if !reached.contains(&end) {
                        reached.push(end);
                    }
                }
                next += 1;
            }
            reached
        }
    };
    found.sort_unstable();
    found.dedup();
    found
}

fn matches(action: &Action, event: u8) -> bool {
    match action {
        Action::True => true,
        Action::Named(name) if name == "u" => event & (P | S) != 0,
        Action::Named(name) => {
            let bit = NAMES.iter().position(|known| known == name).unwrap_or_else(|| panic!("no atom {name}"));
            event >> bit & 1 == 1
        }
        Action::Not(of) => !matches(of, event),
        Action::And(left, right) => matches(left, event) && matches(right, event),
        Action::Or(left, right) => matches(left, event) || matches(right, event),
    }
}
