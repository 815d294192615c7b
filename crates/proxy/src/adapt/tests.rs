// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages and the events that they become.

use std::io::Write;
use std::time::Duration;

use bytes::Bytes;
use hyper::HeaderMap;

use super::*;
use crate::tap::MessageDirection;

fn tapped(direction: MessageDirection, body: impl Into<Bytes>) -> TappedMessage {
    let (source, destination) = match direction {
        MessageDirection::Request => ("ann", "shop"),
        MessageDirection::Response => ("shop", "ann"),
    };
    TappedMessage {
        direction,
        proxy: "shop".to_owned(),
        source: source.to_owned(),
        destination: destination.to_owned(),
        service: "shop".to_owned(),
        method: "POST".to_owned(),
        path: "/orders/7".to_owned(),
        query: Some("page=2&q=a+b%21&page=3".to_owned()),
        status: (direction == MessageDirection::Response).then_some(200),
        headers: HeaderMap::new(),
        body: body.into(),
        truncated: false,
        exchange: 12,
        connection: 3,
        failed: false,
        elapsed: Duration::from_millis(1_250),
    }
}

fn request(body: impl Into<Bytes>) -> TappedMessage {
    tapped(MessageDirection::Request, body)
}

fn response(body: impl Into<Bytes>) -> TappedMessage {
    tapped(MessageDirection::Response, body)
}

fn shown(adapters: &Adapters, tapped: &TappedMessage) -> String {
    let Some(message) = adapters.event(tapped) else { return "nothing".to_owned() };
    let fields: Vec<String> = message.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{}({})", message.name, fields.join(", "))
}

/// The event without configuration.
fn plain(tapped: &TappedMessage) -> String {
    shown(&Adapters::default(), tapped)
}

/// The event by this rule.
fn ruled(rule: &str, tapped: &TappedMessage) -> String {
    shown(&Adapters::parse(&format!("[[rule]]\n{rule}")).unwrap(), tapped)
}

const ENDS: &str = "source=\"ann\", destination=\"shop\", service=\"shop\", exchange=12";
const SOAP: &str = "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Header><a:To>x</a:To></s:Header>\
                    <s:Body><p:buy><item sku='a'>7</item></p:buy></s:Body></s:Envelope>";

#[test]
fn messages_name_themselves() {
    let head = "method=\"POST\", path=\"/orders/7\"";
    for (body, expected) in [
        (SOAP, format!("buy(item={{\"@sku\": \"a\", \"#text\": 7}}, {head}, {ENDS})")),
        ("\u{feff}{\"type\": \"paid\", \"n\": 1}", format!("paid(type=\"paid\", n=1, {head}, {ENDS})")),
        ("{\"n\": [1]}", format!("request(n=[1], {head}, {ENDS})")),
        ("[1]", format!("request({head}, {ENDS})")),
        ("", format!("request({head}, {ENDS})")),
        ("<a><b></a>", format!("request({head}, {ENDS})")),
        ("{\"n\":", format!("request({head}, {ENDS})")),
    ] {
        assert_eq!(plain(&request(body.to_owned())), expected);
    }
}

