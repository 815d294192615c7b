// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parser of model files. The grammar is in `docs/models.md`.
//!
//! Names must be declared before they are used, so a model has no cycles and every reference is resolved when it is read: steps contain
//! indices of activities and parts, not names. Settings of the command line replace those of the file, and are checked against the names
//! that the file declares. After an error parsing continues at the next statement; a name whose declaration has an error is remembered,
//! so that its uses are not reported too.

mod activity;
mod amount;
mod cursor;
mod steps;

use std::collections::{BTreeMap, BTreeSet};

use gnomon::diagnostic::{Diagnostic, Span};
use gnomon::time::Unit;

pub(super) use amount::{Amount, parse_amount};

use super::model::{Activity, FieldModel, Model, ProcessStep};
use crate::similar::closest;
use cursor::{Cursor, ParseResult};

/// Largest model file in bytes.
const MAX_MODEL: usize = 1 << 20;

/// The settings on the command line: name and value.
pub(super) type Overrides = BTreeMap<String, Amount>;

/// The activity or part that a step names.
#[derive(Clone, Copy)]
enum StepTarget {
    Activity(usize),
    Part(usize),
}

#[derive(Clone, Copy)]
struct ModelSetting {
    amount: Amount,
    /// True if the command line sets it.
    overridden: bool,
}

/// The parser: the tokens, and all declarations so far.
#[derive(Default)]
struct Parser<'a> {
    cursor: Cursor<'a>,
    overrides: Overrides,
    time: Option<(String, Option<Unit>)>,
    case_field: Option<String>,
    seed: Option<u64>,
    settings: BTreeMap<String, ModelSetting>,
    kinds: BTreeMap<String, Vec<FieldModel>>,
    steps: BTreeMap<String, StepTarget>,
    /// The place of each declaration by the word of its statement and its name, to report a second one.
    places: BTreeMap<(&'static str, String), Span>,
    activities: Vec<Activity>,
    blocks: Vec<Vec<ProcessStep>>,
    process: Option<usize>,
    endless: Option<Span>,
    /// Names whose declarations have errors; their uses are not reported.
    broken: BTreeSet<String>,
}

/// Parses a model. Returns the names of the settings even if the model has errors.
pub(super) fn parse(source: &str, overrides: &Overrides) -> (Option<Model>, Vec<String>, Vec<Diagnostic>) {
    if source.len() > MAX_MODEL {
        let error = Diagnostic::error("G0809", Span::new(0, 0), "the model is larger than 1 MiB")
            .help("split it, or give what repeats itself a name with `part`");
        return (None, vec![], vec![error]);
    }
    let mut parser = Parser { cursor: Cursor::new(source), overrides: overrides.clone(), ..Parser::default() };
    while !parser.cursor.is_at_end() {
        let start = parser.cursor.at;
        if parser.statement().is_err() {
            // A statement declares the name after its first word.
            parser.broken.extend(parser.cursor.name_after(start));
            parser.cursor.skip_to_statement();
        }
    }
    parser.finish()
}

