// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queries: the part of `XPath` that is a path into a message, and JSON pointers.
//!
//! | query | path |
//! |---|---|
//! | `order/item[2]/@id` | `order`, `item`, `1`, `@id` |
//! | `./soap:order/text()` | `order` |
//! | `/login/user`, in a message `login` | `user` |
//! | `/Envelope/Body/login/user/name` | `user`, `name` |
//! | `#/order/items/0` | `order`, `items`, `0` |
//!
//! Prefixes of namespaces are left out, because the document chooses them. A query that is not a path, such as `//id` or `item[x='1']`,
//! is refused with the reason. INVARIANT: a printed path parses back to the same path.

use std::fmt::Write as _;

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::atom::Path;

use super::xml::{ParseResult, Scanner, XmlText};
use crate::syntax::diagnostics::Diagnostics;

/// The field that holds a message's own text, beside its attributes and elements.
const OWN_TEXT: &str = "#text";

/// Reads the path of a query, or reports what is wrong with it. `message` is the message that the query is evaluated
/// on: an absolute query may begin with its name.
pub(super) fn read(report: &mut Diagnostics, text: &XmlText, message: Option<&str>) -> Option<Path> {
    parse(&text.value, message).map_err(|wrong| report.add(text.place(*wrong))).ok()
}

/// Returns the error about a part of a query; positions count from the query's beginning.
fn wrong<T>(at: usize, length: usize, message: impl Into<String>, help: &str) -> ParseResult<T> {
    Err(Box::new(Diagnostic::error("G0125", Span::new(at, at + length), message).help(help)))
}

/// Returns the error about a part of a query, with the text to write instead of it.
fn replaced<T>(span: Span, message: impl Into<String>, help: &str, edit: impl Into<String>) -> ParseResult<T> {
    Err(Box::new(Diagnostic::error("G0125", span, message).edit(help, span, edit)))
}

fn parse(text: &str, message: Option<&str>) -> ParseResult<Path> {
    if text.is_empty() {
        return wrong(0, 0, "the query is empty", "write the path to the field, such as `order/@id`");
    }
    if let Some(pointer) = text.strip_prefix('#') {
        return self::pointer(pointer);
    }
    let mut scanner = Scanner { text, at: 0 };
    let absolute = text.starts_with('/');
    let mut steps = Vec::new();
    if !absolute {
        scanner.eat("./");
    }
    scanner.not_anywhere()?;
    scanner.eat("/");
    loop {
        scanner.step(&mut steps)?;
        if scanner.rest().is_empty() {
            break;
        }
        scanner.not_anywhere()?;
        if !scanner.eat("/") {
            return scanner.unexpected();
        }
    }
    if absolute {
        from_document(&mut steps, message)?;
    }
    if steps.len() > 1 && steps.last().is_some_and(|step| step == TEXT_FUNCTION) {
        steps.pop();
    }
    let mut steps = steps.into_iter().map(|step| if step == TEXT_FUNCTION { OWN_TEXT.to_owned() } else { step });
    let field = steps.next().unwrap_or_default();
    Ok(Path { field, steps: steps.collect() })
}

/// The step `text()`, in a form that differs from every name.
const TEXT_FUNCTION: &str = "\u{0}text()";

/// Removes the steps before the fields of a message: `/Envelope/Body/login/user` and `/login/user` are `user`.
fn from_document(steps: &mut Vec<String>, message: Option<&str>) -> ParseResult<()> {
    let envelope = steps.first().is_some_and(|step| step == "Envelope");
    if envelope && steps.get(1).is_none_or(|step| step != "Body") {
        let help = "begin with `/Envelope/Body/` and the message, or with the message's own parts";
        return wrong(0, 1 + "Envelope".len(), "only the body of an envelope has fields", help);
    }
    let outer = if envelope { 3 } else { usize::from(steps.first().map(String::as_str) == message) };
    if outer > 0 && steps.len() <= outer {
        let help = "select a part of it: `/Envelope/Body/login/sessionId`";
        return wrong(0, 1, "the query is the whole message", help);
    }
    steps.drain(..outer);
    Ok(())
}

/// Reads a JSON pointer, `#/order/items/0`, behind its `#`.
fn pointer(text: &str) -> ParseResult<Path> {
    let Some(rest) = text.strip_prefix('/') else {
        return wrong(0, 1, "a JSON pointer begins with `#/`", "write `#/order/id`, or `order/id`");
    };
    let mut steps = rest.split('/').map(|step| step.replace("~1", "/").replace("~0", "~"));
    let field = steps.next().unwrap_or_default();
    Ok(Path { field, steps: steps.collect() })
}

