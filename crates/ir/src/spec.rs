// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a spec file says.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::{Quantity, Unit};
use gnomon_core::value::{Comparison, Value};
use gnomon_core::verdict::{Simultaneous, Verdict};

use crate::automaton::Automaton;
use crate::formula::Formula;
use crate::modal::Modal;
use crate::pattern::{Argument, Atom, Condition, Path};
use crate::requirement::Requirement;
use crate::rule::Rule;

/// A whole spec file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Spec {
    /// `time FIELD in UNIT`
    pub time: TimeDeclaration,
    /// `log text "..."` or `log regex "..."`
    pub log: Option<LogDeclaration>,
    /// `simultaneous merge` or `simultaneous sequence`, for every property that does not say otherwise.
    pub simultaneous: Option<Simultaneous>,
    /// `event ...`, in the order of the file.
    pub events: Vec<EventDeclaration>,
    /// `extern ...`, in the order of the file.
    pub externs: Vec<ExternDeclaration>,
    /// The properties, in the order of the file.
    pub properties: Vec<Property>,
    /// `accepts`, `rejects`, `expect`, in the order of the file.
    pub examples: Vec<Example>,
}

/// Which field is the time, and what a bare number counts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TimeDeclaration {
    /// The field; `None`: the first that is known to be one.
    pub field: Option<String>,
    /// The unit of a bare number; `None`: unknown.
    pub unit: Option<Unit>,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// How the lines of a plain text log are events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogDeclaration {
    /// How the pattern is written.
    pub kind: LogKind,
    /// The pattern.
    pub pattern: String,
    /// Where the pattern is written, with its quotes.
    pub pattern_span: Span,
    /// What becomes of a line that does not fit it.
    pub unmatched: Unmatched,
}

/// How a pattern is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogKind {
    /// `text`: as the line, with `{holes}` where fields are.
    Text,
    /// `regex`: a regular expression, with named groups where fields are.
    Regex,
}

/// What becomes of a line that does not fit the pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unmatched {
    /// `skip`: it is no event; how many there are is told.
    #[default]
    Skip,
    /// `error`: the log cannot be judged.
    Error,
}

/// `event name(parameters) = alternatives from A to B`
#[derive(Clone, PartialEq, Debug)]
pub struct EventDeclaration {
    /// The name that properties use.
    pub name: String,
    /// Where the name is written.
    pub name_span: Span,
    /// The parameters' names; `None` where no parentheses are written.
    pub parameters: Option<Vec<String>>,
    /// The events of the trace it stands for.
    pub alternatives: Vec<Alternative>,
    /// Who sends it and who receives it.
    pub participants: Option<(Participant, Participant)>,
}

/// One event of the trace that a declared event stands for.
#[derive(Clone, PartialEq, Debug)]
pub struct Alternative {
    /// Its name in the trace.
    pub event: String,
    /// When it counts.
    pub condition: Option<Condition>,
    /// `field as parameter`. A parameter without one is the field of the same name.
    pub renames: Vec<(Path, String)>,
    /// Where it is written.
    pub span: Span,
}

/// `extern $rate from "http://..." path "/eur" every 60s`: a variable whose value is asked for outside the trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternDeclaration {
    /// Its name, without the `$`.
    pub name: String,
    /// Where the name is written.
    pub name_span: Span,
    /// What is asked: an address, or a file beside the spec.
    pub source: String,
    /// Where in the answer the value is; `None`: the answer itself.
    pub path: Option<String>,
    /// How old a value may be before it is asked for again; `None`: it is asked for once.
    pub every: Option<Quantity>,
    /// Where it is written.
    pub span: Span,
}

impl ExternDeclaration {
    /// The name of the field under which a state has its value: no name that a property can give to a field of an event, so
    /// that neither is taken for the other.
    pub fn field(&self) -> String {
        format!("${}", self.name)
    }
}

/// A sender or receiver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Participant {
    /// Always this one.
    Named(String),
    /// `$field`: the one that the event's field names.
    Field(String),
}

/// A property.
#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Where the name is written.
    pub name_span: Span,
    /// What it is called in reports.
    pub title: Option<String>,
    /// The language it is written in.
    pub language: Language,
    /// Its options.
    pub options: Options,
    /// The quantifiers in front of the body, outermost first.
    pub prefix: Vec<Quantifier>,
    /// What it says.
    pub body: Body,
    /// Where the text between the braces stands.
    pub body_span: Span,
}

/// The specification languages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// SOLOIST
    Soloist,
    /// First-order metric temporal logic
    Mtl,
    /// Quantified event automata
    Qea,
    /// Rules over messages, after Nomad
    Nomad,
    /// Assertions over the states of a composition
    Albert,
    /// Property patterns in words
    Pattern,
    /// The monitorable mu-calculus
    Mu,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 7] = [
        Language::Soloist,
        Language::Mtl,
        Language::Qea,
        Language::Nomad,
        Language::Albert,
        Language::Pattern,
        Language::Mu,
    ];

    /// The word that opens a block.
    pub const fn word(self) -> &'static str {
        match self {
            Language::Soloist => "soloist",
            Language::Mtl => "mtl",
            Language::Qea => "qea",
            Language::Nomad => "nomad",
            Language::Albert => "albert",
            Language::Pattern => "pattern",
            Language::Mu => "mu",
        }
    }

    /// How its properties see events with equal times unless told otherwise.
    pub const fn simultaneous(self) -> Simultaneous {
        match self {
            Language::Soloist | Language::Albert => Simultaneous::Merge,
            Language::Mtl | Language::Qea | Language::Nomad | Language::Pattern | Language::Mu => {
                Simultaneous::Sequence
            }
        }
    }
}

