// SPDX-License-Identifier: MIT OR Apache-2.0
//! As much of XML as rules need: elements, attributes and text, with their places. No document types, no entities but the
//! five that XML itself has, and an end to nesting.

use gnomon_core::diagnostic::{Diagnostic, Span};

use super::report::Report;

/// How deep elements may nest: what reads them is recursive.
const MAX_DEPTH: usize = 450;
/// How many elements one rule or declaration may have, and attributes one element: some are compared with each other.
const MAX_ELEMENTS: usize = 20_000;
const MAX_ATTRIBUTES: usize = 64;
/// How long a file may be.
const MAX_SOURCE: usize = 4 << 20;

/// An element.
pub(super) struct Element {
    /// Its name without a prefix.
    pub(super) name: String,
    pub(super) name_span: Span,
    /// Its prefix; empty if it has none.
    pub(super) prefix: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Element>,
    /// All text right inside it, without the blanks around it.
    pub(super) text: Text,
    /// The start tag.
    pub(super) tag: Span,
    /// From the start tag to the end tag.
    pub(super) span: Span,
}

/// An attribute.
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) name_span: Span,
    pub(super) value: Text,
}

/// A text and where it stands.
#[derive(Clone, Default)]
pub(super) struct Text {
    pub(super) value: String,
    /// Without its quotes.
    pub(super) span: Span,
    /// Whether it stands there letter by letter.
    exact: bool,
}

impl Text {
    /// Where a part of the text stands.
    pub(super) fn place(&self, part: Span) -> Span {
        let start = self.span.start;
        if self.exact { Span { start: start + part.start, end: start + part.end } } else { self.span }
    }
}

/// Reads a document; `None` if it is no XML, or none that is read here, which has been reported.
pub(super) fn read(report: &mut Report, source: &str) -> Option<Element> {
    if source.len() > MAX_SOURCE {
        let message = format!("the file is longer than {} MiB", MAX_SOURCE >> 20);
        report.add(Diagnostic::error("G0114", Span::default(), message).help("split it into several files"));
        return None;
    }
    let mut reader = Reader { source, at: 0, wrong: None };
    let root = reader.document();
    reader.wrong.into_iter().for_each(|wrong| report.add(wrong));
    root
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
    wrong: Option<Diagnostic>,
}

fn wrong(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("G0123", span, message)
}

fn too_many(span: Span, what: &str, most: usize, help: &str) -> Diagnostic {
    Diagnostic::error("G0114", span, format!("this has more than {most} {what}")).help(help)
}

