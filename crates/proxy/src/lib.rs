// SPDX-License-Identifier: MIT OR Apache-2.0
//! A forwarding HTTP proxy with a tap. It stands in front of a service, forwards requests and responses, and shows each
//! message to a [`Tap`] first. It knows nothing of properties or verdicts; [`adapt`] turns messages into events.
//!
//! The main types: a [`ProxyRoute`] (the listening address and the service), a [`Relay`] (the shared state of the proxies of
//! one process), a [`Proxy`] (one that listens), a [`TappedMessage`] (a message as the tap sees it) and a [`Ruling`] (the
//! decision to forward or to refuse it).
//!
//! ```no_run
//! use gnomon_proxy::{Relay, Ruling, Settings, Tap, TappedMessage};
//!
//! struct Printer;
//!
//! impl Tap for Printer {
//!     async fn tap(&self, message: TappedMessage) -> Ruling {
//!         println!("{} {} {:?}", message.source, message.path, message.status);
//!         Ruling::Pass
//!     }
//! }
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let relay = Relay::new(Settings::default(), Printer);
//! let proxy = relay.bind("shop@127.0.0.1:9001=http://127.0.0.1:8001".parse()?).await?;
//! proxy.run(std::future::pending()).await;
//! # Ok(())
//! # }
//! ```
//!
//! Bodies stream in both directions. The first bytes of each are captured for the tap; nothing else is kept, and
//! [`Settings`] limits the captured bytes.

pub mod adapt;

mod body_capture;
mod body_stream;
mod connection;
mod deferred_timer;
mod exchange;
mod headers;
mod problem;
mod relay;
mod response_body;
mod route;
mod settings;
mod tap;
mod upload;
mod upstream;

pub use relay::{Proxy, Relay};
pub use route::{ProxyRoute, RouteError, Upstream};
pub use settings::Settings;
pub use tap::{MessageDirection, Ruling, Tap, TappedMessage};
