// SPDX-License-Identifier: MIT OR Apache-2.0
//! A spec file as data: declarations, properties of all languages, and examples, as they are written.
//!
//! Front ends of `gnomon-lang` create a [`Spec`] from text or XML, `gnomon-catalogue` and `gnomon-assist` create one from a description of
//! a service or from answers. Printers write it back, and [`check`](crate::check::check) compiles each property with the declarations.
//!
//! INVARIANT: nothing is resolved here. Events are names, amounts of time keep their unit, and a wrong combination can be represented;
//! finding it is the task of `check`. Spans point into the text that was parsed, and are empty in a spec that was not parsed.

use gnomon_core::datetime::ZoneOffsets;
use gnomon_core::{Comparison, Quantity, Simultaneous, Span, Unit, Value, Verdict};

use crate::walk::{AtomCollector, walk};
use crate::{Argument, Atom, Automaton, Clocks, Condition, Formula, ModalFormula, Path, Pattern, Plugin, Rule};

/// A whole spec file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Spec {
    /// `time FIELD in UNIT as FORMAT zone ZONE`
    pub time: TimeDeclaration,
    /// `name FIELD` or `name "..."`
    pub name: Option<NameDeclaration>,
    /// `log text "..."`, `log regex "..."`, `log csv "..."`, or `log nginx` and other formats
    pub log: Option<LogDeclaration>,
    /// `simultaneous merge` or `simultaneous sequence`, for every property that does not say otherwise.
    pub simultaneous: Option<Simultaneous>,
    /// `event ...`, in the order of the file.
    pub events: Vec<EventDeclaration>,
    /// `extern ...`, in the order of the file.
    pub externs: Vec<ExternDeclaration>,
    /// `case ends with ...` and `case expires after ...`
    pub cases: CaseDeclaration,
    /// The properties, in the order of the file.
    pub properties: Vec<Property>,
    /// `accepts`, `rejects`, `expect`, in the order of the file.
    pub examples: Vec<Example>,
}

/// Declaration of the time field and of the unit of bare numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TimeDeclaration {
    /// The field; `None`: the first that is known to be one.
    pub field: Option<String>,
    /// The unit of a bare number; `None`: unknown.
    pub unit: Option<Unit>,
    /// The format of date-times, and where it is written, with its quotes; `None`: one of the usual notations.
    pub format: Option<(String, Span)>,
    /// The zone of date-times without an offset, and where it is written; `None`: UTC.
    pub zone: Option<(String, Span)>,
    /// The offsets of the zone. Whoever knows the time zone database fills them in.
    pub offsets: ZoneOffsets,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// Declaration of the names of events, for logs in which no field `event` or `name` has them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NameDeclaration {
    /// `name message`: the field with the names, and where it is written.
    Field(Path, Span),
    /// `name "{method} {path}"`: a template with fields in braces, and where it is written, with its quotes.
    Template(String, Span),
}

impl NameDeclaration {
    /// Returns where the field or the template is written.
    pub fn span(&self) -> Span {
        match self {
            NameDeclaration::Field(_, span) | NameDeclaration::Template(_, span) => *span,
        }
    }
}

/// Declaration of the format of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogDeclaration {
    /// The format, or the syntax of the pattern.
    pub kind: LogKind,
    /// The pattern, or the columns of a table; `None` for formats that need none.
    pub pattern: Option<String>,
    /// Where the pattern is written, with its quotes; or the format.
    pub pattern_span: Span,
    /// Treatment of lines that do not match.
    pub unmatched: UnmatchedLine,
}

