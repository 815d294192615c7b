// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths into a message: a part of `XPath` that makes sense for JSON too, and JSON pointers (RFC 6901).
//!
//! Messages of both kinds are values: elements are maps, repeated ones lists, attributes members whose names begin with
//! `@`. So one way of walking serves both, and prefixes of namespaces do not count.

mod parse;
mod walk;

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use gnomon_core::value::Value;

pub(crate) use parse::without_prefix;

/// The member under which an element keeps its own text if it has attributes or elements besides.
pub(crate) const TEXT: &str = "#text";

/// A path into a message.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Query {
    /// Whether it begins at the outermost part of the message, not at the part that carries its content.
    pub(crate) absolute: bool,
    steps: Vec<Step>,
    /// As it was written.
    text: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Step {
    /// Whether what is sought may lie any depth below.
    deep: bool,
    part: Part,
    predicates: Vec<Predicate>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Part {
    /// `name`, or an index from 0 where there is a list; without the prefix of a namespace.
    Child(String),
    /// `*`
    Any,
    /// `@name`
    Attribute(String),
    /// `text()`
    Text,
    /// A part of a JSON pointer, which has no other meaning.
    Key(String),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Predicate {
    /// `[2]`, from 1.
    Index(usize),
    /// `[name='v']`, `[@name='v']`, `[text()='v']`
    Equal(Part, String),
}

/// Why a text is no query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryError {
    message: String,
    at: usize,
}

impl Query {
    /// Reads `a/b`, `/a/b`, `//b`, `a//b`, `@x`, `a[2]/b`, `a[b='v']`, `a/text()`, `*`; `#/a/b` is a JSON pointer.
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        parse::query(text)
    }

    /// Reads a JSON pointer: `/a/b`, `/a/0/b~1c`. The empty one is the whole message.
    pub fn pointer(text: &str) -> Result<Query, QueryError> {
        parse::pointer(text, 0)
    }

    /// What the query finds in a value: nothing, one thing, or a list if there are several.
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

    /// What is wrong, in one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where, in bytes from the start of the query.
    pub fn at(&self) -> usize {
        self.at
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at character {} of the query)", self.message, self.at + 1)
    }
}

impl Error for QueryError {}

#[cfg(test)]
mod tests;
