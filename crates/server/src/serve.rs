// SPDX-License-Identifier: MIT OR Apache-2.0
//! Starts and stops a server: opens the ports and runs their tasks.
//!
//! All ports are opened before any task starts, so a server starts completely or not at all. Ports beyond loopback require tokens and TLS,
//! unless plain connections are permitted (`allowed`).

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use gnomon_live::Live;
use gnomon_proxy::adapt::Adapters;
use gnomon_proxy::{Proxy, ProxyRoute, Relay, Settings};
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::app::{App, AppState};
use crate::english::EnglishCache;
use crate::hooks;
use crate::ingest::budget::{MemoryBudget, RateLimiter};
use crate::ingest::{otlp, tcp};
use crate::log::events::{PortOpened, ServerStopped, TaskFailed};
use crate::metrics::Metrics;
use crate::net::accept::{self, ListeningPort};
use crate::net::idle::IdleTimeout;
use crate::net::{http, tls};
use crate::options::{NetLimits, ServerOptions};
use crate::routes::router;
use crate::status_ticker;
use crate::stream_encoder;
use crate::tap::{TapCounts, WatchTap};

/// Number of streams that read the history at a time.
const CATCH_UPS: usize = 4;

/// A running server. Dropping it stops it immediately; [`RunningServer::stop`] lets requests finish.
pub struct RunningServer {
    /// The address for HTTP.
    pub http: SocketAddr,
    /// The address for events over TCP.
    pub tcp: Option<SocketAddr>,
    /// The addresses for spans.
    pub otlp: Vec<SocketAddr>,
    /// The addresses of the proxies, in the order of the options.
    pub proxies: Vec<SocketAddr>,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
    app: App,
}

impl RunningServer {
    /// Stops accepting connections, answers pending requests, and returns. The watch continues.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        while let Some(ended) = self.tasks.join_next().await {
            if let Err(error) = ended {
                self.app.log.write(&TaskFailed { task: "server", detail: error.to_string() });
            }
        }
        self.app.log.write(&ServerStopped {});
    }
}

/// Reason why a server cannot start.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct ServeError {
    message: String,
}

impl ServeError {
    fn new(message: impl Into<String>) -> ServeError {
        ServeError { message: message.into() }
    }
}

