// SPDX-License-Identifier: MIT OR Apache-2.0
//! Templates: texts with placeholders that a message fills, such as `{method} {path}` or `{body:order/id}`.

use std::borrow::Cow;

use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_message::Query;
use hyper::header::HeaderName;
use percent_encoding::percent_decode;

use super::{TemplateContext, text};
use crate::tap::TappedMessage;

/// A text with placeholders.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Template {
    parts: Vec<TemplatePart>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum TemplatePart {
    Text(String),
    Placeholder(Placeholder),
}

/// The part of a message that fills a placeholder.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Placeholder {
    /// `name`: the event name that the message has without a rule.
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
    /// `connection`
    Connection,
}

impl Template {
    /// Reads a template. `has_hole` knows the holes of the rule's path. The error is a message for the user.
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
                return Err("a `}` without its `{`: write `}}` for a literal brace".to_owned());
            }
            let end = behind.find('}').ok_or("a `{` without its `}`: write `{{` for a literal brace")?;
            if !plain.is_empty() {
                parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
            }
            parts.push(TemplatePart::Placeholder(Placeholder::parse(behind[..end].trim(), has_hole)?));
            rest = &behind[end + 1..];
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(TemplatePart::Text(plain));
        }
        Ok(Template { parts })
    }

    /// Returns true if the template depends on the body.
    pub(super) fn reads_body(&self) -> bool {
        self.parts
            .iter()
            .any(|part| matches!(part, TemplatePart::Placeholder(Placeholder::Name | Placeholder::Body(_))))
    }

    /// Returns true if a header or parameter of the template occurs more than once in the message.
    pub(super) fn is_ambiguous(&self, message: &TappedMessage) -> bool {
        self.parts.iter().any(|part| match part {
            TemplatePart::Placeholder(Placeholder::Header(name)) => {
                message.headers.get_all(name).iter().nth(1).is_some()
            }
            TemplatePart::Placeholder(Placeholder::Parameter(name)) => {
                message.query.as_deref().is_some_and(|query| parameters(query, name).nth(1).is_some())
            }
            _ => false,
        })
    }

    /// Evaluates the template. A template that is a single placeholder keeps the type of its value; others give a text.
    pub(super) fn value(&self, context: &TemplateContext<'_>) -> Option<Value<'static>> {
        match self.parts.as_slice() {
            [TemplatePart::Placeholder(source)] => source.value(context),
            _ => Some(text(&self.text(context))),
        }
    }

    /// Evaluates the template as text. A placeholder without a value is empty.
    pub(super) fn text(&self, context: &TemplateContext<'_>) -> String {
        let filled = |part: &TemplatePart| match part {
            TemplatePart::Text(text) => text.clone(),
            TemplatePart::Placeholder(source) => source.value(context).map(written).unwrap_or_default(),
        };
        self.parts.iter().map(filled).collect()
    }
}

impl Placeholder {
    fn parse(text: &str, has_hole: &dyn Fn(&str) -> bool) -> Result<Placeholder, String> {
        let (kind, what) = text.split_once(':').map_or((text, None), |(kind, what)| (kind, Some(what.trim())));
        Ok(match (kind, what) {
            ("name", None) => Placeholder::Name,
            ("method", None) => Placeholder::Method,
            ("path", None) => Placeholder::Path,
            ("path", Some(hole)) if has_hole(hole) => Placeholder::PathHole(hole.to_owned()),
            ("path", Some(hole)) => return Err(format!("the rule's path has no hole `{{{hole}}}`")),
            ("query", None) => Placeholder::Query,
            ("query", Some(name)) => Placeholder::Parameter(name.to_owned()),
            ("header", Some(name)) => {
                Placeholder::Header(name.parse().map_err(|_| format!("`{name}` is not a name of a header"))?)
            }
            ("body", Some(query)) => Placeholder::Body(Query::parse(query).map_err(|error| error.to_string())?),
            ("status", None) => Placeholder::Status,
            ("duration", None) => Placeholder::Duration,
            ("direction", None) => Placeholder::Direction,
            ("source", None) => Placeholder::Caller,
            ("destination", None) => Placeholder::Destination,
            ("service", None) => Placeholder::Service,
            ("exchange", None) => Placeholder::Exchange,
            ("connection", None) => Placeholder::Connection,
            _ => {
                let known = "`name`, `method`, `path`, `path:HOLE`, `query`, `query:PARAMETER`, `header:NAME`, `body:QUERY`, \
                             `status`, `duration`, `direction`, `source`, `destination`, `service`, `exchange`, \
                             `connection`";
                return Err(format!("nothing fills `{{{text}}}`: there are {known}"));
            }
        })
    }

    fn value(&self, context: &TemplateContext<'_>) -> Option<Value<'static>> {
        let message = context.message;
        let cell = |text: Cow<'_, str>| Value::from_cell(text).into_owned();
        Some(match self {
            Placeholder::Name => text(&context.default_name()),
            Placeholder::Method => text(&message.method),
            Placeholder::Path => text(&message.path),
            Placeholder::PathHole(hole) => {
                let (_, found) = context.holes.iter().find(|(name, _)| name == hole)?;
                cell(Cow::Borrowed(found))
            }
            Placeholder::Query => text(message.query.as_deref()?),
            Placeholder::Parameter(name) => cell(parameters(message.query.as_deref()?, name).next()?),
            Placeholder::Header(name) => cell(String::from_utf8_lossy(message.headers.get(name)?.as_bytes())),
            Placeholder::Body(query) => context.data?.query(query)?.into_owned(),
            Placeholder::Status => Value::Number(Number::Int(i64::from(message.status?))),
            Placeholder::Duration => {
                let micros = i64::try_from(message.elapsed.as_micros()).ok()?;
                Value::Number(Number::from_parts(micros.into(), 6)?)
            }
            Placeholder::Direction => text(message.direction.word()),
            Placeholder::Caller => text(&message.source),
            Placeholder::Destination => text(&message.destination),
            Placeholder::Service => text(&message.service),
            Placeholder::Exchange => Value::Number(Number::Int(i64::try_from(message.exchange).ok()?)),
            Placeholder::Connection => Value::Number(Number::Int(i64::try_from(message.connection).ok()?)),
        })
    }
}

/// Returns the values of the query parameters of this name.
fn parameters<'q>(query: &'q str, name: &'q str) -> impl Iterator<Item = Cow<'q, str>> {
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.filter(move |(key, _)| decoded(key) == name).map(|(_, value)| decoded(value))
}

fn decoded(text: &str) -> Cow<'static, str> {
    let spaced = text.replace('+', " ");
    Cow::Owned(percent_decode(spaced.as_bytes()).decode_utf8_lossy().into_owned())
}

/// Returns a value as part of a text.
fn written(value: Value<'_>) -> String {
    match value {
        Value::Text(text) => text.into_owned(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
