// SPDX-License-Identifier: MIT OR Apache-2.0
//! The arguments of `gnomon watch`.

use std::net::SocketAddr;

use clap::Args;
use gnomon::time::Quantity;
use gnomon_live::TimeSource;
use gnomon_proxy::ProxyRoute;
use gnomon_server::LogLevel;

use crate::args::{ExternArguments, one_of};
use crate::memory;

#[derive(Args, Debug)]
pub(crate) struct WatchArguments {
    /// The spec file (.rv, .qea with one automaton, .mcf with one formula, .xml with rules)
    pub(crate) spec: String,
    /// Keep events, state and history in this folder: whatever was acknowledged survives a crash [default: in memory]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<String>,
    /// Where the dashboard and the API are, and events come in over HTTP
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7317")]
    pub(crate) listen_http: SocketAddr,
    /// Take events in over TCP: NDJSON lines or a CRV XML stream
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen_tcp: Option<SocketAddr>,
    /// Take OpenTelemetry spans in, over gRPC and HTTP (may be given several times: 127.0.0.1:4317, 127.0.0.1:4318)
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen_otlp: Vec<SocketAddr>,
    /// Forward HTTP to a service and judge every message on the way (may be given several times)
    ///
    /// `127.0.0.1:9001=http://127.0.0.1:8001`, with a name for the service `shop@127.0.0.1:9001=http://…`, and one for
    /// whoever calls it `client:shop@127.0.0.1:9001=http://…`.
    #[arg(long, value_name = "LISTEN=UPSTREAM")]
    pub(crate) proxy: Vec<ProxyRoute>,
    #[arg(
        help = "How messages that go through the proxy become events (TOML; docs/proxy.md) [default: SOAP and JSON as they are]"
    )]
    #[arg(long, value_name = "FILE", requires = "proxy")]
    pub(crate) adapters: Option<String>,
    /// Judge each value of FIELD (a session, a case) as a trace of its own
    #[arg(long, value_name = "FIELD")]
    pub(crate) by: Option<String>,
    /// Where times come from
    #[arg(long, value_parser = one_of(&TIME_SOURCES), default_value = "event")]
    pub(crate) time: TimeSource,
    #[arg(
        help = "How late an event may come: it is put in order, and deadlines wait that long [default: 250ms for date-times, else 0]"
    )]
    #[arg(long, value_name = "D", value_parser = Quantity::read)]
    pub(crate) lateness: Option<Quantity>,
    #[arg(help = "How far a date-time may be ahead of the arrival of its event; events beyond are refused")]
    #[arg(long, value_name = "D", value_parser = Quantity::read, default_value = "1m")]
    pub(crate) max_ahead: Quantity,
    #[arg(
        help = "What a violation of a `critical` property stops: messages with the same value of FIELD, or `all` [default: its case with --by, else all]"
    )]
    #[arg(long, value_name = "FIELD")]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) externs: ExternArguments,
    /// Ask for tokens: a file with a role (read, write, admin) and a token on each line
    #[arg(long, value_name = "FILE")]
    pub(crate) tokens: Option<String>,
    /// The certificate for TLS, PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<String>,
    /// Its private key, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<String>,
    /// Listen beyond this machine without tokens or without TLS: for networks that somebody else guards
    #[arg(long)]
    pub(crate) allow_plain: bool,
    /// Keep at most so much of the journal that is not needed for a restart: 500M, 20G [default: all of it]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size, requires = "store")]
    pub(crate) keep: Option<u64>,
    /// Go on with a journal that lost records after this one: the error at the start names it
    #[arg(long, value_name = "RECORD", requires = "store")]
    pub(crate) accept_loss_after: Option<u64>,
    /// Refuse events while more bindings than this must be remembered
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub(crate) max_bindings: u64,
    /// Refuse events while the bindings take more memory than this: 500M, 2G [default: 80 % of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    pub(crate) max_memory: Option<u64>,
    /// Refuse events while there are more cases than this
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) max_cases: usize,
    /// Connections at a time, of each port
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub(crate) max_connections: usize,
    /// The largest body of a request, unpacked
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size, default_value = "64M")]
    pub(crate) max_body: u64,
    /// Events a second that are taken in [default: any number]
    #[arg(long, value_name = "N")]
    pub(crate) max_rate: Option<u64>,
    #[arg(help = "How much is logged to standard error, as lines of JSON")]
    #[arg(long, value_parser = one_of(&LOG_LEVELS), default_value = "warn")]
    pub(crate) log: LogLevel,
}

/// The words of `--time`, with their help.
const TIME_SOURCES: [(&str, &str, TimeSource); 3] = [
    ("event", "Events tell their time, and the clock goes on from the latest", TimeSource::Event),
    ("arrival", "The time of an event is that of its arrival", TimeSource::Arrival),
    ("replay", "Events tell their time, and no other time passes", TimeSource::Replay),
];

/// The words of `--log`, with their help.
const LOG_LEVELS: [(&str, &str, LogLevel); 4] = [
    ("error", "What somebody has to look at", LogLevel::Error),
    ("warn", "What somebody may have to look at", LogLevel::Warn),
    ("info", "What happens seldom", LogLevel::Info),
    ("debug", "Every request", LogLevel::Debug),
];