/// Opens the ports and serves them in the background, on the current runtime.
pub async fn serve(live: Live, options: ServerOptions) -> Result<RunningServer, ServeError> {
    allowed(&options)?;
    let http_port = open("http", options.http, &options, &["h2", "http/1.1"]).await?;
    let tcp_port = match options.tcp {
        Some(address) => Some(open("tcp", address, &options, &[]).await?),
        None => None,
    };
    let mut otlp_ports = Vec::new();
    for address in &options.otlp {
        otlp_ports.push(open("otlp", *address, &options, &["h2", "http/1.1"]).await?);
    }
    let bound = |port: &ListeningPort| port.listener.local_addr().map_err(|error| ServeError::new(error.to_string()));
    let http_address = bound(&http_port)?;
    let tcp_address = tcp_port.as_ref().map(bound).transpose()?;
    let otlp_addresses = otlp_ports.iter().map(bound).collect::<Result<Vec<_>, _>>()?;
    let otlp_hosts: Vec<_> = otlp_addresses.iter().map(|address| hosts(&options, address.ip())).collect();
    let (stop, stopping) = watch::channel(false);
    let app = App::new(AppState {
        live,
        hosts: hosts(&options, http_address.ip()),
        tokens: options.tokens,
        budget: MemoryBudget::new(options.limits.held_bytes),
        rate: RateLimiter::new(options.limits.events_per_second),
        metrics: Metrics::new(),
        tap_counts: TapCounts::default(),
        has_proxies: !options.proxies.is_empty(),
        log: options.log,
        hook_timeout: options.hooks.timeout,
        words: EnglishCache::default(),
        status_frames: watch::Sender::new(None),
        chunks: stream_encoder::channel(),
        catch_ups: Semaphore::new(CATCH_UPS),
        dry_runs: Semaphore::new(1),
        streams: Arc::new(Semaphore::new(options.limits.streams)),
        limits: options.limits,
        stopping,
    });
    let proxies = opened_proxies(&app, options.proxies, options.adapters).await?;
    let proxy_addresses = proxies.iter().map(Proxy::address).collect();
    let mut tasks = JoinSet::new();
    let routes = router(app.clone());
    for port in std::iter::once(&http_port).chain(&tcp_port).chain(&otlp_ports) {
        let address = bound(port)?.to_string();
        app.log.write(&PortOpened { port: port.name, address, tls: port.tls.is_some() });
    }
    // Before the first client can send something to be logged.
    tasks.spawn(status_ticker::run(app.clone()));
    tasks.spawn(accept::run(app.clone(), http_port, move |app, stream, peer, activity| {
        http::serve(app, "http", routes.clone(), stream, peer, activity)
    }));
    for (port, hosts) in otlp_ports.into_iter().zip(otlp_hosts) {
        let routes = otlp::router(app.clone(), hosts);
        tasks.spawn(accept::run(app.clone(), port, move |app, stream, peer, activity| {
            http::serve(app, "otlp", routes.clone(), stream, peer, activity)
        }));
    }
    for proxy in proxies {
        app.log.write(&PortOpened { port: "proxy", address: proxy.address().to_string(), tls: false });
        let mut stopping = app.stopping.clone();
        tasks.spawn(async move { proxy.run(accept::stopped(&mut stopping)).await });
    }
    if let Some(port) = tcp_port {
        tasks.spawn(accept::run(app.clone(), port, |app, stream, _peer, activity| async move {
            let idle = app.limits.idle_time;
            let mut stopping = app.stopping.clone();
            // A sender that is disconnected sends unacknowledged events again.
            tokio::select! {
                () = tcp::serve(&app, IdleTimeout::new(stream, idle, Arc::clone(&activity)), &activity) => {}
                () = accept::stopped(&mut stopping) => {}
            }
        }));
    }
    tasks.spawn(stream_encoder::run(app.clone()));
    tasks.spawn(hooks::run(app.clone(), options.hooks));
    let (otlp, proxies) = (otlp_addresses, proxy_addresses);
    Ok(RunningServer { http: http_address, tcp: tcp_address, otlp, proxies, stop, tasks, app })
}