impl Scanner<'_> {
    /// Reports `//`.
    fn not_anywhere(&self) -> ParseResult<()> {
        if !self.rest().starts_with("//") {
            return Ok(());
        }
        let help = "name every step, so that each message has one value at most: `order/id`";
        wrong(self.at, 2, "`//` searches for a field at any depth", help)
    }

    fn unexpected<T>(&self) -> ParseResult<T> {
        let found = match self.rest().chars().next() {
            Some(found) => format!("`{found}` is not a part of a path"),
            None => "the path ends with `/`".to_owned(),
        };
        let help = "write steps with `/` between them: a name, `@name`, `name[1]` or a name in quotes";
        let here = self.here();
        wrong(self.at, (here.end - here.start) as usize, found, help)
    }

    /// Reads one step and its index in a list, which are one or two steps of a path.
    fn step(&mut self, steps: &mut Vec<String>) -> ParseResult<()> {
        let start = self.at;
        if let Some(quote @ ('"' | '\'')) = self.rest().chars().next() {
            steps.push(self.quoted(quote)?);
            return self.places(steps);
        }
        let mut attribute = self.eat("@") || self.eat("attribute::");
        if !attribute {
            self.eat("child::");
            attribute = self.eat("@");
        }
        for (mark, why) in
            [("..", "`..` leads out of the message"), (".", "`.` is not a step"), ("*", "`*` is any field")]
        {
            if self.rest().starts_with(mark) {
                return wrong(self.at, mark.len(), why, "name the step");
            }
        }
        let rest = self.rest();
        let length = rest.find(|inside: char| !is_name(inside) && inside != ':').unwrap_or(rest.len());
        if length == 0 {
            return self.unexpected();
        }
        let name = &rest[..length];
        self.at += length;
        if let Some((axis, _)) = name.split_once("::") {
            let message = format!("the axis `{axis}::` is not read here");
            return wrong(start, axis.len() + 2, message, "go down step by step: `order/id`, `order/@id`");
        }
        if self.rest().starts_with('(') {
            if name == "text" && !attribute && self.eat("()") {
                steps.push(TEXT_FUNCTION.to_owned());
                return if self.rest().is_empty() { Ok(()) } else { self.unexpected() };
            }
            let message = format!("the function `{name}( )` is not read here");
            return wrong(start, length, message, "only `text()` is, at the end: compare in a `<condition>`");
        }
        // The document chooses its prefixes, so they are not part of the name.
        let local = name.rsplit_once(':').map_or(name, |(_, local)| local);
        if !local.starts_with(|first: char| first.is_alphabetic() || first == '_') {
            let message = format!("`{name}` is not a name");
            if local.bytes().all(|byte| byte.is_ascii_digit()) && !local.is_empty() && !steps.is_empty() && !attribute {
                let help = "a place in a list is counted from 1, in brackets: `item[1]`";
                return wrong(start, self.at - start, message, help);
            }
            let span = Span::new(start, self.at);
            return replaced(span, message, "write it in quotes", quoted(span.text(self.text)));
        }
        steps.push(if attribute { format!("@{local}") } else { local.to_owned() });
        self.places(steps)
    }

    /// Reads a name in quotes; a doubled quote stands for one.
    fn quoted(&mut self, quote: char) -> ParseResult<String> {
        let start = self.at;
        let mut name = String::new();
        self.at += 1;
        loop {
            let Some(length) = self.rest().find(quote) else {
                return wrong(
                    start,
                    1,
                    "the name in quotes has no second quote",
                    "write the quote where the name ends",
                );
            };
            name.push_str(&self.rest()[..length]);
            self.at += length + 1;
            if !self.rest().starts_with(quote) {
                return Ok(name);
            }
            name.push(quote);
            self.at += 1;
        }
    }

    /// Reads `[2]`, the second item of a list; its step in a path is `1`.
    fn places(&mut self, steps: &mut Vec<String>) -> ParseResult<()> {
        while self.rest().starts_with('[') {
            let start = self.at;
            let Some(length) = self.rest().find(']') else {
                return wrong(start, 1, "this `[` has no `]`", "write the place as in `item[1]`");
            };
            let inside = self.rest()[1..length].trim();
            self.at += length + 1;
            match inside.parse::<u32>() {
                Ok(0) => {
                    let span = Span::new(start, self.at);
                    return replaced(span, "places are counted from 1", "write `[1]` for the first", "[1]");
                }
                Ok(place) if inside.bytes().all(|byte| byte.is_ascii_digit()) => steps.push((place - 1).to_string()),
                _ => {
                    let message = format!("`[{inside}]` is not a place in a list");
                    let help = "only numbers stand in brackets; compare in a `<condition>`";
                    return wrong(start, length + 1, message, help);
                }
            }
        }
        Ok(())
    }
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.')
}

