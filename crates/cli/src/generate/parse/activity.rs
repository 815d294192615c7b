// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses activities: fields, durations, and probabilities of failures.

use std::collections::BTreeSet;

use gnomon::diagnostic::Diagnostic;
use gnomon::number::Number;
use gnomon::time::print_billionths;
use gnomon::value::Value;

use super::super::lexer::TokenKind;
use super::super::model::{Activity, FieldModel, FieldValue, IntRange};
use super::amount::whole_range;
use super::cursor::ParseResult;
use super::{Parser, StepTarget};
use crate::similar::closest;

/// The duration of an activity without one. It is at least one unit, so that times always increase.
const DEFAULT_DURATION: IntRange = IntRange { low: 1, high: 1 };

impl Parser<'_> {
    pub(super) fn activity(&mut self) -> ParseResult<()> {
        self.cursor.advance();
        let (name, span) = self.cursor.name("the name of an activity, such as `activity logon takes 5..20`")?;
        let mut activity = Activity {
            name: name.clone(),
            fields: Vec::new(),
            takes: DEFAULT_DURATION,
            slow: None,
            fails: None,
            skipped: None,
            repeated: None,
        };
        let mut own = Vec::new();
        let mut clauses = BTreeSet::new();
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
            if word.is_some_and(|word| !clauses.insert(word)) {
                let message = format!("`{}` occurs twice in one activity", token.span.text(self.cursor.source));
                let error = Diagnostic::error("G0804", token.span, message).help("keep one of them");
                self.cursor.diagnostics.push(error);
            }
        }
        // The fields of an activity override those of its kind.
        for field in own {
            match activity.fields.iter_mut().find(|other| other.name == field.name) {
                Some(other) => *other = field,
                None => activity.fields.push(field),
            }
        }
        self.declare("activity or part", &name, span)?;
        self.steps.insert(name, StepTarget::Activity(self.activities.len()));
        self.activities.push(activity);
        Ok(())
    }

    fn kind_of_activity(&mut self) -> ParseResult<Vec<FieldModel>> {
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
        self.cursor.diagnostics.push(error);
        Ok(Vec::new())
    }

    /// `(name = value, name = value then value)`
    pub(super) fn fields(&mut self) -> ParseResult<Vec<FieldModel>> {
        let opening = self.cursor.peek().span;
        self.cursor.expect("(", "fields are written `(name = \"value\")`")?;
        let mut fields: Vec<FieldModel> = Vec::new();
        while !self.cursor.is_symbol(")") {
            if self.cursor.is_statement() {
                break;
            }
            let (name, span) = self.cursor.name("the name of a field, or `)`")?;
            if fields.iter().any(|field| field.name == name) {
                let error = Diagnostic::error("G0804", span, format!("the field `{name}` occurs twice"))
                    .help("keep one of them");
                self.cursor.diagnostics.push(error);
            }
            self.cursor.expect("=", "a field is written `name = value`")?;
            let value = self.alternatives()?;
            let end = if self.cursor.eat_keyword("then") { Some(self.alternatives()?) } else { None };
            fields.push(FieldModel { name, value, end });
            if !self.cursor.eat_symbol(",") {
                break;
            }
        }
        self.cursor.close(")", opening)?;
        Ok(fields)
    }

    /// `value | value`
    fn alternatives(&mut self) -> ParseResult<Vec<FieldValue>> {
        let mut values = vec![self.content()?];
        while self.cursor.eat_symbol("|") {
            values.push(self.content()?);
        }
        Ok(values)
    }

    fn content(&mut self) -> ParseResult<FieldValue> {
        let token = self.cursor.peek();
        if token.kind == TokenKind::Text {
            return Ok(FieldValue::Constant(Value::Text(self.cursor.text()?.into())));
        }
        if let Ok(value) = token.span.text(self.cursor.source).parse::<bool>() {
            self.cursor.advance();
            return Ok(FieldValue::Constant(Value::Bool(value)));
        }
        if token.kind == TokenKind::OpenText || token.kind == TokenKind::End {
            return self.cursor.unexpected("a value: a text in quotes, a number, a range, `true` or `false`");
        }
        let text = token.span.text(self.cursor.source);
        if token.kind == TokenKind::Word && !self.settings.contains_key(text) && !self.broken.contains(text) {
            let error = Diagnostic::error("G0803", token.span, format!("there is no setting `{text}` above")).edit(
                "a text must be in quotes",
                token.span,
                format!("\"{text}\""),
            );
            return self.cursor.fail(error);
        }
        let (amount, span) = self.amount()?;
        if let Some(range) = whole_range(amount) {
            return Ok(FieldValue::Number(range));
        }
        if amount.low == amount.high
            && let Ok(number) = Number::parse(&print_billionths(amount.low))
        {
            return Ok(FieldValue::Constant(Value::Number(number)));
        }
        let error = Diagnostic::error("G0806", span, "a range of values has whole numbers at its ends")
            .help("count in smaller units, for example cents");
        self.cursor.fail(error)
    }
}
