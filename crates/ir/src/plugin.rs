// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logic plug-ins with parameters (JavaMOP, RV-Monitor), as written: a body over the names of events, and the categories of words that
//! are violations.
//!
//! The parameters are the quantified variables of the property: `forall` over each of them.

use crate::{Atom, Variable};

/// The body of a `mop` property.
#[derive(Clone, PartialEq, Debug)]
pub struct Plugin {
    /// `events create(c, i), next(i)`: the alphabet of the body.
    pub events: Vec<PluginEvent>,
    /// `creation create`: the declared creation events; empty: every event may create an instance.
    pub creation: Vec<Variable>,
    /// `suffix`: each creation event starts a further run.
    pub suffix: bool,
    /// `full-binding`: only instances with a value for every parameter report.
    pub full_binding: bool,
    /// `connected`: only instances whose parameters are linked by common events report.
    pub connected: bool,
    /// `ere: ...`, `fsm: ...` and so on.
    pub logic: Logic,
    /// `forbid fail, match`; empty: the usual category of the logic, such as `match` of an expression.
    pub forbidden: Vec<ForbiddenCategory>,
}

/// An event of the alphabet.
#[derive(Clone, PartialEq, Debug)]
pub struct PluginEvent {
    /// Its name in the body, and the event with its parameters.
    pub atom: Atom,
    /// `endProgram as done`: not an event of the trace, but the end of a complete trace.
    pub is_end: bool,
}

/// A category whose words are violations.
#[derive(Clone, PartialEq, Debug)]
pub struct ForbiddenCategory {
    /// Its name; case does not matter.
    pub name: Variable,
    /// Message of its violations.
    pub message: Option<String>,
    /// `reset`: after a violation the instance is in its initial state again.
    pub resets: bool,
}

/// A body.
#[derive(Clone, PartialEq, Debug)]
pub enum Logic {
    /// `ere: create next* modify+ next`
    Ere(Ere),
    /// `fsm: start [ next -> unsafe, hasnext -> safe ] ...`
    Fsm(Fsm),
    /// `cfg: S -> lock S unlock | epsilon`
    Cfg(Vec<GrammarRule>),
    /// `ltl: [](next => (*) hasnext)`
    Ltl(Linear),
    /// `ptltl: next => (*) hasnext`
    PastLtl(Linear),
}

gnomon_core::words! {
    /// Kinds of bodies.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum LogicKind as word {
        /// Extended regular expressions.
        Ere = "ere",
        /// Finite state machines.
        Fsm = "fsm",
        /// Context-free grammars.
        Cfg = "cfg",
        /// Linear temporal logic, of the future and the past.
        Ltl = "ltl",
        /// Linear temporal logic of the past.
        PastLtl = "ptltl",
    }
}

impl Logic {
    /// Returns the kind of body.
    pub const fn kind(&self) -> LogicKind {
        match self {
            Logic::Ere(_) => LogicKind::Ere,
            Logic::Fsm(_) => LogicKind::Fsm,
            Logic::Cfg(_) => LogicKind::Cfg,
            Logic::Ltl(_) => LogicKind::Ltl,
            Logic::PastLtl(_) => LogicKind::PastLtl,
        }
    }
}

impl LogicKind {
    /// Returns the name of the category that is forbidden where a property forbids none.
    pub const fn default_category(self) -> &'static str {
        match self {
            LogicKind::Ere | LogicKind::Cfg => "match",
            LogicKind::Fsm => "fail",
            LogicKind::Ltl | LogicKind::PastLtl => "violation",
        }
    }
}

/// An extended regular expression over letters `L`: names as written, numbers in kernel form.
#[derive(Clone, PartialEq, Debug)]
pub enum Ere<L = Variable> {
    /// `empty`: no word.
    Empty,
    /// `epsilon`: the word without letters.
    Epsilon,
    /// An event.
    Letter(L),
    /// `r | s`
    Or(Box<Self>, Box<Self>),
    /// `r & s`
    And(Box<Self>, Box<Self>),
    /// `r s`
    Then(Box<Self>, Box<Self>),
    /// `~r`
    Not(Box<Self>),
    /// `r*`
    Star(Box<Self>),
    /// `r+`
    Plus(Box<Self>),
    /// `r?`
    Optional(Box<Self>),
    /// `r^n`
    Power(Box<Self>, u32),
}

impl<L> Ere<L> {
    /// Returns the expression with every letter replaced.
    pub fn map<M>(&self, letter: &mut dyn FnMut(&L) -> M) -> Ere<M> {
        let mut boxed = |of: &Self| Box::new(of.map(letter));
        match self {
            Ere::Empty => Ere::Empty,
            Ere::Epsilon => Ere::Epsilon,
            Ere::Or(left, right) => Ere::Or(boxed(left), boxed(right)),
            Ere::And(left, right) => Ere::And(boxed(left), boxed(right)),
            Ere::Then(left, right) => Ere::Then(boxed(left), boxed(right)),
            Ere::Not(of) => Ere::Not(boxed(of)),
            Ere::Star(of) => Ere::Star(boxed(of)),
            Ere::Plus(of) => Ere::Plus(boxed(of)),
            Ere::Optional(of) => Ere::Optional(boxed(of)),
            Ere::Power(of, times) => Ere::Power(boxed(of), *times),
            Ere::Letter(of) => Ere::Letter(letter(of)),
        }
    }
}

