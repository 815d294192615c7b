// SPDX-License-Identifier: MIT OR Apache-2.0
//! The options of `gnomon ask`.

use clap::Args;
use gnomon::trace::Format;

use crate::args::formats;

#[derive(Args, Debug)]
pub(crate) struct AskArguments {
    #[arg(long = "catalogue", value_name = "FILE")]
    #[arg(
        help = "Choose events from this file: WSDL, OpenAPI, AsyncAPI, BPEL, a sample trace (may be given several times)"
    )]
    pub(crate) catalogues: Vec<String>,
    /// Try the property on this log: how often it would have been violated, and whether it was exercised at all
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<String>,
    /// The format of sample traces and logs [default: by extension, else by content]
    #[arg(long, value_parser = formats())]
    pub(crate) format: Option<Format>,
    /// The spec file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// Add the property to the spec that is there, and leave what it says as it is
    #[arg(long, requires = "output")]
    pub(crate) append: bool,
    /// Write everything that can be made of the property into this folder: words, formulae, diagrams, processes
    #[arg(long, value_name = "DIR")]
    pub(crate) artefacts: Option<String>,
    /// Without questions: when the property is in force, such as "between open and close" [default: always]
    #[arg(long, value_name = "WORDS", requires = "behaviour")]
    pub(crate) scope: Option<String>,
    /// Without questions: what must be so, such as "absence of write"
    #[arg(long, value_name = "WORDS", requires = "name", conflicts_with = "answers")]
    pub(crate) behaviour: Option<String>,
    /// Without questions: a name in parentheses that stands for each value on its own (may be given several times)
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "behaviour")]
    pub(crate) for_every: Vec<String>,
    /// Without questions: the limit in time, 10s or "[2s, 10s]"
    #[arg(long, value_name = "D", requires = "behaviour")]
    pub(crate) within: Option<String>,
    /// Without questions: what the property is called
    #[arg(long, value_name = "NAME", requires = "behaviour")]
    pub(crate) name: Option<String>,
    /// Without questions: the answers, as `--save-answers` writes them
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<String>,
    /// Write the answers to this file, to have the same conversation again
    #[arg(long, value_name = "FILE", conflicts_with_all = ["behaviour", "answers"])]
    pub(crate) save_answers: Option<String>,
    /// Print all questions as JSON, for programs that ask them elsewhere
    #[arg(long, exclusive = true)]
    pub(crate) tree: bool,
}
