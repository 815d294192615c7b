// SPDX-License-Identifier: MIT OR Apache-2.0
//! The arguments of all commands. Doc comments and `help` attributes here are the help texts.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use gnomon::externs::ExternSources;
use gnomon::offline::{DivideBy, Limits, Options, ViolationMode};
use gnomon::time::Quantity;
use gnomon::trace::Format;
use gnomon::verdict::End;

use crate::ask::args::AskArguments;
use crate::memory;
use crate::watch::args::WatchArguments;

const EXIT_STATUS: &str = "\
Exit status:
  0  nothing was violated
  1  something was violated
  2  could not judge: bad arguments, a bad spec, a bad trace, a file that cannot be read";

/// Judges logs of timed events against temporal properties.
#[derive(Parser, Debug)]
#[command(name = "gnomon", version, after_help = "Example:\n  gnomon check examples/atm/atm.rv examples/atm/b4.xml")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Judge logs against the properties of a spec
    #[command(long_about = "\
Judges each TRACE on its own against the properties of SPEC and says which hold, which are violated, where and why.

The report goes to standard output, complaints about the spec or a trace to standard error.")]
    #[command(
        after_help = "Example:\n  gnomon check atm.rv b4.csv\n  tail -n +1 service.ndjson | gnomon check rules.rv - --format ndjson --prefix"
    )]
    #[command(after_long_help = format!("\
Examples:
  gnomon check atm.rv b4.csv
  gnomon check atm.rv monday.csv tuesday.csv --property QP1 --report json
  gnomon check rules.rv shop.ndjson --by session --report ndjson
  gnomon check iterators.qea program.csv.gz --jobs 4 --max-memory 2G
  cat service.ndjson | gnomon check rules.rv - --format ndjson --prefix

{EXIT_STATUS}"))]
    Check(CheckArguments),
    /// Judge the examples inside a spec: a unit test for properties
    #[command(long_about = "\
Judges every `accepts`, `rejects` and `expect` of SPEC and says which do not come out as stated.

Files named by `expect` are looked for beside the spec.")]
    #[command(after_help = format!("Example:\n  gnomon test examples/atm/atm.rv\n\n\
Exit status:\n  0  every example comes out as stated\n  1  some do not\n  2  could not judge"))]
    Test {
        /// The spec; `-` reads standard input
        spec: String,
        #[command(flatten)]
        known: CatalogueArguments,
    },
    /// Judge a running system: takes events in, fires deadlines on the clock, serves a dashboard
    #[command(long_about = "\
Judges events while they happen, over HTTP, TCP, OpenTelemetry, or as messages that go through its proxy. Violations are told at
once: here, on the dashboard, to hooks. With --store everything that was acknowledged survives a crash.

It listens on this machine alone unless told otherwise; docs/watch.md tells more.")]
    #[command(after_help = "Example:\n  gnomon watch shop.rv --store var/shop\n  \
curl --data-binary '{\"event\":\"order\",\"id\":7}' http://127.0.0.1:7317/api/v1/events\n  \
gnomon watch shop.rv --proxy shop@127.0.0.1:9001=http://127.0.0.1:8001 --session id\n\n\
Exit status, when it is stopped:\n  0  nothing was violated\n  1  something was violated\n  2  could not start")]
    Watch(Box<WatchArguments>),
    /// Make a property by answering questions
    #[command(long_about = "\
Asks what must be so, when, and for which data, each question with everyday examples; shows what was made of the answers, lets \
you try it on short traces and on a log, and writes it as a spec with examples.

The same without questions: --scope and --behaviour give the property in words, --answers in a file.")]
    #[command(after_help = "Example:\n  gnomon ask --catalogue shop.wsdl --log day.csv --output shop.rv\n  \
gnomon ask --scope \"between open and close\" --behaviour \"absence of write\" --name quiet --output quiet.rv\n\n\
Exit status:\n  0  here is the property, or you left without one\n  2  the answers or flags do not make one")]
    Ask(AskArguments),
    /// Make a log up, from a model of a process
    #[command(long_about = "\