/// A state machine. Its first state is initial.
#[derive(Clone, PartialEq, Debug)]
pub struct Fsm {
    /// The states, in the order of the text.
    pub states: Vec<FsmState>,
    /// `alias name = s1, s2`
    pub aliases: Vec<FsmAlias>,
}

/// `state [ event -> target, default target ]`
#[derive(Clone, PartialEq, Debug)]
pub struct FsmState {
    /// Its name.
    pub name: Variable,
    /// Events and the names of the states that they lead to.
    pub transitions: Vec<(Variable, Variable)>,
    /// The state that all other events lead to; `None`: they fail.
    pub default: Option<Variable>,
}

/// Another name for a set of states.
#[derive(Clone, PartialEq, Debug)]
pub struct FsmAlias {
    /// Its name.
    pub name: Variable,
    /// Names of states; `fail` is one.
    pub states: Vec<Variable>,
}

/// `S -> a S b | epsilon`
#[derive(Clone, PartialEq, Debug)]
pub struct GrammarRule {
    /// The nonterminal on the left.
    pub name: Variable,
    /// The right side: events and nonterminals; neither `&` nor `~`.
    pub right: Ere,
}

/// A formula of linear temporal logic.
#[derive(Clone, PartialEq, Debug)]
pub enum Linear {
    /// `true`, `false`
    Constant(bool),
    /// An event: true where the event of the position is this one.
    Event(Variable),
    /// `!f`
    Not(Box<Linear>),
    /// `[] f` and other operators with one operand.
    Unary(LinearUnary, Box<Linear>),
    /// `f U g` and other operators with two operands.
    Binary(LinearBinary, Box<Linear>, Box<Linear>),
}

gnomon_core::words! {
    /// Operators with one operand.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum LinearUnary as word {
        /// At every later position, the present included.
        Always = "[]",
        /// At some later position, the present included.
        Eventually = "<>",
        /// At the next position.
        Next = "o",
        /// Dual of `o`; equal to it on infinite words.
        WeakNext = "~o",
        /// At the previous position, which exists.
        Previous = "(*)",
        /// At the previous position, if there is one.
        WeakPrevious = "~(*)",
        /// At some earlier position, the present included.
        Once = "<*>",
        /// At every earlier position, the present included.
        Historically = "[*]",
    }
}

gnomon_core::words! {
    /// Operators with two operands.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum LinearBinary as word {
        /// Both.
        And = "and",
        /// Exactly one.
        Xor = "xor",
        /// At least one.
        Or = "or",
        /// The second if the first.
        Implies = "=>",
        /// Both or neither.
        Iff = "<=>",
        /// The second at some later position, the first until then.
        Until = "U",
        /// The first at every later position until the second holds, if it ever does.
        WeakUntil = "W",
        /// Dual of `U`.
        Release = "R",
        /// Dual of `U`, as JavaMOP writes it.
        DualUntil = "~U",
        /// The second at some earlier position, the first since then.
        Since = "S",
        /// Dual of `S`.
        DualSince = "~S",
    }
}

impl Plugin {
    /// Calls `visit` on the name of every letter that the body mentions, in its order. Nonterminals of a grammar are among them.
    pub fn each_name<'a>(&'a self, visit: &mut dyn FnMut(&'a Variable)) {
        match &self.logic {
            Logic::Ere(ere) => ere.each_letter(visit),
            Logic::Fsm(fsm) => {
                let transitions = fsm.states.iter().flat_map(|state| &state.transitions);
                transitions.for_each(|(event, _)| visit(event));
            }
            Logic::Cfg(rules) => rules.iter().for_each(|rule| rule.right.each_letter(visit)),
            Logic::Ltl(linear) | Logic::PastLtl(linear) => linear.each_event(visit),
        }
    }
}

impl<L> Ere<L> {
    /// Calls `visit` on every letter, in the order of the text.
    pub fn each_letter<'a>(&'a self, visit: &mut dyn FnMut(&'a L)) {
        match self {
            Ere::Empty | Ere::Epsilon => {}
            Ere::Letter(letter) => visit(letter),
            Ere::Or(left, right) | Ere::And(left, right) | Ere::Then(left, right) => {
                left.each_letter(visit);
                right.each_letter(visit);
            }
            Ere::Not(of) | Ere::Star(of) | Ere::Plus(of) | Ere::Optional(of) | Ere::Power(of, _) => {
                of.each_letter(visit);
            }
        }
    }
}

impl Linear {
    /// Calls `visit` on every event, in the order of the text.
    pub fn each_event<'a>(&'a self, visit: &mut dyn FnMut(&'a Variable)) {
        match self {
            Linear::Constant(_) => {}
            Linear::Event(event) => visit(event),
            Linear::Not(of) | Linear::Unary(_, of) => of.each_event(visit),
            Linear::Binary(_, left, right) => {
                left.each_event(visit);
                right.each_event(visit);
            }
        }
    }
}
