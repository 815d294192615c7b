// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of XML that rules need: elements, attributes and text, with their positions.
//!
//! The whole file becomes a tree of [`XmlElement`]s, which the readers of this folder convert to rules; messages about an attribute or
//! text point into the file ([`XmlText::place`]). `gnomon_scan::xml` reads logs instead: it builds no tree and keeps no positions of parts.
//!
//! Files may come from strangers. Document types are refused, since they can declare entities that expand without limit; the only
//! entities are the five of XML itself, and size, nesting and attributes are limited.

use gnomon_core::diagnostic::{Diagnostic, Span};

use crate::syntax::{Cursor, Diagnostics};

/// Limit on the nesting of elements: the functions that read them are recursive.
const MAX_DEPTH: usize = 450;
/// Limit on the elements of one rule or declaration.
const MAX_ELEMENTS: usize = 20_000;
/// Limit on the attributes of one element: they are compared with each other.
const MAX_ATTRIBUTES: usize = 64;
/// Limit on the length of a file.
const MAX_SOURCE: usize = 4 << 20;

/// An element.
pub(super) struct XmlElement {
    /// Its name without a prefix.
    pub(super) name: String,
    pub(super) name_span: Span,
    /// Its prefix; empty if it has none.
    pub(super) prefix: String,
    pub(super) attributes: Vec<XmlAttribute>,
    pub(super) children: Vec<XmlElement>,
    /// All text directly inside it, without the blanks around it.
    pub(super) text: XmlText,
    /// The start tag.
    pub(super) tag: Span,
    /// From the start tag to the end tag.
    pub(super) span: Span,
}

/// An attribute.
pub(super) struct XmlAttribute {
    pub(super) name: String,
    pub(super) name_span: Span,
    pub(super) value: XmlText,
}

/// A text and its position.
#[derive(Clone, Default)]
pub(super) struct XmlText {
    pub(super) value: String,
    /// The position without quotes.
    pub(super) span: Span,
    /// True if the source contains the text literally, without entities.
    exact: bool,
}

impl XmlText {
    /// Converts a diagnostic about a part of the text to one about the file. Without exact positions it is about all of
    /// the text.
    pub(super) fn place(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        let start = self.span.start;
        let place = |part: Span| {
            if self.exact { Span { start: start + part.start, end: start + part.end } } else { self.span }
        };
        diagnostic.primary.span = place(diagnostic.primary.span);
        diagnostic.secondary.iter_mut().for_each(|label| label.span = place(label.span));
        if let Some((span, _)) = diagnostic.help.as_mut().and_then(|help| help.edit.as_mut()) {
            *span = place(*span);
        }
        diagnostic
    }

    /// Reads the whole text with a parser of spec files. `what` names the text, as in "the end of the unit".
    pub(super) fn read<T>(
        &self,
        report: &mut Diagnostics,
        what: &'static str,
        read: impl FnOnce(&mut Cursor<'_>) -> Option<T>,
    ) -> Option<T> {
        let mut cursor = Cursor::new(&self.value, what);
        let value = read(&mut cursor);
        if value.is_some() && !cursor.at_end() {
            cursor.expected(&format!("the end of {what}"));
        }
        let found = cursor.into_diagnostics();
        let value = value.filter(|_| found.is_empty());
        for diagnostic in found {
            report.add(self.place(diagnostic));
        }
        value
    }

    fn add(&mut self, value: &str, span: Span, exact: bool) {
        if self.value.is_empty() {
            *self = XmlText { value: value.to_owned(), span, exact };
        } else {
            self.value.push_str(value);
            (self.span, self.exact) = (self.span.to(span), false);
        }
    }
}

/// The result of a parser that stops at its first error.
pub(super) type ParseResult<T> = Result<T, Box<Diagnostic>>;

/// A position in a text.
pub(super) struct Scanner<'s> {
    pub(super) text: &'s str,
    pub(super) at: usize,
}

impl<'s> Scanner<'s> {
    /// Returns the text from the current position on.
    pub(super) fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    /// Takes a text if it stands here.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// Returns the position of the next character.
    pub(super) fn here(&self) -> Span {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        Span::new(self.at, self.at + length)
    }

