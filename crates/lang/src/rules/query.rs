// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queries: the part of `XPath` that is a path into a message, and JSON pointers. Both ways, so that what is written is
//! read back.

use std::fmt::Write as _;

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::pattern::Path;

use super::report::Report;
use super::xml::Text;

/// What a message's own text is called, beside its attributes and elements.
const OWN_TEXT: &str = "#text";

/// Where a query is wrong, and why.
struct Wrong {
    at: usize,
    length: usize,
    message: String,
    help: String,
    /// What to write instead of the marked part.
    edit: Option<String>,
}

impl Wrong {
    fn new(at: usize, length: usize, message: impl Into<String>, help: impl Into<String>) -> Self {
        Wrong { at, length, message: message.into(), help: help.into(), edit: None }
    }
}

/// The path that a query stands for. `message` is the message it is put to: an absolute query may begin with it.
pub(super) fn read(report: &mut Report, text: &Text, message: Option<&str>) -> Option<Path> {
    let wrong = match parse(&text.value, message) {
        Ok(path) => return Some(path),
        Err(wrong) => wrong,
    };
    let span = text.place(Span::new(wrong.at, wrong.at + wrong.length));
    let diagnostic = Diagnostic::error("G0125", span, wrong.message);
    report.add(match wrong.edit {
        Some(edit) => diagnostic.edit(wrong.help, span, edit),
        None => diagnostic.help(wrong.help),
    });
    None
}

