// SPDX-License-Identifier: MIT OR Apache-2.0
//! Activities: their fields, how long they take, what goes wrong with them.

use std::collections::BTreeSet;

use gnomon::diagnostic::Diagnostic;
use gnomon::number::Number;
use gnomon::time::print_billionths;
use gnomon::value::Value;

use super::super::lexer::Kind;
use super::super::model::{Activity, Content, Field, Range};
use super::amount::whole_range;
use super::cursor::Parsed;
use super::{Declared, Parser};
use crate::similar::closest;

/// What takes no time that is told takes one unit, so that times always increase.
const SHORTEST: Range = Range { low: 1, high: 1 };

impl Parser<'_> {
    pub(super) fn activity(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let (name, span) = self.cursor.name("the name of an activity, such as `activity logon takes 5..20`")?;
        let mut activity = Activity {
            name: name.clone(),
            fields: Vec::new(),
            takes: SHORTEST,
            slow: None,
            fails: None,
            skipped: None,
            repeated: None,
        };
        let mut own = Vec::new();
        let mut said = BTreeSet::new();
        loop {
            let token = self.cursor.peek();
            let word = if self.cursor.is_symbol("(") { Some("(") } else { self.cursor.keyword() };
            match word {
                Some("(") => own = self.fields()?,
                Some("is") => {
                    self.cursor.advance();
                    activity.fields = self.kind_of_activity()?;
                }
                Some("takes") => {
                    self.cursor.advance();
                    activity.takes = self.duration(1)?;
                }
                Some("slow") => {
                    self.cursor.advance();
                    let (chance, _) = self.chance()?;
                    if !self.cursor.eat_keyword("takes") {
                        return self.cursor.unexpected("`takes` and how long, as in `slow 5% takes 20..60`");
                    }
                    activity.slow = Some((chance, self.duration(1)?));
                }
                Some(error @ ("fails" | "skipped" | "repeated")) => {
                    self.cursor.advance();
                    let (chance, _) = self.chance()?;
                    *match error {
                        "fails" => &mut activity.fails,
                        "skipped" => &mut activity.skipped,
                        _ => &mut activity.repeated,
                    } = Some(chance);
                }
                _ => break,
            }
            if word.is_some_and(|word| !said.insert(word)) {
                let message = format!("`{}` stands twice in one activity", token.span.text(self.cursor.source));
                let error = Diagnostic::error("G0804", token.span, message).help("keep one of them");
                self.cursor.found.push(error);
            }
        }
        // What an activity says itself goes before what its kind says.
        for field in own {
            match activity.fields.iter_mut().find(|other| other.name == field.name) {
                Some(other) => *other = field,
                None => activity.fields.push(field),
            }
        }
        self.declare("activity or part", &name, span)?;
        self.steps.insert(name, Declared::Activity(self.activities.len()));
        self.activities.push(activity);
        Ok(())
    }

    fn kind_of_activity(&mut self) -> Parsed<Vec<Field>> {
        let (name, span) = self.cursor.name("the name of a kind")?;
        if let Some(fields) = self.kinds.get(&name) {
            return Ok(fields.clone());
        }
        if self.broken.contains(&name) {
            return Ok(Vec::new());
        }
        let error = Diagnostic::error("G0803", span, format!("there is no kind `{name}` above"));
        let error = match closest(&name, self.kinds.keys().map(String::as_str)) {
            Some(near) => error.edit("a kind has a similar name", span, near),
            None => error.help(format!("declare it above: `kind {name} (field = \"value\")`")),
        };
        self.cursor.found.push(error);
        Ok(Vec::new())
    }

    /// `(name = value, name = value then value)`
    pub(super) fn fields(&mut self) -> Parsed<Vec<Field>> {
        let opening = self.cursor.peek().span;
        self.cursor.expect("(", "fields are written `(name = \"value\")`")?;
        let mut fields: Vec<Field> = Vec::new();
        while !self.cursor.is_symbol(")") {
            if self.cursor.is_statement() {
                break;
            }
            let (name, span) = self.cursor.name("the name of a field, or `)`")?;
            if fields.iter().any(|field| field.name == name) {
                let error = Diagnostic::error("G0804", span, format!("the field `{name}` stands twice"))
                    .help("keep one of them");
                self.cursor.found.push(error);
            }
            self.cursor.expect("=", "a field is written `name = value`")?;
            let value = self.alternatives()?;
            let end = if self.cursor.eat_keyword("then") { Some(self.alternatives()?) } else { None };
            fields.push(Field { name, value, end });
            if !self.cursor.eat_symbol(",") {
                break;
            }
        }
        self.cursor.close(")", opening)?;
        Ok(fields)
    }

    /// `value | value`
    fn alternatives(&mut self) -> Parsed<Vec<Content>> {
        let mut values = vec![self.content()?];
        while self.cursor.eat_symbol("|") {
            values.push(self.content()?);
        }
        Ok(values)
    }

    fn content(&mut self) -> Parsed<Content> {
        let token = self.cursor.peek();
        if token.kind == Kind::Text {
            return Ok(Content::Constant(Value::Text(self.cursor.text()?.into())));
        }
        if let Ok(value) = token.span.text(self.cursor.source).parse::<bool>() {
            self.cursor.advance();
            return Ok(Content::Constant(Value::Bool(value)));
        }
        if token.kind == Kind::OpenText || token.kind == Kind::End {
            return self.cursor.unexpected("a value: a text in quotes, a number, a range, `true` or `false`");
        }
        let text = token.span.text(self.cursor.source);
        if token.kind == Kind::Word && !self.settings.contains_key(text) && !self.broken.contains(text) {
            let error = Diagnostic::error("G0803", token.span, format!("there is no setting `{text}` above")).edit(
                "a text stands in quotes",
                token.span,
                format!("\"{text}\""),
            );
            return self.cursor.fail(error);
        }
        let (amount, span) = self.amount()?;
        if let Some(range) = whole_range(amount) {
            return Ok(Content::Number(range));
        }
        if amount.low == amount.high
            && let Some(number) = Number::parse(&print_billionths(amount.low))
        {
            return Ok(Content::Constant(Value::Number(number)));
        }
        let error = Diagnostic::error("G0806", span, "a range of values has whole numbers at its ends")
            .help("count in smaller units, for example cents");
        self.cursor.fail(error)
    }
}
