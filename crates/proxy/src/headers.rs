// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a proxy takes from and adds to the headers of a message (RFC 9110, section 7.6).

use std::net::IpAddr;

use hyper::Version;
use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, EXPECT, Entry, HOST, HeaderMap, HeaderName,
    HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, VIA,
};
use hyper::http::request::Parts;

/// Says who calls; it goes no further than the proxy.
pub(crate) const SOURCE: HeaderName = HeaderName::from_static("x-gnomon-source");

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Those that concern one connection, besides the ones that `Connection` names.
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

/// Compressions that the adapters can undo; no other is offered to the service.
const READABLE: [&str; 5] = ["gzip", "x-gzip", "deflate", "zstd", "identity"];

/// Who calls, if the request says so in a text that can be a name.
pub(crate) fn source(headers: &HeaderMap) -> Option<String> {
    let text = std::str::from_utf8(headers.get(SOURCE)?.as_bytes()).ok()?.trim();
    let fits = !text.is_empty() && text.len() <= 256 && !text.chars().any(char::is_control);
    fits.then(|| text.to_owned())
}

/// Makes the headers of a request those that the service gets.
pub(crate) fn forward_request(parts: &mut Parts, peer: IpAddr, via: &str, http2: bool) {
    let takes_trailers = listed(&parts.headers, &TE).any(|word| word.eq_ignore_ascii_case("trailers"));
    let authority = parts.uri.authority().and_then(|authority| HeaderValue::from_str(authority.as_str()).ok());
    let host = parts.headers.remove(HOST).or(authority);
    let headers = &mut parts.headers;
    strip(headers);
    headers.remove(SOURCE);
    // The proxy says itself that a body may come, when it is ready for it.
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
    if let (Some(host), Entry::Vacant(entry)) = (host, headers.entry(FORWARDED_HOST)) {
        entry.insert(host);
    }
    if let Entry::Vacant(entry) = headers.entry(FORWARDED_PROTO) {
        entry.insert(HeaderValue::from_static("http"));
    }
    append(headers, VIA, &format!("{} {via}", number(parts.version)));
}

/// Makes the headers of a response those that the client gets.
pub(crate) fn forward_response(headers: &mut HeaderMap, version: Version, via: &str) {
    strip(headers);
    append(headers, VIA, &format!("{} {via}", number(version)));
}

/// Makes room for trailers: in HTTP/1.1 there are none behind a body whose length is told, nor any that are not announced.
pub(crate) fn announce(headers: &mut HeaderMap, trailers: &HeaderMap) {
    headers.remove(CONTENT_LENGTH);
    let names: Vec<&str> = trailers.keys().map(HeaderName::as_str).collect();
    if let Ok(names) = HeaderValue::from_str(&names.join(", ")) {
        headers.insert(TRAILER, names);
    }
}

/// Whether the request came by whoever calls itself so.
pub(crate) fn came_by(headers: &HeaderMap, via: &str) -> bool {
    listed(headers, &VIA).any(|entry| entry.split_whitespace().nth(1) == Some(via))
}

/// The protocol that the client would rather speak.
pub(crate) fn wanted_upgrade(headers: &HeaderMap) -> Option<String> {
    // HTTP/2 is an offer that a server may leave aside; others are asked for by clients that can do nothing else.
    let is_offer = |word: &str| word.eq_ignore_ascii_case("h2c") || word.to_ascii_lowercase().starts_with("tls/");
    listed(headers, &UPGRADE).find(|word| !is_offer(word)).map(str::to_owned)
}

/// How a body comes, going by its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// At once, or soon: it can be waited for.
    Document,
    /// Part by part, for as long as it takes.
    Stream,
    /// Part by part and usually without an end.
    Feed,
}

impl Kind {
    pub(crate) fn of(headers: &HeaderMap) -> Kind {
        let text = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "text/event-stream" | "multipart/x-mixed-replace" => Kind::Feed,
            "application/octet-stream"
            | "application/x-ndjson"
            | "application/ndjson"
            | "application/jsonl"
            | "application/zip"
            | "application/gzip" => Kind::Stream,
            other if is_grpc(other) => Kind::Stream,
            other => match other.split('/').next() {
                Some("audio" | "image" | "multipart" | "video" | "font") => Kind::Stream,
                _ => Kind::Document,
            },
        }
    }
}

/// Whether a message belongs to gRPC, which there is in HTTP/2 only.
pub(crate) fn speaks_grpc(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(is_grpc)
}

fn is_grpc(content_type: &str) -> bool {
    content_type
        .strip_prefix("application/grpc")
        .is_some_and(|rest| matches!(rest.bytes().next(), None | Some(b'+' | b';')))
}

fn strip(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = listed(headers, &CONNECTION).filter_map(|word| word.parse().ok()).collect();
    // A length beside chunks is what smugglers write; the chunks count.
    if headers.contains_key(TRANSFER_ENCODING) {
        headers.remove(CONTENT_LENGTH);
    }
    for name in named.into_iter().filter(|name| *name != CONTENT_LENGTH).chain(HOP_BY_HOP) {
        headers.remove(name);
    }
}

/// The words of a header that is a list.
fn listed<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'h str> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim).filter(|word| !word.is_empty())
}

fn append(headers: &mut HeaderMap, name: HeaderName, word: &str) {
    let known: Vec<&str> = listed(headers, &name).chain([word]).collect();
    if let Ok(value) = HeaderValue::from_str(&known.join(", ")) {
        headers.insert(name, value);
    }
}

/// HTTP/2 may send cookies one by one; HTTP/1.1 knows only one header of them (RFC 9113, section 8.2.3).
fn join_cookies(headers: &mut HeaderMap) {
    let crumbs: Vec<&[u8]> = headers.get_all(COOKIE).iter().map(HeaderValue::as_bytes).collect();
    if crumbs.len() > 1
        && let Ok(joined) = HeaderValue::from_bytes(&crumbs.join(&b"; "[..]))
    {
        headers.insert(COOKIE, joined);
    }
}

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

fn number(version: Version) -> &'static str {
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
        forward_request(&mut parts, [10, 0, 0, 1].into(), "gnomon", http2);
        parts.headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect()
    }

    #[test]
    fn what_concerns_the_connection_stays_behind() {
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
    fn what_is_known_is_added_to() {
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
            ("application/json; charset=utf-8", Kind::Document),
            ("Text/XML", Kind::Document),
            ("", Kind::Document),
            ("text/event-stream", Kind::Feed),
            ("application/grpc+proto", Kind::Stream),
            ("application/grpcish", Kind::Document),
            ("multipart/form-data; boundary=x", Kind::Stream),
        ] {
            assert_eq!(Kind::of(&parts(&[("content-type", text)]).headers), kind, "{text}");
        }
    }

    #[test]
    fn circles_sources_and_upgrades_are_seen() {
        let headers =
            parts(&[("via", "1.1 a, 2.0 gnomon (x)"), ("upgrade", "h2c, websocket"), ("x-gnomon-source", " ann ")])
                .headers;
        assert!(came_by(&headers, "gnomon") && !came_by(&headers, "other"));
        assert_eq!(wanted_upgrade(&headers).as_deref(), Some("websocket"));
        assert_eq!(source(&headers).as_deref(), Some("ann"));
        assert_eq!(wanted_upgrade(&parts(&[("upgrade", "h2c")]).headers), None);
        assert_eq!(source(&parts(&[("x-gnomon-source", " ")]).headers), None);
    }
}
