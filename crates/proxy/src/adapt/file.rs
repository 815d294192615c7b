// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules as they are written in a file.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::ops::Range;

use hyper::header::HeaderName;
use serde::{Deserialize, Deserializer, de};
use toml::Spanned;

use super::pattern::Pattern;
use super::rule::Rule;
use super::template::Template;
use crate::tap::Direction;

/// Why a text has no rules in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError {
    message: String,
    line: usize,
    column: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    proxy: Option<String>,
    direction: Option<Way>,
    #[serde(default)]
    method: Methods,
    path: Option<Spanned<String>>,
    status: Option<Spanned<Statuses>>,
    #[serde(default)]
    header: BTreeMap<Spanned<String>, String>,
    failed: Option<bool>,
    #[serde(default)]
    skip: bool,
    body: Option<bool>,
    name: Option<Spanned<String>>,
    #[serde(default)]
    fields: BTreeMap<String, Spanned<String>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Way {
    Request,
    Response,
}

/// One method, or several.
#[derive(Default)]
struct Methods(Vec<String>);

/// A status, `"2xx"`, or `"400-499"`.
struct Statuses(String);

/// What is wrong, and where.
type Wrong = (String, Range<usize>);

/// Reads a file.
pub(super) fn rules(text: &str) -> Result<Vec<Rule>, ConfigError> {
    let file: File = toml::from_str(text).map_err(|error| {
        let (line, column) = place(text, error.span().map_or(0, |span| span.start));
        ConfigError { message: error.message().to_owned(), line, column }
    })?;
    let wrong = |(message, span): Wrong| {
        let (line, column) = place(text, span.start);
        ConfigError { message, line, column }
    };
    file.rule.into_iter().map(|entry| rule(entry).map_err(wrong)).collect()
}

fn rule(entry: Spanned<Entry>) -> Result<Rule, Wrong> {
    let span = entry.span();
    let Entry { proxy, direction, method, path, status, header, failed, skip, body, name, fields } = entry.into_inner();
    if skip && (name.is_some() || !fields.is_empty() || body.is_some()) {
        return Err(("a rule with `skip` makes no event: leave `name`, `fields` and `body` out".to_owned(), span));
    }
    let path = path.map(|path| Pattern::parse(path.get_ref()).map_err(|message| (message, path.span()))).transpose()?;
    let has_hole = |hole: &str| path.as_ref().is_some_and(|path| path.has(hole));
    let template =
        |text: &Spanned<String>| Template::parse(text.get_ref(), &has_hole).map_err(|message| (message, text.span()));
    let named = |(name, value): (Spanned<String>, String)| {
        let known = name.get_ref().parse::<HeaderName>();
        let known = known.map_err(|_| (format!("`{}` is no name of a header", name.get_ref()), name.span()))?;
        Ok((known, Some(value).filter(|value| value != "*")))
    };
    let name = name.as_ref().map(template).transpose()?;
    let fields =
        fields.iter().map(|(field, text)| Ok((field.clone(), template(text)?))).collect::<Result<_, Wrong>>()?;
    Ok(Rule {
        proxy,
        direction: direction.map(|way| match way {
            Way::Request => Direction::Request,
            Way::Response => Direction::Response,
        }),
        methods: method.0,
        path,
        status: status.map(|status| range(&status.get_ref().0).ok_or_else(|| no_range(&status))).transpose()?,
        headers: header.into_iter().map(named).collect::<Result<_, Wrong>>()?,
        failed,
        skip,
        body: body.unwrap_or(true),
        name,
        fields,
    })
}

fn range(text: &str) -> Option<(u16, u16)> {
    let status = |text: &str| text.trim().parse::<u16>().ok().filter(|status| (100..1_000).contains(status));
    if let Some(digit) = text.strip_suffix("xx") {
        let start = status(&format!("{digit}00"))?;
        return Some((start, start + 99));
    }
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (from, to) = (status(from)?, status(to)?);
    (from <= to).then_some((from, to))
}

fn no_range(status: &Spanned<Statuses>) -> Wrong {
    (format!("`{}` is no status: write 404, \"4xx\" or \"400-499\"", status.get_ref().0), status.span())
}

/// Line and column of a place in a text, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

impl<'de> Deserialize<'de> for Methods {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Methods, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Methods;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a method such as \"POST\", or a list of methods")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Methods, E> {
                Ok(Methods(vec![text.to_owned()]))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Methods, A::Error> {
                let mut methods = Vec::new();
                while let Some(method) = list.next_element()? {
                    methods.push(method);
                }
                Ok(Methods(methods))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl<'de> Deserialize<'de> for Statuses {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Statuses, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Statuses;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a status such as 404, \"4xx\" or \"400-499\"")
            }

            fn visit_i64<E: de::Error>(self, status: i64) -> Result<Statuses, E> {
                Ok(Statuses(status.to_string()))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Statuses, E> {
                Ok(Statuses(text.to_owned()))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl ConfigError {
    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// In which line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// At which character of the line, from 1.
    pub fn column(&self) -> usize {
        self.column
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl Error for ConfigError {}
