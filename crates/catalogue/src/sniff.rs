// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which kind of document something is.

use gnomon_trace::Place;
use gnomon_trace::message::{Element, Located};

use crate::{CatalogueError, Kind};

/// The kind of document that begins like this, as far as that can be told without reading it: a trace begins otherwise.
/// Documents of kinds that are not read, such as WSDL 2.0, are told apart when they are read.
pub fn sniff(head: &[u8]) -> Option<Kind> {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // A character may be cut in two.
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&head[..error.valid_up_to()]).ok()?,
        Err(_) => return None,
    };
    match text.trim_start().as_bytes().first()? {
        b'<' => of_tag(text),
        b'{' => of_keys(text),
        _ => of_lines(text),
    }
}

/// By the first tag of an XML document.
fn of_tag(text: &str) -> Option<Kind> {
    let mut rest = text;
    loop {
        rest = &rest[rest.find('<')?..];
        let end = match rest.as_bytes().get(1)? {
            b'?' => rest.find("?>")? + 2,
            b'!' if rest.starts_with("<!--") => rest.find("-->")? + 3,
            _ => break,
        };
        rest = &rest[end..];
    }
    let name = rest[1..].split(|letter: char| letter.is_whitespace() || matches!(letter, '>' | '/')).next()?;
    let tag = rest.split('>').next()?;
    match name.rsplit(':').next()? {
        "definitions" if tag.contains(WSDL) => Some(Kind::Wsdl),
        "description" if tag.contains(WSDL_2) => Some(Kind::Wsdl),
        "process" if is_bpel(tag) => Some(Kind::Bpel),
        _ => None,
    }
}

/// By the keys of the outermost JSON object.
fn of_keys(text: &str) -> Option<Kind> {
    let (mut depth, mut inside, mut escaped, mut start) = (0_u32, false, false, 0);
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        if inside {
            let closes = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            if closes {
                inside = false;
                let is_key = depth == 1 && text[at + 1..].trim_start().starts_with(':');
                if let Some(kind) = of_key(text.get(start..at)?).filter(|_| is_key) {
                    return Some(kind);
                }
            }
            continue;
        }
        match byte {
            b'"' => (inside, start) = (true, at + 1),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1).filter(|depth| *depth > 0)?,
            _ => {}
        }
    }
    None
}

/// By the keys of the outermost YAML mapping.
fn of_lines(text: &str) -> Option<Kind> {
    text.lines().find_map(|line| {
        let (key, _) = line.split_once(':').filter(|(_, value)| value.is_empty() || value.starts_with([' ', '\t']))?;
        of_key(key.trim_end().trim_matches(['"', '\'']))
    })
}

fn of_key(key: &str) -> Option<Kind> {
    match key {
        "openapi" | "swagger" => Some(Kind::OpenApi),
        "asyncapi" => Some(Kind::AsyncApi),
        _ => None,
    }
}

const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
const WSDL_2: &str = "http://www.w3.org/ns/wsdl";

fn is_bpel(text: &str) -> bool {
    text.contains("docs.oasis-open.org/wsbpel/") || text.contains("schemas.xmlsoap.org/ws/2003/03/business-process")
}

const KNOWN: &str = "WSDL 1.1, OpenAPI 3, AsyncAPI 2 and 3 and BPEL 2.0 are read";

/// The kind of an XML document.
pub(crate) fn of_element(root: &Element<'_>) -> Result<Kind, CatalogueError> {
    let place = Place { line: 1, column: 1 };
    let declares = |part: &dyn Fn(&str) -> bool| root.attributes.iter().any(|(_, value)| part(value));
    match root.local() {
        "definitions" => Ok(Kind::Wsdl),
        "description" if declares(&|value| value == WSDL_2) => {
            Err(CatalogueError::unknown(place, "this is WSDL 2.0").help("give the WSDL 1.1 of the service"))
        }
        "process" if declares(&is_bpel) => Ok(Kind::Bpel),
        name => {
            Err(CatalogueError::unknown(place, format!("a document of `{name}` describes no messages")).help(KNOWN))
        }
    }
}

/// The kind of a JSON or YAML document.
pub(crate) fn of_document(root: &Located) -> Result<Kind, CatalogueError> {
    let unknown = |message: &str| CatalogueError::unknown(root.place, message);
    let key = root.members().iter().find_map(|(key, part)| of_key(key).map(|kind| (kind, key.as_str(), part)));
    match key {
        None => Err(unknown("this document describes no messages").help(KNOWN)),
        Some((_, "swagger", part)) => {
            Err(CatalogueError::unknown(part.place, "this is Swagger 2, which came before OpenAPI")
                .help("convert it to OpenAPI 3: editors for OpenAPI do"))
        }
        Some((kind, _, part)) => {
            let version = crate::document::written(part);
            let known: &[&str] = if kind == Kind::OpenApi { &["3."] } else { &["2.", "3."] };
            if known.iter().any(|known| version.starts_with(known)) || known.contains(&format!("{version}.").as_str()) {
                return Ok(kind);
            }
            let message = format!("{kind} {version} is not known");
            Err(CatalogueError::unknown(part.place, message).help(KNOWN))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_told_from_traces() {
        for (head, kind) in [
            (
                "<?xml version='1.0'?>\n<!-- x -->\n<wsdl:definitions xmlns:wsdl=\"http://schemas.xmlsoap.org/wsdl/\">",
                Some(Kind::Wsdl),
            ),
            ("<definitions xmlns='http://schemas.xmlsoap.org/wsdl/' name='x'", Some(Kind::Wsdl)),
            ("<definitions xmlns='http://www.omg.org/spec/BPMN'>", None),
            ("<bpel:process xmlns:bpel='http://docs.oasis-open.org/wsbpel/2.0/process/executable'>", Some(Kind::Bpel)),
            ("<process>", None),
            ("<log><event>", None),
            ("{\"info\": {\"asyncapi\": 1}, \"openapi\": \"3.0.0\"", Some(Kind::OpenApi)),
            ("{\"asyncapi\": \"2.6.0\"}", Some(Kind::AsyncApi)),
            ("{\"event\": \"openapi\", \"time\": 3}", None),
            ("{\"event\": \"a\"}\n{\"openapi\": 1}", None),
            ("# x\n---\ninfo:\n  asyncapi: 1\nopenapi: 3.1.0\n", Some(Kind::OpenApi)),
            ("\"asyncapi\": '3.0.0'\n", Some(Kind::AsyncApi)),
            ("event, time\nopenapi, 3\n", None),
            ("openapi:x\n", None),
            ("", None),
        ] {
            assert_eq!(sniff(head.as_bytes()), kind, "{head}");
        }
        assert_eq!(sniff(b"\xff\xfe"), None);
        assert_eq!(sniff("openapi: 3.0.0 é".as_bytes().split_last().unwrap().1), Some(Kind::OpenApi));
    }
}
