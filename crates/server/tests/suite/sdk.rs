// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spans from the OpenTelemetry SDKs for Python and Node. `make otel` installs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use gnomon_server::Tokens;
use gnomon_store::history::ViolationQuery;

use crate::spans;
use crate::start::{ServerFolder, TestServer, eventually};
use crate::tls::certified;

const TOKEN: &str = "w-0123456789abcdef";

/// Returns a path in the build folder of the project, or the value of this variable.
fn installed(variable: &str, folder: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = std::env::var_os(variable).map_or_else(|| root.join(folder), PathBuf::from);
    assert!(path.exists(), "there is no {}: `make otel` installs it", path.display());
    path
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/otel").join(name)
}

/// Lets an SDK send its spans over each transport, and checks that they were evaluated.
fn sends(command: impl Fn() -> Command, protocols: &[&str]) {
    let folder = ServerFolder::new();
    let (files, _) = certified(&folder);
    for (protocol, packing, tls) in protocols.iter().flat_map(|protocol| {
        [("none", false), ("gzip", false), ("gzip", true)].map(|(packing, tls)| (*protocol, packing, tls))
    }) {
        let server = TestServer::with(|watch, options| {
            spans::SPEC.clone_into(&mut watch.spec_text);
            options.otlp = vec!["127.0.0.1:0".parse().unwrap()];
            options.tokens = Tokens::parse(&format!("write {TOKEN}")).unwrap();
            options.tls = tls.then(|| files.clone());
        });
        let scheme = if tls { "https" } else { "http" };
        let endpoint = format!("{scheme}://localhost:{}", server.otlp()[0].port());
        let certificate = if tls { files.certificate.to_str().unwrap() } else { "-" };
        let mut command = command();
        // Other trusted certificates of this machine would take precedence over the one for the script.
        for variable in ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "HTTPS_PROXY", "https_proxy"] {
            command.env_remove(variable);
        }
        let sent = command.args([protocol, &endpoint, TOKEN, packing, certificate]).output().unwrap();
        let said = String::from_utf8_lossy(&sent.stderr);
        assert!(sent.status.success(), "{protocol} {packing} {endpoint}: {said}");
        server.wait_for_events(20);
        let query = ViolationQuery { limit: 10, ..ViolationQuery::default() };
        let violations = || server.live.history().violations(&query).unwrap();
        eventually("the violation", || !violations().is_empty());
        let found = violations();
        let found: Vec<(&str, bool)> =
            found.iter().map(|row| (row.property.as_str(), row.json.contains("\"id\":2"))).collect();
        assert_eq!(found, [("prompt", true)], "{protocol} {packing}");
    }
}

#[test]
fn the_sdk_for_python_sends_spans() {
    let python = installed("GNOMON_OTEL", "target/otel/bin/python");
    let command = || {
        let mut command = Command::new(&python);
        command.arg(script("send.py"));
        command
    };
    sends(command, &["http", "grpc"]);
}

#[test]
fn the_sdk_for_node_sends_spans() {
    let modules = installed("GNOMON_OTEL_NODE", "target/otel-node/node_modules");
    let command = || {
        let mut command = Command::new("node");
        command.arg(script("send.cjs")).env("NODE_PATH", &modules);
        command
    };
    sends(command, &["json", "http", "grpc"]);
}
