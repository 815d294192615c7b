// SPDX-License-Identifier: MIT OR Apache-2.0
//! Documents that are none, are broken, or are made to do harm: an error with its place, soon and in bounded memory.

use std::fmt::Write;

use gnomon_catalogue::{detect, read};

use gnomon_core::random::Random;

use crate::declared;

/// The code, the place and the message of what is wrong.
fn fault(text: &str) -> String {
    let error = read("d", text).expect_err(text);
    format!("{} {} {}", error.code(), error.location(), error.message())
}

#[test]
fn documents_that_are_none() {
    for (text, expected) in [
        ("<log/>", "G0725 1:1 a document of `log` describes no messages"),
        ("<process/>", "G0725 1:1 a document of `process` describes no messages"),
        ("<description xmlns='http://www.w3.org/ns/wsdl'/>", "G0725 1:1 this is WSDL 2.0"),
        ("{\"event\": 1}", "G0725 1:1 this document describes no messages"),
        ("event, time\n", "G0725 1:1 this document describes no messages"),
        ("a: 1\nswagger: '2.0'\n", "G0725 2:10 this is Swagger 2, which came before OpenAPI"),
        ("openapi: 4.0.0\n", "G0725 1:10 OpenAPI 4.0.0 is not known"),
        ("openapi: []\n", "G0725 1:10 OpenAPI  is not known"),
        ("asyncapi: 1.2.0\n", "G0725 1:11 AsyncAPI 1.2.0 is not known"),
    ] {
        assert_eq!(fault(text), expected, "{text}");
    }
}

#[test]
fn broken_documents() {
    for (text, expected) in [
        ("", "G0726 1:1 "),
        ("openapi: 3.0.0\n", "G0726 1:1 the document has neither"),
        ("asyncapi: 3.0.0\n", "G0726 1:1 the document has no `channels`"),
        ("openapi: 3.0.0\npaths: [\n", "G0726 "),
        ("{\"openapi\": \"3.0.0\",\n \"paths\": }", "G0513 2:11 "),
        ("<definitions>\n <a></definitions>", "G0520 2:5 "),
        ("<!DOCTYPE d [<!ENTITY a 'b'>]><definitions>&a;</definitions>", "G0521 1:1 "),
    ] {
        let found = fault(text);
        assert!(found.starts_with(expected), "{text}: {found}");
    }
    assert!(fault(&"[".repeat(100_000)).starts_with("G0726"));
    assert!(fault(&"<a>".repeat(100_000)).starts_with("G0515"));
    assert!(fault(&"{\"a\":".repeat(100_000)).starts_with("G0515"));
    assert!(fault(&" ".repeat(33 << 20)).starts_with("G0726 1:1 the document is larger"));
}

#[test]
fn documents_without_messages_are_empty_catalogues() {
    for text in [
        "<definitions/>",
        "openapi: 3.0.0\npaths: {}\n",
        "openapi: 3\npaths: 7\n",
        "asyncapi: 2.0.0\nchannels: []\n",
        "<process xmlns='http://docs.oasis-open.org/wsbpel/2.0/process/executable'><receive/></process>",
    ] {
        assert_eq!(declared(&read("d", text).unwrap()), [""; 0], "{text}");
    }
}