    /// Takes the text up to `end`, and `end` itself; `None` if it does not occur.
    fn take_until(&mut self, end: &str) -> Option<&'s str> {
        let rest = self.rest();
        let length = rest.find(end)?;
        self.at += length + end.len();
        Some(&rest[..length])
    }
}

/// Reads a document. An error means that it is not XML, or not the part of XML that is read here.
pub(super) fn parse(source: &str) -> ParseResult<XmlElement> {
    if source.len() > MAX_SOURCE {
        let message = format!("the file is longer than {} MiB", MAX_SOURCE >> 20);
        return fail(Diagnostic::error("G0114", Span::default(), message).help("split it into several files"));
    }
    Scanner { text: source, at: 0 }.document()
}

fn fail<T>(diagnostic: Diagnostic) -> ParseResult<T> {
    Err(Box::new(diagnostic))
}

fn wrong(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("G0123", span, message)
}

fn too_many(span: Span, what: &str, most: usize, help: &str) -> Diagnostic {
    Diagnostic::error("G0114", span, format!("this has more than {most} {what}")).help(help)
}

impl Scanner<'_> {
    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']).len();
    }

    fn document(&mut self) -> ParseResult<XmlElement> {
        // The open elements, outermost first, are on the heap, so that nesting does not use the stack.
        let mut open: Vec<XmlElement> = Vec::new();
        let mut root: Option<XmlElement> = None;
        let mut elements = 0;
        loop {
            if let Some(parent) = open.last_mut() {
                self.content(parent)?;
            } else {
                self.skip_blanks();
            }
            if self.rest().is_empty() {
                break;
            }
            if self.comment()? {
                continue;
            }
            let start = self.at;
            if !self.eat("<") {
                let diagnostic = wrong(self.here(), "there is text outside the root element");
                return fail(diagnostic.label("only comments are allowed here").help("leave it out"));
            }
            let closed = if self.eat("/") {
                Some(self.end_tag(start, &mut open)?)
            } else {
                if root.is_some() && open.is_empty() {
                    return fail(
                        wrong(Span::new(start, self.at), "there is a second root element")
                            .label("one element must contain all others")
                            .help("put all rules into one `<rules>`"),
                    );
                }
                let (element, empty) = self.start_tag(start)?;
                elements = if open.len() < 2 { 0 } else { elements + 1 };
                if elements > MAX_ELEMENTS {
                    return fail(too_many(element.tag, "elements", MAX_ELEMENTS, "split the rule into several"));
                }
                if empty {
                    Some(element)
                } else if open.len() == MAX_DEPTH {
                    let message = format!("elements are nested more than {MAX_DEPTH} levels deep");
                    let diagnostic = Diagnostic::error("G0113", element.tag, message);
                    return fail(diagnostic.help("split the rule into several"));
                } else {
                    open.push(element);
                    None
                }
            };
            if let Some(element) = closed {
                match open.last_mut() {
                    Some(parent) => parent.children.push(element),
                    None => root = Some(element),
                }
            }
        }
        if let Some(element) = open.last() {
            let name = &element.name;
            let diagnostic = wrong(element.tag, format!("`<{name}>` is not closed")).label("opened here");
            return fail(diagnostic.help(format!("write `</{name}>` where it ends")));
        }
        root.map_or_else(|| fail(wrong(self.here(), "there is no element").help("write `<rules>` and rules in it")), Ok)
    }

    /// Skips a comment, a processing instruction or the declaration. Returns true if there was one.
    fn comment(&mut self) -> ParseResult<bool> {
        let start = self.at;
        for (opening, closing) in [("<!--", "-->"), ("<?", "?>")] {
            if self.eat(opening) {
                let span = Span::new(start, self.at);
                if self.take_until(closing).is_none() {
                    let diagnostic = wrong(span, format!("`{opening}` has no `{closing}`"));
                    return fail(diagnostic.help(format!("write `{closing}` where it ends")));
                }
                return Ok(true);
            }
        }
        if self.rest().starts_with("<!") && !self.rest().starts_with("<![CDATA[") {
            return fail(
                wrong(Span::new(start, start + 2), "document types are not supported")
                    .label("entities could be declared here, which is a security risk")
                    .help("leave it out; the schema is named by `xsi:schemaLocation`"),
            );
        }
        Ok(false)
    }

    /// Reads the text up to the next markup into an element.
    fn content(&mut self, element: &mut XmlElement) -> ParseResult<()> {
        loop {
            let start = self.at;
            if self.eat("<![CDATA[") {
                let span = Span::new(start, self.at);
                let Some(inside) = self.take_until("]]>") else {
                    return fail(wrong(span, "`<![CDATA[` has no `]]>`").help("write `]]>` where the text ends"));
                };
                element.text.add(inside, Span::new(start, self.at), false);
                continue;
            }
            let length = self.rest().find('<').unwrap_or(self.rest().len());
            if length == 0 {
                return Ok(());
            }
            let raw = &self.rest()[..length];
            let (value, exact) = resolved(raw, start, false)?;
            let (before, after) = (raw.len() - raw.trim_ascii_start().len(), raw.len() - raw.trim_ascii_end().len());
            if before < raw.len() {
                let span = Span::new(start + before, start + raw.len() - after);
                element.text.add(if exact { raw.trim_ascii() } else { value.trim_ascii() }, span, exact);
            }
            self.at += length;
        }
    }

    /// Reads the rest of an end tag behind `</`, and closes the innermost open element with it.
    fn end_tag(&mut self, start: usize, open: &mut Vec<XmlElement>) -> ParseResult<XmlElement> {
        let (prefix, name, span) = self.name("the name of an element")?;
        self.skip_blanks();
        if !self.eat(">") {
            let diagnostic = wrong(self.here(), format!("`</{name}` is not closed by `>`"));
            return fail(diagnostic.help(format!("write `</{name}>`")));
        }
        match open.pop() {
            Some(mut element) if element.name == name && element.prefix == prefix => {
                element.span = element.tag.to(Span::new(start, self.at));
                Ok(element)
            }
            Some(element) => {
                let expected = qualified(&element.prefix, &element.name);
                fail(
                    wrong(span, format!("`</{name}>` does not close any element that is open here"))
                        .label(format!("`</{expected}>` is expected"))
                        .also(element.name_span, "this is open")
                        .edit(format!("close `<{expected}>` first"), span, expected),
                )
            }
            None => {
                let diagnostic = wrong(span, format!("`</{name}>` closes nothing")).label("no element is open here");
                fail(diagnostic.edit("leave it out", Span::new(start, self.at), ""))
            }
        }
    }

    /// Reads the rest of a start tag behind `<`. The second value is true if the element ends with its tag.
    fn start_tag(&mut self, start: usize) -> ParseResult<(XmlElement, bool)> {
        let (prefix, name, name_span) = self.name("the name of an element")?;
        let mut attributes: Vec<XmlAttribute> = Vec::new();
        loop {
            let before = self.at;
            self.skip_blanks();
            let empty = self.eat("/>");
            if empty || self.eat(">") {
                let tag = Span::new(start, self.at);
                let text = XmlText::default();
                let element =
                    XmlElement { name, name_span, prefix, attributes, children: vec![], text, tag, span: tag };
                return Ok((element, empty));
            }
            if self.rest().is_empty() || self.rest().starts_with('<') {
                return fail(
                    wrong(name_span, format!("the tag `<{name}` is not closed by `>`"))
                        .label("opened here")
                        .also(self.here(), "`>` is expected before this")
                        .help("write `>`, or `/>` if the element is empty"),
                );
            }
            if self.at == before {
                return fail(
                    wrong(self.here(), "there is no blank before the attribute")
                        .label("a name of an attribute, `>` or `/>` is expected")
                        .help("write a blank between attributes"),
                );
            }
            let attribute = self.attribute()?;
            if let Some(known) = attributes.iter().find(|known| known.name == attribute.name) {
                return fail(
                    wrong(attribute.name_span, format!("`{}` occurs twice", attribute.name))
                        .label("given again here")
                        .also(known.name_span, "given here first")
                        .help("leave one of them out"),
                );
            }
            attributes.push(attribute);
            if attributes.len() > MAX_ATTRIBUTES {
                return fail(too_many(name_span, "attributes", MAX_ATTRIBUTES, "leave some out"));
            }
        }
    }

    fn attribute(&mut self) -> ParseResult<XmlAttribute> {
        let (prefix, local, name_span) = self.name("the name of an attribute")?;
        let name = qualified(&prefix, &local);
        self.skip_blanks();
        if !self.eat("=") {
            return fail(
                wrong(name_span, format!("the attribute `{name}` has no value"))
                    .label("`=` and a value in quotes are expected after this")
                    .edit("write a value", name_span, format!("{name}=\"true\"")),
            );
        }
        self.skip_blanks();
        let start = self.at;
        let Some(quote @ ('"' | '\'')) = self.rest().chars().next() else {
            let length = self.rest().find(|end: char| end.is_whitespace() || "/><\"'".contains(end));
            let span = Span::new(start, start + length.unwrap_or(self.rest().len()));
            let edit = format!("\"{}\"", span.text(self.text));
            let diagnostic = wrong(span, format!("the value of `{name}` is not in quotes"));
            return fail(diagnostic.edit("write it in quotes", span, edit));
        };
        self.at += 1;
        let inside = self.at;
        let Some(raw) = self.take_until(if quote == '"' { "\"" } else { "'" }) else {
            let diagnostic = wrong(Span::new(start, start + 1), format!("the value of `{name}` has no closing quote"));
            return fail(diagnostic.label("opened here").help(format!("write `{quote}` where it ends")));
        };
        if let Some(at) = raw.find('<') {
            let place = Span::new(inside + at, inside + at + 1);
            return fail(
                wrong(place, "a value contains `<`")
                    .label("this would begin an element; or the closing quote is missing")
                    .edit("write `&lt;`", place, "&lt;"),
            );
        }
        let (value, exact) = resolved(raw, inside, true)?;
        let span = Span::new(inside, inside + raw.len());
        Ok(XmlAttribute { name, name_span, value: XmlText { value, span, exact } })
    }

    /// Reads a name. Returns its prefix (or nothing), its local part and its position.
    fn name(&mut self, what: &str) -> ParseResult<(String, String, Span)> {
        let start = self.at;
        let rest = self.rest();
        let end = rest.find(|inside: char| !is_name(inside)).unwrap_or(rest.len());
        let written = &rest[..end];
        if !written.starts_with(|first: char| first.is_alphabetic() || first == '_') {
            let diagnostic = wrong(self.here(), format!("{what} is expected here"));
            return fail(diagnostic.help("a `<` that opens no element is written `&lt;`"));
        }
        self.at += end;
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        Ok((prefix.to_owned(), local.to_owned(), Span::new(start, self.at)))
    }
}

