// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae with fixpoints: more than can be monitored, for a model checker to read.

use std::fmt::Write as _;

use gnomon_core::diagnostic::Span;
use gnomon_ir::modal::{Action, Data, Modal, Regular};
use gnomon_ir::pattern::Atom;

/// Words that are no events unless in quotes.
const KEYWORDS: &[&str] = &[
    "true", "false", "null", "val", "nil", "forall", "exists", "not", "and", "or", "mu", "nu", "delay", "yaled", "tau",
    "div", "mod",
];

/// A state formula.
#[derive(Clone)]
pub(super) enum State {
    False,
    /// `<true> true`: something happens.
    Goes,
    /// `X3`
    Again(usize),
    /// `[rho] phi`
    After(Regular, Box<State>),
    /// `mu X3. phi`
    Least(usize, Box<State>),
    All(Vec<State>),
}

impl State {
    /// All of these.
    pub(super) fn all(parts: Vec<State>) -> State {
        match <[State; 1]>::try_from(parts) {
            Ok([only]) => only,
            Err(parts) => State::All(parts),
        }
    }

    /// The same as `mu` monitors it; `None` if it has a part that a monitor cannot watch.
    pub(super) fn modal(&self) -> Option<Modal> {
        let span = Span::default();
        match self {
            State::False => Some(Modal::Data(Data::Constant(false), span)),
            State::Goes | State::Again(_) | State::Least(..) => None,
            State::After(regular, then) => {
                Some(Modal::Box { regular: regular.clone(), then: Box::new(then.modal()?), span })
            }
            State::All(parts) => {
                let parts: Option<Vec<Modal>> = parts.iter().map(State::modal).collect();
                parts?.into_iter().reduce(|left, right| Modal::And(Box::new(left), Box::new(right)))
            }
        }
    }

    /// Writes it in the notation of mCRL2.
    pub(super) fn write(&self, out: &mut String) {
        match self {
            State::False => out.push_str("false"),
            State::Goes => out.push_str("<true> true"),
            State::Again(number) => out.push_str(&variable(*number)),
            State::After(regular, then) => {
                out.push('[');
                write_regular(regular, Level::Choice, out);
                out.push_str("] ");
                then.write_part(out);
            }
            State::Least(number, of) => {
                let _ = write!(out, "mu {}. ", variable(*number));
                of.write_part(out);
            }
            State::All(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { " && " });
                    // What a fixpoint binds reaches as far as it can.
                    part.write_part(out);
                }
            }
        }
    }

    fn write_part(&self, out: &mut String) {
        if matches!(self, State::All(_) | State::Least(..)) {
            out.push('(');
            self.write(out);
            out.push(')');
        } else {
            self.write(out);
        }
    }
}

fn variable(number: usize) -> String {
    if number == 0 { "X".to_owned() } else { format!("X{number}") }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Sequence,
    Single,
}

fn write_regular(regular: &Regular, at_least: Level, out: &mut String) {
    let level = match regular {
        Regular::Or(..) => Level::Choice,
        Regular::Then(..) => Level::Sequence,
        _ => Level::Single,
    };
    if level < at_least {
        out.push('(');
        write_regular(regular, Level::Choice, out);
        out.push(')');
        return;
    }
    match regular {
        Regular::Action(action) => write_action(action, at_least > Level::Choice, out),
        Regular::Nil => out.push_str("nil"),
        Regular::Then(left, right) => {
            write_regular(left, Level::Sequence, out);
            out.push_str(" . ");
            write_regular(right, Level::Single, out);
        }
        Regular::Or(left, right) => {
            write_regular(left, Level::Choice, out);
            out.push_str(" + ");
            write_regular(right, Level::Sequence, out);
        }
        Regular::Star(of) | Regular::Plus(of) => {
            match of.as_ref() {
                Regular::Action(Action::Not(of)) => {
                    out.push('(');
                    write_action(&Action::Not(of.clone()), false, out);
                    out.push(')');
                }
                of => write_regular(of, Level::Single, out),
            }
            out.push(if matches!(regular, Regular::Star(_)) { '*' } else { '+' });
        }
    }
}

fn write_action(action: &Action, single: bool, out: &mut String) {
    let pair = |left: &Action, sign: &str, right: &Action, out: &mut String| {
        out.push_str(if single { "(" } else { "" });
        // Side by side, the same sign needs no parentheses; the other one gets them.
        let loose = |part: &Action| {
            !matches!((part, action), (Action::And(..), Action::And(..)) | (Action::Or(..), Action::Or(..)))
        };
        write_action(left, loose(left), out);
        out.push_str(sign);
        write_action(right, true, out);
        out.push_str(if single { ")" } else { "" });
    };
    match action {
        Action::Event(atom) => out.push_str(&event(atom)),
        Action::Data(Data::Constant(value)) => out.push_str(if *value { "true" } else { "false" }),
        // Translations make no other formulae.
        Action::Data(_) | Action::Quantified(..) => {}
        Action::Not(of) => {
            out.push('!');
            write_action(of, true, out);
        }
        Action::And(left, right) => pair(left, " && ", right, out),
        Action::Or(left, right) => pair(left, " || ", right, out),
    }
}

/// An event as an action.
fn event(atom: &Atom) -> String {
    gnomon_lang::print_atom(atom, KEYWORDS)
}
