// SPDX-License-Identifier: MIT OR Apache-2.0
//! From Markdown to cases.

use std::path::{Path, PathBuf};

use gnomon_core::diagnostic::{Diagnostic, Severity};
use gnomon_core::time::Clock;
use gnomon_core::verdict::End;
use gnomon_ir::spec::Spec;

use super::CorpusCase;
use super::expectation::Expectation;
use crate::case::Case;
use crate::notation;

/// One file of the corpus.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The folder's and the file's name without its ending: `mtl/until`.
    pub name: String,
    /// Its cases.
    pub cases: Vec<CorpusCase>,
}

/// Every suite under a folder, in the order of their paths; a message for each that cannot be read.
pub fn load(folder: &Path) -> Result<Vec<Suite>, String> {
    let mut files = Vec::new();
    markdown_files(folder, &mut files).map_err(|error| format!("{}: {error}", folder.display()))?;
    files.sort();
    let suite = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.strip_prefix(folder).unwrap_or(path).with_extension("").display().to_string();
        Ok(Suite { cases: read(&text, &path.display().to_string())?, name })
    };
    files.iter().map(suite).collect()
}

fn markdown_files(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            markdown_files(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    Ok(())
}

/// The cases of one file.
pub fn read(text: &str, file: &str) -> Result<Vec<CorpusCase>, String> {
    let mut reader = CaseParser { file, ..CaseParser::default() };
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        reader.line = number + 1;
        if let Some(heading) = line.strip_prefix("## ") {
            reader.heading(heading);
        } else if let Some(skip) = line.strip_prefix("skip:") {
            reader.skip(skip)?;
        } else if let Some(info) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            reader.block(info, &block.join("\n"))?;
        }
    }
    reader.close()?;
    Ok(reader.cases)
}

#[derive(Default)]
struct CaseParser<'a> {
    file: &'a str,
    line: usize,
    title: String,
    rules: Vec<String>,
    spec: Option<Spec>,
    /// The info string and the text of a trace that waits for its verdict.
    trace: Option<(String, String)>,
    /// The cases before this number belong to other headings.
    first_of_heading: usize,
    cases: Vec<CorpusCase>,
}

impl CaseParser<'_> {
    fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    fn heading(&mut self, heading: &str) {
        let (title, rules) = heading.split_once("rule:").unwrap_or((heading, ""));
        title.trim().clone_into(&mut self.title);
        self.rules = rules.split(',').map(|rule| rule.trim().to_owned()).filter(|rule| !rule.is_empty()).collect();
        self.spec = None;
        self.first_of_heading = self.cases.len();
    }

    fn skip(&mut self, skip: &str) -> Result<(), String> {
        let (row, reason) = skip.split_once('—').ok_or(format!("{}: a skip has no reason", self.place()))?;
        for case in &mut self.cases[self.first_of_heading..] {
            case.skips.push((row.trim().to_owned(), reason.trim().to_owned()));
        }
        Ok(())
    }

    fn block(&mut self, info: &str, text: &str) -> Result<(), String> {
        let (language, rest) = info.split_once(' ').unwrap_or((info, ""));
        match language {
            "soloist" | "mtl" | "qea" | "nomad" | "albert" | "pattern" | "mu" | "mop" | "ccsl" => {
                self.property(&format!("{language} case {rest} {{\n{text}\n}}"))
            }
            "rv" => self.property(text),
            "trace" => {
                self.trace = Some((rest.trim().to_owned(), text.to_owned()));
                Ok(())
            }
            "verdict" => self.verdict(text),
            _ => Ok(()),
        }
    }

    fn property(&mut self, source: &str) -> Result<(), String> {
        let (spec, diagnostics) = gnomon_lang::parse(source);
        let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
        if let Some(wrong) = diagnostics.iter().find(is_error) {
            return Err(format!("{}: {}: {}", self.place(), wrong.code, wrong.message));
        }
        if spec.properties.len() != 1 {
            return Err(format!("{}: one property wanted, {} found", self.place(), spec.properties.len()));
        }
        self.spec = Some(spec);
        Ok(())
    }

    fn verdict(&mut self, text: &str) -> Result<(), String> {
        let place = self.place();
        let at = |message: String| format!("{place}: {message}");
        let spec = self.spec.clone().ok_or_else(|| at("a verdict without a property".to_owned()))?;
        let (info, trace) = self.trace.take().ok_or_else(|| at("a verdict without a trace".to_owned()))?;
        let clock = Clock::new(spec.time.unit);
        let (end, until) = match info.split_whitespace().collect::<Vec<_>>().as_slice() {
            [] => (End::Complete, None),
            ["prefix"] => (End::Prefix, None),
            ["prefix", "until", time] => {
                (End::Prefix, Some(clock.parse_number(time).map_err(|error| at(error.to_string()))?))
            }
            _ => return Err(at(format!("`trace {info}` is not understood"))),
        };
        self.cases.push(CorpusCase {
            title: self.title.clone(),
            place: place.clone(),
            rules: self.rules.clone(),
            case: Case { spec, events: notation::parse(&trace, clock).map_err(at)? },
            end,
            until,
            expectation: Expectation::parse(text, clock).map_err(at)?,
            skips: vec![],
        });
        Ok(())
    }

    fn close(&self) -> Result<(), String> {
        match &self.trace {
            None => Ok(()),
            Some(_) => Err(format!("{}: a trace without a verdict", self.place())),
        }
    }
}
