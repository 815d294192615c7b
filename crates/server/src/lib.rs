// SPDX-License-Identifier: MIT OR Apache-2.0
//! The network interfaces of a watch: the API, events over HTTP, TCP and OTLP, messages through proxies, server-sent
//! events, hooks, metrics, and the dashboard. Evaluation and storage are in `gnomon-live`. The command `watch` calls
//! [`serve`].
//!
//! The main types: [`ServerOptions`]; [`RunningServer`], a server with its addresses; [`Tokens`], the access rights;
//! [`Log`], the log of events. `docs/contracts/api.md` defines what clients can rely on.
//!
//! Every client is treated as hostile: sizes, times, connections and memory have limits ([`NetLimits`]). A client
//! that exceeds one gets a problem document or is disconnected, without any effect on others.

mod app;
mod channel;
mod english;
mod hooks;
mod ingest;
mod log;
mod metrics;
mod net;
mod openapi;
mod options;
mod problem;
mod routes;
mod serve;
mod status;
mod status_ticker;
mod stream_encoder;
mod tap;
mod tokens;
mod ui;
mod violation;

pub use log::{Log, LogEvent, LogLevel};
pub use options::{HookOptions, NetLimits, ServerOptions, TlsFiles};
pub use serve::{RunningServer, ServeError, serve};
pub use tokens::{AccessRole, Tokens, TokensError};
pub use ui::has_dashboard;
