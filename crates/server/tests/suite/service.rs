// SPDX-License-Identifier: MIT OR Apache-2.0
//! A service behind a proxy: responds as configured and counts requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maps the body of a request to the body of the response, or to none.
type ServiceAnswers = dyn Fn(&str) -> Option<String> + Send + Sync;

/// A service that runs as long as the test.
pub(crate) struct TestService {
    pub(crate) address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl TestService {
    pub(crate) fn start(answers: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> TestService {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let service = TestService { address: listener.local_addr().unwrap(), asked: Arc::default() };
        let (answers, asked): (Arc<ServiceAnswers>, _) = (Arc::new(answers), Arc::clone(&service.asked));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (answers, asked) = (Arc::clone(&answers), Arc::clone(&asked));
                std::thread::spawn(move || {
                    let mut stream = stream.unwrap();
                    while let Some(body) = read(&mut stream) {
                        asked.fetch_add(1, Ordering::SeqCst);
                        let Some(answer) = answers(&body) else { return };
                        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", answer.len());
                        if stream.write_all((head + &answer).as_bytes()).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        service
    }

    /// Returns the number of requests.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Reads the body of the next request; `None` at the end.
fn read(stream: &mut TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    String::from_utf8(body).ok()
}
