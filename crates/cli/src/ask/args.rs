// SPDX-License-Identifier: MIT OR Apache-2.0
//! The options of `gnomon ask`.

use clap::Args;
use gnomon::trace::Format;

use crate::args::formats;

#[derive(Args, Debug)]
pub(crate) struct AskArguments {
    #[arg(long = "catalogue", value_name = "FILE")]
    #[arg(
        help = "Choose events from this file (WSDL, OpenAPI, AsyncAPI, BPEL, or a sample trace); may be given several times"
    )]
    pub(crate) catalogues: Vec<String>,
    /// An event that can be chosen, with its fields: pay, or "pay(user, amount)"; may be given several times
    #[arg(long = "event", value_name = "EVENT")]
    pub(crate) events: Vec<String>,
    /// The time of the log as a spec declares it: "Timestamp in s", or "in ms"
    #[arg(long, value_name = "WORDS")]
    pub(crate) time: Option<String>,
    /// Begin with this spec: its events can be chosen, and the output is this spec with the property added
    #[arg(long, value_name = "FILE", conflicts_with = "append")]
    pub(crate) spec: Option<String>,
    /// Try the property on this log: report how often it is violated, and whether it is exercised
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<String>,
    /// The format of sample traces and logs [default: by extension, else by content]
    #[arg(long, value_parser = formats())]
    pub(crate) format: Option<Format>,
    /// The spec file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// Append the property to the spec file, and leave its content unchanged
    #[arg(long, requires = "output")]
    pub(crate) append: bool,
    /// Write all translations of the property to this folder: words, formulae, diagrams, processes
    #[arg(long, value_name = "DIR")]
    pub(crate) artefacts: Option<String>,
    /// Without questions: when the property applies, such as "between open and close" [default: always]
    #[arg(long, value_name = "WORDS", requires = "behaviour")]
    pub(crate) scope: Option<String>,
    /// Without questions: what must be true, such as "absence of write"
    #[arg(long, value_name = "WORDS", requires = "name", conflicts_with = "answers")]
    pub(crate) behaviour: Option<String>,
    /// Without questions: a name in parentheses that stands for each value separately; may be given several times
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "behaviour")]
    pub(crate) for_every: Vec<String>,
    /// Without questions: the time limit, such as 10s or "[2s, 10s]"
    #[arg(long, value_name = "D", requires = "behaviour")]
    pub(crate) within: Option<String>,
    /// Without questions: the name of the property
    #[arg(long, value_name = "NAME", requires = "behaviour")]
    pub(crate) name: Option<String>,
    /// Without questions: a file of answers, as --save-answers writes it
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<String>,
    /// Write the answers to this file, for --answers
    #[arg(long, value_name = "FILE", conflicts_with_all = ["behaviour", "answers"])]
    pub(crate) save_answers: Option<String>,
    /// Print all questions as JSON, for programs that ask them
    #[arg(long, exclusive = true)]
    pub(crate) tree: bool,
}
