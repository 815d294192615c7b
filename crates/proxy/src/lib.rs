// SPDX-License-Identifier: MIT OR Apache-2.0
//! A forwarding HTTP proxy with a tap. It stands before a service, passes requests and responses on, and shows each message
//! to a [`Tap`] before it does. It knows nothing of events, properties or verdicts; [`adapt`] makes events of what was shown.
//!
//! The nouns that matter: a [`Route`] (where a proxy listens, and for whom), a [`Relay`] (what the proxies of one process share),
//! a [`Proxy`] (one that listens), [`Tapped`] (a message as it is shown) and [`Ruling`] (what is to happen to it).
//!
//! ```no_run
//! use gnomon_proxy::{Relay, Ruling, Settings, Tap, Tapped};
//!
//! struct Printer;
//!
//! impl Tap for Printer {
//!     async fn tap(&self, message: Tapped) -> Ruling {
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
//! Bodies stream in both directions. The first bytes of each are copied aside for the tap; nothing else is kept, and what
//! is kept is bounded by [`Settings`].

pub mod adapt;

mod alarm;
mod aside;
mod connection;
mod exchange;
mod flow;
mod headers;
mod onward;
mod problem;
mod relay;
mod route;
mod settings;
mod tap;
mod upload;
mod upstream;

pub use relay::{Proxy, Relay};
pub use route::{Route, RouteError, Upstream};
pub use settings::Settings;
pub use tap::{Direction, Ruling, Tap, Tapped};
