// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measures the latency that the proxy adds to a call: `cargo run --release -p gnomon-proxy --example latency`. With `serve` it keeps running for a load
//! generator such as wrk.
#![allow(clippy::print_stdout, reason = "it measures and prints")]

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bytes::Bytes;
use gnomon_proxy::adapt::Adapters;
use gnomon_proxy::{Relay, Ruling, Settings, Tap, TappedMessage};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

const BODY: &str =
    r#"{"type": "order", "id": 7, "user": {"name": "Ann"}, "items": [{"sku": "a", "count": 2}], "total": 12.5}"#;
const ROUNDS: usize = 20_000;

/// Makes events, as a watch does, and forgets them.
struct Forgetful(Adapters);

impl Tap for Forgetful {
    async fn tap(&self, message: TappedMessage) -> Ruling {
        std::hint::black_box(self.0.event(&message));
        Ruling::Pass
    }
}

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    let service = service().await?;
    let relay = Relay::new(Settings::default(), Forgetful(Adapters::default()));
    let proxy = relay.bind(format!("shop@127.0.0.1:0=http://{service}").parse()?).await?;
    let address = proxy.address();
    tokio::spawn(proxy.run(std::future::pending()));
    println!("service http://{service}/  proxy http://{address}/");
    if std::env::args().any(|argument| argument == "serve") {
        std::future::pending::<()>().await;
    }
    for (name, address) in [("direct", service), ("proxied", address), ("direct", service), ("proxied", address)] {
        let mut times = measure(address).await?;
        times.sort_unstable();
        let at = |share: f64| times[(times.len() as f64 * share) as usize];
        println!("{name:8} median {:?}  p99 {:?}", at(0.5), at(0.99));
    }
    Ok(())
}

async fn service() -> Outcome<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answer = service_fn(|request: Request<Incoming>| async {
                let _ = request.into_body().collect().await;
                Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(BODY.as_bytes()))))
            });
            let _ = stream.set_nodelay(true);
            let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
            tokio::spawn(connection);
        }
    });
    Ok(address)
}

/// Measures many calls, one after the other over one connection.
async fn measure(address: SocketAddr) -> Outcome<Vec<Duration>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let request = Request::post("/orders").header("host", "h").header("content-type", "application/json");
        let request = request.body(Full::new(Bytes::from_static(BODY.as_bytes())))?;
        let start = Instant::now();
        sender.ready().await?;
        sender.send_request(request).await?.into_body().collect().await?;
        times.push(start.elapsed());
    }
    Ok(times)
}
