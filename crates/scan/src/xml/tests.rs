// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tokens, texts and attributes, in pieces of several sizes.

use std::fmt::Write;

use super::{Attributes, Token};
use crate::buffer::{Buffer, ByteSource};
use crate::cursor::Cursor;
use crate::error::{Code, Fault};

/// An input that comes a few bytes at a time.
struct Trickle<'a> {
    rest: &'a [u8],
    step: usize,
}

impl ByteSource for Trickle<'_> {
    fn read(&mut self, into: &mut [u8], _: usize) -> Result<usize, Fault> {
        let count = self.step.min(into.len()).min(self.rest.len());
        let (now, later) = self.rest.split_at(count);
        into[..count].copy_from_slice(now);
        self.rest = later;
        Ok(count)
    }
}

fn tokens(text: &str) -> String {
    let mut results = Vec::new();
    for step in [1, 2, 5, 1000] {
        let mut cursor = Cursor::new(Buffer::open(Trickle { rest: text.as_bytes(), step }).unwrap());
        let mut shown = String::new();
        loop {
            let token = match cursor.token() {
                Ok(Token::End) => break,
                Ok(token) => token,
                Err(fault) => {
                    write!(shown, "{:?}@{}", fault.code(), fault.at()).unwrap();
                    break;
                }
            };
            let part = |range: crate::range::ByteRange| String::from_utf8_lossy(range.of(cursor.row())).into_owned();
            let text = match token {
                Token::Open(tag) => {
                    format!(
                        "<{}{}{}>",
                        part(tag.name),
                        part(tag.attributes),
                        if tag.is_self_closing { "/" } else { "" }
                    )
                }
                Token::Close(name) => format!("</{}>", part(name)),
                Token::Text(text) => format!("[{}]", part(text)),
                Token::Cdata(text) => format!("[[{}]]", part(text)),
                Token::Comment => "-".to_owned(),
                Token::End => String::new(),
            };
            shown.push_str(&text);
        }
        results.push(shown);
    }
    assert!(results.iter().all(|result| *result == results[0]), "{text:?}: {results:?}");
    results.swap_remove(0)
}

#[test]
fn every_kind_of_token() {
    for (text, expected) in [
        ("", ""),
        ("<a>x</a>", "<a>[x]</a>"),
        ("<a b=\"1>2\" c='\"'/>", "<a b=\"1>2\" c='\"'/>"),
        ("<a\n/></a >", "<a\n/></a>"),
        ("<!-- < > --><?p >?><![CDATA[<&]]>]]", "--[[<&]][]]]"),
        ("<?xml version=\"1.0\" encoding='UTF-8'?>", "-"),
        ("<long-name-of-an-element attribute=\"value\">", "<long-name-of-an-element attribute=\"value\">"),
        ("<", "BadXml@0"),
        ("<a", "BadXml@0"),
        ("<a b=\"", "BadXml@5"),
        ("</", "BadXml@0"),
        ("< a>", "BadXml@0"),
        ("</>", "BadXml@0"),
        ("<>", "BadXml@0"),
        ("<1>", "BadXml@0"),
        ("<!-", "BadXml@0"),
        ("<!--", "BadXml@0"),
        ("<!-- -- >", "BadXml@0"),
        ("<?a", "BadXml@0"),
        ("<![CDATA[", "BadXml@0"),
        ("<![CDAT", "BadXml@0"),
        ("x<!DOCTYPE a>", "[x]Declared@1"),
        ("<!ENTITY a \"b\">", "Declared@0"),
        ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>", "NotText@0"),
    ] {
        assert_eq!(tokens(text), expected, "{text:?}");
    }
}

fn content(inside: &str) -> Result<String, Code> {
    let text = format!("<a>{inside}</a>");
    let mut cursor = Cursor::new(Buffer::from_bytes(text.as_bytes()));
    let Ok(Token::Open(tag)) = cursor.token() else { panic!("a tag") };
    let content = cursor.content(tag, "a").map_err(|fault| fault.code())?;
    content.decode(cursor.row()).map(std::borrow::Cow::into_owned).map_err(|fault| fault.code())
}

#[test]
fn texts_are_decoded_and_trimmed() {
    for (inside, expected) in [
        ("", ""),
        ("  ", ""),
        ("\r\n a b \r\n", "a b"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;", "<>&\"'A\u{1F600}"),
        (" &#32;a&#10; ", " a\n"),
        (" <![CDATA[ <a> ]]> ", " <a> "),
        ("a<!-- b -->c <?d?>", "ac"),
        (" <!-- --> x", "x"),
        ("a <!-- --> b", "a  b"),
        ("<![CDATA[]]>", ""),
        ("é&amp;ü", "é&ü"),
    ] {
        assert_eq!(content(inside), Ok(expected.to_owned()), "{inside:?}");
    }
    for (inside, code) in [
        ("&", Code::BadXml),
        ("& a", Code::BadXml),
        ("&amp", Code::BadXml),
        ("&;", Code::BadXml),
        ("&#;", Code::BadXml),
        ("&#x;", Code::BadXml),
        ("&#0;", Code::BadXml),
        ("&#xD800;", Code::BadXml),
        ("&#+65;", Code::BadXml),
        ("&#99999999999;", Code::BadXml),
        ("&lol;", Code::Declared),
        ("<b/>", Code::NotALog),
        ("</b>", Code::BadXml),
    ] {
        assert_eq!(content(inside), Err(code), "{inside:?}");
    }
}

#[test]
fn attributes_in_both_quotes() {
    let shown = |text: &str| {
        let mut padded = text.as_bytes().to_vec();
        padded.extend([0; 16]);
        let mut attributes = Attributes::new(&padded, crate::range::ByteRange { start: 0, end: text.len() });
        let mut shown = String::new();
        while let Some((name, value)) = attributes.next().map_err(|fault| fault.code())? {
            let value = value.decode(&padded).map_err(|fault| fault.code())?;
            write!(shown, "{}={value};", String::from_utf8_lossy(name)).unwrap();
        }
        Ok(shown)
    };
    for (text, expected) in [
        ("", ""),
        (" a=\"1\" b = '2' ", "a=1;b=2;"),
        (" a=\"'\" b='\"'", "a=';b=\";"),
        ("a=\"1&amp;2\nx\ty\r\nz\"", "a=1&2 x y z;"),
        ("key=\"a longer value, no end in sight\"", "key=a longer value, no end in sight;"),
        ("a=\"é\"", "a=é;"),
    ] {
        assert_eq!(shown(text), Ok(expected.to_owned()), "{text:?}");
    }
    for text in ["a", "a=", "a=1", "a=\"", "a=\"1", "=\"1\"", "a \"1\"", "<b"] {
        assert_eq!(shown(text), Err(Code::BadXml), "{text:?}");
    }
    assert_eq!(shown("a=\"&x;\""), Err(Code::Declared));
}
