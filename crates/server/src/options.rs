// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options and limits of a server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use gnomon_proxy::ProxyRoute;
use gnomon_proxy::adapt::Adapters;

use crate::log::Log;
use crate::tokens::Tokens;

/// Options of a server.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Address for HTTP; port 0 selects a free port.
    pub http: SocketAddr,
    /// Address for events over TCP.
    pub tcp: Option<SocketAddr>,
    /// Addresses for OpenTelemetry spans, over gRPC and HTTP.
    pub otlp: Vec<SocketAddr>,
    /// Services that messages are forwarded to and evaluated on the way.
    pub proxies: Vec<ProxyRoute>,
    /// Adapters that convert those messages to events.
    pub adapters: Adapters,
    /// Access tokens; without any, access is open.
    pub tokens: Tokens,
    /// Certificate for TLS on every port.
    pub tls: Option<TlsFiles>,
    /// Additional host names for a server on loopback.
    pub hosts: Vec<String>,
    /// Permits addresses beyond loopback without tokens or TLS, for networks that are protected otherwise.
    pub allow_plain: bool,
    /// Limits.
    pub limits: NetLimits,
    /// Options of hook calls.
    pub hooks: HookOptions,
    /// The log.
    pub log: Log,
}

impl ServerOptions {
    /// Options of a server on loopback at a free port, without tokens.
    pub fn local() -> ServerOptions {
        ServerOptions {
            http: SocketAddr::from(([127, 0, 0, 1], 0)),
            tcp: None,
            otlp: Vec::new(),
            proxies: Vec::new(),
            adapters: Adapters::default(),
            tokens: Tokens::default(),
            tls: None,
            hosts: Vec::new(),
            allow_plain: false,
            limits: NetLimits::default(),
            hooks: HookOptions::default(),
            log: Log::silent(),
        }
    }
}

/// A certificate and its key, both PEM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlsFiles {
    /// The certificate and the chain to a trusted one.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// Limits on clients.
#[derive(Clone, PartialEq, Debug)]
pub struct NetLimits {
    /// Bytes of a body as sent.
    pub body_bytes: usize,
    /// Bytes of a body after decompression.
    pub unpacked_bytes: usize,
    /// Bytes of a line over TCP, or of an XML element.
    pub line_bytes: usize,
    /// Total bytes of bodies that are being read or wait for acceptance.
    pub held_bytes: usize,
    /// Simultaneous connections per port.
    pub connections: usize,
    /// Simultaneous streams of server-sent events.
    pub streams: usize,
    /// Events per second, over HTTP and TCP together.
    pub events_per_second: Option<u64>,
    /// Time for the head of a request, and for a TLS handshake.
    pub head_time: Duration,
    /// Time for a whole body.
    pub body_time: Duration,
    /// Time that a connection may be idle.
    pub idle_time: Duration,
    /// Time that open requests may take when the server stops.
    pub stop_time: Duration,
}

impl Default for NetLimits {
    fn default() -> Self {
        NetLimits {
            body_bytes: 16 << 20,
            unpacked_bytes: 64 << 20,
            line_bytes: 1 << 20,
            held_bytes: 512 << 20,
            connections: 1024,
            streams: 256,
            events_per_second: None,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(60),
            idle_time: Duration::from_secs(60),
            stop_time: Duration::from_secs(10),
        }
    }
}

/// Options of hook calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HookOptions {
    /// Pause after the first failure; it doubles with each further one.
    pub first_pause: Duration,
    /// Maximum pause.
    pub longest_pause: Duration,
    /// Age after which a violation is abandoned.
    pub give_up: Duration,
    /// Time limit for a response.
    pub timeout: Duration,
}

impl Default for HookOptions {
    fn default() -> Self {
        HookOptions {
            first_pause: Duration::from_secs(5),
            longest_pause: Duration::from_secs(3600),
            give_up: Duration::from_secs(24 * 3600),
            timeout: Duration::from_secs(10),
        }
    }
}