Makes up a log that MODEL allows: activities in sequence, choices, loops, durations and errors by chance.

The same model, settings and seed give the same log, byte for byte, on every machine.")]
    #[command(after_help = "Example:\n  gnomon generate atmfrontend.model --set customers=50 --seed 7 --out day.xml")]
    Generate(GenerateArguments),
    /// Write properties in another notation
    #[command(long_about = "\
Writes the properties of SPEC in another notation.

english: plain words, for `pattern`, `mtl` and `soloist`. mtl, mu, mcrl2, mermaid, plantuml, svg: what can be made of a
`pattern`; docs/artefacts.md tells what each of them says. A property that has no such form is named on standard error,
and the status is 2. mcrl2 and the diagrams show one property.

ltl: linear temporal logic with past over unit instants, for small constants; docs/languages/ltl.md tells how it is
to be read. One to a line, each under a line with its name. A property that is too large, or has no such form, is named
on standard error, and the status is 2.

rules-xml, nomad: rules over messages as XML (docs/rules-xml.md) or as a spec file, with the declarations of time and
events that they need. Properties in other languages are left out.")]
    #[command(
        after_help = "Example:\n  gnomon translate shop.rv --to english\n  gnomon translate shop.rv --property paid --to svg > paid.svg\n  gnomon translate rules.rv --to ltl --property late\n  gnomon translate rules.rv --to rules-xml > rules.xml"
    )]
    Translate(TranslateArguments),
    /// Draw what a property is run as, and count the copies that its automaton makes
    #[command(long_about = "\
Draws a property of SPEC as DOT, or as SVG, for which nothing else need be installed: the alternating automaton of an
`albert` property (asa, lasa1, lasa2), or what the engine runs (any language): a network of operators, an automaton over
events, the life of a rule's instances, the phases of a pattern.

With a TRACE it runs the automata of all `albert` properties instead and tells how many copies each semantics makes, and how
long that takes, beside the engine. docs/automata.md tells more.")]
    #[command(
        after_help = "Example:\n  gnomon automaton shop.rv --property paid --to svg -o paid.svg\n  gnomon automaton while.rv while.csv --plot while.svg"
    )]
    Automaton(AutomatonArguments),
    /// Write a log in another format
    #[command(long_about = "\
Writes the events of IN to OUT in another format. What the new format cannot carry is told on standard error.

OUT appears when all is written: if something goes wrong there is no half of it.")]
    #[command(
        after_help = "Example:\n  gnomon convert b4.xml b4.csv\n  zcat day.xes.gz | gnomon convert - - --from xes --to ndjson"
    )]
    Convert(ConvertArguments),
    /// List the events of a log, or declare those that a description of a service tells of
    #[command(long_about = "\
Lists the events of a trace: how often each occurs, the fields they have and of what types, and the span of time.

Of a description of a service (WSDL 1.1, OpenAPI 3, AsyncAPI 2 and 3, BPEL 2.0) it writes the messages as declarations to
paste into a spec, with what the description says of them; docs/catalogue.md tells more.")]
    #[command(after_help = "Example:\n  gnomon events b4.csv\n  gnomon events shop.wsdl >> shop.rv")]
    Events(EventsArguments),
    /// Tell how often each property was put to the test, and how that went over time
    #[command(long_about = "\
Judges TRACE against the properties of SPEC and tells, for each: how often it was activated, satisfied and violated, what
part failed, and how long satisfaction took; all of that also at the end of each interval of the trace's time.

--html writes a page of its own, to be opened in a browser: one view for each property, one line for each interval.")]
    #[command(after_help = "Example:\n  gnomon stats rules.rv shop.ndjson --every 10s --html shop.html\n\n\
Exit status:\n  0  here are the statistics, whatever they say\n  2  could not judge")]
    Stats(StatsArguments),
    /// Tell by which fields a trace may be divided without changing a verdict
    #[command(long_about = "\
