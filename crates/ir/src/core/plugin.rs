// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logic plug-ins with parameters in kernel form: letters, a body over them, forbidden categories.
//!
//! Example: `events create(c, i), modify(c), next(i)` are the letters 0, 1 and 2 with the parameters {0, 1}, {0} and {1}; the body
//! `create next* modify+ next` is an [`Ere`] over these numbers.

use gnomon_core::Span;

use super::{AtomDefinition, AtomId, Edge, QuantifierCore};
use crate::{Ere, VariableId};

/// A letter's number: the place of its event in the declaration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LetterId(pub u32);

/// A property with a logic plug-in. An event of the trace that matches several letters is one event of each, in the order of the letters.
#[derive(Clone, PartialEq, Debug)]
pub struct PluginCore {
    /// The property's name.
    pub name: String,
    /// The events of the letters. Of several patterns that match an event the first gives the values.
    pub atoms: Vec<AtomDefinition>,
    /// The parameters; all are plain `forall`.
    pub prefix: Vec<QuantifierCore>,
    /// The alphabet.
    pub letters: Vec<LetterCore>,
    /// The body.
    pub body: PluginBody,
    /// Creation of instances.
    pub creation: Creation,
    /// The categories that are violations, in the order in which they are reported: of several that hold, the first counts. None are equal.
    pub forbidden: Vec<ForbiddenCore>,
    /// True if each letter that creates starts a further run. Runs in the same state merge; a run that reported is dropped.
    pub suffix: bool,
    /// True if only instances with a value for every parameter report.
    pub full_binding: bool,
    /// True if only instances report whose parameters are linked by common events of their slice.
    pub connected: bool,
    /// Source location of the body.
    pub span: Span,
}

/// A letter: an event of the property.
#[derive(Clone, PartialEq, Debug)]
pub struct LetterCore {
    /// Its name.
    pub name: String,
    /// Source of its occurrences.
    pub source: LetterSource,
    /// The parameters that it binds, in ascending order.
    pub parameters: Vec<VariableId>,
    /// True if it may create: all letters unless creation events are declared.
    pub creates: bool,
}

/// Source of a letter's occurrences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LetterSource {
    /// Events of the trace. No two letters have the same atom.
    Atom(AtomId),
    /// The end of a complete trace that has events: once, at the last position. It binds no parameters, so it belongs to every slice.
    EndOfTrace,
}

/// Creation of instances.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Creation {
    /// Every letter may create; none is declared.
    Any,
    /// Each declared letter binds all parameters: a slice begins with its first creating letter, what is before is dropped.
    DropBefore,
    /// Some declared letter leaves a parameter open: an instance whose slice begins with a letter that does not create is ignored for good.
    MustBeFirst,
}

/// A body over letters.
#[derive(Clone, PartialEq, Debug)]
pub enum PluginBody {
    /// An extended regular expression.
    Ere(Ere<LetterId>),
    /// A state machine.
    Fsm(FsmCore),
    /// A context-free grammar.
    Cfg(CfgCore),
    /// A formula over infinite words, evaluated at their first position.
    Ltl(LinearCore),
    /// A formula of past operators, evaluated at every position.
    PastLtl(LinearCore),
}

/// A state machine. It begins in state 0. Without a target it fails, for good.
#[derive(Clone, PartialEq, Debug)]
pub struct FsmCore {
    /// The states.
    pub states: Vec<FsmStateCore>,
}

/// A state.
#[derive(Clone, PartialEq, Debug)]
pub struct FsmStateCore {
    /// Its name.
    pub name: String,
    /// The state that each letter leads to, defaults included; `None`: failure.
    pub targets: Vec<Option<usize>>,
}

/// A grammar. Nonterminal 0 is the start symbol. Right sides are plain sequences; nonterminals may be unproductive or unreachable.
#[derive(Clone, PartialEq, Debug)]
pub struct CfgCore {
    /// The nonterminals.
    pub nonterminals: Vec<NonterminalCore>,
}

/// A nonterminal.
#[derive(Clone, PartialEq, Debug)]
pub struct NonterminalCore {
    /// Its name; of one that stands for a group, a star or a plus, the name of the rule around it with apostrophes.
    pub name: String,
    /// Right sides of its productions.
    pub productions: Vec<Vec<GrammarSymbol>>,
}

/// A symbol of a right side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GrammarSymbol {
    /// An event.
    Letter(LetterId),
    /// The nonterminal at this place.
    Nonterminal(usize),
}

/// A formula. The parts of a node have smaller numbers, and equal parts are one node. Node 0 is `true`.
#[derive(Clone, PartialEq, Debug)]
pub struct LinearCore {
    /// The nodes, parts first.
    pub nodes: Vec<LinearNode>,
    /// The whole formula.
    pub root: Edge,
}

/// The operators of the kernel. `U` and `S` include the present position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LinearNode {
    /// True everywhere.
    True,
    /// The event of the position is this one.
    Letter(LetterId),
    /// All of these.
    And(Vec<Edge>),
    /// At the next position.
    Next(Edge),
    /// The second at this or some later position, the first at all before it from this one on.
    Until(Edge, Edge),
    /// At the previous position; false at the first.
    Previous(Edge),
    /// The second at this or some earlier position, the first at all after it up to this one.
    Since(Edge, Edge),
}

/// A category that is a violation.
#[derive(Clone, PartialEq, Debug)]
pub struct ForbiddenCore {
    /// The category.
    pub category: Category,
    /// True if the instance is back in its initial state after a violation.
    pub resets: bool,
    /// Message of its violations.
    pub message: Option<String>,
}

/// Category of a word: the slice of an instance so far. The word without letters has none.
#[derive(Clone, PartialEq, Debug)]
pub enum Category {
    /// The word is in the language of the expression or grammar.
    Match,
    /// No extension of the word is in the language, the word itself included.
    Fail,
    /// The machine is in one of these states.
    States {
        /// Name of the state or of the alias, as declared; `fail` and `nonfail` are such names.
        name: String,
        /// For each state, true if it belongs to the category.
        states: Vec<bool>,
        /// True if failure belongs to the category.
        fail: bool,
    },
    /// `ltl`: no infinite extension of the word satisfies the formula, and one of the word before did, or there was none before.
    /// `ptltl`: the formula is false at the last position.
    Violation,
    /// `ltl`: all infinite extensions of the word satisfy the formula, and not all of the word before did, or there was none before.
    /// `ptltl`: the formula is true at the last position.
    Validation,
}

impl Category {
    /// Returns the name that handlers use.
    pub fn name(&self) -> &str {
        match self {
            Category::Match => "match",
            Category::Fail => "fail",
            Category::States { name, .. } => name,
            Category::Violation => "violation",
            Category::Validation => "validation",
        }
    }
}
