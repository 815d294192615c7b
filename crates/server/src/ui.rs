// SPDX-License-Identifier: MIT OR Apache-2.0
//! Serves the dashboard, which is compiled into the program.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;

use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// A file of the dashboard, compressed with gzip.
struct DashboardFile {
    /// For example `/index.html`.
    path: &'static str,
    packed: &'static [u8],
}

static FILES: &[DashboardFile] = include!(concat!(env!("OUT_DIR"), "/ui.rs"));

/// Page that is shown if the dashboard was not built.
const MISSING: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Gnomon</title>\
<h1>Gnomon is watching</h1><p>This program was built without the dashboard. Node.js 20 or newer builds it:</p>\
<pre>cd ui &amp;&amp; npm ci &amp;&amp; npm run build</pre><p>Then build the program again. The API is there: \
<a href=\"/docs\">documentation</a>, <a href=\"/api/v1/status\">status</a>.</p></html>";

/// Returns true if the dashboard is compiled in.
pub fn has_dashboard() -> bool {
    !FILES.is_empty()
}

/// Serves a file of the dashboard. No other paths exist besides the routes.
pub(crate) async fn serve(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = if uri.path() == "/" { "/index.html" } else { uri.path() };
    if method != Method::GET && method != Method::HEAD {
        return Problem::not_found("nothing under this path can be changed; see /docs").into_response();
    }
    match FILES.iter().find(|file| file.path == path) {
        Some(file) => answer(file, &headers),
        None if path == "/index.html" => {
            ([(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"))], MISSING).into_response()
        }
        None => Problem::not_found("this path does not exist; see /docs").into_response(),
    }
}

fn answer(file: &DashboardFile, headers: &HeaderMap) -> Response {
    let mut hasher = DefaultHasher::new();
    file.packed.hash(&mut hasher);
    let tag = format!("\"{:016x}\"", hasher.finish());
    // Names of assets contain a hash of their content; other files are revalidated.
    let is_lasting = file.path.starts_with("/assets/");
    let caching = if is_lasting { "public, max-age=31536000, immutable" } else { "no-cache" };
    let known = headers.get(IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let mut response = if known.is_some_and(|known| known.contains(&tag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else if takes_gzip(headers) {
        ([(CONTENT_ENCODING, HeaderValue::from_static("gzip"))], file.packed).into_response()
    } else {
        let mut plain = Vec::new();
        let unpacked = flate2::read::GzDecoder::new(file.packed).read_to_end(&mut plain);
        unpacked.expect("the build packed it");
        plain.into_response()
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type(file.path)));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.extend(HeaderValue::from_str(&tag).ok().map(|tag| (ETAG, tag)));
    response
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|part| {
        let mut words = part.split(';').map(str::trim);
        words.next() == Some("gzip") && !words.any(|word| word == "q=0")
    })
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" | "map" | "webmanifest" => "application/json",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