Tells for each property of SPEC by which fields a trace may be taken apart, so that its parts can be judged on their own and
together say what the whole trace says; or why there is no such field. docs/partitioning.md tells more.

This is about a trace as one trace. `gnomon check --by FIELD` asks of every case by itself, and may ask that of any property.")]
    #[command(after_help = "Example:\n  gnomon plan shop.rv\n  gnomon plan shop.rv --property paid --by user\n\n\
Exit status:\n  0  here is the answer; with --by: every property may be divided by that field\n  \
1  with --by: some property may not\n  2  could not tell: bad arguments, a bad spec")]
    Plan(PlanArguments),
    /// Explain an error code
    #[command(long_about = "Prints the page of an error code; without a code, lists them all.")]
    #[command(after_help = "Example:\n  gnomon explain G0301")]
    Explain {
        /// The code, such as G0301
        code: Option<String>,
    },
    /// Write a completion script for a shell
    #[command(long_about = "Writes a script that teaches a shell to complete gnomon's commands and options.")]
    #[command(after_help = "Example:\n  gnomon completions bash > ~/.local/share/bash-completion/completions/gnomon")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the manual pages
    #[command(long_about = "Prints the manual page of gnomon, or writes the pages of all commands into a folder.")]
    #[command(after_help = "Example:\n  gnomon man --out ~/.local/share/man/man1")]
    Man {
        /// Write the pages of all commands into this folder
        #[arg(long, value_name = "FOLDER")]
        out: Option<String>,
    },
}

#[derive(Args, Debug)]
#[command(mut_args(|arg| match arg.get_id().as_str() {
    "max_bindings" | "max_memory" => arg.conflicts_with("reference"),
    _ => arg,
}))]
pub(crate) struct CheckArguments {
    /// The spec file (.rv, .qea with one automaton, .mcf with one formula, .xml with rules); `-` reads standard input
    pub(crate) spec: String,
    /// The traces to judge; `-` reads standard input
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<String>,
    #[arg(help = "What the report is for: people or programs")]
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) report: ReportFormat,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
    #[arg(
        help = "What a violation does: nothing more, or stop the verification of its trace [default: as each property says]"
    )]
    #[arg(long, value_parser = one_of(&MODES), conflicts_with = "reference")]
    pub(crate) mode: Option<ViolationMode>,
    /// Show each event with the verdict at it
    #[arg(long, conflicts_with = "reference")]
    pub(crate) events: bool,
    /// Put events in order that come at most this much too late: 5 (the trace's unit), 500ms, 2s
    #[arg(long, value_name = "D", value_parser = Quantity::read)]
    pub(crate) reorder: Option<Quantity>,
    /// Judge with the plain reference semantics instead of the engine: slow, whole trace in memory
    #[arg(long)]
    pub(crate) reference: bool,
    /// List at most this many violations of each property [default: 1000; a human report draws 10]
    #[arg(long, value_name = "N")]
    pub(crate) max_violations: Option<usize>,
    #[command(flatten)]
    pub(crate) externs: ExternArguments,
    /// Write the trace as it was judged, reads of external variables included, as NDJSON
    ///
    /// Judged again, it gives the same verdicts, and nobody is asked. One trace at a time; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<String>,
    /// Use this many threads: the report stays the same, byte for byte
    ///
    /// One at a time reads; the values of quantified properties are shared out among all of them. With --events or --by,
    /// one judges while another reads; with --report ndjson or critical properties, one does both.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "reference")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: u16,
    /// Exit with status 2 if one of these applies to a trace (separated by commas)
    #[arg(long, value_name = "REASON", value_enum, value_delimiter = ',')]
    pub(crate) fail_on: Vec<FailureReason>,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

/// A reason for which `check --fail-on` refuses a trace that could be checked.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailureReason {
    /// A property was not exercised: nothing in the trace activated it
    NotExercised,
    /// Lines of the log do not match its format
    Unmatched,
    /// The trace has no events
    Empty,
    /// Events came later than --reorder allows
    Late,
}

