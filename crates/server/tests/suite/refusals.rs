// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refusals reach the client completely, over every protocol, also if the request had a body that nobody read.

use std::io::{BufReader, Write};
use std::sync::Arc;

use bytes::Bytes;
use gnomon_server::Tokens;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::client::{HttpResponse, connect};
use crate::start::{ServerFolder, TestServer};
use crate::tls::certified;

const READ: &str = "r-0123456789abcdef";
/// Calls in all; half of the refusals were lost before.
const CALLS: usize = 300;

#[test]
fn refusals_over_http2_and_tls_are_delivered() {
    let folder = ServerFolder::new();
    let (files, mut config) = certified(&folder);
    let server = TestServer::with(|_, options| {
        options.tls = Some(files);
        options.tokens = Tokens::parse(&format!("read {READ}")).unwrap();
        options.otlp = vec!["127.0.0.1:0".parse().unwrap()];
        options.limits.body_bytes = 1 << 20;
    });
    config.alpn_protocols = vec![b"h2".to_vec()];
    let connector = TlsConnector::from(Arc::new(config));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let calls = |address: std::net::SocketAddr, path: &'static str, token: &'static str, expected: &'static [u16]| {
        let connector = connector.clone();
        async move {
            let stream = TcpStream::connect(address).await.unwrap();
            let stream = connector.connect(ServerName::try_from("localhost").unwrap(), stream).await.unwrap();
            let (sender, connection) =
                hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
            let connection = tokio::spawn(connection);
            for call in 0..CALLS / expected.len() {
                // Bodies within and beyond the windows of HTTP/2, and beyond the limit of the server.
                for (kind, size) in [0, 10, 40_000, 200_000, 3 << 20].into_iter().enumerate() {
                    if kind == 4 && call % 10 != 0 {
                        continue;
                    }
                    let request = Request::post(format!("https://localhost:{}{path}", address.port()))
                        .header("authorization", token)
                        .header("content-type", "application/json")
                        .body(Full::new(Bytes::from(vec![b'x'; size])))
                        .unwrap();
                    let response = sender.clone().send_request(request).await;
                    let response = response.unwrap_or_else(|error| panic!("{path} {call} {size}: {error:?}"));
                    let status = response.status().as_u16();
                    assert!(expected.contains(&status), "{path} {size}: {status}");
                    let body = response.into_body().collect().await;
                    let body = body.unwrap_or_else(|error| panic!("{path} {call} {size}: {error:?}")).to_bytes();
                    assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok(), "{path} {size}");
                }
            }
            connection.abort();
        }
    };
    let otlp = server.otlp()[0];
    runtime.block_on(async {
        tokio::join!(
            calls(server.http(), "/api/v1/events", "Bearer wrong-0123456789", &[401]),
            calls(server.http(), "/api/v1/events", "Bearer r-0123456789abcdef", &[403]),
            calls(server.http(), "/api/v1/status", "Bearer r-0123456789abcdef", &[405]),
            calls(server.http(), "/api/v1/spec/check", "Bearer r-0123456789abcdef", &[400, 413]),
            calls(otlp, "/v1/traces", "Bearer r-0123456789abcdef", &[403]),
        )
    });
}

#[test]
fn a_refusal_over_http1_is_delivered_while_the_body_is_sent() {
    let server = TestServer::with(|_, options| options.tokens = Tokens::parse(&format!("read {READ}")).unwrap());
    for size in [0, 10, 100_000, 4 << 20] {
        for _ in 0..10 {
            let mut stream = connect(server.http());
            stream.write_all(&server.client().head("POST", "/api/v1/events", Some(size))).unwrap();
            // The whole body is written before the answer is read, as most clients do.
            stream.write_all(&vec![b'x'; size]).unwrap();
            assert_eq!(HttpResponse::read(&mut BufReader::new(stream)).status, 401);
        }
    }
}
