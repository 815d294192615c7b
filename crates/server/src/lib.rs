// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a watch says and hears over the network: the API, events in over HTTP, TCP and OTLP, messages through proxies,
//! server-sent events, hooks, metrics, the dashboard. It judges nothing and keeps nothing: `gnomon-live` does. The command `watch` calls [`serve`].
//!
//! The nouns that matter: [`ServerOptions`], what it is told; [`Running`], a server with its addresses; [`Tokens`], who may
//! do what; [`Log`], where notable events are written. `docs/contracts/api.md` says what clients can rely on.
//!
//! Everything on a network is taken for hostile: sizes, times, places and memory have limits ([`NetLimits`]), and whoever goes
//! beyond one gets a problem document or is cut off, while others go on.

mod app;
mod channel;
mod hooks;
mod ingest;
mod log;
mod metrics;
mod net;
mod openapi;
mod options;
mod problem;
mod pulse;
mod routes;
mod serve;
mod tap;
mod tokens;
mod ui;
mod violation;
mod words;

pub use log::{Level, Log, Notable};
pub use options::{HookOptions, NetLimits, ServerOptions, TlsFiles};
pub use serve::{Running, ServeError, serve};
pub use tokens::{Role, Tokens, TokensError};
pub use ui::has_dashboard;
