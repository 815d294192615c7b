// SPDX-License-Identifier: MIT OR Apache-2.0
//! The headers that a proxy removes from and adds to a message (RFC 9110, section 7.6).

use std::net::IpAddr;

use hyper::Version;
use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, EXPECT, Entry, HOST, HeaderMap, HeaderName,
    HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, VIA,
};
use hyper::http::request::Parts;

/// Names the caller; not forwarded to the service.
pub(crate) const SOURCE: HeaderName = HeaderName::from_static("x-gnomon-source");

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Headers of one connection, besides those that `Connection` lists.
const HOP_BY_HOP: [HeaderName; 8] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Encodings that the adapters can decode; no other is offered to the service.
const READABLE: [&str; 5] = ["gzip", "x-gzip", "deflate", "zstd", "identity"];

/// Returns the caller that the request names, if the name is valid.
pub(crate) fn source(headers: &HeaderMap) -> Option<String> {
    let text = std::str::from_utf8(headers.get(SOURCE)?.as_bytes()).ok()?.trim();
    let fits = !text.is_empty() && text.len() <= 256 && !text.chars().any(char::is_control);
    fits.then(|| text.to_owned())
}

/// Rewrites the headers of a request for the service.
pub(crate) fn forward_request(parts: &mut Parts, peer: IpAddr, via: &str, http2: bool, keeps_host: bool) {
    let takes_trailers = list_items(&parts.headers, &TE).any(|word| word.eq_ignore_ascii_case("trailers"));
    let authority = parts.uri.authority().and_then(|authority| HeaderValue::from_str(authority.as_str()).ok());
    // The authority of the target has precedence over the header (RFC 9112, section 3.2.2).
    let header = parts.headers.remove(HOST);
    let host = authority.or(header);
    let headers = &mut parts.headers;
    remove_hop_by_hop(headers);
    headers.remove(SOURCE);
    // The proxy itself answers `100 Continue`.
    headers.remove(EXPECT);
    if takes_trailers {
        headers.insert(TE, HeaderValue::from_static("trailers"));
    }
    if !http2 {
        join_cookies(headers);
    }
    if let Some(offered) = headers.get(ACCEPT_ENCODING) {
        let readable = readable(offered);
        headers.insert(ACCEPT_ENCODING, readable);
    }
    append(headers, FORWARDED_FOR, &peer.to_string());
    if let Some(host) = host {
        if keeps_host {
            headers.insert(HOST, host.clone());
        }
        if let Entry::Vacant(entry) = headers.entry(FORWARDED_HOST) {
            entry.insert(host);
        }
    }
    if let Entry::Vacant(entry) = headers.entry(FORWARDED_PROTO) {
        entry.insert(HeaderValue::from_static("http"));
    }
    append(headers, VIA, &format!("{} {via}", version_text(parts.version)));
}

/// Rewrites the headers of a response for the client.
pub(crate) fn forward_response(headers: &mut HeaderMap, version: Version, via: &str) {
    remove_hop_by_hop(headers);
    append(headers, VIA, &format!("{} {via}", version_text(version)));
}

/// Announces trailers: HTTP/1.1 has none after a body with a length, and only those that are announced.
pub(crate) fn announce(headers: &mut HeaderMap, trailers: &HeaderMap) {
    headers.remove(CONTENT_LENGTH);
    let names: Vec<&str> = trailers.keys().map(HeaderName::as_str).collect();
    if let Ok(names) = HeaderValue::from_str(&names.join(", ")) {
        headers.insert(TRAILER, names);
    }
}

/// Returns true if the request came through the proxy of this name.
pub(crate) fn came_through(headers: &HeaderMap, via: &str) -> bool {
    list_items(headers, &VIA).any(|entry| entry.split_whitespace().nth(1) == Some(via))
}

/// Returns true if the request names more than one host.
pub(crate) fn has_several_hosts(headers: &HeaderMap) -> bool {
    headers.get_all(HOST).iter().nth(1).is_some()
}

/// Returns the protocol that the client demands to switch to.
pub(crate) fn wanted_upgrade(headers: &HeaderMap) -> Option<String> {
    // An upgrade to HTTP/2 or TLS is an offer that a server may ignore; clients that ask for others cannot do without.
    let is_offer = |word: &str| word.eq_ignore_ascii_case("h2c") || word.to_ascii_lowercase().starts_with("tls/");
    list_items(headers, &UPGRADE).find(|word| !is_offer(word)).map(str::to_owned)
}

/// The way in which a body arrives, by its content type. It decides whether the tap sees the body before it is forwarded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyKind {
    /// As a whole: it can be waited for.
    Document,
    /// In parts, for any length of time.
    Stream,
    /// In parts, usually without an end.
    Feed,
}

impl BodyKind {
    pub(crate) fn of(headers: &HeaderMap) -> BodyKind {
        let text = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "text/event-stream" | "multipart/x-mixed-replace" => BodyKind::Feed,
            "application/octet-stream"
            | "application/x-ndjson"
            | "application/ndjson"
            | "application/jsonl"
            | "application/zip"
            | "application/gzip" => BodyKind::Stream,
            other if is_grpc(other) => BodyKind::Stream,
            other => match other.split('/').next() {
                Some("audio" | "image" | "multipart" | "video" | "font") => BodyKind::Stream,
                _ => BodyKind::Document,
            },
        }
    }
}

/// Returns true if the message belongs to gRPC, which requires HTTP/2.
pub(crate) fn is_grpc_message(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(is_grpc)
}

fn is_grpc(content_type: &str) -> bool {
    content_type
        .strip_prefix("application/grpc")
        .is_some_and(|rest| matches!(rest.bytes().next(), None | Some(b'+' | b';')))
}