/// Writes a path as a query that parses back to the same path.
pub(super) fn print(path: &Path) -> String {
    let mut out = name(&path.field);
    for step in &path.steps {
        // A number with leading zeros is a name, not an index.
        match step.parse::<u32>().ok().and_then(|place| place.checked_add(1)) {
            Some(place) if (place - 1).to_string() == *step => {
                write!(out, "[{place}]").expect("writing to a string cannot fail");
            }
            _ => {
                out.push('/');
                out.push_str(&name(step));
            }
        }
    }
    out
}

fn name(step: &str) -> String {
    let plain = step.strip_prefix('@').unwrap_or(step);
    let starts = plain.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
    let mut axes = ["attribute", "child"].into_iter();
    if starts && plain.chars().all(is_name) && !axes.any(|axis| axis == plain) {
        return step.to_owned();
    }
    quoted(step)
}

fn quoted(step: &str) -> String {
    format!("\"{}\"", step.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> String {
        match parse(text, Some("login")) {
            Ok(path) => std::iter::once(path.field).chain(path.steps).collect::<Vec<_>>().join("|"),
            Err(wrong) => {
                let span = wrong.primary.span;
                format!("{}+{}: {}", span.start, span.end - span.start, wrong.message)
            }
        }
    }

    #[test]
    fn queries_are_paths() {
        for (query, expected) in [
            ("user", "user"),
            ("order/item[2]/@id", "order|item|1|@id"),
            ("./soap:order/ns1:id/text()", "order|id"),
            ("text()", "#text"),
            ("/login/user", "user"),
            ("/env:Envelope/env:Body/x:anything/user/name", "user|name"),
            ("/user/name", "user|name"),
            ("login/user", "login|user"),
            ("child::a/attribute::b/child::@c", "a|@b|@c"),
            ("\"concept:name\"/'a\"b'/\"c\"\"d\"[1]", "concept:name|a\"b|c\"d|0"),
            ("#/order/items/0/a~1b~0c", "order|items|0|a/b~c"),
            ("matrix[1][3]", "matrix|0|2"),
        ] {
            assert_eq!(path(query), expected, "{query}");
        }
    }

    #[test]
    fn what_is_no_path() {
        for (query, expected) in [
            ("", "0+0: the query is empty"),
            ("//id", "0+2: `//` searches for a field at any depth"),
            ("a//id", "1+2: `//` searches for a field at any depth"),
            ("a/", "2+0: the path ends with `/`"),
            ("a b", "1+1: ` ` is not a part of a path"),
            ("a/..", "2+2: `..` leads out of the message"),
            ("a/*", "2+1: `*` is any field"),
            ("a/0", "2+1: `0` is not a name"),
            ("1a", "0+2: `1a` is not a name"),
            ("a[0]", "1+3: places are counted from 1"),
            ("a[x='1']", "1+7: `[x='1']` is not a place in a list"),
            ("a[1", "1+1: this `[` has no `]`"),
            ("count(a)", "0+5: the function `count( )` is not read here"),
            ("text()/a", "6+1: `/` is not a part of a path"),
            ("ancestor::a", "0+10: the axis `ancestor::` is not read here"),
            ("\"a", "0+1: the name in quotes has no second quote"),
            ("#a", "0+1: a JSON pointer begins with `#/`"),
            ("/Envelope/Header/a", "0+9: only the body of an envelope has fields"),
            ("/Envelope/Body/a", "0+1: the query is the whole message"),
            ("/login", "0+1: the query is the whole message"),
        ] {
            assert_eq!(path(query), expected, "{query}");
        }
    }

    #[test]
    fn paths_are_written_and_read_back() {
        for steps in [
            &["a", "b", "@c"][..],
            &["@id"],
            &["a", "0", "12", "b"],
            &["0", "1"],
            &["a", "007", "4294967295", "99999999999"],
            &[
                "concept:name",
                "a/b",
                "",
                "\"",
                "'",
                "x y",
                "#text",
                "@",
                "@@",
                "@1",
                "..",
                "*",
                "a.b-c",
                "child",
                "@child",
            ],
        ] {
            let steps: Vec<String> = steps.iter().map(|step| (*step).to_owned()).collect();
            let path = Path { field: steps[0].clone(), steps: steps[1..].to_vec() };
            let printed = print(&path);
            assert_eq!(parse(&printed, None).ok(), Some(path), "{printed}");
        }
    }
}
