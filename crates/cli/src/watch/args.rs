// SPDX-License-Identifier: MIT OR Apache-2.0
//! The arguments of `gnomon watch`.

use std::net::SocketAddr;

use clap::Args;
use gnomon::time::Quantity;
use gnomon_live::{SpecFrom, TimeSource};
use gnomon_proxy::ProxyRoute;
use gnomon_server::LogLevel;

use crate::args::{ExternArguments, one_of};
use crate::memory;

#[derive(Args, Debug)]
pub(crate) struct WatchArguments {
    /// The spec file (.rv, .qea, .mcf, .mop, .rvm, or .xml with rules)
    pub(crate) spec: String,
    /// Keep events, state and history in this folder, so that they survive a crash [default: in memory]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<String>,
    /// Serve the dashboard and the API at this address, and receive events over HTTP
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7317")]
    pub(crate) listen_http: SocketAddr,
    /// Receive events over TCP: lines of NDJSON, or a stream of CRV XML
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen_tcp: Option<SocketAddr>,
    /// Receive OpenTelemetry spans over gRPC and HTTP, for example at 127.0.0.1:4317; may be given several times
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen_otlp: Vec<SocketAddr>,
    /// Forward HTTP to a service and check every message; may be given several times
    ///
    /// `127.0.0.1:9001=http://127.0.0.1:8001` listens on port 9001. `shop@127.0.0.1:9001=http://…` also names the service, and
    /// `client:shop@127.0.0.1:9001=http://…` names its clients too.
    #[arg(long, value_name = "LISTEN=UPSTREAM")]
    pub(crate) proxy: Vec<ProxyRoute>,
    /// Turn messages of the proxy into events by the rules of this file (TOML; docs/proxy.md) [default: SOAP and JSON as they are]
    #[arg(long, value_name = "FILE", requires = "proxy")]
    pub(crate) adapters: Option<String>,
    /// Check each value of FIELD (a session, a case) as a separate trace
    #[arg(long, value_name = "FIELD")]
    pub(crate) by: Option<String>,
    /// The source of the times of events
    #[arg(long, value_parser = one_of(&TIME_SOURCES), default_value = "event")]
    pub(crate) time: TimeSource,
    /// Sort events that come at most this much too late; deadlines wait that long [default: 250ms for date-times, else 0]
    #[arg(long, value_name = "D", value_parser = Quantity::read)]
    pub(crate) lateness: Option<Quantity>,
    /// Refuse events whose date-time is further than this ahead of their arrival
    #[arg(long, value_name = "D", value_parser = Quantity::read, default_value = "1m")]
    pub(crate) max_ahead: Quantity,
    /// A violation of a `critical` property blocks messages with the same value of FIELD, or `all` messages [default: its case with
    /// --by, else all]
    #[arg(long, value_name = "FIELD")]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) externs: ExternArguments,
    /// Require tokens: a file with a role (read, write, admin) and a token on each line
    #[arg(long, value_name = "FILE")]
    pub(crate) tokens: Option<String>,
    /// The certificate for TLS, in PEM format
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<String>,
    /// The private key of the certificate, in PEM format
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<String>,
    /// Accept requests under this host name too, at an address of this machine only; may be given several times [default: localhost]
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// Allow other machines without tokens or without TLS; only for protected networks
    #[arg(long)]
    pub(crate) allow_plain: bool,
    /// Keep at most this much of the journal that a restart does not need: 500M, 20G [default: everything]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size, requires = "store")]
    pub(crate) keep: Option<u64>,
    /// Continue with a journal that lost the records after this one; the error message at the start names it
    #[arg(long, value_name = "RECORD", requires = "store")]
    pub(crate) accept_loss_after: Option<u64>,
    /// The spec to go on with if the store has another one: the file, as a new revision, or the last revision of the store
    #[arg(long, value_parser = one_of(&SPEC_ORIGINS), requires = "store")]
    pub(crate) spec_from: Option<SpecFrom>,
    /// Refuse events while more bindings than this must be remembered
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub(crate) max_bindings: u64,
    /// Refuse events while the bindings take more memory than this: 500M, 2G [default: 80 % of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    pub(crate) max_memory: Option<u64>,
    /// Close the cases that were silent longest, as inconclusive, while there are more than this
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) max_cases: usize,
    /// The most simultaneous connections to each port
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub(crate) max_connections: usize,
    /// The largest body of a request, after decompression
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size, default_value = "64M")]
    pub(crate) max_body: u64,
    /// The most events per second [default: no limit]
    #[arg(long, value_name = "N")]
    pub(crate) max_rate: Option<u64>,
    /// The detail of the log on standard error, which consists of lines of JSON
    #[arg(long, value_parser = one_of(&LOG_LEVELS), default_value = "warn")]
    pub(crate) log: LogLevel,
}

/// The words of `--time`, with their help.
const TIME_SOURCES: [(&str, &str, TimeSource); 3] = [
    ("event", "Events have times; the clock goes on from the latest", TimeSource::Event),
    ("arrival", "The time of an event is the time of its arrival", TimeSource::Arrival),
    ("replay", "Events have times; no time passes between them", TimeSource::Replay),
];

/// The words of `--spec-from`, with their help.
const SPEC_ORIGINS: [(&str, &str, SpecFrom); 2] = [
    ("file", "The file becomes a new revision", SpecFrom::File),
    ("store", "The last revision in the store, for example one saved on the dashboard", SpecFrom::Store),
];

/// The words of `--log`, with their help.
const LOG_LEVELS: [(&str, &str, LogLevel); 4] = [
    ("error", "Errors that need attention", LogLevel::Error),
    ("warn", "Errors and warnings", LogLevel::Warn),
    ("info", "Also rare events, such as starts and stops", LogLevel::Info),
    ("debug", "Also every request", LogLevel::Debug),
];
