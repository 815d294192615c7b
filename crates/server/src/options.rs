// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a server is told before it starts: where it listens, who may speak to it, how much it puts up with.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use gnomon_proxy::Route;
use gnomon_proxy::adapt::Adapters;

use crate::log::Log;
use crate::tokens::Tokens;

/// What a server is told before it starts.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Where HTTP is spoken; port 0 takes a free one.
    pub http: SocketAddr,
    /// Where lines of events are taken in, if anywhere.
    pub tcp: Option<SocketAddr>,
    /// Where OpenTelemetry spans are taken in, over gRPC and HTTP.
    pub otlp: Vec<SocketAddr>,
    /// Services that messages are forwarded to, and judged on the way.
    pub proxies: Vec<Route>,
    /// How those messages become events.
    pub adapters: Adapters,
    /// Who may do what; nobody is asked for a token if there is none.
    pub tokens: Tokens,
    /// The certificate, for TLS on every port.
    pub tls: Option<TlsFiles>,
    /// Names under which browsers may reach a server on loopback, besides the usual ones.
    pub hosts: Vec<String>,
    /// Listens beyond loopback without tokens or without TLS, for networks that somebody else guards.
    pub allow_plain: bool,
    /// What is too much.
    pub limits: NetLimits,
    /// How hooks are called.
    pub hooks: HookOptions,
    /// Where notable events are written.
    pub log: Log,
}

impl ServerOptions {
    /// A server on loopback at a free port, without tokens.
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
    /// The certificate, and those between it and one that clients trust.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// What is too much.
#[derive(Clone, PartialEq, Debug)]
pub struct NetLimits {
    /// Bytes of a body as it is sent.
    pub body_bytes: usize,
    /// Bytes of a body when it is unpacked.
    pub unpacked_bytes: usize,
    /// Bytes of a line over TCP, or of an element of XML.
    pub line_bytes: usize,
    /// Bytes of all bodies that are being read or wait to be accepted.
    pub held_bytes: usize,
    /// Connections at a time, of each port.
    pub connections: usize,
    /// Streams of server-sent events at a time.
    pub streams: usize,
    /// Events a second, over HTTP and TCP together.
    pub events_per_second: Option<u64>,
    /// How long the head of a request may take, and a TLS handshake.
    pub head_time: Duration,
    /// How long a body may take as a whole.
    pub body_time: Duration,
    /// How long a connection may do nothing.
    pub idle_time: Duration,
    /// How long open requests may go on when the server is stopped.
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

/// How hooks are called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HookOptions {
    /// How long violations are gathered before a hook is told of them together.
    pub window: Duration,
    /// The pause after the first failure; it doubles with each further one.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// How long a violation is worth telling.
    pub give_up: Duration,
    /// How long a hook may take to answer.
    pub timeout: Duration,
}

impl Default for HookOptions {
    fn default() -> Self {
        HookOptions {
            window: Duration::from_secs(5),
            first_pause: Duration::from_secs(5),
            longest_pause: Duration::from_secs(3600),
            give_up: Duration::from_secs(24 * 3600),
            timeout: Duration::from_secs(10),
        }
    }
}
