// SPDX-License-Identifier: MIT OR Apache-2.0
//! The arguments of all commands. Doc comments and `help` attributes here are the help texts.
//!
//! A paragraph of a help text is one line, so that it wraps at the width of the terminal.

#![expect(clippy::doc_markdown, reason = "the doc comments are help texts, which are not Markdown")]

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
use crate::output::STDOUT;
use crate::paint::ColorChoice;
use crate::watch::args::WatchArguments;

const EXIT_STATUS: &str = "\
Exit status:
  0  no property is violated
  1  a property is violated
  2  the check was not possible: see the message on standard error";

/// Checks logs and running systems against rules about time, order and data.
#[derive(Parser, Debug)]
#[command(name = "gnomon", version)]
#[command(after_help = "\
Example:
  gnomon check examples/atm/atm.rv examples/atm/b4.xml

`gnomon COMMAND --help` describes a command.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) display: DisplayArguments,
}

/// Options of every command: how much is printed, and in which colours.
#[derive(Args, Debug)]
pub(crate) struct DisplayArguments {
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_parser = one_of(&COLORS), default_value = "auto", global = true)]
    #[arg(display_order = LAST)]
    pub(crate) color: ColorChoice,
    /// Print only errors; the exit status and the file of -o still have the result
    #[arg(short, long, global = true, display_order = LAST)]
    pub(crate) quiet: bool,
}

/// The place of options that every command has: after those of the command itself.
const LAST: usize = 900;

/// The words of `--color`, with their help.
const COLORS: [(&str, &str, ColorChoice); 3] = [
    (
        "auto",
        "On a terminal, unless NO_COLOR, CLICOLOR, CLICOLOR_FORCE, FORCE_COLOR or TERM says otherwise",
        ColorChoice::Auto,
    ),
    ("always", "Also in files and pipes", ColorChoice::Always),
    ("never", "Not even on a terminal", ColorChoice::Never),
];

/// The output of a command that prints a report.
#[derive(Args, Debug)]
pub(crate) struct OutputArguments {
    /// Write the report to FILE, which appears when it is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
}