impl Parser<'_> {
    fn finish(mut self) -> (Option<Model>, Vec<String>, Vec<Diagnostic>) {
        if self.process.is_none() && self.cursor.diagnostics.is_empty() {
            let end = self.cursor.source.trim_end().len();
            let error = Diagnostic::error("G0808", Span::new(end, end), "the model has no process")
                .label("the model does not state what happens in a case")
                .help("end the file with `process { ... }`");
            self.cursor.diagnostics.push(error);
        }
        let settings = self.settings.into_keys().collect();
        let model = self.process.filter(|_| self.cursor.diagnostics.is_empty()).map(|process| {
            let (time_field, unit) = self.time.unwrap_or_else(|| ("time".to_owned(), None));
            Model {
                time_field,
                unit,
                case_field: self.case_field,
                seed: self.seed.unwrap_or(1),
                activities: self.activities,
                blocks: self.blocks,
                process,
                endless: self.endless,
            }
        });
        (model, settings, self.cursor.diagnostics)
    }

    fn statement(&mut self) -> ParseResult<()> {
        let token = self.cursor.peek();
        match self.cursor.keyword() {
            Some("time") => self.time(),
            Some("case") => {
                self.cursor.advance();
                self.once("case", token.span)?;
                let (field, _) =
                    self.cursor.name("the field that carries the number of the case, such as `case Session`")?;
                self.case_field = Some(field);
                Ok(())
            }
            Some("seed") => self.seed(),
            Some("set") => self.set(),
            Some("kind") => self.kind(),
            Some("activity") => self.activity(),
            Some("part") => self.part(),
            Some("process") => self.process(),
            _ => self.not_a_statement(),
        }
    }

    fn not_a_statement(&mut self) -> ParseResult<()> {
        let token = self.cursor.peek();
        let text = token.span.text(self.cursor.source);
        if text == "}" {
            let error =
                Diagnostic::error("G0802", token.span, "this `}` closes nothing").edit("remove it", token.span, "");
            return self.cursor.fail(error);
        }
        let message = format!("{} does not begin a statement", self.cursor.describe(token));
        let mut error = Diagnostic::error("G0801", token.span, message);
        error = match closest(text, cursor::words()) {
            Some(near) => error.edit("a similar word has a meaning", token.span, near),
            None => error.help(format!("a statement begins with one of {}", cursor::STATEMENTS.join(", "))),
        };
        self.cursor.fail(error)
    }

    fn time(&mut self) -> ParseResult<()> {
        let word = self.cursor.advance().span;
        self.once("time", word)?;
        let (field, _) = self.cursor.name("the field that carries the time, such as `time Timestamp in s`")?;
        let mut unit = None;
        if self.cursor.eat_keyword("in") {
            let token = self.cursor.advance();
            unit = Unit::parse(token.span.text(self.cursor.source));
            if unit.is_none() {
                let known: Vec<&str> = Unit::ALL.iter().map(|unit| unit.symbol()).collect();
                let message = format!("{} is not a unit of time", self.cursor.describe(token));
                let error =
                    Diagnostic::error("G0801", token.span, message).help(format!("write one of {}", known.join(", ")));
                return self.cursor.fail(error);
            }
        }
        self.time = Some((field, unit));
        Ok(())
    }

    fn seed(&mut self) -> ParseResult<()> {
        let word = self.cursor.advance().span;
        self.once("seed", word)?;
        let token = self.cursor.advance();
        self.seed = token.span.text(self.cursor.source).parse().ok();
        if self.seed.is_some() {
            return Ok(());
        }
        let message = format!("{} is not a seed", self.cursor.describe(token));
        let error = Diagnostic::error("G0801", token.span, message)
            .help(format!("write a whole number from 0 to {}, such as `seed 7`", u64::MAX));
        self.cursor.fail(error)
    }

    fn set(&mut self) -> ParseResult<()> {
        self.cursor.advance();
        let (name, span) = self.cursor.name("the name of a setting, such as `set customers = 70`")?;
        self.cursor.expect("=", "a setting is written `set name = number`")?;
        let (amount, _) = self.amount()?;
        self.declare("set", &name, span)?;
        let over = self.overrides.get(&name);
        let setting = ModelSetting { amount: over.copied().unwrap_or(amount), overridden: over.is_some() };
        self.settings.insert(name, setting);
        Ok(())
    }

    fn kind(&mut self) -> ParseResult<()> {
        self.cursor.advance();
        let (name, span) =
            self.cursor.name("the name of a kind of activities, such as `kind reply (type = \"Reply\")`")?;
        let fields = self.fields()?;
        self.declare("kind", &name, span)?;
        self.kinds.insert(name, fields);
        Ok(())
    }

    fn part(&mut self) -> ParseResult<()> {
        self.cursor.advance();
        let (name, span) = self.cursor.name("the name of a part, such as `part withdraw { ... }`")?;
        let block = self.block(0)?;
        self.declare("activity or part", &name, span)?;
        self.steps.insert(name, StepTarget::Part(block));
        Ok(())
    }

    fn process(&mut self) -> ParseResult<()> {
        let word = self.cursor.advance().span;
        self.once("process", word)?;
        if !self.cursor.is_symbol("{") {
            // The process may have a name, which has no meaning.
            self.cursor.name("`{`, or the name of the process")?;
        }
        self.process = Some(self.block(0)?);
        Ok(())
    }

    /// Reports a second statement of a kind that is allowed only once.
    fn once(&mut self, word: &'static str, span: Span) -> ParseResult<()> {
        self.declare(word, "", span)
    }

    fn declare(&mut self, what: &'static str, name: &str, span: Span) -> ParseResult<()> {
        let Some(before) = self.places.insert((what, name.to_owned()), span) else { return Ok(()) };
        let message = match (name, what) {
            ("", word) => format!("`{word}` occurs twice"),
            (name, "set") => format!("the setting `{name}` is declared twice"),
            (name, what) => format!("there are two declarations of the {what} `{name}`"),
        };
        let error = Diagnostic::error("G0804", span, message)
            .label("again here")
            .also(before, "first here")
            .help(if name.is_empty() { "keep one of them" } else { "give one of them another name" });
        self.cursor.fail(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACTIVITIES: &str = "activity a\nactivity b\n";

    fn check(source: &str, expected: &[(&str, &str)]) {
        let source = format!("{ACTIVITIES}{source}");
        let (model, _, found) = parse(&source, &Overrides::new());
        let found: Vec<(&str, &str)> =
            found.iter().map(|error| (error.code, error.primary.span.text(&source))).collect();
        assert_eq!(found, expected, "{source}");
        assert_eq!(model.is_some(), expected.is_empty());
    }

    #[test]
    fn all_statements_are_parsed() {
        check(
            r#"time "the time" in ms  case Session seed 18446744073709551615
               set p = 12.5% set n = 2..5 set limit = 9
               kind invoke (type = "Invocation", phase = "start" then "end", amount = 1..limit | -5, odd = true)
               activity c is invoke takes n slow p takes 20..30 fails 0.1% skipped p repeated 0.5
               activity d (x = 1.5) takes 3
               part rounds { repeat n { a } repeat 1..limit while p { b } repeat 3.. while 50% { c } repeat while p { d } }
               process everything { choose { p { a } 20% { } else { rounds } } maybe p { b } wait 0..9 "c" }"#,
            &[],
        );
    }

    #[test]
    fn every_error_of_a_file_is_found() {
        check(
            "tim x\nset p = 2\nset p = 3\nprocess { c maybe p { a } maybe 20 { b } wait 5..2 }\nkind k x\nseed x",
            &[
                ("G0801", "tim"),
                ("G0804", "p"),
                ("G0803", "c"),
                ("G0805", "p"),
                ("G0805", "20"),
                ("G0806", "5..2"),
                ("G0801", "x"),
                ("G0801", "x"),
            ],
        );
    }

    #[test]
    fn brackets_and_quotes_need_their_partners() {
        check("process { a", &[("G0802", "{")]);
        check("part x { maybe 5% { a }\nprocess { a }", &[("G0802", "{")]);
        check("process { a } }", &[("G0802", "}")]);
        check("kind k (a = 1\nprocess { a }", &[("G0802", "(")]);
        check("kind k (a = \"x\n)\nprocess { a }", &[("G0802", "\"x")]);
        check("process { \"a\\q\" }", &[("G0801", "\"a\\q\"")]);
    }

    #[test]
    fn numbers_must_suit_their_use() {
        check("activity c takes 0\nprocess { c }", &[("G0806", "0")]);
        check("activity c takes 1.5\nprocess { c }", &[("G0806", "1.5")]);
        check("process { repeat -1 { a } }", &[("G0806", "-1")]);
        check("process { maybe 1..2 { a } }", &[("G0805", "1..2")]);
        check("process { choose { 50% { a } } }", &[("G0805", "choose")]);
        check("process { choose { 60% { a } 0.5 { b } } }", &[("G0805", "0.5")]);
        check("process { wait 99999999999999999999 }", &[("G0806", "99999999999999999999")]);
        check("activity c (n = 0.5..2)\nprocess { c }", &[("G0806", "0.5..2")]);
    }

    #[test]
    fn settings_of_the_command_line_are_checked_where_they_are_used() {
        let source = "set p = 10%\nactivity a\nprocess { maybe p { a } }";
        let overrides = Overrides::from([("p".to_owned(), parse_amount("3").unwrap())]);
        let (_, settings, found) = parse(source, &overrides);
        assert_eq!(settings, ["p"]);
        assert_eq!((found[0].code, found[0].primary.span), ("G0805", Span::new(39, 40)));
        assert!(found[0].notes[0].contains("--set"), "{:?}", found[0].notes);
    }

    #[test]
    fn nothing_makes_the_parser_panic_or_hang() {
        let pieces = [
            "time ",
            "seed ",
            "set ",
            "kind ",
            "activity ",
            "part ",
            "process ",
            "choose ",
            "else ",
            "repeat ",
            "while ",
            "maybe ",
            "wait ",
            "is ",
            "takes ",
            "slow ",
            "fails ",
            "then ",
            "a ",
            "b ",
            "{",
            "}",
            "(",
            ")",
            "=",
            "..",
            "|",
            ",",
            "%",
            "-",
            "1",
            "0.5",
            "\"",
            "\\",
            "\n",
            "é",
            "\u{0}",
            "99999999999999999999999999999999999999999",
        ];
        let mut random = gnomon::random::Random::new(3);
        for _ in 0..5_000 {
            let source: String = (0..random.below(60)).map(|_| pieces[random.below(38) as usize]).collect();
            let (model, _, found) = parse(&source, &Overrides::new());
            assert_eq!(model.is_none(), !found.is_empty(), "{source:?}");
        }
        for piece in ["process { maybe 1 ", "choose { 1% ", "{", "(", "repeat "] {
            let (model, _, found) = parse(&piece.repeat(5_000), &Overrides::new());
            assert!(model.is_none() && !found.is_empty());
        }
    }
}