fn parse(text: &str, message: Option<&str>) -> Result<Path, Wrong> {
    if text.is_empty() {
        return Err(Wrong::new(0, 0, "the query is empty", "write the path to the field, such as `order/@id`"));
    }
    if let Some(pointer) = text.strip_prefix('#') {
        return self::pointer(pointer);
    }
    let mut reader = Reader { text, at: 0 };
    let absolute = text.starts_with('/');
    let mut steps = Vec::new();
    if !absolute {
        reader.take("./");
    }
    if reader.rest().starts_with("//") {
        return Err(reader.anywhere());
    }
    reader.take("/");
    loop {
        reader.step(&mut steps)?;
        if reader.rest().is_empty() {
            break;
        }
        if reader.rest().starts_with("//") {
            return Err(reader.anywhere());
        }
        if !reader.take("/") {
            return Err(reader.unexpected());
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

/// `text()`, which no name can be mistaken for.
const TEXT_FUNCTION: &str = "\u{0}text()";

/// `/Envelope/Body/login/user` and `/login/user` are `user`.
fn from_document(steps: &mut Vec<String>, message: Option<&str>) -> Result<(), Wrong> {
    let envelope = steps.first().is_some_and(|step| step == "Envelope");
    if envelope && steps.get(1).is_none_or(|step| step != "Body") {
        return Err(Wrong::new(
            0,
            1 + "Envelope".len(),
            "only the body of an envelope has fields",
            "begin with `/Envelope/Body/` and the message, or with the message's own parts",
        ));
    }
    let outer = if envelope { 3 } else { usize::from(steps.first().map(String::as_str) == message) };
    if outer > 0 && steps.len() <= outer {
        return Err(Wrong::new(
            0,
            1,
            "the query is the whole message",
            "go on to a part of it: `/Envelope/Body/login/sessionId`",
        ));
    }
    steps.drain(..outer);
    Ok(())
}

/// `#/order/items/0`, a JSON pointer.
fn pointer(text: &str) -> Result<Path, Wrong> {
    let Some(rest) = text.strip_prefix('/') else {
        return Err(Wrong::new(0, 1, "a JSON pointer begins with `#/`", "write `#/order/id`, or `order/id`"));
    };
    let mut steps = rest.split('/').map(|step| step.replace("~1", "/").replace("~0", "~"));
    let field = steps.next().unwrap_or_default();
    Ok(Path { field, steps: steps.collect() })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn anywhere(&self) -> Wrong {
        Wrong::new(
            self.at,
            2,
            "`//` looks for a field anywhere",
            "name every step, so that each message has one value at most: `order/id`",
        )
    }

    fn unexpected(&self) -> Wrong {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        let found = match self.rest().chars().next() {
            Some(found) => format!("`{found}` is no part of a path"),
            None => "the path ends with `/`".to_owned(),
        };
        let help = "write steps with `/` between them: a name, `@name`, `name[1]` or a name in quotes";
        Wrong::new(self.at, length, found, help)
    }

    /// One step and its place, as one or two steps of a path.
    fn step(&mut self, steps: &mut Vec<String>) -> Result<(), Wrong> {
        let start = self.at;
        if let Some(quote @ ('"' | '\'')) = self.rest().chars().next() {
            steps.push(self.quoted(quote)?);
            return self.places(steps);
        }
        let mut attribute = self.take("@") || self.take("attribute::");
        if !attribute {
            self.take("child::");
            attribute = self.take("@");
        }
        for (mark, why) in [("..", "`..` leads out of the message"), (".", "`.` is no step"), ("*", "`*` is any field")]
        {
            if self.rest().starts_with(mark) {
                return Err(Wrong::new(self.at, mark.len(), why, "name the step"));
            }
        }
        let rest = self.rest();
        let length = rest.find(|inside: char| !is_name(inside) && inside != ':').unwrap_or(rest.len());
        if length == 0 {
            return Err(self.unexpected());
        }
        let name = &rest[..length];
        self.at += length;
        if let Some((axis, _)) = name.split_once("::") {
            let message = format!("the axis `{axis}::` is not read here");
            return Err(Wrong::new(start, axis.len() + 2, message, "go down step by step: `order/id`, `order/@id`"));
        }
        if self.rest().starts_with('(') {
            if name == "text" && !attribute && self.take("()") {
                steps.push(TEXT_FUNCTION.to_owned());
                return if self.rest().is_empty() { Ok(()) } else { Err(self.unexpected()) };
            }
            let message = format!("the function `{name}( )` is not read here");
            return Err(Wrong::new(start, length, message, "only `text()` is, at the end: compare in a `<condition>`"));
        }
        // A prefix is the document's own choice, and no part of the name.
        let local = name.rsplit_once(':').map_or(name, |(_, local)| local);
        let starts = local.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
        if !starts {
            let mut wrong = Wrong::new(start, self.at - start, format!("`{name}` is no name"), "write it in quotes");
            if local.bytes().all(|byte| byte.is_ascii_digit()) && !local.is_empty() && !steps.is_empty() && !attribute {
                wrong.help = String::from("a place in a list is counted from 1, in brackets: `item[1]`");
            } else if !name.is_empty() {
                wrong.edit = Some(quoted(&self.text[start..self.at]));
            }
            return Err(wrong);
        }
        steps.push(if attribute { format!("@{local}") } else { local.to_owned() });
        self.places(steps)
    }

    /// A name in quotes; a doubled quote stands for one.
    fn quoted(&mut self, quote: char) -> Result<String, Wrong> {
        let start = self.at;
        let mut name = String::new();
        self.at += 1;
        loop {
            let Some(length) = self.rest().find(quote) else {
                let message = "the name in quotes has no second quote";
                return Err(Wrong::new(start, 1, message, "write the quote where the name ends"));
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

    /// `[2]`: the second of a list, which is at 1 in a path.
    fn places(&mut self, steps: &mut Vec<String>) -> Result<(), Wrong> {
        while self.rest().starts_with('[') {
            let start = self.at;
            let Some(length) = self.rest().find(']') else {
                return Err(Wrong::new(start, 1, "this `[` has no `]`", "write the place as in `item[1]`"));
            };
            let inside = self.rest()[1..length].trim();
            self.at += length + 1;
            match inside.parse::<u32>() {
                Ok(0) => {
                    let mut wrong =
                        Wrong::new(start, length + 1, "places are counted from 1", "write `[1]` for the first");
                    wrong.edit = Some("[1]".to_owned());
                    return Err(wrong);
                }
                Ok(place) if inside.bytes().all(|byte| byte.is_ascii_digit()) => steps.push((place - 1).to_string()),
                _ => {
                    return Err(Wrong::new(
                        start,
                        length + 1,
                        format!("`[{inside}]` is no place in a list"),
                        "only numbers stand in brackets; compare in a `<condition>`",
                    ));
                }
            }
        }
        Ok(())
    }
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.')
}

/// Writes a path as a query that is read back as the same.
pub(super) fn print(path: &Path) -> String {
    let mut out = name(&path.field);
    for step in &path.steps {
        // Only what is counted without leading zeros is a place.
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
            Err(wrong) => format!("{}+{}: {}", wrong.at, wrong.length, wrong.message),
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
            ("//id", "0+2: `//` looks for a field anywhere"),
            ("a//id", "1+2: `//` looks for a field anywhere"),
            ("a/", "2+0: the path ends with `/`"),
            ("a b", "1+1: ` ` is no part of a path"),
            ("a/..", "2+2: `..` leads out of the message"),
            ("a/*", "2+1: `*` is any field"),
            ("a/0", "2+1: `0` is no name"),
            ("1a", "0+2: `1a` is no name"),
            ("a[0]", "1+3: places are counted from 1"),
            ("a[x='1']", "1+7: `[x='1']` is no place in a list"),
            ("a[1", "1+1: this `[` has no `]`"),
            ("count(a)", "0+5: the function `count( )` is not read here"),
            ("text()/a", "6+1: `/` is no part of a path"),
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