impl Command {
    /// Returns the file for the report, if one is named.
    pub(crate) fn output(&self) -> Option<&str> {
        let output = match self {
            Command::Check(arguments) => &arguments.output,
            Command::Test(arguments) => &arguments.output,
            Command::Translate(arguments) => &arguments.output,
            Command::Events(arguments) => &arguments.output,
            Command::Stats(arguments) => &arguments.output,
            Command::Plan(arguments) => &arguments.output,
            Command::Explain(arguments) => &arguments.output,
            // These write files of their own, or nothing that ends.
            Command::Watch(_)
            | Command::Ask(_)
            | Command::Generate(_)
            | Command::Automaton(_)
            | Command::Convert(_)
            | Command::Completions { .. }
            | Command::Man { .. } => return None,
        };
        output.output.as_deref().filter(|path| *path != STDOUT)
    }
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Check logs against the properties of a spec
    ///
    /// Checks each TRACE on its own against the properties of SPEC and reports which hold, which are violated, where and why.
    ///
    /// The report goes to standard output, or to the file of -o. Errors in the spec or in a trace go to standard error.
    #[command(after_help = "\
Examples:
  gnomon check atm.rv b4.csv
  gnomon check rules.rv 'logs/*.ndjson' --by session --report json -o report.json")]
    #[command(after_long_help = format!("\
Examples:
  gnomon check atm.rv b4.csv
  gnomon check atm.rv monday.csv tuesday.csv --property QP1 --report json
  gnomon check rules.rv 'logs/*.ndjson.gz' --report junit -o junit.xml
  gnomon check rules.rv shop.ndjson --by session --report ndjson
  gnomon check rules.rv app.log --fail-on not-exercised,unmatched,empty
  gnomon check iterators.qea program.csv.gz --jobs 4 --max-memory 2G
  cat service.ndjson | gnomon check rules.rv - --format ndjson --prefix

{EXIT_STATUS}"))]
    Check(CheckArguments),
    /// Check the examples inside a spec: unit tests for properties
    ///
    /// Checks every `accepts`, `rejects` and `expect` of SPEC and reports those with another verdict than stated.
    ///
    /// Files that `expect` names are looked for in the folder of the spec.
    #[command(after_help = "\
Examples:
  gnomon test examples/atm/atm.rv
  gnomon test rules.rv --report junit -o junit.xml

Exit status:
  0  every example has the stated verdict
  1  some have another verdict
  2  an example could not be checked")]
    Test(TestArguments),
    /// Check a running system: receive events, watch deadlines, serve a dashboard
    ///
    /// Checks events while they happen. They arrive over HTTP, TCP or OpenTelemetry, or as messages through the proxy. Violations
    /// are reported immediately: here, on the dashboard, to hooks. With --store, everything that was acknowledged survives a crash.
    ///
    /// It listens on this machine only, unless other addresses are given. docs/watch.md has the details.
    #[command(after_help = "\
Examples:
  gnomon watch shop.rv --store var/shop
  curl --data-binary '{\"event\":\"order\",\"id\":7}' \\
      http://127.0.0.1:7317/api/v1/events
  gnomon watch shop.rv --session id \\
      --proxy shop@127.0.0.1:9001=http://127.0.0.1:8001

Exit status, when it is stopped:
  0  no property was violated
  1  a property was violated
  2  it could not start")]
    Watch(Box<WatchArguments>),
    /// Write a property by answering questions
    ///
    /// Asks what must be true, when, and for which data; every question has everyday examples. Then it shows the property, lets you
    /// try it on short traces and on a log, and writes it as a spec with examples.
    ///
    /// Without questions: --scope and --behaviour give the property in words, --answers gives a file of answers.
    #[command(after_help = "\
Examples:
  gnomon ask --catalogue shop.wsdl --log day.csv --output shop.rv
  gnomon ask --scope \"between open and close\" --behaviour \"absence of write\" \\
      --name quiet --output quiet.rv

Exit status:
  0  the property was written, or you left without one
  2  the answers or options do not describe a property")]
    Ask(AskArguments),
    /// Generate a log from a model of a process
    ///
    /// Generates a random log that MODEL allows: activities in sequence, choices, loops, durations and errors.
    ///
    /// The same model, settings and seed give the same log, byte for byte, on every machine.
    #[command(after_help = "\
Example:
  gnomon generate atmfrontend.model --set customers=50 --seed 7 --output day.xml")]
    Generate(GenerateArguments),
    /// Write properties in another notation
    ///
    /// Translates the properties of SPEC. A property that has no form in the notation is reported on standard error, and the exit
    /// status is 2.
    ///
    /// english: sentences, for every language.
    ///
    /// mtl, mu, mcrl2, mermaid, plantuml, svg: translations of a `pattern`; docs/artefacts.md describes them. mcrl2 and the
    /// diagrams show one property.
    ///
    /// mtl, qea, mop, rvm: translations of a `mop` property; docs/languages/mop.md describes them.
    ///
    /// ltl: linear temporal logic with past over unit instants, for small constants; docs/languages/ltl.md describes how to read it.
    /// One formula per line, each after a line with its name.
    ///
    /// rules-xml, nomad: rules over messages as XML (docs/rules-xml.md) or as a spec file, with the declarations of time and events
    /// that they need. Properties in other languages are left out.
    #[command(after_help = "\
Examples:
  gnomon translate shop.rv --to english
  gnomon translate shop.rv --property paid --to svg -o paid.svg
  gnomon translate rules.rv --to ltl --property late
  gnomon translate rules.rv --to rules-xml -o rules.xml")]
    Translate(TranslateArguments),
    /// Draw a property as a graph, or its clocks or automata over a trace
    ///
    /// Draws a property of SPEC as DOT or SVG: the alternating automaton of an `albert` property (asa, lasa1, lasa2), or what the
    /// engine runs, for any language: a network of operators, an automaton over events, the states of a rule or of a pattern. SVG
    /// needs no other program.
    ///
    /// With a TRACE it runs the automata of all `albert` properties instead, and reports how many copies each semantics makes and
    /// how long that takes, compared with the engine. docs/automata.md has the details. Of a `ccsl` property it draws the clocks over
    /// time as SVG: their ticks, and where relations are violated.
    #[command(after_help = "\
Examples:
  gnomon automaton shop.rv --property paid --to svg -o paid.svg
  gnomon automaton while.rv while.csv --plot while.svg
  gnomon automaton bus.rv log.csv --property deadline -o clocks.svg")]
    Automaton(AutomatonArguments),
    /// Write a log in another format
    ///
    /// Writes the events of IN to OUT in another format. Data that the format cannot hold is reported on standard error.
    ///
    /// OUT appears when it is complete: after an error there is no partial file.
    #[command(after_help = "\
Examples:
  gnomon convert b4.xml b4.csv
  zcat day.xes.gz | gnomon convert - - --from xes --to ndjson")]
    Convert(ConvertArguments),
    /// List the events of a log, or declare the messages of a service description
    ///
    /// Lists the events of a trace: how often each occurs, its fields with nested paths, types, ranges and samples, and the
    /// range of times. With --declare it writes declarations to begin a spec with.
    ///
    /// From a description of a service (WSDL 1.1, OpenAPI 3, AsyncAPI 2 and 3, BPEL 2.0) it writes the messages as declarations to
    /// paste into a spec, with their documentation. docs/catalogue.md has the details.
    #[command(after_help = "\
Examples:
  gnomon events b4.csv
  gnomon events day.ndjson --declare > day.rv
  gnomon events shop.wsdl >> shop.rv")]
    Events(EventsArguments),
    /// Report how often each property was activated and violated, in total and over time
    ///
    /// Checks TRACE against the properties of SPEC and reports for each how often it was activated, satisfied and violated, the
    /// percentage of failures, and how long satisfaction took: in total, and at the end of each interval of time.
    ///
    /// --html writes a self-contained page for a browser, with one view per property and one line per interval.
    #[command(after_help = "\
Example:
  gnomon stats rules.rv shop.ndjson --every 10s --html shop.html

Exit status:
  0  the statistics were written, whatever the verdicts
  2  the check was not possible")]
    Stats(StatsArguments),
    /// Show the fields by which a trace can be partitioned without changing any verdict
    ///
    /// Shows for each property of SPEC the fields by which a trace can be partitioned, so that the parts can be checked separately
    /// and together give the verdict of the whole trace; or the reason why there is no such field. docs/partitioning.md has the details.
    ///
    /// This is about a trace as one trace. `gnomon check --by FIELD` checks every case separately, which is possible for any property.
    #[command(after_help = "\
Examples:
  gnomon plan shop.rv
  gnomon plan shop.rv --property paid --by user

Exit status:
  0  the answer was written; with --by: every property can be partitioned
  1  with --by: some property cannot be partitioned by that field
  2  bad arguments or a bad spec")]
    Plan(PlanArguments),
    /// Explain an error code
    ///
    /// Prints the page of an error code. Without a code it lists all of them.
    #[command(after_help = "\
Example:
  gnomon explain G0301")]
    Explain(ExplainArguments),
    /// Write a completion script for a shell
    ///
    /// Writes a script with which a shell completes the commands and options of gnomon.
    #[command(after_help = "\
Example:
  gnomon completions bash > ~/.local/share/bash-completion/completions/gnomon")]
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
#[expect(clippy::struct_excessive_bools, reason = "they are independent switches")]
pub(crate) struct CheckArguments {
    /// The spec file (.rv, .qea, .mcf, .mop, .rvm, or .xml with rules); `-` is standard input
    pub(crate) spec: String,
    /// The traces: files, patterns such as 'logs/*.csv', or `-` for standard input
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<String>,
    /// The format of the report
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) report: ReportFormat,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
    /// Continue after a violation, or stop checking its trace [default: as each property declares]
    #[arg(long, value_parser = one_of(&MODES), conflicts_with = "reference")]
    pub(crate) mode: Option<ViolationMode>,
    /// Show every event with its verdict
    #[arg(long, conflicts_with = "reference")]
    pub(crate) events: bool,
    /// Sort events that come at most this much too late: 5 (in the unit of the trace), 500ms, 2s
    #[arg(long, value_name = "D", value_parser = Quantity::read)]
    pub(crate) reorder: Option<Quantity>,
    /// Use the reference semantics instead of the engine: slow, with the whole trace in memory
    #[arg(long)]
    pub(crate) reference: bool,
    /// List at most this many violations of each property [default: 1000; 10 in a report for people]
    #[arg(long, value_name = "N")]
    pub(crate) max_violations: Option<usize>,
    /// Show the text of the cited events as the trace has it; in JSON as `raw`
    #[arg(long)]
    pub(crate) raw: bool,
    /// Show the parts of a violated formula with their values; in JSON as `parts`
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) externs: ExternArguments,
    /// Record the checked trace as NDJSON, with the values of external variables
    ///
    /// A check of the recording gives the same verdicts without reading external variables. This is possible for one trace at a
    /// time; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<String>,
    /// Use this many threads; the report stays the same, byte for byte [default: all cores for a trace of more than 64 MB, else 1]
    ///
    /// All threads parse formats that consist of rows: CSV, NDJSON, text logs, logfmt, MonPoly. The values of quantified properties and
    /// the cases of --by are distributed among the threads. All other properties, and --events, are checked by one thread while the
    /// others parse. With --report ndjson or critical properties, one thread does everything.
    #[arg(long, value_name = "N", conflicts_with = "reference")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
    /// Exit with status 2 if one of these reasons applies to a trace; separate several by commas
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
    /// Lines of the log do not match its format, or events of an XES log have no name or no time
    Unmatched,
    /// The trace has no events
    Empty,
    /// Events came later than --reorder allows
    Late,
}