#[derive(Args, Debug)]
#[command(mut_args(|arg| match arg.get_id().as_str() {
    "format" => arg.help("The format of the trace [default: by extension, else by content]"),
    "prefix" => arg.help("The trace is the beginning of a longer one: what comes after it is unknown"),
    "by" => arg.help(
        "Judge each value of FIELD (a session, a case) as a trace of its own, and add them up; `none`: the whole trace as \
         one [default: XES by case, OTLP by trace id, others as one]"
    ),
    _ => arg,
}))]
pub(crate) struct StatsArguments {
    /// The spec file (.rv, .qea with one automaton, .mcf with one formula, .xml with rules); `-` reads standard input
    pub(crate) spec: String,
    /// The trace; `-` reads standard input
    pub(crate) trace: String,
    #[arg(
        help = "How long an interval is: 10 (the trace's unit), 500ms, 10s [default: so that there are about fifty]"
    )]
    #[arg(long, value_name = "D", value_parser = Quantity::read)]
    pub(crate) every: Option<Quantity>,
    /// Write a page for a browser, with everything in it; `-` writes it to standard output, instead of the report
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<String>,
    #[arg(help = "What the report is for: people or programs")]
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) report: ListFormat,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
    /// Put events in order that come at most this much too late: 5 (the trace's unit), 500ms, 2s
    #[arg(long, value_name = "D", value_parser = Quantity::read)]
    pub(crate) reorder: Option<Quantity>,
    #[command(flatten)]
    pub(crate) externs: ExternArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

#[derive(Args, Debug)]
pub(crate) struct GenerateArguments {
    /// The model file (.model); `-` reads standard input
    pub(crate) model: String,
    /// The seed of all chance [default: the model's]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    #[arg(help = "How many times the process is run, one after the other [default: 1]")]
    #[arg(long, value_name = "N", conflicts_with = "events")]
    pub(crate) cases: Option<u64>,
    /// Run the process until there are this many events, and stop there
    #[arg(long, value_name = "N")]
    pub(crate) events: Option<u64>,
    /// Give a setting of the model another value (may be given several times)
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// The format of the log [default: by the extension of --out, else csv]
    #[arg(long, value_parser = formats())]
    pub(crate) format: Option<Format>,
    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct TranslateArguments {
    /// The spec file (.rv, .qea with one automaton, .mcf with one formula, .xml with rules); `-` reads standard input
    pub(crate) spec: String,
    /// The notation
    #[arg(long, value_enum)]
    pub(crate) to: NotationName,
    /// Translate only this property (may be given several times)
    #[arg(long = "property", value_name = "NAME")]
    pub(crate) properties: Vec<String>,
    #[command(flatten)]
    pub(crate) known: CatalogueArguments,
    /// ltl: refuse a formula of more nodes (operators and names) than this
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub(crate) max_size: u64,
}

#[derive(Args, Debug)]
pub(crate) struct PlanArguments {
    /// The spec file (.rv, .qea with one automaton, .mcf with one formula, .xml with rules); `-` reads standard input
    pub(crate) spec: String,
    /// Tell only of this property (may be given several times)
    #[arg(long = "property", value_name = "NAME")]
    pub(crate) properties: Vec<String>,
    /// Ask whether every property may be divided by this field
    #[arg(long, value_name = "FIELD")]
    pub(crate) by: Option<String>,
    #[arg(help = "How to tell it")]
    #[arg(long, value_enum, default_value_t = PlanFormat::Human)]
    pub(crate) format: PlanFormat,
}

/// The output format of `plan`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlanFormat {
    /// Text for people
    Human,
    /// One object (docs/contracts/plan.md)
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct AutomatonArguments {
    /// The spec file (.rv, .qea with one automaton, .mcf with one formula, .xml with rules); `-` reads standard input
    pub(crate) spec: String,
    /// A trace to run automata over; `-` reads standard input
    pub(crate) trace: Option<String>,
    /// Draw this property; with a TRACE, run only this one (then it may be given several times)
    #[arg(long = "property", value_name = "NAME")]
    pub(crate) properties: Vec<String>,
    #[arg(help = "What is drawn [default: asa for `albert`, engine for others]")]
    #[arg(long, value_enum)]
    pub(crate) semantics: Option<DrawnSemantics>,
    /// The notation of the drawing [default: by the extension of --out, else dot]
    #[arg(long, value_enum)]
    pub(crate) to: Option<DrawingFormat>,
    /// The file to draw to [default: standard output; with a TRACE nothing is drawn]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<String>,
    /// The format of the trace [default: by extension, else by content]
    #[arg(long, value_parser = formats(), requires = "trace")]
    pub(crate) format: Option<Format>,
    /// Give up a run that needs more copies than this at the same time
    #[arg(long, value_name = "N", default_value_t = 1_000_000, requires = "trace")]
    pub(crate) max_copies: usize,
    /// Plot copies and time of all properties to this file, as SVG
    #[arg(long, value_name = "FILE", requires = "trace")]
    pub(crate) plot: Option<String>,
}

/// The semantics that `automaton` draws.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DrawnSemantics {
    /// Alternating automaton: every branch is a copy
    Asa,
    #[value(help = "The same with equal copies merged")]
    Lasa1,
    #[value(help = "The same where the first violation ends the run")]
    Lasa2,
    #[value(help = "What the engine runs")]
    Engine,
}

