// SPDX-License-Identifier: MIT OR Apache-2.0
//! Texts with holes that a message fills: `{method} {path}`, `{body:order/id}`.

use std::borrow::Cow;

use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_trace::message::Query;
use hyper::header::HeaderName;
use percent_encoding::percent_decode;

use super::{Scene, text};
use crate::tap::Direction;

/// A text with holes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Text(String),
    Hole(Source),
}

/// Where the filling of a hole comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Source {
    /// `name`: what the message is called without a rule.
    Name,
    /// `method`
    Method,
    /// `path`
    Path,
    /// `path:hole`
    PathHole(String),
    /// `query`
    Query,
    /// `query:parameter`
    Parameter(String),
    /// `header:name`
    Header(HeaderName),
    /// `body:query`
    Body(Query),
    /// `status`
    Status,
    /// `duration`, in seconds.
    Duration,
    /// `direction`
    Direction,
    /// `source`
    Caller,
    /// `destination`
    Destination,
    /// `service`
    Service,
    /// `exchange`
    Exchange,
}

impl Template {
    /// Reads a template; `has_hole` knows the holes of the rule's path. An error says what is wrong with it.
    pub(super) fn parse(text: &str, has_hole: &dyn Fn(&str) -> bool) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let (brace, behind) = rest[at..].split_at(1);
            if let Some(behind) = behind.strip_prefix(brace) {
                plain.push_str(brace);
                rest = behind;
                continue;
            }
            if brace == "}" {
                return Err("a `}` without its `{`: write `}}` for the sign itself".to_owned());
            }
            let end = behind.find('}').ok_or("a `{` without its `}`: write `{{` for the sign itself")?;
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(Part::Hole(Source::parse(behind[..end].trim(), has_hole)?));
            rest = &behind[end + 1..];
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Template { parts })
    }

    /// What comes out, as a value: that of the hole if it is nothing but one hole, else a text.
    pub(super) fn value(&self, scene: &Scene<'_>) -> Option<Value<'static>> {
        match self.parts.as_slice() {
            [Part::Hole(source)] => source.value(scene),
            _ => Some(text(&self.text(scene))),
        }
    }

    /// What comes out, as a text; a hole that nothing fills is empty.
    pub(super) fn text(&self, scene: &Scene<'_>) -> String {
        let filled = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Hole(source) => source.value(scene).map(written).unwrap_or_default(),
        };
        self.parts.iter().map(filled).collect()
    }
}

impl Source {
    fn parse(text: &str, has_hole: &dyn Fn(&str) -> bool) -> Result<Source, String> {
        let (kind, what) = text.split_once(':').map_or((text, None), |(kind, what)| (kind, Some(what.trim())));
        Ok(match (kind, what) {
            ("name", None) => Source::Name,
            ("method", None) => Source::Method,
            ("path", None) => Source::Path,
            ("path", Some(hole)) if has_hole(hole) => Source::PathHole(hole.to_owned()),
            ("path", Some(hole)) => return Err(format!("the rule's path has no hole `{{{hole}}}`")),
            ("query", None) => Source::Query,
            ("query", Some(name)) => Source::Parameter(name.to_owned()),
            ("header", Some(name)) => {
                Source::Header(name.parse().map_err(|_| format!("`{name}` is no name of a header"))?)
            }
            ("body", Some(query)) => Source::Body(Query::parse(query).map_err(|error| error.to_string())?),
            ("status", None) => Source::Status,
            ("duration", None) => Source::Duration,
            ("direction", None) => Source::Direction,
            ("source", None) => Source::Caller,
            ("destination", None) => Source::Destination,
            ("service", None) => Source::Service,
            ("exchange", None) => Source::Exchange,
            _ => {
                let known = "`name`, `method`, `path`, `path:HOLE`, `query`, `query:PARAMETER`, `header:NAME`, `body:QUERY`, \
                             `status`, `duration`, `direction`, `source`, `destination`, `service`, `exchange`";
                return Err(format!("nothing fills `{{{text}}}`: there are {known}"));
            }
        })
    }

    fn value(&self, scene: &Scene<'_>) -> Option<Value<'static>> {
        let tapped = scene.tapped;
        let cell = |text: Cow<'_, str>| Value::from_cell(text).into_owned();
        Some(match self {
            Source::Name => text(&scene.own_name()),
            Source::Method => text(&tapped.method),
            Source::Path => text(&tapped.path),
            Source::PathHole(hole) => {
                let (_, found) = scene.holes.iter().find(|(name, _)| name == hole)?;
                cell(Cow::Borrowed(found))
            }
            Source::Query => text(tapped.query.as_deref()?),
            Source::Parameter(name) => cell(parameter(tapped.query.as_deref()?, name)?),
            Source::Header(name) => cell(String::from_utf8_lossy(tapped.headers.get(name)?.as_bytes())),
            Source::Body(query) => scene.data?.query(query)?.into_owned(),
            Source::Status => Value::Number(Number::Int(i64::from(tapped.status?))),
            Source::Duration => {
                let micros = i64::try_from(tapped.elapsed.as_micros()).ok()?;
                Value::Number(Number::parse(&format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000))?)
            }
            Source::Direction => text(match tapped.direction {
                Direction::Request => "request",
                Direction::Response => "response",
            }),
            Source::Caller => text(&tapped.source),
            Source::Destination => text(&tapped.destination),
            Source::Service => text(&tapped.service),
            Source::Exchange => Value::Number(Number::Int(i64::try_from(tapped.exchange).ok()?)),
        })
    }
}

/// A parameter of a query, the first of its name.
fn parameter<'q>(query: &'q str, name: &str) -> Option<Cow<'q, str>> {
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(key, value)| (decoded(key), decoded(value))).find(|(key, _)| key == name).map(|(_, value)| value)
}

fn decoded(text: &str) -> Cow<'static, str> {
    let spaced = text.replace('+', " ");
    Cow::Owned(percent_decode(spaced.as_bytes()).decode_utf8_lossy().into_owned())
}

/// A value within a text.
fn written(value: Value<'_>) -> String {
    match value {
        Value::Text(text) => text.into_owned(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
