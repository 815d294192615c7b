// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths into a message: the part of `XPath` that makes sense for JSON too, and JSON pointers (RFC 6901).
//!
//! Both kinds of messages are values: elements are maps, repeated elements are lists, attributes are members whose
//! names begin with `@`. So one evaluator serves both. Namespace prefixes are ignored.

mod parse;
mod walk;

use std::fmt;
use std::str::FromStr;

use gnomon_core::value::Value;
use thiserror::Error;

/// Member for the text of an element that also has attributes or elements.
pub(crate) const TEXT: &str = "#text";

/// A path into a message.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Query {
    /// True if it starts at the outermost part of the message, not at its content.
    pub(crate) absolute: bool,
    steps: Vec<QueryStep>,
    /// Text of the query.
    text: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct QueryStep {
    /// True if the target may be at any depth.
    deep: bool,
    part: StepTarget,
    predicates: Vec<Predicate>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum StepTarget {
    /// `name`, or an index from 0 into a list; without namespace prefix.
    Child(String),
    /// `*`.
    Any,
    /// `@name`.
    Attribute(String),
    /// `text()`.
    Text,
    /// A part of a JSON pointer.
    Key(String),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Predicate {
    /// `[2]`, from 1.
    Index(usize),
    /// `[name='v']`, `[@name='v']`, `[text()='v']`.
    Equal(StepTarget, String),
}

/// A syntax error in a query.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message} (at character {} of the query)", at + 1)]
pub struct QueryError {
    message: String,
    at: usize,
}

impl Query {
    /// Parses `a/b`, `/a/b`, `//b`, `a//b`, `@x`, `a[2]/b`, `a[b='v']`, `a/text()`, `*`; `#/a/b` is a JSON pointer.
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        parse::query(text)
    }

    /// Parses a JSON pointer: `/a/b`, `/a/0/b~1c`. The empty pointer is the whole message.
    pub fn pointer(text: &str) -> Result<Query, QueryError> {
        parse::pointer(text, 0)
    }

    /// Evaluates the query on a value. Returns nothing, one value, or a list of several.
    pub fn find<'v, 'a>(&self, from: &'v Value<'a>) -> Option<Value<'a>>
    where
        'a: 'v,
    {
        walk::find(&self.steps, from)
    }
}

impl FromStr for Query {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Query, QueryError> {
        Query::parse(text)
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl QueryError {
    fn new(at: usize, message: impl Into<String>) -> QueryError {
        QueryError { message: message.into(), at }
    }

    /// Returns the error in one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the offset in the query, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }
}

#[cfg(test)]
mod tests;
