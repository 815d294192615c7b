// SPDX-License-Identifier: MIT OR Apache-2.0
//! Detection of the kind of a document.

use gnomon_message::{Located, XmlElement};
use gnomon_scan::Location;
use gnomon_scan::json::{self, Scanner};

use crate::{CatalogueError, DocumentKind};

/// Returns the kind of a document by its first bytes; `None` for a trace. Kinds that are not supported, such as WSDL 2.0, are
/// recognised here and refused when they are read.
pub fn detect(head: &[u8]) -> Option<DocumentKind> {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The last character may be incomplete.
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&head[..error.valid_up_to()]).ok()?,
        Err(_) => return None,
    };
    match text.trim_start().as_bytes().first()? {
        b'<' => of_tag(text),
        b'{' => of_keys(text),
        _ => of_lines(text),
    }
}

/// Detects the kind by the first tag of an XML document.
fn of_tag(text: &str) -> Option<DocumentKind> {
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
        "definitions" if tag.contains(WSDL) => Some(DocumentKind::Wsdl),
        "description" if tag.contains(WSDL_2) => Some(DocumentKind::Wsdl),
        "process" if is_bpel(tag) => Some(DocumentKind::Bpel),
        _ => None,
    }
}

/// Detects the kind by the keys of the outermost JSON object.
fn of_keys(text: &str) -> Option<DocumentKind> {
    let mut scanner: Scanner<'_, false> = Scanner::of_text(text);
    scanner.skip_blanks();
    scanner.take(b'{');
    let mut is_first = true;
    while let Some(key) = scanner.next_key(is_first).ok()? {
        if let Some(kind) = of_key(&json::text(text.as_bytes(), key)) {
            return Some(kind);
        }
        is_first = false;
        scanner.skip_blanks();
        scanner.skip_value().ok()?;
    }
    None
}

/// Detects the kind by the keys of the outermost YAML mapping.
fn of_lines(text: &str) -> Option<DocumentKind> {
    text.lines().find_map(|line| {
        let (key, _) = line.split_once(':').filter(|(_, value)| value.is_empty() || value.starts_with([' ', '\t']))?;
        of_key(key.trim_end().trim_matches(['"', '\'']))
    })
}

fn of_key(key: &str) -> Option<DocumentKind> {
    match key {
        "openapi" | "swagger" => Some(DocumentKind::OpenApi),
        "asyncapi" => Some(DocumentKind::AsyncApi),
        _ => None,
    }
}

const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
const WSDL_2: &str = "http://www.w3.org/ns/wsdl";

fn is_bpel(text: &str) -> bool {
    text.contains("docs.oasis-open.org/wsbpel/") || text.contains("schemas.xmlsoap.org/ws/2003/03/business-process")
}

const KNOWN: &str = "WSDL 1.1, OpenAPI 3, AsyncAPI 2 and 3 and BPEL 2.0 are read";

/// Returns the kind of an XML document.
pub(crate) fn of_element(root: &XmlElement<'_>) -> Result<DocumentKind, CatalogueError> {
    let location = Location { line: 1, column: 1 };
    let declares = |part: &dyn Fn(&str) -> bool| root.attributes.iter().any(|(_, value)| part(value));
    match root.local() {
        "definitions" => Ok(DocumentKind::Wsdl),
        "description" if declares(&|value| value == WSDL_2) => {
            Err(CatalogueError::unknown(location, "this is WSDL 2.0").help("give the WSDL 1.1 of the service"))
        }
        "process" if declares(&is_bpel) => Ok(DocumentKind::Bpel),
        name => {
            Err(CatalogueError::unknown(location, format!("a document of `{name}` describes no messages")).help(KNOWN))
        }
    }
}

/// Returns the kind of a JSON or YAML document.
pub(crate) fn of_document(root: &Located) -> Result<DocumentKind, CatalogueError> {
    let unknown = |message: &str| CatalogueError::unknown(root.location, message);
    let key = root.members().iter().find_map(|(key, part)| of_key(key).map(|kind| (kind, key.as_str(), part)));
    match key {
        None => Err(unknown("this document describes no messages").help(KNOWN)),
        Some((_, "swagger", part)) => {
            Err(CatalogueError::unknown(part.location, "this is Swagger 2, which came before OpenAPI")
                .help("convert it to OpenAPI 3; editors for OpenAPI can do this"))
        }
        Some((kind, _, part)) => {
            let version = crate::document::scalar_text(part);
            let known: &[&str] = if kind == DocumentKind::OpenApi { &["3."] } else { &["2.", "3."] };
            if known.iter().any(|known| version.starts_with(known)) || known.contains(&format!("{version}.").as_str()) {
                return Ok(kind);
            }
            let message = format!("{kind} {version} is not known");
            Err(CatalogueError::unknown(part.location, message).help(KNOWN))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_distinguished_from_traces() {
        for (head, kind) in [
            (
                "<?xml version='1.0'?>\n<!-- x -->\n<wsdl:definitions xmlns:wsdl=\"http://schemas.xmlsoap.org/wsdl/\">",
                Some(DocumentKind::Wsdl),
            ),
            ("<definitions xmlns='http://schemas.xmlsoap.org/wsdl/' name='x'", Some(DocumentKind::Wsdl)),
            ("<definitions xmlns='http://www.omg.org/spec/BPMN'>", None),
            (
                "<bpel:process xmlns:bpel='http://docs.oasis-open.org/wsbpel/2.0/process/executable'>",
                Some(DocumentKind::Bpel),
            ),
            ("<process>", None),
            ("<log><event>", None),
            ("{\"info\": {\"asyncapi\": 1}, \"openapi\": \"3.0.0\"", Some(DocumentKind::OpenApi)),
            ("{\"asyncapi\": \"2.6.0\"}", Some(DocumentKind::AsyncApi)),
            ("{\"event\": \"openapi\", \"time\": 3}", None),
            ("{\"event\": \"a\"}\n{\"openapi\": 1}", None),
            ("# x\n---\ninfo:\n  asyncapi: 1\nopenapi: 3.1.0\n", Some(DocumentKind::OpenApi)),
            ("\"asyncapi\": '3.0.0'\n", Some(DocumentKind::AsyncApi)),
            ("event, time\nopenapi, 3\n", None),
            ("openapi:x\n", None),
            ("", None),
        ] {
            assert_eq!(detect(head.as_bytes()), kind, "{head}");
        }
        assert_eq!(detect(b"\xff\xfe"), None);
        assert_eq!(detect("openapi: 3.0.0 é".as_bytes().split_last().unwrap().1), Some(DocumentKind::OpenApi));
    }
}
