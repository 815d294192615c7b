// SPDX-License-Identifier: MIT OR Apache-2.0
//! An HTTP/1.1 client that writes raw bytes, so that it can also send invalid ones.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Sends requests to one server, each over its own connection.
pub(crate) struct TestClient {
    address: SocketAddr,
    headers: Vec<(String, String)>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl TestClient {
    pub(crate) fn new(address: SocketAddr) -> TestClient {
        TestClient { address, headers: Vec::new() }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> TestClient {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn token(self, token: &str) -> TestClient {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn get(&self, path: &str) -> HttpResponse {
        self.request("GET", path, b"")
    }

    pub(crate) fn post(&self, path: &str, body: impl AsRef<[u8]>) -> HttpResponse {
        self.request("POST", path, body.as_ref())
    }

    pub(crate) fn request(&self, method: &str, path: &str, body: &[u8]) -> HttpResponse {
        let mut stream = connect(self.address);
        stream.write_all(&self.head(method, path, Some(body.len()))).unwrap();
        // A server that refuses a body may close the connection before it is written.
        let _ = stream.write_all(body);
        HttpResponse::read(&mut BufReader::new(stream))
    }

    /// Returns the head of a request with its terminator; `length` is the length of the body, if any.
    pub(crate) fn head(&self, method: &str, path: &str, length: Option<usize>) -> Vec<u8> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !self.headers.iter().any(|(name, _)| name == "Host") {
            let _ = write!(head, "Host: {}\r\n", self.address);
        }
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if let Some(length) = length {
            let _ = write!(head, "Content-Length: {length}\r\n");
        }
        head.push_str("\r\n");
        head.into_bytes()
    }
}

/// Connects with timeouts.
pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

impl HttpResponse {
    pub(crate) fn read(reader: &mut impl BufRead) -> HttpResponse {
        let (status, headers) = HttpResponse::read_head(reader);
        let mut body = Vec::new();
        let is_chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        if is_chunked {
            while let Some(chunk) = read_chunk(reader) {
                body.extend(chunk);
            }
        } else {
            let _ = reader.read_to_end(&mut body);
        }
        HttpResponse { status, headers, body }
    }

    pub(crate) fn read_head(reader: &mut impl BufRead) -> (u16, Vec<(String, String)>) {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no answer: {line:?}"));
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        (status, headers)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Returns the detail of a problem with this status.
    pub(crate) fn problem(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{}", self.text());
        let document = self.json();
        assert_eq!(document["status"], status);
        assert!(document["type"].is_string() && document["title"].is_string());
        document["detail"].as_str().unwrap().to_owned()
    }
}

/// Reads a chunk of a body; `None` at the end.
pub(crate) fn read_chunk(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let length = usize::from_str_radix(line.trim(), 16).ok().filter(|length| *length > 0)?;
    let mut chunk = vec![0; length + 2];
    reader.read_exact(&mut chunk).ok()?;
    chunk.truncate(length);
    Some(chunk)
}