#[derive(Args, Debug)]
#[command(mut_args(|arg| match arg.get_id().as_str() {
    "format" => arg.help("The format of the trace [default: by extension, else by content]"),
    "prefix" => arg.help("The trace is the beginning of a longer one: do not assume that it has ended"),
    "by" => arg.help(
        "Check each value of FIELD (a session, a case) as a separate trace, and add up the results; `none` checks the whole trace \
         as one [default: XES by case, OTLP by trace id, others as one]"
    ),
    _ => arg,
}))]
pub(crate) struct StatsArguments {
    /// The spec file (.rv, .qea, .mcf, .mop, .rvm, or .xml with rules); `-` is standard input
    pub(crate) spec: String,
    /// The trace; `-` is standard input
    pub(crate) trace: String,
    /// The length of an interval: 10 (in the unit of the trace), 500ms, 10s [default: about fifty intervals]
    #[arg(long, value_name = "D", value_parser = Quantity::read)]
    pub(crate) every: Option<Quantity>,
    /// Write a page for a browser; `-` writes it to standard output instead of the report
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<String>,
    /// The format of the report
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) report: ListFormat,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    #[command(flatten)]
    pub(crate) common: CommonArguments,
    /// Sort events that come at most this much too late: 5 (in the unit of the trace), 500ms, 2s
    #[arg(long, value_name = "D", value_parser = Quantity::read)]
    pub(crate) reorder: Option<Quantity>,
    #[command(flatten)]
    pub(crate) externs: ExternArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