/// Checks that a server beyond loopback has tokens and TLS, unless plain connections are permitted.
fn allowed(options: &ServerOptions) -> Result<(), ServeError> {
    if options.allow_plain {
        return Ok(());
    }
    // A proxy requires no token and no TLS, so anyone who reaches it could use it.
    if let Some(route) = options.proxies.iter().find(|route| !is_loopback(route.listen.ip())) {
        return Err(ServeError::new(format!(
            "the proxy `{route}` can be reached from other machines, and forwards for everyone: listen on 127.0.0.1 instead, \
             or state that plain connections are intended"
        )));
    }
    let addresses = std::iter::once(options.http).chain(options.tcp).chain(options.otlp.iter().copied());
    let Some(address) = addresses.into_iter().find(|address| !is_loopback(address.ip())) else { return Ok(()) };
    let missing = match (options.tokens.is_empty(), options.tls.is_none()) {
        (true, true) => "tokens and a certificate: give both",
        (true, false) => "tokens: give some",
        (false, true) => "a certificate: give one",
        (false, false) => return Ok(()),
    };
    Err(ServeError::new(format!(
        "{address} can be reached from other machines, and access to it is not restricted: it needs {missing}, \
         listen on 127.0.0.1 instead, or state that plain connections are intended"
    )))
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Returns the accepted host names of a server on loopback. Beyond loopback tokens protect it, and any name is
/// accepted.
fn hosts(options: &ServerOptions, bound: IpAddr) -> Option<Vec<String>> {
    if !is_loopback(bound) {
        return None;
    }
    let usual = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
    let own = if bound.is_ipv6() { format!("[{bound}]") } else { bound.to_string() };
    Some(usual.into_iter().chain([own]).chain(options.hosts.iter().cloned()).collect())
}

async fn open(
    name: &'static str,
    address: SocketAddr,
    options: &ServerOptions,
    protocols: &[&str],
) -> Result<ListeningPort, ServeError> {
    let tls = options.tls.as_ref().map(|files| tls::acceptor(files, protocols)).transpose();
    let tls = tls.map_err(ServeError::new)?;
    let listener = TcpListener::bind(address).await.map_err(|error| {
        ServeError::new(format!(
            "cannot listen on {address}: {error}; choose another address, or port 0 for a free one"
        ))
    })?;
    Ok(ListeningPort { name, listener, tls })
}

async fn opened_proxies(app: &App, routes: Vec<ProxyRoute>, adapters: Adapters) -> Result<Vec<Proxy>, ServeError> {
    let NetLimits { connections, stop_time, .. } = app.limits;
    let rewrite_host = adapters.rewrite_host;
    let settings = Settings { connections, rewrite_host, drain: stop_time, ..Settings::default() };
    let relay = Relay::new(settings, WatchTap::new(app.clone(), adapters));
    let mut proxies = Vec::with_capacity(routes.len());
    for route in routes {
        let text = route.to_string();
        let bound = relay.bind(route).await;
        proxies.push(bound.map_err(|error| {
            ServeError::new(format!("the proxy `{text}` cannot listen: {error}; choose another address"))
        })?);
    }
    Ok(proxies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::TlsFiles;
    use crate::tokens::Tokens;

    #[test]
    fn beyond_loopback_tokens_and_tls_are_needed() {
        let mut options = ServerOptions { http: "0.0.0.0:0".parse().unwrap(), ..ServerOptions::local() };
        assert!(allowed(&options).unwrap_err().to_string().contains("tokens and a certificate"));
        options.tokens = Tokens::parse("admin 0123456789abcdef").unwrap();
        assert!(allowed(&options).unwrap_err().to_string().contains("needs a certificate"));
        options.tls = Some(TlsFiles { certificate: "c".into(), key: "k".into() });
        assert!(allowed(&options).is_ok());
        options.tokens = Tokens::default();
        assert!(allowed(&options).unwrap_err().to_string().contains("needs tokens"));
        options.allow_plain = true;
        assert!(allowed(&options).is_ok());
    }

    #[test]
    fn the_port_for_lines_is_looked_at_too() {
        let options = ServerOptions { tcp: Some("[::]:0".parse().unwrap()), ..ServerOptions::local() };
        assert!(allowed(&options).is_err());
        let options = ServerOptions { tcp: Some("[::1]:0".parse().unwrap()), ..ServerOptions::local() };
        assert!(allowed(&options).is_ok());
        let options = ServerOptions {
            otlp: vec!["127.0.0.1:0".parse().unwrap(), "0.0.0.0:0".parse().unwrap()],
            ..ServerOptions::local()
        };
        assert!(allowed(&options).is_err());
    }

    #[test]
    fn a_proxy_is_for_this_machine_unless_somebody_says_otherwise() {
        let route = |text: &str| vec![text.parse().unwrap()];
        let mut options = ServerOptions { proxies: route("0.0.0.0:0=http://127.0.0.1:1"), ..ServerOptions::local() };
        options.tokens = Tokens::parse("admin 0123456789abcdef").unwrap();
        options.tls = Some(TlsFiles { certificate: "c".into(), key: "k".into() });
        assert!(allowed(&options).unwrap_err().to_string().contains("forwards for everyone"));
        options.allow_plain = true;
        assert!(allowed(&options).is_ok());
        let options = ServerOptions { proxies: route("[::1]:0=http://127.0.0.1:1"), ..ServerOptions::local() };
        assert!(allowed(&options).is_ok());
    }
}