#[test]
fn a_body_overrides_the_status_but_not_the_participants() {
    let expected = "response(status=\"sent\", source=\"shop\", method=\"POST\", path=\"/orders/7\", destination=\"ann\", \
                    service=\"shop\", exchange=12)";
    assert_eq!(plain(&response(r#"{"status": "sent", "source": "mallory"}"#)), expected);
    let failed = TappedMessage { failed: true, truncated: true, status: Some(502), ..response("{\"type\": \"part\"") };
    let expected = "response(method=\"POST\", path=\"/orders/7\", status=502, failed=true, truncated=true, source=\"shop\", \
                    destination=\"ann\", service=\"shop\", exchange=12)";
    assert_eq!(plain(&failed), expected);
}

#[test]
fn packed_bodies_are_unpacked() {
    let text = "{\"event\": \"paid\"}";
    let gzip = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let deflate = {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
    let bomb = zstd::encode_all(&*vec![b' '; 20 << 20], 1).unwrap();
    for (encoding, body, name) in [
        ("gzip", gzip.clone(), "paid"),
        ("GZIP, identity", gzip.clone(), "paid"),
        ("deflate", deflate, "paid"),
        ("zstd", zstd, "paid"),
        ("zstd", bomb, "request"),
        ("br", gzip.clone(), "request"),
        ("gzip", text.as_bytes().to_vec(), "request"),
        ("gzip, gzip, gzip", gzip, "request"),
    ] {
        let mut message = request(body);
        message.headers.insert("content-encoding", encoding.parse().unwrap());
        assert_eq!(Adapters::default().event(&message).unwrap().name, name, "{encoding}");
    }
}

#[test]
fn rules_name_and_add() {
    let rule = r#"
        path = "/orders/{order}"
        name = "{method} order"
        fields = { id = "{path:order}", page = "{query:page}", q = "{query:q}", sku = "{body:item/@sku}", to = "{body://To}",
                   none = "{query:none}", took = "{duration}", who = "<{header:x-user}>", source = "{header:x-user}" }"#;
    let mut message = request(SOAP);
    message.headers.insert("x-user", "Bob".parse().unwrap());
    assert_eq!(
        ruled(rule, &message),
        "POST order(item={\"@sku\": \"a\", \"#text\": 7}, order=7, method=\"POST\", path=\"/orders/7\", source=\"Bob\", \
         destination=\"shop\", service=\"shop\", exchange=12, id=7, page=2, q=\"a b!\", sku=\"a\", to=\"x\", took=1.25, \
         who=\"<Bob>\")"
    );
    let bare = "body = false\nname = \"{body:missing}\"";
    assert_eq!(ruled(bare, &request(SOAP)), format!("buy(method=\"POST\", path=\"/orders/7\", {ENDS})"));
}

#[test]
fn the_first_rule_that_fits_counts() {
    let adapters = Adapters::parse(
        r#"
        [[rule]]
        path = "/health"
        skip = true
        [[rule]]
        direction = "response"
        status = "4xx"
        name = "refused"
        [[rule]]
        direction = "response"
        failed = true
        name = "down"
        [[rule]]
        direction = "response"
        status = 201
        name = "made"
        [[rule]]
        method = ["PUT", "patch"]
        name = "changed"
        [[rule]]
        header = { soapaction = "urn:buy", x-any = "*" }
        name = "bought"
        [[rule]]
        proxy = "bank"
        name = "banked"
        "#,
    );
    let adapters = adapters.unwrap();
    assert_eq!(adapters.count(), 7);
    let name = |message: &TappedMessage| adapters.event(message).map(|message| message.name);
    let mut with_headers = request("");
    with_headers.headers.insert("soapaction", "\"urn:buy\"".parse().unwrap());
    assert_eq!(name(&with_headers).as_deref(), Some("request"));
    with_headers.headers.insert("x-any", "1".parse().unwrap());
    for (message, expected) in [
        (TappedMessage { path: "/health".to_owned(), ..request("") }, None),
        (TappedMessage { status: Some(404), ..response("") }, Some("refused")),
        (TappedMessage { status: Some(502), failed: true, ..response("") }, Some("down")),
        (TappedMessage { status: Some(201), ..response("") }, Some("made")),
        (response(""), Some("response")),
        (TappedMessage { method: "PATCH".to_owned(), ..request("") }, Some("changed")),
        (with_headers, Some("bought")),
        (TappedMessage { proxy: "bank".to_owned(), ..request("") }, Some("banked")),
        (request(""), Some("request")),
    ] {
        assert_eq!(name(&message).as_deref(), expected, "{message:?}");
    }
}

#[test]
fn errors_in_a_file_have_a_place() {
    for (text, expected) in [
        ("[[rule]]\npath = \"orders\"", "line 2, column 8: a path begins with `/`"),
        ("[[rule]]\nstatus = \"9x\"", "line 2, column 10: `9x` is not a status: write 404, \"4xx\" or \"400-499\""),
        (
            "[[rule]]\nstatus = \"500-400\"",
            "line 2, column 10: `500-400` is not a status: write 404, \"4xx\" or \"400-499\"",
        ),
        ("[[rule]]\nname = \"{a\"", "line 2, column 8: a `{` without its `}`: write `{{` for a literal brace"),
        ("[[rule]]\nname = \"a}\"", "line 2, column 8: a `}` without its `{`: write `}}` for a literal brace"),
        ("[[rule]]\nname = \"{path:x}\"", "line 2, column 8: the rule's path has no hole `{x}`"),
        ("[[rule]]\nfields = { a = \"{header:a b}\" }", "line 2, column 16: `a b` is not a name of a header"),
        ("[[rule]]\nheader = { \"a b\" = \"c\" }", "line 2, column 12: `a b` is not a name of a header"),
    ] {
        assert_eq!(Adapters::parse(text).map_err(|error| error.to_string()), Err(expected.to_owned()), "{text}");
    }
    for (text, part) in [
        ("[[rule]]\nnam = \"a\"", "unknown field `nam`"),
        ("[[rule]]\nskip = true\nname = \"a\"", "a rule with `skip` makes no event"),
        ("[[rule]]\nname = \"{what}\"", "nothing fills `{what}`"),
        ("[[rule]]\nname = \"{body:a[}\"", "of the query"),
        ("[[rule]]\ndirection = \"up\"", "unknown variant `up`"),
        ("[[rule]]\nmethod = 7", "a method such as"),
        ("[[rule", "line 1"),
        ("fail = \"shut\"", "unknown variant `shut`"),
        ("host = \"mine\"", "unknown variant `mine`"),
        ("fields = { a = \"{path:x}\" }", "has no hole"),
    ] {
        let error = Adapters::parse(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    let literal = Adapters::parse("[[rule]]\nname = \"{{a}}\"").unwrap();
    assert_eq!(literal.event(&request("")).unwrap().name, "{a}");
}

#[test]
fn no_body_is_too_much() {
    for body in
        [vec![b'<'; 100_000], vec![b'{'; 100_000], b"{\"a\":".repeat(50_000), b"<a>".repeat(200_000), vec![0xff; 1_000]]
    {
        assert_eq!(Adapters::default().event(&request(body)).unwrap().name, "request");
    }
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

fn with_header(mut message: TappedMessage, name: &'static str, value: &str) -> TappedMessage {
    message.headers.append(name, value.parse().unwrap());
    message
}

#[test]
fn messages_that_cannot_be_read_have_a_reason() {
    use UnreadableReason::{Charset, Encoding, Format, Path, Repeated, Truncated};
    let adapters = Adapters::parse(
        r#"
        fail = "closed"
        [fields]
        user = "{header:x-user}"
        page = "{query:size}"
        connection = "{connection}"
        [[rule]]
        path = "/plain/{id}"
        body = false
        name = "plain"
        [[rule]]
        path = "/named/{id}"
        body = false
        "#,
    )
    .unwrap();
    assert_eq!(adapters.on_failure, FailurePolicy::Closed);
    let json = r#"{"order": "b"}"#;
    let at = |path: &str| TappedMessage { path: path.to_owned(), ..request("") };
    let asking = |query: &str| TappedMessage { query: Some(query.to_owned()), ..request(json) };
    let declared = |kind: &str, body: &'static str| with_header(response(body), "content-type", kind);
    for (message, expected) in [
        (request(json), None),
        (request(""), None),
        (request(SOAP), None),
        (request(utf16(json, u16::to_le_bytes)), None),
        (request(utf16(&format!("\u{feff}{json}"), u16::to_be_bytes)), None),
        (request(utf16(&format!("<?xml version='1.0' encoding='UTF-16'?>{SOAP}"), u16::to_le_bytes)), None),
        (TappedMessage { truncated: true, ..request(json) }, Some(Truncated)),
        (request(format!("[{json}]")), Some(Format)),
        (request(format!("{json} x")), Some(Format)),
        (request("order=b"), Some(Format)),
        (request(r#"{"order": "a", "order": "b"}"#), Some(Repeated)),
        (request(vec![0xff, 0xfe, b'{']), Some(Charset)),
        (request(vec![b'{', 0xff]), Some(Charset)),
        (with_header(request(json), "content-encoding", "gzip"), Some(Encoding)),
        (with_header(request(json), "content-type", "application/json; charset=\"UTF-7\""), Some(Charset)),
        (with_header(request(json), "content-type", "application/json; charset=iso-8859-1"), None),
        (with_header(request("{\"order\": \"\u{e9}\"}"), "content-type", "text/xml;charset=latin1"), Some(Charset)),
        (with_header(with_header(request(json), "x-user", "a"), "x-user", "b"), Some(Repeated)),
        (asking("size=1&s%69ze=2"), Some(Repeated)),
        (asking("other=1&other=2"), None),
        (at("/orders/./7"), Some(Path)),
        (at("//orders"), Some(Path)),
        (at("/orders/%2e%2e/7"), Some(Path)),
        (at("/orders%2f7"), Some(Path)),
        (at("/orders/"), None),
        (TappedMessage { truncated: true, ..at("/plain/7") }, None),
        // The name comes from the body here.
        (TappedMessage { truncated: true, ..at("/named/7") }, Some(Truncated)),
        (response("a picture"), None),
        (declared("text/html", "<p>"), None),
        (declared("application/problem+json", "["), Some(Format)),
        (declared("text/xml", "<p"), Some(Format)),
        (TappedMessage { failed: true, ..declared("text/xml", "<p") }, None),
    ] {
        let event = adapters.event(&message).unwrap();
        assert_eq!(event.unreadable, expected, "{message:?}");
        let connection = event.fields.iter().find(|(name, _)| name == "connection").map(|(_, value)| value.to_string());
        assert_eq!(connection.as_deref(), Some("3"));
    }
    assert_eq!(plain(&request(utf16(json, u16::to_le_bytes))), plain(&request(json)));
}

#[test]
fn fields_of_every_message_yield_to_those_of_a_rule() {
    let text = "host = \"service\"\nfields = { who = \"{header:x-user}\", kind = \"any\" }\n\
                [[rule]]\npath = \"/orders/7\"\nfields = { kind = \"order\" }";
    let adapters = Adapters::parse(text).unwrap();
    assert!(adapters.rewrite_host && adapters.on_failure == FailurePolicy::Open);
    let message = with_header(request(r#"{"who": "mallory"}"#), "x-user", "ann");
    let shown = shown(&adapters, &message);
    assert!(shown.contains("who=\"ann\"") && shown.contains("kind=\"order\""), "{shown}");
}