#[derive(Args, Debug)]
pub(crate) struct GenerateArguments {
    /// The model file (.model); `-` is standard input
    pub(crate) model: String,
    /// The seed of the random numbers [default: the one in the model]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Run the process this many times, one after the other [default: 1]
    #[arg(long, value_name = "N", conflicts_with = "events")]
    pub(crate) cases: Option<u64>,
    /// Run the process until there are this many events, then stop
    #[arg(long, value_name = "N")]
    pub(crate) events: Option<u64>,
    /// Change a setting of the model; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// The format of the log [default: by the extension of the file, else csv]
    #[arg(long, value_parser = formats())]
    pub(crate) format: Option<Format>,
    /// The file to write [default: standard output]
    #[arg(short, long = "output", visible_alias = "out", value_name = "FILE")]
    pub(crate) out: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct TranslateArguments {
    /// The spec file (.rv, .qea, .mcf, .mop, .rvm, or .xml with rules); `-` is standard input
    pub(crate) spec: String,
    /// The notation
    #[arg(long, value_enum)]
    pub(crate) to: NotationName,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    /// Translate only this property; may be given several times
    #[arg(long = "property", value_name = "NAME")]
    pub(crate) properties: Vec<String>,
    #[command(flatten)]
    pub(crate) known: CatalogueArguments,
    /// For ltl: refuse a formula with more operators and names than this
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub(crate) max_size: u64,
}

#[derive(Args, Debug)]
pub(crate) struct PlanArguments {
    /// The spec file (.rv, .qea, .mcf, .mop, .rvm, or .xml with rules); `-` is standard input
    pub(crate) spec: String,
    /// Show only this property; may be given several times
    #[arg(long = "property", value_name = "NAME")]
    pub(crate) properties: Vec<String>,
    /// Check whether every property can be partitioned by this field
    #[arg(long, value_name = "FIELD")]
    pub(crate) by: Option<String>,
    /// The format of the report
    #[arg(long, visible_alias = "format", value_enum, default_value = "human")]
    pub(crate) report: ListFormat,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(Args, Debug)]
pub(crate) struct TestArguments {
    /// The spec file; `-` is standard input
    pub(crate) spec: String,
    /// The format of the report
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) report: TestFormat,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    #[command(flatten)]
    pub(crate) known: CatalogueArguments,
}