/// Removes the headers that are about the connection to the sender, among them those that `Connection` lists.
fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = list_items(headers, &CONNECTION).filter_map(|word| word.parse().ok()).collect();
    // A length beside chunks is an attempt at request smuggling; the chunks count.
    if headers.contains_key(TRANSFER_ENCODING) {
        headers.remove(CONTENT_LENGTH);
    }
    for name in named.into_iter().filter(|name| *name != CONTENT_LENGTH).chain(HOP_BY_HOP) {
        headers.remove(name);
    }
}

/// Returns the items of a list header.
fn list_items<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'h str> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim).filter(|word| !word.is_empty())
}

/// Adds an item to the end of a list header, which the message may not have yet.
fn append(headers: &mut HeaderMap, name: HeaderName, word: &str) {
    let known: Vec<&str> = list_items(headers, &name).chain([word]).collect();
    if let Ok(value) = HeaderValue::from_str(&known.join(", ")) {
        headers.insert(name, value);
    }
}

/// Joins cookies: HTTP/2 may send several headers, HTTP/1.1 allows only one (RFC 9113, section 8.2.3).
fn join_cookies(headers: &mut HeaderMap) {
    let cookies: Vec<&[u8]> = headers.get_all(COOKIE).iter().map(HeaderValue::as_bytes).collect();
    if cookies.len() > 1
        && let Ok(joined) = HeaderValue::from_bytes(&cookies.join(&b"; "[..]))
    {
        headers.insert(COOKIE, joined);
    }
}

/// Restricts the offered encodings to those that the adapters can decode.
fn readable(offered: &HeaderValue) -> HeaderValue {
    let words = offered.to_str().unwrap_or_default().split(',').map(str::trim);
    let known = |word: &&str| {
        let coding = word.split(';').next().unwrap_or_default().trim();
        READABLE.iter().any(|known| known.eq_ignore_ascii_case(coding))
    };
    let kept: Vec<&str> = words.filter(known).collect();
    HeaderValue::from_str(&kept.join(", "))
        .ok()
        .filter(|_| !kept.is_empty())
        .unwrap_or(HeaderValue::from_static("identity"))
}

fn version_text(version: Version) -> &'static str {
    match version {
        Version::HTTP_10 => "1.0",
        Version::HTTP_2 => "2.0",
        _ => "1.1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    fn parts(headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::post("http://shop.example/x");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    fn forwarded(headers: &[(&str, &str)], http2: bool) -> Vec<String> {
        let mut parts = parts(headers);
        forward_request(&mut parts, [10, 0, 0, 1].into(), "gnomon", http2, false);
        parts.headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect()
    }

    #[test]
    fn headers_of_the_connection_are_removed() {
        let known = [
            "x-forwarded-for: 10.0.0.1",
            "x-forwarded-host: shop.example",
            "x-forwarded-proto: http",
            "via: 1.1 gnomon",
        ];
        let headers = [
            ("connection", "close, X-Own"),
            ("x-own", "1"),
            ("keep-alive", "5"),
            ("te", "gzip"),
            ("transfer-encoding", "chunked"),
            ("content-length", "3"),
            ("expect", "100-continue"),
            ("x-gnomon-source", "ann"),
        ];
        assert_eq!(forwarded(&headers, false), known);
    }

    #[test]
    fn existing_headers_are_extended() {
        let headers = [
            ("x-forwarded-for", "192.0.2.1"),
            ("x-forwarded-host", "front"),
            ("x-forwarded-proto", "https"),
            ("via", "1.0 old"),
            ("te", "trailers;q=1, trailers"),
            ("accept-encoding", "br, gzip;q=0.5"),
            ("cookie", "a=1"),
            ("cookie", "b=2"),
        ];
        let mut found = forwarded(&headers, false);
        found.sort();
        assert_eq!(
            found,
            [
                "accept-encoding: gzip;q=0.5",
                "cookie: a=1; b=2",
                "te: trailers",
                "via: 1.0 old, 1.1 gnomon",
                "x-forwarded-for: 192.0.2.1, 10.0.0.1",
                "x-forwarded-host: front",
                "x-forwarded-proto: https",
            ]
        );
        assert_eq!(forwarded(&[("cookie", "a=1"), ("cookie", "b=2")], true)[..2], ["cookie: a=1", "cookie: b=2"]);
    }

    #[test]
    fn kinds_of_bodies() {
        for (text, kind) in [
            ("application/json; charset=utf-8", BodyKind::Document),
            ("Text/XML", BodyKind::Document),
            ("", BodyKind::Document),
            ("text/event-stream", BodyKind::Feed),
            ("application/grpc+proto", BodyKind::Stream),
            ("application/grpcish", BodyKind::Document),
            ("multipart/form-data; boundary=x", BodyKind::Stream),
        ] {
            assert_eq!(BodyKind::of(&parts(&[("content-type", text)]).headers), kind, "{text}");
        }
    }

    #[test]
    fn loops_sources_and_upgrades_are_detected() {
        let headers =
            parts(&[("via", "1.1 a, 2.0 gnomon (x)"), ("upgrade", "h2c, websocket"), ("x-gnomon-source", " ann ")])
                .headers;
        assert!(came_through(&headers, "gnomon") && !came_through(&headers, "other"));
        assert_eq!(wanted_upgrade(&headers).as_deref(), Some("websocket"));
        assert_eq!(source(&headers).as_deref(), Some("ann"));
        assert_eq!(wanted_upgrade(&parts(&[("upgrade", "h2c")]).headers), None);
        assert_eq!(source(&parts(&[("x-gnomon-source", " ")]).headers), None);
    }
}
