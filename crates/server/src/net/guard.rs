// SPDX-License-Identifier: MIT OR Apache-2.0
//! Access control: the host name of a request, the origin of a browser's page, and the token.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;

use super::exchange_body::Exchange;
use crate::app::App;
use crate::log::events::{RequestAnswered, RequestDenied};
use crate::problem::Problem;
use crate::routes::role_of;
use crate::tokens::AccessRole;

/// Content security policy of our pages: nothing is loaded from elsewhere.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; \
                      base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Checks a request, forwards it or answers it with a problem, and counts and logs it.
pub(crate) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let (mut request, exchange) = Exchange::begin(request, app.limits.body_bytes);
    let start = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let role = route.as_deref().map_or(AccessRole::Anyone, |path| role_of(&method, path));
    let name = route.as_deref().unwrap_or("other");
    let mut response = match examine(&app, app.hosts.as_deref(), role, &request) {
        Ok(role) => {
            request.extensions_mut().insert(ClientRole(role));
            next.run(request).await
        }
        Err(problem) => {
            drop(request);
            app.log.write(&RequestDenied { route: name, reason: problem.kind });
            problem.into_response()
        }
    };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    note_answer(&app, &method, name, &response, start);
    exchange.answer(response)
}

/// The role of the client of a request. Without tokens every client is an administrator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientRole(pub(crate) AccessRole);

/// Counts and logs the response to a request that arrived at `start`.
pub(crate) fn note_answer(app: &App, method: &Method, route: &str, response: &Response, start: Instant) {
    let status = response.status().as_u16();
    app.metrics.requested(method, route, status, start.elapsed());
    let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    app.log.write(&RequestAnswered { method: method.as_str(), route, status, millis });
}

/// Checks host name, origin and token of a request, and returns the role of the client. `hosts` are the accepted host
/// names; `None`: any.
pub(crate) fn examine(
    app: &App,
    hosts: Option<&[String]>,
    role: AccessRole,
    request: &Request,
) -> Result<AccessRole, Problem> {
    if request.headers().get_all(HOST).iter().nth(1).is_some() {
        return Err(Problem::bad("the request has several `Host` headers; send one"));
    }
    let authority = request.uri().authority().map(Authority::as_str);
    let host = authority.or_else(|| request.headers().get(HOST)?.to_str().ok());
    if let Some(hosts) = hosts {
        // Protects against DNS rebinding: a foreign page can resolve its own name to this machine, but the name gives
        // it away.
        let name = host.map(host_name).unwrap_or_default();
        if !hosts.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return Err(Problem::forbidden(
                "this watch is not known under this name; use localhost, or start it with `--allow-host NAME`",
            ));
        }
    }
    if ![Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method()) {
        same_site(request.headers(), host)?;
    }
    if app.tokens.is_empty() {
        return Ok(AccessRole::Admin);
    }
    if role == AccessRole::Anyone {
        return Ok(AccessRole::Anyone);
    }
    let presented = bearer(request.headers()).map(str::to_owned).or_else(|| from_query(request));
    let presented = presented.ok_or_else(|| {
        Problem::unauthorised(format!("send `Authorization: Bearer …` with a token for `{}`", role.word()))
    })?;
    match app.tokens.role(&presented) {
        None => Err(Problem::unauthorised("this token is not known")),
        Some(has) if has < role => {
            let (has, needs) = (has.word(), role.word());
            Err(Problem::forbidden(format!("the token is for `{has}`; this needs one for `{needs}`")))
        }
        Some(has) => Ok(has),
    }
}

/// Checks that a browser's request comes from a page of this server: only those may change anything.
fn same_site(headers: &HeaderMap, host: Option<&str>) -> Result<(), Problem> {
    let foreign =
        || Problem::forbidden("pages of other sites are not allowed to do this; use the dashboard or a program");
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    match text(HeaderName::from_static("sec-fetch-site")) {
        Some("same-origin" | "none") => return Ok(()),
        Some(_) => return Err(foreign()),
        None => {}
    }
    match text(ORIGIN) {
        None => Ok(()),
        Some(origin) => {
            let from = origin.split_once("://").map(|(_, rest)| rest);
            if from.is_some() && from == host { Ok(()) } else { Err(foreign()) }
        }
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Reads a token from the query: browsers cannot set headers for event streams and downloads.
fn from_query(request: &Request) -> Option<String> {
    if !matches!(request.uri().path(), "/api/v1/stream" | "/api/v1/export") || request.method() != Method::GET {
        return None;
    }
    let mut pairs = request.uri().query()?.split('&');
    let token = pairs.find_map(|pair| pair.strip_prefix("token="))?;
    Some(percent_decode_str(token).decode_utf8_lossy().into_owned())
}

/// Returns the host without its port.
fn host_name(host: &str) -> &str {
    let bracket = host.strip_prefix('[').and_then(|rest| rest.find(']')).map(|at| &host[..at + 2]);
    bracket.unwrap_or_else(|| host.rsplit_once(':').map_or(host, |(name, _)| name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_no_port() {
        for (host, name) in [
            ("localhost:80", "localhost"),
            ("localhost", "localhost"),
            ("[::1]:80", "[::1]"),
            ("[::1]", "[::1]"),
            ("a.b:1", "a.b"),
        ] {
            assert_eq!(host_name(host), name);
        }
    }

    #[test]
    fn only_own_pages_change_things() {
        let headers = |pairs: &[(&'static str, &'static str)]| -> HeaderMap {
            pairs.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
        };
        let host = Some("localhost:80");
        assert!(same_site(&headers(&[]), host).is_ok());
        assert!(same_site(&headers(&[("origin", "http://localhost:80")]), host).is_ok());
        assert!(same_site(&headers(&[("sec-fetch-site", "same-origin")]), host).is_ok());
        for wrong in [
            ("origin", "http://evil"),
            ("origin", "null"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            assert!(same_site(&headers(&[wrong]), host).is_err(), "{wrong:?}");
        }
    }
}