/// The output format of `test`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TestFormat {
    /// For people
    Human,
    /// For programs: one line of JSON
    Json,
    #[value(help = "For build servers: the XML of JUnit")]
    Junit,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArguments {
    /// The code, such as G0301
    pub(crate) code: Option<String>,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(Args, Debug)]
pub(crate) struct AutomatonArguments {
    /// The spec file (.rv, .qea, .mcf, .mop, .rvm, or .xml with rules); `-` is standard input
    pub(crate) spec: String,
    /// A trace to run the automata on, or to draw the clocks of; `-` is standard input
    pub(crate) trace: Option<String>,
    /// Draw this property; with a TRACE, run only this one, and it may be given several times
    #[arg(long = "property", value_name = "NAME")]
    pub(crate) properties: Vec<String>,
    /// The semantics to draw [default: asa for `albert`, engine for others]
    #[arg(long, value_enum)]
    pub(crate) semantics: Option<DrawnSemantics>,
    /// The notation of the drawing [default: by the extension of the file, else dot]
    #[arg(long, value_enum)]
    pub(crate) to: Option<DrawingFormat>,
    /// The file for the drawing [default: standard output; with a TRACE, no drawing, except of clocks]
    #[arg(short, long = "output", visible_alias = "out", value_name = "FILE")]
    pub(crate) out: Option<String>,
    /// The format of the trace [default: by extension, else by content]
    #[arg(long, value_parser = formats(), requires = "trace")]
    pub(crate) format: Option<Format>,
    /// The format of the report on a TRACE
    #[arg(long, value_enum, default_value = "human", requires = "trace")]
    pub(crate) report: ListFormat,
    /// Stop a run that needs more copies than this at the same time
    #[arg(long, value_name = "N", default_value_t = 1_000_000, requires = "trace")]
    pub(crate) max_copies: usize,
    /// Plot copies and times of all properties to this file, as SVG
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
    #[value(help = "The operators or states that the engine runs")]
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
    /// Quantified event automata, as a spec file
    Qea,
    /// The modal mu-calculus in the notation of mCRL2
    Mu,
    /// A process of mCRL2 that monitors the property
    Mcrl2,
    /// A sequence diagram in Mermaid's notation
    Mermaid,
    /// A sequence diagram in PlantUML's notation
    Plantuml,
    /// A sequence diagram as SVG
    Svg,
    /// Linear temporal logic with past, over unit instants
    Ltl,
    /// Rules over messages as a spec file
    Nomad,
    /// Rules over messages as XML
    RulesXml,
    /// Specifications of JavaMOP
    Mop,
    /// Specifications of RV-Monitor
    Rvm,
}