/// Replaces the entities in a text that stands at byte `start`; blanks of an attribute become spaces. The second value
/// is true if there were no entities.
fn resolved(raw: &str, start: usize, attribute: bool) -> ParseResult<(String, bool)> {
    let mut value = String::with_capacity(raw.len());
    let mut exact = true;
    let mut at = 0;
    while let Some(character) = raw[at..].chars().next() {
        if character != '&' {
            let blank = attribute && matches!(character, '\n' | '\r' | '\t');
            value.push(if blank { ' ' } else { character });
            at += character.len_utf8();
            continue;
        }
        exact = false;
        let Some(length) = raw[at..].find(';').filter(|length| *length < 12) else {
            let span = Span::new(start + at, start + at + 1);
            let diagnostic = wrong(span, "this `&` does not begin an entity").label("an entity ends with `;`");
            return fail(diagnostic.edit("write `&amp;`", span, "&amp;"));
        };
        let name = &raw[at + 1..at + length];
        let Some(decoded) = entity(name) else {
            let span = Span::new(start + at, start + at + length + 1);
            return fail(
                wrong(span, format!("`&{name};` is not an entity that is known here"))
                    .label("known are `&amp; &lt; &gt; &quot; &apos;` and numbers")
                    .help("write the character itself, or its number: `&#233;`"),
            );
        };
        value.push(decoded);
        at += length + 1;
    }
    Ok((value, exact))
}

/// Returns a name as it is written.
fn qualified(prefix: &str, local: &str) -> String {
    if prefix.is_empty() { local.to_owned() } else { format!("{prefix}:{local}") }
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | ':' | '\u{b7}')
}

/// Returns true if XML can contain a character.
fn is_character(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

fn entity(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
            let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            let code = u32::from_str_radix(digits, radix).ok().filter(|_| plain)?;
            return char::from_u32(code).filter(|character| is_character(*character));
        }
    })
}