impl<'s> Reader<'s> {
    /// Remembers why reading ends here.
    fn fail<T>(&mut self, wrong: Diagnostic) -> Option<T> {
        self.wrong = Some(wrong);
        None
    }

    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']).len();
    }

    /// The next character, as a place.
    fn here(&self) -> Span {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        Span::new(self.at, self.at + length)
    }

    fn document(&mut self) -> Option<Element> {
        // Elements that are open, outermost first: their depth is bounded, not the stack's.
        let mut open: Vec<Element> = Vec::new();
        let mut root: Option<Element> = None;
        let mut elements = 0;
        loop {
            if let Some(parent) = open.last_mut() {
                self.text(parent)?;
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
                return self.fail(
                    wrong(self.here(), "there is text outside the root element")
                        .label("only comments may stand here")
                        .help("leave it out"),
                );
            }
            let closed = if self.eat("/") {
                Some(self.end_tag(start, &mut open)?)
            } else {
                if root.is_some() && open.is_empty() {
                    return self.fail(
                        wrong(Span::new(start, self.at), "there is a second root element")
                            .label("one element holds all the others")
                            .help("put all rules into one `<rules>`"),
                    );
                }
                let (element, empty) = self.start_tag(start)?;
                elements = if open.len() < 2 { 0 } else { elements + 1 };
                if elements > MAX_ELEMENTS {
                    return self.fail(too_many(element.tag, "elements", MAX_ELEMENTS, "split the rule into several"));
                }
                if empty {
                    Some(element)
                } else if open.len() == MAX_DEPTH {
                    let message = format!("elements are nested more than {MAX_DEPTH} levels deep");
                    return self
                        .fail(Diagnostic::error("G0113", element.tag, message).help("split the rule into several"));
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
            return self.fail(
                wrong(element.tag, format!("`<{name}>` is not closed"))
                    .label("opened here")
                    .help(format!("write `</{name}>` where it ends")),
            );
        }
        if root.is_none() {
            let here = self.here();
            return self.fail(wrong(here, "there is no element").help("write `<rules>` and rules in it"));
        }
        root
    }

    /// Skips a comment, a processing instruction or the declaration.
    fn comment(&mut self) -> Option<bool> {
        let start = self.at;
        for (opening, closing) in [("<!--", "-->"), ("<?", "?>")] {
            if self.eat(opening) {
                let Some(length) = self.rest().find(closing) else {
                    return self.fail(
                        wrong(Span::new(start, self.at), format!("`{opening}` has no `{closing}`"))
                            .help(format!("write `{closing}` where it ends")),
                    );
                };
                self.at += length + closing.len();
                return Some(true);
            }
        }
        if self.rest().starts_with("<!") && !self.rest().starts_with("<![CDATA[") {
            return self.fail(
                wrong(Span::new(start, start + 2), "document types are not read")
                    .label("entities could be declared here, which may do harm")
                    .help("leave it out; the schema is named by `xsi:schemaLocation`"),
            );
        }
        Some(false)
    }

    /// Reads the text up to the next markup into an element.
    fn text(&mut self, element: &mut Element) -> Option<()> {
        loop {
            let start = self.at;
            if self.eat("<![CDATA[") {
                let Some(length) = self.rest().find("]]>") else {
                    return self.fail(
                        wrong(Span::new(start, self.at), "`<![CDATA[` has no `]]>`")
                            .help("write `]]>` where the text ends"),
                    );
                };
                let inside = &self.rest()[..length];
                self.at += length + 3;
                element.text.add(inside, Span::new(start, self.at), false);
                continue;
            }
            let length = self.rest().find('<').unwrap_or(self.rest().len());
            if length == 0 {
                return Some(());
            }
            let raw = &self.rest()[..length];
            let (value, exact) = self.resolved(raw, start, false)?;
            let (before, after) = (raw.len() - raw.trim_ascii_start().len(), raw.len() - raw.trim_ascii_end().len());
            if before < raw.len() {
                let span = Span::new(start + before, start + raw.len() - after);
                element.text.add(if exact { raw.trim_ascii() } else { value.trim_ascii() }, span, exact);
            }
            self.at += length;
        }
    }

    fn end_tag(&mut self, start: usize, open: &mut Vec<Element>) -> Option<Element> {
        let (prefix, name, span) = self.name("the name of an element")?;
        self.skip_blanks();
        if !self.eat(">") {
            return self.fail(
                wrong(self.here(), format!("`</{name}` is not closed by `>`")).help(format!("write `</{name}>`")),
            );
        }
        match open.pop() {
            Some(mut element) if element.name == name && element.prefix == prefix => {
                element.span = element.tag.to(Span::new(start, self.at));
                Some(element)
            }
            Some(element) => {
                let expected = element.qualified();
                self.fail(
                    wrong(span, format!("`</{name}>` closes no element that is open here"))
                        .label(format!("`</{expected}>` is expected"))
                        .also(element.name_span, "this is open")
                        .edit(format!("close `<{expected}>` first"), span, expected),
                )
            }
            None => {
                self.fail(wrong(span, format!("`</{name}>` closes nothing")).label("no element is open here").edit(
                    "leave it out",
                    Span::new(start, self.at),
                    "",
                ))
            }
        }
    }

    /// What follows a `<`, and whether the element ends with its tag.
    fn start_tag(&mut self, start: usize) -> Option<(Element, bool)> {
        let (prefix, name, name_span) = self.name("the name of an element")?;
        let mut attributes: Vec<Attribute> = Vec::new();
        loop {
            let before = self.at;
            self.skip_blanks();
            let empty = self.eat("/>");
            if empty || self.eat(">") {
                let tag = Span::new(start, self.at);
                let text = Text::default();
                let element = Element { name, name_span, prefix, attributes, children: vec![], text, tag, span: tag };
                return Some((element, empty));
            }
            if self.rest().is_empty() || self.rest().starts_with('<') {
                return self.fail(
                    wrong(name_span, format!("the tag `<{name}` is not closed by `>`"))
                        .label("opened here")
                        .also(self.here(), "`>` is expected before this")
                        .help("write `>`, or `/>` if nothing stands inside the element"),
                );
            }
            if self.at == before {
                return self.fail(
                    wrong(self.here(), "no blank stands before the attribute")
                        .label("a name of an attribute, `>` or `/>` is expected")
                        .help("write a blank between attributes"),
                );
            }
            let attribute = self.attribute()?;
            if let Some(known) = attributes.iter().find(|known| known.name == attribute.name) {
                return self.fail(
                    wrong(attribute.name_span, format!("`{}` is there twice", attribute.name))
                        .label("given again here")
                        .also(known.name_span, "given here first")
                        .help("leave one of them out"),
                );
            }
            attributes.push(attribute);
            if attributes.len() > MAX_ATTRIBUTES {
                return self.fail(too_many(name_span, "attributes", MAX_ATTRIBUTES, "leave some out"));
            }
        }
    }

    fn attribute(&mut self) -> Option<Attribute> {
        let (prefix, local, name_span) = self.name("the name of an attribute")?;
        let name = if prefix.is_empty() { local } else { format!("{prefix}:{local}") };
        self.skip_blanks();
        if !self.eat("=") {
            return self.fail(
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
            let written = span.text(self.source);
            return self.fail(wrong(span, format!("the value of `{name}` is not in quotes")).edit(
                "write it in quotes",
                span,
                format!("\"{written}\""),
            ));
        };
        self.at += 1;
        let Some(length) = self.rest().find(quote) else {
            return self.fail(
                wrong(Span::new(start, start + 1), format!("the value of `{name}` has no closing quote"))
                    .label("opened here")
                    .help(format!("write `{quote}` where it ends")),
            );
        };
        let raw = &self.rest()[..length];
        if let Some(at) = raw.find('<') {
            let place = Span::new(self.at + at, self.at + at + 1);
            return self.fail(
                wrong(place, "`<` stands in a value")
                    .label("this would begin an element; or the closing quote is missing")
                    .edit("write `&lt;`", place, "&lt;"),
            );
        }
        let (value, exact) = self.resolved(raw, self.at, true)?;
        let span = Span::new(self.at, self.at + length);
        self.at += length + 1;
        Some(Attribute { name, name_span, value: Text { value, span, exact } })
    }

    /// A prefix (or none), a name and the place of both.
    fn name(&mut self, what: &str) -> Option<(String, String, Span)> {
        let start = self.at;
        let rest = self.rest();
        let end = rest.find(|inside: char| !is_name(inside)).unwrap_or(rest.len());
        let written = &rest[..end];
        let starts = written.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
        if !starts {
            return self.fail(
                wrong(self.here(), format!("{what} is expected here"))
                    .help("a `<` that opens no element is written `&lt;`"),
            );
        }
        self.at += end;
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        Some((prefix.to_owned(), local.to_owned(), Span::new(start, self.at)))
    }

    /// A text with its entities replaced, and whether there were none; blanks of an attribute become spaces.
    fn resolved(&mut self, raw: &str, start: usize, attribute: bool) -> Option<(String, bool)> {
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
            let length = raw[at..].find(';').filter(|length| *length < 12);
            let Some(length) = length else {
                let span = Span::new(start + at, start + at + 1);
                return self.fail(wrong(span, "this `&` begins no entity").label("an entity ends with `;`").edit(
                    "write `&amp;`",
                    span,
                    "&amp;",
                ));
            };
            let name = &raw[at + 1..at + length];
            let Some(decoded) = entity(name) else {
                let span = Span::new(start + at, start + at + length + 1);
                return self.fail(
                    wrong(span, format!("`&{name};` is no entity that is known here"))
                        .label("known are `&amp; &lt; &gt; &quot; &apos;` and numbers")
                        .help("write the character itself, or its number: `&#233;`"),
                );
            };
            value.push(decoded);
            at += length + 1;
        }
        Some((value, exact))
    }
}

impl Element {
    /// The name as it is written.
    fn qualified(&self) -> String {
        if self.prefix.is_empty() { self.name.clone() } else { format!("{}:{}", self.prefix, self.name) }
    }
}

impl Text {
    fn add(&mut self, value: &str, span: Span, exact: bool) {
        if self.value.is_empty() {
            *self = Text { value: value.to_owned(), span, exact };
        } else {
            self.value.push_str(value);
            (self.span, self.exact) = (self.span.to(span), false);
        }
    }
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | ':' | '\u{b7}')
}

/// Whether XML can carry a character.
pub(super) fn is_character(character: char) -> bool {
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
