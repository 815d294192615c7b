// SPDX-License-Identifier: MIT OR Apache-2.0
//! Adapter rules: the messages that each applies to, the event that it produces, and the TOML file that rules are read from.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use gnomon_core::diagnostic::line_column;
use hyper::header::HeaderName;
use serde::de::{self, Unexpected};
use serde::{Deserialize, Deserializer};
use thiserror::Error;
use toml::Spanned;

use super::path_pattern::PathPattern;
use super::template::Template;
use super::{Adapters, FailurePolicy};
use crate::tap::{MessageDirection, TappedMessage};

/// A rule. A condition that it does not state is met by every message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct AdapterRule {
    proxy: Option<String>,
    direction: Option<MessageDirection>,
    /// The accepted methods; any method if empty.
    methods: Vec<String>,
    path: Option<PathPattern>,
    /// The lowest and the highest accepted status.
    status: Option<(u16, u16)>,
    /// Required headers, each with its value; `None` accepts any value.
    headers: Vec<(HeaderName, Option<String>)>,
    failed: Option<bool>,
    /// True if the message produces no event.
    pub(super) skip: bool,
    /// True if the content of the body becomes fields.
    pub(super) body: bool,
    /// True if the event depends on the content of the body.
    pub(super) reads_body: bool,
    pub(super) name: Option<Template>,
    pub(super) fields: Vec<(String, Template)>,
}

impl AdapterRule {
    /// Returns true if the rule depends on the path of a request.
    pub(super) fn reads_path(&self) -> bool {
        self.path.is_some()
    }

    /// Returns the values of the path's holes if the rule applies to the message.
    pub(super) fn matches(&self, message: &TappedMessage) -> Option<Vec<(&str, String)>> {
        let applies = self.proxy.as_ref().is_none_or(|proxy| *proxy == message.proxy)
            && self.direction.is_none_or(|direction| direction == message.direction)
            && (self.methods.is_empty()
                || self.methods.iter().any(|method| method.eq_ignore_ascii_case(&message.method)))
            && self.status.is_none_or(|(from, to)| message.status.is_some_and(|status| (from..=to).contains(&status)))
            && self.failed.is_none_or(|failed| failed == message.failed)
            && self.headers.iter().all(|(name, value)| has_header(message, name, value.as_deref()));
        if !applies {
            return None;
        }
        self.path.as_ref().map_or_else(|| Some(Vec::new()), |pattern| pattern.matches(&message.path))
    }
}

fn has_header(message: &TappedMessage, name: &HeaderName, value: Option<&str>) -> bool {
    // SOAP writes the action in quotes.
    let fits = |found: &[u8], value: &str| found == value.as_bytes() || found == format!("\"{value}\"").as_bytes();
    message.headers.get_all(name).iter().any(|found| value.is_none_or(|value| fits(found.as_bytes(), value)))
}

/// An error in a file of adapter rules.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ConfigError {
    message: String,
    line: usize,
    column: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AdaptersFile {
    #[serde(default)]
    fail: FailurePolicy,
    #[serde(default)]
    host: ForwardedHost,
    #[serde(default)]
    fields: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    rule: Vec<Spanned<RuleEntry>>,
}