/// What may stand in a property's parentheses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// `critical`: the first violation stops the verification.
    pub critical: bool,
    /// `severity low|medium|high`
    pub severity: Option<Importance>,
    /// `simultaneous merge|sequence`
    pub simultaneous: Option<Simultaneous>,
}

/// How much a violation matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Importance {
    /// `low`
    Low,
    /// `medium`
    Medium,
    /// `high`
    High,
}

/// What a property says.
// There is one for each property: room does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, PartialEq, Debug)]
pub enum Body {
    /// A temporal formula, true at the first position.
    Formula(Formula),
    /// An automaton that accepts the events which concern a binding.
    Automaton(Automaton),
    /// A rule over messages.
    Rule(Rule),
    /// A scope and a behaviour.
    Requirement(Requirement),
    /// A formula of the mu-calculus. Its quantifiers are inside.
    Modal(Modal),
}

/// `forall c, i.` or `exists >= 3 s.`
#[derive(Clone, PartialEq, Debug)]
pub struct Quantifier {
    /// Which.
    pub kind: QuantifierKind,
    /// How many values it asks for; `None`: all, or one.
    pub threshold: Option<Threshold>,
    /// Its variables: one quantifier for each, nested in this order. With a threshold there is only one.
    pub variables: Vec<Variable>,
    /// Where it is written.
    pub span: Span,
}

/// The two quantifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QuantifierKind {
    /// `forall`
    Forall,
    /// `exists`
    Exists,
}

/// `>= 95%` or `>= 3`: what is compared is how many of the variable's values satisfy the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threshold {
    /// How.
    pub comparison: Comparison,
    /// With what number, or with what percentage of all values.
    pub amount: Quantity,
    /// Whether it is a percentage.
    pub percent: bool,
}

/// The name of a variable where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where.
    pub span: Span,
}

/// An example trace, or a file with a known verdict.
#[derive(Clone, PartialEq, Debug)]
pub struct Example {
    /// The property it is about.
    pub property: String,
    /// Where that name is written.
    pub property_span: Span,
    /// The verdict it must get.
    pub verdict: Verdict,
    /// What is judged.
    pub trace: ExampleTrace,
    /// Where it is written.
    pub span: Span,
}

/// Where an example's events are.
#[derive(Clone, PartialEq, Debug)]
pub enum ExampleTrace {
    /// In the spec.
    Events(Vec<ExampleEvent>),
    /// In a file beside it.
    File(String),
}

/// `pay(user: "ann", amount: 5)@10`
#[derive(Clone, PartialEq, Debug)]
pub struct ExampleEvent {
    /// A declared event, or one of the trace's own.
    pub name: String,
    /// Parameters by position, or fields by name.
    pub arguments: ExampleArguments,
    /// `@time`; without it, one unit after the event before (the first is at 1).
    pub time: Option<Quantity>,
    /// Where it is written.
    pub span: Span,
}

/// The data of an example event.
#[derive(Clone, PartialEq, Debug)]
pub enum ExampleArguments {
    /// `(1, 2)`; empty without parentheses.
    Positional(Vec<Value<'static>>),
    /// `(user: "ann", amount: 5)`
    Named(Vec<(String, Value<'static>)>),
}

impl Spec {
    /// The declaration of an event, if it has one.
    pub fn event(&self, name: &str) -> Option<&EventDeclaration> {
        self.events.iter().find(|event| event.name == name)
    }

    /// The declaration of an external variable, if it is one.
    pub fn external(&self, name: &str) -> Option<&ExternDeclaration> {
        self.externs.iter().find(|external| external.name == name)
    }

    /// Whether no event can match both atoms; `false` where that is not plain to see.
    pub fn apart(&self, left: &Atom, right: &Atom) -> bool {
        let (own, other) = (self.concrete(left), self.concrete(right));
        if !own.iter().any(|name| other.contains(name)) {
            return true;
        }
        let differ = |(left, right): (&Argument, &Argument)| match (left, right) {
            (Argument::Literal(left), Argument::Literal(right)) => left.order(right).is_ne(),
            _ => false,
        };
        match (&left.arguments, &right.arguments) {
            (Some(left_values), Some(right_values)) if left.name == right.name => {
                left_values.len() != right_values.len() || left_values.iter().zip(right_values).any(differ)
            }
            _ => false,
        }
    }

    /// The names that the events of an atom have in the trace.
    fn concrete<'a>(&'a self, atom: &'a Atom) -> Vec<&'a str> {
        match self.event(&atom.name) {
            Some(declaration) => declaration.alternatives.iter().map(|one| one.event.as_str()).collect(),
            None => vec![&atom.name],
        }
    }

    /// The property of this name.
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// How a property sees events with equal times.
    pub fn simultaneous(&self, property: &Property) -> Simultaneous {
        property.options.simultaneous.or(self.simultaneous).unwrap_or(property.language.simultaneous())
    }
}