gnomon_core::words! {
    /// Formats of logs.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum LogKind as word {
        /// `text`: as the line, with `{holes}` where fields are.
        Text = "text",
        /// `regex`: a regular expression, with named groups where fields are.
        Regex = "regex",
        /// `csv`: a table without a header, with the names of its columns.
        Csv = "csv",
        /// `nginx`: access logs.
        Nginx = "nginx",
        /// `apache`: access logs.
        Apache = "apache",
        /// `syslog`: RFC 3164 and RFC 5424.
        Syslog = "syslog",
        /// `logfmt`: lines of `key=value` pairs.
        Logfmt = "logfmt",
        /// `cri`: container logs of Kubernetes.
        Cri = "cri",
        /// `docker`: container logs of the `json-file` driver.
        Docker = "docker",
        /// `json`: a JSON object per line, with text before it.
        Json = "json",
    }
}

impl LogKind {
    /// Returns true if a pattern, or the names of columns, follow the word.
    pub const fn has_pattern(self) -> bool {
        matches!(self, LogKind::Text | LogKind::Regex | LogKind::Csv)
    }
}

gnomon_core::words! {
    /// Treatment of lines that do not match the pattern.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum UnmatchedLine as word {
        /// `skip`: the line is not an event; the number of such lines is reported.
        #[default]
        Skip = "skip",
        /// `error`: the log cannot be checked.
        Error = "error",
    }
}

/// `event name(parameters) = alternatives from A to B`
#[derive(Clone, PartialEq, Debug)]
pub struct EventDeclaration {
    /// The name that properties use.
    pub name: String,
    /// Source location of the name.
    pub name_span: Span,
    /// The parameters' names; `None` where no parentheses are written.
    pub parameters: Option<Vec<String>>,
    /// The events of the trace it stands for.
    pub alternatives: Vec<Alternative>,
    /// Sender and receiver.
    pub participants: Option<(Participant, Participant)>,
}

/// One event of the trace that a declared event stands for.
#[derive(Clone, PartialEq, Debug)]
pub struct Alternative {
    /// Its name in the trace.
    pub event: String,
    /// Condition under which the event counts.
    pub condition: Option<Condition>,
    /// `field as parameter`. A parameter without one is the field of the same name.
    pub renames: Vec<(Path, String)>,
    /// Source location.
    pub span: Span,
}

/// `extern $rate from "http://..." path "/eur" every 60s`: a variable whose value is asked for outside the trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternDeclaration {
    /// Its name, without the `$`.
    pub name: String,
    /// Source location of the name.
    pub name_span: Span,
    /// Source of the value: a URL, or a file beside the spec.
    pub source: String,
    /// Path to the value in the response; `None`: the response itself.
    pub path: Option<String>,
    /// Age after which the value is requested again; `None`: it is requested once.
    pub every: Option<Quantity>,
    /// Source location.
    pub span: Span,
}

impl ExternDeclaration {
    /// The name of the field under which a state has its value: no name that a property can give to a field of an event, so
    /// that neither is taken for the other.
    pub fn field(&self) -> String {
        format!("${}", self.name)
    }
}

/// Declaration of the ends of cases.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CaseDeclaration {
    /// `case ends with logout`: the events that are the last of their case, in the order of the file.
    pub ends: Vec<Atom>,
    /// `case expires after 30m`: the silence that ends a case, and where it is written.
    pub expiry: Option<(Quantity, Span)>,
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
    /// Source location of the name.
    pub name_span: Span,
    /// Title in reports.
    pub title: Option<String>,
    /// The language it is written in.
    pub language: Language,
    /// Its options.
    pub options: Options,
    /// The quantifiers in front of the body, outermost first.
    pub prefix: Vec<Quantifier>,
    /// Body.
    pub body: Body,
    /// Where the text between the braces stands.
    pub body_span: Span,
}

gnomon_core::words! {
    /// The specification languages.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Language as word {
        /// SOLOIST
        Soloist = "soloist",
        /// First-order metric temporal logic
        Mtl = "mtl",
        /// Quantified event automata
        Qea = "qea",
        /// Rules over messages, after Nomad
        Nomad = "nomad",
        /// Assertions over the states of a composition
        Albert = "albert",
        /// Property patterns in words
        Pattern = "pattern",
        /// The monitorable mu-calculus
        Mu = "mu",
        /// Logic plug-ins with parameters, after JavaMOP
        Mop = "mop",
        /// Clock constraints
        Ccsl = "ccsl",
    }
}

