// SPDX-License-Identifier: MIT OR Apache-2.0
//! The address and the service of a proxy, as written on the command line:
//! `[[CALLER:]NAME@]LISTEN=UPSTREAM`.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;

use hyper::Uri;
use hyper::http::uri::{Authority, Scheme};
use thiserror::Error;

/// The route of one proxy: `127.0.0.1:9001=http://127.0.0.1:8001`, with a name `shop@127.0.0.1:9001=http://…`, or also with
/// the name of its only caller, `client:shop@127.0.0.1:9001=http://…`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProxyRoute {
    /// The caller, unless the request names one.
    pub caller: Option<String>,
    /// The name of the proxy and of the service behind it; by default host and port of the service.
    pub name: String,
    /// The address that the proxy listens at; port 0 means any free port.
    pub listen: SocketAddr,
    /// The service.
    pub upstream: Upstream,
}

/// A service that requests are forwarded to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Upstream {
    authority: Authority,
    /// The prefix of each path; empty or `/…`, without a trailing slash.
    base: String,
    /// True if it speaks HTTP/2 only.
    pub(crate) http2: bool,
}

/// An error in the text of a [`ProxyRoute`].
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{text}` is not a proxy: {what}; {help}")]
pub struct RouteError {
    text: String,
    what: String,
    help: &'static str,
}

impl FromStr for ProxyRoute {
    type Err = RouteError;

    fn from_str(text: &str) -> Result<ProxyRoute, RouteError> {
        let wrong = |what: String, help| RouteError { text: text.to_owned(), what, help };
        let Some((left, upstream)) = text.split_once('=') else {
            return Err(wrong(
                "it has no `=`".to_owned(),
                "write LISTEN=UPSTREAM, `127.0.0.1:9001=http://127.0.0.1:8001`",
            ));
        };
        let (label, listen) = left.split_once('@').map_or((None, left), |(label, listen)| (Some(label), listen));
        let listen = address(listen).ok_or_else(|| {
            wrong(
                format!("`{listen}` is not an address to listen on"),
                "write an IP address and a port, `127.0.0.1:9001`",
            )
        })?;
        let upstream = Upstream::parse(upstream).map_err(|(what, help)| wrong(what, help))?;
        let (caller, name) = match label {
            None => (None, upstream.authority.to_string()),
            Some(label) => {
                let (caller, name) = label.split_once(':').map_or((None, label), |(caller, name)| (Some(caller), name));
                if let Some(bad) = caller.into_iter().chain([name]).find(|name| !is_name(name)) {
                    return Err(wrong(
                        format!("`{bad}` is not a name"),
                        "names have letters, digits, `-`, `_` and `.`",
                    ));
                }
                (caller.map(str::to_owned), name.to_owned())
            }
        };
        if listen.port() != 0 && upstream.authority.as_str() == listen.to_string() {
            return Err(wrong("it forwards to itself".to_owned(), "name the port that the service listens on"));
        }
        Ok(ProxyRoute { caller, name, listen, upstream })
    }
}

/// Reads an IP address and a port, or `localhost` and a port.
fn address(text: &str) -> Option<SocketAddr> {
    let local = |port: &str| port.parse().ok().map(|port: u16| (Ipv4Addr::LOCALHOST, port).into());
    text.parse().ok().or_else(|| text.strip_prefix("localhost:").and_then(local))
}

fn is_name(text: &str) -> bool {
    let fits = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_' | '.');
    (1..=100).contains(&text.len()) && text.chars().all(fits)
}

impl Upstream {
    fn parse(text: &str) -> Result<Upstream, (String, &'static str)> {
        const HELP: &str = "write `http://HOST:PORT`, or `h2c://HOST:PORT` for a service that speaks HTTP/2 only";
        let uri: Uri = text.parse().map_err(|_| (format!("`{text}` is not an address of a service"), HELP))?;
        let http2 = match uri.scheme_str() {
            Some("http") => false,
            Some("h2c") => true,
            Some("https") => {
                let help = "let the service listen without TLS on this machine, or put a TLS proxy in front of it";
                return Err(("services behind TLS are not forwarded to".to_owned(), help));
            }
            _ => return Err((format!("`{text}` does not begin with `http://` or `h2c://`"), HELP)),
        };
        let authority =
            uri.authority().filter(|authority| !authority.host().is_empty() && !authority.as_str().contains('@'));
        let Some(authority) = authority.cloned() else { return Err((format!("`{text}` does not name a host"), HELP)) };
        if uri.query().is_some() {
            return Err((format!("`{text}` has a query"), "write the address up to the path"));
        }
        Ok(Upstream { authority, base: uri.path().trim_end_matches('/').to_owned(), http2 })
    }

    /// Returns the URI of a path at the service; `None` if it is too long.
    pub(crate) fn address(&self, path_and_query: &str) -> Option<Uri> {
        let target = format!("{}{path_and_query}", self.base);
        Uri::builder().scheme(Scheme::HTTP).authority(self.authority.clone()).path_and_query(target).build().ok()
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", if self.http2 { "h2c" } else { "http" }, self.authority, self.base)
    }
}

impl fmt::Display for ProxyRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(caller) = &self.caller {
            write!(f, "{caller}:")?;
        }
        if self.caller.is_some() || self.name != self.upstream.authority.as_str() {
            write!(f, "{}@", self.name)?;
        }
        write!(f, "{}={}", self.listen, self.upstream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_printed_as_they_are_read() {
        for text in [
            "127.0.0.1:9001=http://127.0.0.1:8001",
            "shop@127.0.0.1:0=http://shop.example:80/base",
            "client:shop@[::1]:9001=h2c://127.0.0.1:8001",
        ] {
            assert_eq!(text.parse::<ProxyRoute>().map(|route| route.to_string()).as_deref(), Ok(text));
        }
        let route: ProxyRoute = "a:b@localhost:7=http://h/x/".parse().unwrap();
        assert_eq!(route.to_string(), "a:b@127.0.0.1:7=http://h/x");
    }

    #[test]
    fn errors_are_specific() {
        for (text, expected) in [
            ("127.0.0.1:9001", "it has no `=`"),
            ("9001=http://h", "`9001` is not an address to listen on"),
            ("here:9001=http://h", "`here:9001` is not an address to listen on"),
            ("127.0.0.1:1=h:8001", "`h:8001` does not begin with `http://` or `h2c://`"),
            ("127.0.0.1:1=http://", "`http://` is not an address of a service"),
            ("127.0.0.1:1=http://u:p@h", "`http://u:p@h` does not name a host"),
            ("127.0.0.1:1=https://h", "services behind TLS are not forwarded to"),
            ("127.0.0.1:1=http://h/?a", "`http://h/?a` has a query"),
            ("127.0.0.1:1=http://127.0.0.1:1", "it forwards to itself"),
            ("a b@127.0.0.1:1=http://h", "`a b` is not a name"),
            (":b@127.0.0.1:1=http://h", "`` is not a name"),
        ] {
            assert_eq!(text.parse::<ProxyRoute>().map_err(|error| error.what), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn paths_follow_the_base() {
        let route: ProxyRoute = "127.0.0.1:1=http://h:2/base/".parse().unwrap();
        assert_eq!(route.upstream.address("/a?b").unwrap(), "http://h:2/base/a?b");
        assert_eq!(route.upstream.address("/").unwrap(), "http://h:2/base/");
    }
}