/// Arguments that `check` and `stats` share: the reading of traces, the selection of properties.
#[derive(Args, Debug)]
pub(crate) struct CommonArguments {
    /// The format of the traces [default: by extension, else by content]
    #[arg(long, value_parser = formats())]
    format: Option<Format>,
    #[command(flatten)]
    fields: FieldArguments,
    /// The traces are beginnings of longer ones: do not assume that they have ended
    #[arg(long)]
    prefix: bool,
    /// Check only this property; may be given several times
    #[arg(long = "property", value_name = "NAME")]
    pub(crate) properties: Vec<String>,
    #[command(flatten)]
    pub(crate) known: CatalogueArguments,
    /// Check each value of FIELD (a session, a case) as a separate trace; `none` checks the whole trace as one [default: XES by case,
    /// OTLP by trace id, others as one]
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
    /// Stop if more bindings than this must be remembered at the same time [default: no limit]
    #[arg(long, value_name = "N")]
    max_bindings: Option<u64>,
    /// Stop if bindings and cases take more memory than this: 500M, 2G [default: 80 % of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    max_memory: Option<u64>,
}

/// The fields of a trace that carry name and time of its events.
#[derive(Args, Debug, Default)]
pub(crate) struct FieldArguments {
    #[arg(long, value_name = "FIELD")]
    #[arg(help = "The field, column or key with the names of events [default: event, else name]")]
    pub(crate) event: Option<String>,
    #[arg(long, value_name = "FIELD")]
    #[arg(
        help = "The field, column or key with the times [default: as the spec declares, else time, timestamp or ts]"
    )]
    pub(crate) time: Option<String>,
}

/// Access to external variables.
#[derive(Args, Debug, Default)]
pub(crate) struct ExternArguments {
    #[arg(long)]
    #[arg(help = "Do not read external variables: use the values that are recorded in the trace")]
    pub(crate) no_extern: bool,
}

/// Catalogues that describe the messages of a spec.
#[derive(Args, Debug, Default)]
pub(crate) struct CatalogueArguments {
    #[arg(long = "catalogue", value_name = "FILE")]
    #[arg(
        help = "Warn about events that this file (WSDL, OpenAPI, AsyncAPI, BPEL) does not describe; may be given several times"
    )]
    pub(crate) catalogues: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ConvertArguments {
    /// The trace to read; `-` is standard input
    #[arg(value_name = "IN")]
    pub(crate) input: String,
    /// The file to write; `-` is standard output
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
    /// Read IN as this spec declares (`time`, `log`)
    #[arg(long)]
    pub(crate) spec: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct EventsArguments {
    /// The trace, or the description of a service; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) trace: String,
    /// The format of the trace [default: by extension, else by content]
    #[arg(long, value_parser = formats())]
    pub(crate) format: Option<Format>,
    #[command(flatten)]
    pub(crate) fields: FieldArguments,
    /// Read the trace as this spec declares (`time`, `name`, `log`)
    #[arg(long)]
    pub(crate) spec: Option<String>,
    /// The format of the report
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) report: ListFormat,
    /// Write declarations for a spec instead of a list: the time, the names, and each event with its fields
    #[arg(long, conflicts_with = "report")]
    pub(crate) declare: bool,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
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
    /// For streams: a line of JSON for each violation as it is found, then one for each property
    Ndjson,
    #[value(help = "For build servers: the XML of JUnit")]
    Junit,
}

/// The words of `--mode`, with their help.
const MODES: [(&str, &str, ViolationMode); 2] = [
    ("standard", "Report the violation and continue", ViolationMode::Standard),
    ("critical", "Stop checking the trace", ViolationMode::Critical),
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
