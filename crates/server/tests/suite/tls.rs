// SPDX-License-Identifier: MIT OR Apache-2.0
//! TLS: required where configured, and errors name an unusable certificate.

use std::io::{BufReader, Read, Write};
use std::sync::Arc;

use gnomon_live::{Live, Options};
use gnomon_server::{ServerOptions, TlsFiles, Tokens, serve};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::client::{HttpResponse, connect};
use crate::start::{SPEC, ServerFolder, TestServer};

const TOKEN: &str = "a-0123456789abcdef";

pub(crate) fn certified(folder: &ServerFolder) -> (TlsFiles, ClientConfig) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let files = TlsFiles { certificate: folder.0.join("cert.pem"), key: folder.0.join("key.pem") };
    std::fs::write(&files.certificate, made.cert.pem()).unwrap();
    std::fs::write(&files.key, made.signing_key.serialize_pem()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    (files, config)
}

#[test]
fn requests_and_lines_go_through_tls() {
    let folder = ServerFolder::new();
    let (files, config) = certified(&folder);
    let server = TestServer::with(|_, options| {
        options.tls = Some(files);
        options.tokens = Tokens::parse(&format!("admin {TOKEN}")).unwrap();
        // Not loopback: permitted, because there are tokens and TLS.
        options.http = "0.0.0.0:0".parse().unwrap();
        options.tcp = Some("0.0.0.0:0".parse().unwrap());
    });
    let config = Arc::new(config);
    let open = |port: u16| {
        let name = ServerName::try_from("localhost").unwrap();
        let session = ClientConnection::new(Arc::clone(&config), name).unwrap();
        StreamOwned::new(session, connect(([127, 0, 0, 1], port).into()))
    };
    let mut stream = open(server.http().port());
    let head = server.client().token(TOKEN).header("Host", "any.name").head("GET", "/api/v1/status", None);
    stream.write_all(&head).unwrap();
    let answer = HttpResponse::read(&mut BufReader::new(stream));
    assert_eq!(answer.json()["state"], "running");

    let mut stream = open(server.tcp().port());
    let greeting = format!("{{\"gnomon\": {{\"token\": \"{TOKEN}\", \"acknowledge\": true}}}}\n");
    stream.write_all(greeting.as_bytes()).unwrap();
    stream.write_all(b"{\"event\": \"refund\", \"time\": 1}\n").unwrap();
    let mut answer = [0; 19];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"{\"acknowledged\":1}\n");

    // A client without TLS is disconnected and does no harm.
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0x16, 3, 1, 255, 255, 1, 2, 3], b"\0\0\0\0"] {
        let mut plain = connect(([127, 0, 0, 1], server.http().port()).into());
        plain.write_all(bytes).unwrap();
        plain.shutdown(std::net::Shutdown::Write).unwrap();
        let mut echo = Vec::new();
        let _ = plain.read_to_end(&mut echo);
        assert!(!echo.starts_with(b"HTTP"), "{echo:?}");
    }
    let mut stream = open(server.http().port());
    stream.write_all(&head).unwrap();
    assert_eq!(HttpResponse::read(&mut BufReader::new(stream)).status, 200);
}

#[test]
fn what_cannot_be_started_says_why() {
    let folder = ServerFolder::new();
    let (files, _) = certified(&folder);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (live, _) = Live::open(Options::new("shop.rv", SPEC)).unwrap();
    let error = |options: ServerOptions| {
        let started = runtime.block_on(serve(live.clone(), options));
        started.err().expect("it started").to_string()
    };
    let open = ServerOptions { http: "0.0.0.0:0".parse().unwrap(), ..ServerOptions::local() };
    assert!(error(open).contains("tokens and a certificate"));
    let swapped = TlsFiles { certificate: files.key.clone(), key: files.certificate.clone() };
    let text = error(ServerOptions { tls: Some(swapped), ..ServerOptions::local() });
    assert!(text.contains("key.pem"), "{text}");
    let missing = TlsFiles { certificate: folder.0.join("none.pem"), ..files };
    let text = error(ServerOptions { tls: Some(missing), ..ServerOptions::local() });
    assert!(text.contains("none.pem"), "{text}");
    let occupied = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let text = error(ServerOptions { http: occupied.local_addr().unwrap(), ..ServerOptions::local() });
    assert!(text.contains("cannot listen"), "{text}");
    live.close();
}