/// Schemas that refer to themselves many times over: what they come to has an end.
#[test]
fn schemas_that_explode() {
    let mut yaml = "openapi: 3.0.0\npaths: {/a: {post: {operationId: a, requestBody: {required: true, content: {application/json: \
                    {schema: {$ref: '#/components/schemas/S0'}}}}}}}\ncomponents:\n  schemas:\n"
        .to_owned();
    for level in 0..8 {
        let next = (level + 1) % 8;
        let members: Vec<String> =
            (0..50).map(|index| format!("p{index}: {{$ref: '#/components/schemas/S{next}'}}")).collect();
        let parts = vec![format!("{{$ref: '#/components/schemas/S{next}'}}"); 50].join(", ");
        writeln!(yaml, "    S{level}: {{properties: {{{}}}, allOf: [{parts}], anyOf: [{parts}]}}", members.join(", "))
            .unwrap();
    }
    assert_eq!(declared(&read("d.yaml", &yaml).unwrap()), ["event a from client to service"]);

    let mut wsdl = "<definitions xmlns:x='u'><types><x:schema><x:element name='a' type='T0'/>".to_owned();
    for level in 0..8 {
        let next = (level + 1) % 8;
        let groups = format!("<x:attributeGroup ref='G{next}'/>").repeat(50);
        let elements: Vec<String> =
            (0..50).map(|index| format!("<x:element name='e{index}' type='T{next}'/>")).collect();
        let lists = format!("<x:group ref='L{next}'/>").repeat(50);
        write!(
            wsdl,
            "<x:attributeGroup name='G{level}'>{groups}</x:attributeGroup><x:group name='L{level}'><x:sequence>{lists}</x:sequence></x:group>\
             <x:complexType name='T{level}'><x:sequence>{}{lists}</x:sequence>{groups}</x:complexType>",
            elements.concat()
        )
        .unwrap();
    }
    wsdl += "</x:schema></types><message name='m'><part element='a'/></message>\
             <portType name='P'><operation name='o'><input message='m'/></operation></portType></definitions>";
    let catalogue = read("d.wsdl", &wsdl).unwrap();
    assert_eq!((catalogue.events.len(), catalogue.events[0].name.as_str()), (1, "a"));
    assert!(catalogue.events[0].fields.len() <= 40);
    declared(&catalogue);
}

/// A circle of references, of types and of groups comes to an end.
#[test]
fn circles() {
    let yaml = "openapi: 3.0.0\npaths:\n  /a: {$ref: '#/paths/~1a'}\n  /b: {get: {parameters: [{$ref: '#/x'}]}}\nx: {$ref: '#/y'}\ny: {$ref: '#/x'}\n";
    let catalogue = read("d.yaml", yaml).unwrap();
    assert_eq!(declared(&catalogue), ["event \"GET /b\" from client to service"]);
    assert_eq!(catalogue.notes.len(), 1);
    let wsdl = "<definitions><types><schema><complexType name='T'><complexContent><extension base='T'/></complexContent></complexType>\
                <simpleType name='S'><restriction base='S'/></simpleType><element name='a'><complexType><attribute name='s' type='S'/></complexType></element></schema></types>\
                <message name='m'><part name='t' type='T'/><part name='s' type='S'/></message><message name='n'><part element='a'/></message>\
                <portType name='P'><operation name='o'><input message='m'/><output message='n'/></operation></portType></definitions>";
    assert_eq!(
        declared(&read("d.wsdl", wsdl).unwrap()),
        ["event o(t, s) from client to P", "event a from P to client"]
    );
}

/// Every prefix and many mutations of documents of every kind: read or refused, never worse.
#[test]
fn nothing_makes_it_stumble() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/catalogue");
    let mut numbers = Random::new(7);
    let mut random = |below: usize| numbers.index(below);
    let (mut whole, mut refused) = (0, 0);
    for name in [
        "product-retriever.wsdl",
        "currency-exchange.yaml",
        "purchases.yaml",
        "deliveries.yaml",
        "product-retriever.bpel",
    ] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        for _ in 0..400 {
            let mut letters: Vec<char> = text.chars().collect();
            for _ in 0..=random(3) {
                let (at, length) = (random(letters.len()), random(40));
                let end = (at + length).min(letters.len());
                match random(4) {
                    0 => letters.truncate(at),
                    1 => drop(letters.drain(at..end)),
                    2 => {
                        let copy = letters[at..end].to_vec();
                        let to = random(letters.len());
                        letters.splice(to..to, copy);
                    }
                    _ => letters[at] = ['"', '<', '&', '{', ':', '\n', '#', '\'', '\u{0}', '/'][random(10)],
                }
                if letters.is_empty() {
                    break;
                }
            }
            let text: String = letters.into_iter().collect();
            detect(text.as_bytes());
            match read(name, &text) {
                Ok(catalogue) => {
                    declared(&catalogue);
                    whole += 1;
                }
                Err(error) => {
                    assert!(error.location().line >= 1 && !error.message().is_empty());
                    refused += 1;
                }
            }
        }
    }
    assert!(whole > 200 && refused > 200, "{whole} {refused}");
}