impl Language {
    /// Returns "a `soloist` property", with the article of the word.
    pub fn a_property(self) -> String {
        let article = if matches!(self, Language::Mtl | Language::Albert) { "an" } else { "a" };
        format!("{article} `{}` property", self.word())
    }

    /// Returns the default treatment of events with equal times.
    pub const fn simultaneous(self) -> Simultaneous {
        match self {
            Language::Soloist | Language::Albert | Language::Ccsl => Simultaneous::Merge,
            Language::Mtl | Language::Qea | Language::Nomad | Language::Pattern | Language::Mu | Language::Mop => {
                Simultaneous::Sequence
            }
        }
    }
}

/// Options in a property's parentheses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// `critical`: the first violation stops the verification.
    pub critical: bool,
    /// `severity low|medium|high`
    pub severity: Option<PropertySeverity>,
    /// `simultaneous merge|sequence`
    pub simultaneous: Option<Simultaneous>,
}

gnomon_core::words! {
    /// Severity of a violation, least severe first. A property that states none counts as medium.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
    pub enum PropertySeverity as word {
        /// `low`
        Low = "low",
        /// `medium`
        #[default]
        Medium = "medium",
        /// `high`
        High = "high",
    }
}

/// Body of a property.
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
    Pattern(Pattern),
    /// A formula of the mu-calculus. Its quantifiers are inside.
    Modal(ModalFormula),
    /// A logic plug-in. Its parameters are the variables of the prefix.
    Plugin(Plugin),
    /// Relations between clocks.
    Clocks(Clocks),
}

impl Body {
    /// Returns every atom in the order of the text, including those of activities that names may stand for.
    pub fn atoms(&self) -> Vec<&Atom> {
        AtomCollector::collect(|atoms| walk::body(atoms, self))
    }
}

/// `forall c, i.` or `exists >= 3 s.`
#[derive(Clone, PartialEq, Debug)]
pub struct Quantifier {
    /// Kind of quantifier.
    pub kind: QuantifierKind,
    /// Required number of values; `None`: all, or one.
    pub threshold: Option<Threshold>,
    /// Its variables: one quantifier for each, nested in this order. With a threshold there is only one.
    pub variables: Vec<Variable>,
    /// Source location.
    pub span: Span,
}

gnomon_core::words! {
    /// The two quantifiers.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum QuantifierKind as word {
        /// `forall`
        Forall = "forall",
        /// `exists`
        Exists = "exists",
    }
}

/// `>= 95%` or `>= 3`: what is compared is how many of the variable's values satisfy the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threshold {
    /// Comparison of the number of values with the amount.
    pub comparison: Comparison,
    /// Number, or percentage of all values.
    pub amount: Quantity,
    /// True if the amount is a percentage.
    pub percent: bool,
}

/// The name of a variable where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Source location.
    pub span: Span,
}

/// An example trace, or a file with a known verdict.
#[derive(Clone, PartialEq, Debug)]
pub struct Example {
    /// The property it is about.
    pub property: String,
    /// Source location of the property's name.
    pub property_span: Span,
    /// The verdict it must get.
    pub verdict: Verdict,
    /// Trace to check.
    pub trace: ExampleTrace,
    /// Source location.
    pub span: Span,
}

/// Source of an example's events.
#[derive(Clone, PartialEq, Debug)]
pub enum ExampleTrace {
    /// The spec itself.
    Events(Vec<ExampleEvent>),
    /// A file beside the spec.
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
    /// Source location.
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

    /// Returns true if no event can match both atoms. Conservative: may return false for disjoint atoms.
    pub fn are_disjoint(&self, left: &Atom, right: &Atom) -> bool {
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

    /// Returns the treatment of events with equal times for a property.
    pub fn simultaneous(&self, property: &Property) -> Simultaneous {
        property.options.simultaneous.or(self.simultaneous).unwrap_or(property.language.simultaneous())
    }
}