/// The file format of a drawing.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DrawingFormat {
    /// For Graphviz
    Dot,
    /// For browsers and documents
    Svg,
}

/// The notations that a property can be translated to.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotationName {
    /// Plain words
    English,
    /// First-order metric temporal logic, as a spec file
    Mtl,
    /// Property patterns, as a spec file
    Pattern,
    /// The modal mu-calculus in the notation of mCRL2
    Mu,
    /// A process of mCRL2 that watches
    Mcrl2,
    /// A sequence diagram in Mermaid's notation
    Mermaid,
    /// A sequence diagram in PlantUML's notation
    Plantuml,
    /// A sequence diagram, drawn
    Svg,
    /// Linear temporal logic with past, over unit instants
    Ltl,
    /// Rules over messages as a spec file
    Nomad,
    /// Rules over messages as XML
    RulesXml,
}

/// Arguments that `check` and `stats` share: the reading of traces, the selection of properties.
#[derive(Args, Debug)]
pub(crate) struct CommonArguments {
    /// The format of the traces [default: by extension, else by content]
    #[arg(long, value_parser = formats())]
    format: Option<Format>,
    #[command(flatten)]
    fields: FieldArguments,
    /// The traces are beginnings of longer ones: what comes after them is unknown
    #[arg(long)]
    prefix: bool,
    /// Judge only this property (may be given several times)
    #[arg(long = "property", value_name = "NAME")]
    pub(crate) properties: Vec<String>,
    #[command(flatten)]
    pub(crate) known: CatalogueArguments,
    /// Judge each value of FIELD (a session, a case) as a trace of its own; `none`: the whole trace as one [default: XES
    /// by case, OTLP by trace id, others as one]
    #[arg(long, value_name = "FIELD")]
    by: Option<String>,
}

impl CommonArguments {
    /// Returns the options of a check by the spec in this folder.
    pub(crate) fn options(&self, limits: &LimitArguments, externs: &ExternArguments, folder: &Path) -> Options {
        Options {
            format: self.format,
            event_field: self.fields.event.clone(),
            time_field: self.fields.time.clone(),
            end: if self.prefix { End::Prefix } else { End::Complete },
            by: match self.by.as_deref() {
                None => DivideBy::Format,
                Some("none") => DivideBy::Whole,
                Some(field) => DivideBy::Field(field.to_owned()),
            },
            limits: Limits { bindings: limits.max_bindings, memory: limits.max_memory.or_else(memory::default_limit) },
            sources: (!externs.no_extern).then(|| ExternSources::beside(folder)),
            ..Options::default()
        }
    }
}