/// The value of `Host` in requests to services.
#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ForwardedHost {
    #[default]
    Client,
    Service,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleEntry {
    proxy: Option<String>,
    direction: Option<MessageDirection>,
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

/// An error message and the place in the file that it refers to.
type SpannedMessage = (String, Range<usize>);

/// Reads a file of adapters.
pub(super) fn parse_file(text: &str) -> Result<Adapters, ConfigError> {
    let located = |(message, span): SpannedMessage| {
        let (line, column) = line_column(text, span.start);
        ConfigError { message, line, column }
    };
    let file: AdaptersFile = toml::from_str(text)
        .map_err(|error| located((error.message().to_owned(), error.span().unwrap_or_default())))?;
    Ok(Adapters {
        rules: file.rule.into_iter().map(|entry| parse_rule(entry).map_err(located)).collect::<Result<_, _>>()?,
        fields: parse_fields(&file.fields, &|_| false).map_err(located)?,
        on_failure: file.fail,
        rewrite_host: file.host == ForwardedHost::Service,
    })
}

/// Reads the templates of fields. `has_hole` knows the holes of the rule's path.
fn parse_fields(
    fields: &BTreeMap<String, Spanned<String>>,
    has_hole: &dyn Fn(&str) -> bool,
) -> Result<Vec<(String, Template)>, SpannedMessage> {
    let field = |(field, text): (&String, &Spanned<String>)| Ok((field.clone(), parse_template(text, has_hole)?));
    fields.iter().map(field).collect()
}

fn parse_template(text: &Spanned<String>, has_hole: &dyn Fn(&str) -> bool) -> Result<Template, SpannedMessage> {
    Template::parse(text.get_ref(), has_hole).map_err(|message| (message, text.span()))
}

fn parse_rule(entry: Spanned<RuleEntry>) -> Result<AdapterRule, SpannedMessage> {
    let span = entry.span();
    let RuleEntry { proxy, direction, method, path, status, header, failed, skip, body, name, fields } =
        entry.into_inner();
    if skip && (name.is_some() || !fields.is_empty() || body.is_some()) {
        return Err(("a rule with `skip` makes no event: leave `name`, `fields` and `body` out".to_owned(), span));
    }
    let path =
        path.map(|path| PathPattern::parse(path.get_ref()).map_err(|message| (message, path.span()))).transpose()?;
    let has_hole = |hole: &str| path.as_ref().is_some_and(|path| path.has_hole(hole));
    let header_condition = |(name, value): (Spanned<String>, String)| {
        let header = name.get_ref().parse::<HeaderName>();
        let header = header.map_err(|_| (format!("`{}` is not a name of a header", name.get_ref()), name.span()))?;
        Ok((header, Some(value).filter(|value| value != "*")))
    };
    let name = name.as_ref().map(|text| parse_template(text, &has_hole)).transpose()?;
    let fields = parse_fields(&fields, &has_hole)?;
    let body = body.unwrap_or(true);
    // Without a name of the rule the body names the event.
    let reads_body = body
        || name.as_ref().is_none_or(Template::reads_body)
        || fields.iter().any(|(_, template)| template.reads_body());
    Ok(AdapterRule {
        proxy,
        direction,
        methods: method.0,
        path,
        status: status.map(|status| status_range(&status)).transpose()?,
        headers: header.into_iter().map(header_condition).collect::<Result<_, SpannedMessage>>()?,
        failed,
        skip,
        body,
        reads_body,
        name,
        fields,
    })
}

/// Reads `404`, `4xx` or `400-499`.
fn status_range(status: &Spanned<Statuses>) -> Result<(u16, u16), SpannedMessage> {
    let text = status.get_ref().0.concat();
    let number = |text: &str| text.trim().parse::<u16>().ok().filter(|status| (100..1_000).contains(status));
    let range = if let Some(digit) = text.strip_suffix("xx") {
        number(&format!("{digit}00")).map(|start| (start, start + 99))
    } else {
        let (from, to) = text.split_once('-').unwrap_or((&text, &text));
        number(from).zip(number(to)).filter(|(from, to)| from <= to)
    };
    range.ok_or_else(|| (format!("`{text}` is not a status: write 404, \"4xx\" or \"400-499\""), status.span()))
}

/// One method, or a list of methods.
type Methods = Texts<false>;
/// A status as a number or as text.
type Statuses = Texts<true>;

/// A text, or alternatively a number (`IS_STATUS`) or a list of texts.
#[derive(Default)]
struct Texts<const IS_STATUS: bool>(Vec<String>);

impl<'de, const IS_STATUS: bool> Deserialize<'de> for Texts<IS_STATUS> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextsVisitor::<IS_STATUS>)
    }
}

struct TextsVisitor<const IS_STATUS: bool>;

impl<'de, const IS_STATUS: bool> de::Visitor<'de> for TextsVisitor<IS_STATUS> {
    type Value = Texts<IS_STATUS>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if IS_STATUS {
            "a status such as 404, \"4xx\" or \"400-499\""
        } else {
            "a method such as \"POST\", or a list of methods"
        })
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Texts(vec![text.to_owned()]))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        if IS_STATUS {
            return Ok(Texts(vec![number.to_string()]));
        }
        Err(E::invalid_type(Unexpected::Signed(number), &self))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        if IS_STATUS {
            return Err(de::Error::invalid_type(Unexpected::Seq, &self));
        }
        let mut methods = Vec::new();
        while let Some(method) = list.next_element()? {
            methods.push(method);
        }
        Ok(Texts(methods))
    }
}