/// Limits of the bindings.
#[derive(Args, Debug)]
pub(crate) struct LimitArguments {
    /// Give up if more bindings than this must be remembered at the same time [default: any number]
    #[arg(long, value_name = "N")]
    max_bindings: Option<u64>,
    /// Give up if bindings and cases take more memory than this: 500M, 2G [default: 80 % of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    max_memory: Option<u64>,
}

/// The fields of a trace that carry name and time of its events.
#[derive(Args, Debug, Default)]
pub(crate) struct FieldArguments {
    #[arg(long, value_name = "FIELD")]
    #[arg(help = "The field, column or key with the events' names [default: event, else name]")]
    pub(crate) event: Option<String>,
    #[arg(long, value_name = "FIELD")]
    #[arg(help = "The field, column or key with the times [default: as the spec says, else time, timestamp or ts]")]
    pub(crate) time: Option<String>,
}

/// Access to external variables.
#[derive(Args, Debug, Default)]
pub(crate) struct ExternArguments {
    #[arg(long)]
    #[arg(help = "Ask nobody for external variables: they have the values that are on record in the trace")]
    pub(crate) no_extern: bool,
}

/// Catalogues that describe the messages of a spec.
#[derive(Args, Debug, Default)]
pub(crate) struct CatalogueArguments {
    #[arg(long = "catalogue", value_name = "FILE")]
    #[arg(
        help = "Warn of events that no such file describes: WSDL, OpenAPI, AsyncAPI, BPEL (may be given several times)"
    )]
    pub(crate) catalogues: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ConvertArguments {
    /// The trace to read; `-` reads standard input
    #[arg(value_name = "IN")]
    pub(crate) input: String,
    /// The file to write; `-` writes standard output
    #[arg(value_name = "OUT")]
    pub(crate) output: String,
    /// The format of IN [default: by extension, else by content]
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) from: Option<Format>,
    /// The format of OUT [default: by extension]
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) to: Option<Format>,
    #[command(flatten)]
    pub(crate) fields: FieldArguments,
    /// Read IN as this spec says: its `time` and its `log`
    #[arg(long)]
    pub(crate) spec: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct EventsArguments {
    /// The trace, or the description of a service; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) trace: String,
    /// It is a trace of this format [default: by extension, else by content]
    #[arg(long, value_parser = formats())]
    pub(crate) format: Option<Format>,
    #[command(flatten)]
    pub(crate) fields: FieldArguments,
    /// Read the trace as this spec says: its `time` and its `log`
    #[arg(long)]
    pub(crate) spec: Option<String>,
    #[arg(help = "What the list is for: people or programs")]
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) report: ListFormat,
}

/// The output format of a list.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListFormat {
    /// For people
    Human,
    /// For programs: one line of JSON
    Json,
}

/// The output format of a report.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReportFormat {
    /// For people
    Human,
    /// For programs: one line of JSON
    Json,
    /// For programs that listen: a line of JSON for each violation as it is found, then one for each property
    Ndjson,
    /// For build servers: the XML of `JUnit`
    Junit,
}

/// The words of `--mode`, with their help.
const MODES: [(&str, &str, ViolationMode); 2] = [
    ("standard", "It is noted, and judging goes on", ViolationMode::Standard),
    ("critical", "It stops the verification of its trace", ViolationMode::Critical),
];

/// Returns the parser of an option with these words, each with its help and its value.
pub(crate) fn one_of<T: Clone + Send + Sync + 'static>(
    values: &'static [(&'static str, &'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let words = values.iter().map(|(word, help, _)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(words).map(move |word| {
        let (.., value) = values.iter().find(|(known, ..)| *known == word).expect("no other word is accepted");
        value.clone()
    })
}

/// Returns the parser of trace formats.
pub(crate) fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::word))
        .map(|word| Format::parse(&word).expect("every word is some format's"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_has_a_description_and_an_example() {
        for command in Arguments::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Example"), "{}", command.get_name());
        }
    }
}
