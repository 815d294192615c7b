// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hostile clients: none of them stops the server or exhausts its memory.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use gnomon::random::Random;

use crate::client::{HttpResponse, connect};
use crate::start::{TestServer, refunds};

/// Short times, for short tests.
fn impatient() -> TestServer {
    TestServer::with(|_, options| {
        options.tcp = Some("127.0.0.1:0".parse().unwrap());
        options.limits.head_time = Duration::from_millis(300);
        options.limits.body_time = Duration::from_millis(300);
        options.limits.idle_time = Duration::from_millis(600);
    })
}

/// Writes a byte now and then until the server disconnects.
fn drip(mut stream: TcpStream, bytes: &[u8]) -> Vec<u8> {
    stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let mut echo = Vec::new();
    for byte in bytes.iter().cycle().take(2000) {
        let is_over = stream.write_all(&[*byte]).is_err();
        let mut buffer = [0; 1024];
        match stream.read(&mut buffer) {
            Ok(0) => return echo,
            Ok(read) => echo.extend_from_slice(&buffer[..read]),
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(_) => return echo,
        }
        if is_over {
            return echo;
        }
    }
    panic!("nobody lost patience")
}

#[test]
fn who_sends_a_byte_now_and_then_is_cut_off() {
    let server = impatient();
    // A head that never ends, in both versions of HTTP.
    drip(
        connect(server.http()),
        b"GET /api/v1/status HTTP/1.1\r\nX: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
    );
    drip(connect(server.http()), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x40\x04\0\0\0\0\0");
    // A body that never ends.
    let mut stream = connect(server.http());
    stream.write_all(&server.client().head("POST", "/api/v1/events", Some(100_000))).unwrap();
    let echo = drip(stream, b"x");
    assert!(echo.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&echo));
    assert_eq!(server.get("/health/live").status, 200);
}

#[test]
fn who_sends_nothing_is_cut_off() {
    let server = impatient();
    for address in [server.http(), server.tcp()] {
        let mut stream = connect(address);
        let mut echo = Vec::new();
        // It ends: otherwise the read would time out with an error.
        stream.read_to_end(&mut echo).unwrap();
    }
}

#[test]
fn giant_bodies_are_refused_before_they_are_there() {
    let server = TestServer::with(|_, options| {
        options.limits.body_bytes = 1 << 20;
        options.limits.unpacked_bytes = 2 << 20;
    });
    let mut stream = connect(server.http());
    stream.write_all(&server.client().head("POST", "/api/v1/events", Some(1 << 40))).unwrap();
    let answer = HttpResponse::read(&mut std::io::BufReader::new(stream));
    assert!(answer.problem(413).contains("in several parts"));
    // Without a length it is cut off when it is too long.
    let mut stream = connect(server.http());
    let head = server.client().header("Transfer-Encoding", "chunked").head("POST", "/api/v1/events", None);
    stream.write_all(&head).unwrap();
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    while stream.write_all(chunk.as_bytes()).is_ok() {}
    // Compressed, a few bytes can be very many.
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..64 {
        packer.write_all(&vec![b'\n'; 1 << 20]).unwrap();
    }
    let answer = server.client().header("Content-Encoding", "gzip").post("/api/v1/events", packer.finish().unwrap());
    assert!(answer.problem(413).contains("decompressed"));
    server.client().post("/api/v1/spec/check", "x".repeat(2 << 20)).problem(413);
    server.send(&refunds(0..1));
}

#[test]
fn a_full_memory_puts_others_off_and_passes() {
    let server = TestServer::with(|_, options| options.limits.held_bytes = 100_000);
    let mut greedy = connect(server.http());
    crate::start::eventually("a refusal", || {
        // If a small request came in between, the large one itself was refused and tries again.
        greedy = connect(server.http());
        let _ = greedy.write_all(&server.client().head("POST", "/api/v1/events", Some(99_000)));
        let _ = greedy.write_all(&vec![b'\n'; 98_000]);
        (0..50).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            server.client().post("/api/v1/events", "\n".repeat(5000)).status == 429
        })
    });
    greedy.write_all(&vec![b'\n'; 1000]).unwrap();
    assert_eq!(HttpResponse::read(&mut std::io::BufReader::new(greedy)).status, 200);
    crate::start::eventually("room", || server.client().post("/api/v1/events", "\n".repeat(5000)).status == 200);
}

#[test]
fn garbage_is_no_trouble() {
    let server = impatient();
    let mut numbers = Random::new(7);
    let mut random = || numbers.number();
    let starts: [&[u8]; 6] = [
        b"",
        b"GET /",
        b"POST /api/v1/events HTTP/1.1\r\nHost: localhost\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"<log><event>",
        b"{\"gnomon\": {",
    ];
    for round in 0..120 {
        let address = if round % 2 == 0 { server.http() } else { server.tcp() };
        let mut bytes = starts[round % starts.len()].to_vec();
        let length = random() as usize % 3000;
        bytes.extend(std::iter::repeat_with(|| random() as u8).take(length));
        let mut stream = connect(address);
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut echo = Vec::new();
        let _ = stream.read_to_end(&mut echo);
    }
    assert_eq!(server.get("/health/ready").status, 200);
    assert_eq!(server.get("/api/v1/status").json()["events"]["accepted"], 0);
}

#[test]
fn a_thousand_connections_are_served_and_more_are_turned_away() {
    let server = TestServer::with(|_, options| options.limits.connections = 1000);
    let mut open: Vec<TcpStream> = (0..1000).map(|_| connect(server.http())).collect();
    // The last of a thousand is accepted, so all are.
    let head = |server: &TestServer| String::from_utf8(server.client().head("GET", "/health/live", None)).unwrap();
    for stream in [0, 500, 999] {
        open[stream].write_all(head(&server).replace("Connection: close\r\n", "").as_bytes()).unwrap();
        let mut first = [0; 15];
        open[stream].read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200 OK");
    }
    let mut one_more = connect(server.http());
    let mut echo = Vec::new();
    let _ = one_more.read_to_end(&mut echo);
    assert!(echo.is_empty());
    drop(open);
    crate::start::eventually("a place", || {
        let mut stream = connect(server.http());
        let mut echo = Vec::new();
        stream.write_all(head(&server).as_bytes()).is_ok()
            && stream.read_to_end(&mut echo).is_ok()
            && echo.starts_with(b"HTTP/1.1 200")
    });
}

#[test]
fn long_request_headers_are_refused() {
    let server = TestServer::plain();
    let long = "x".repeat(200 << 10);
    let mut stream = connect(server.http());
    let _ = stream.write_all(&server.client().header("X-Long", &long).head("GET", "/api/v1/status", None));
    let mut echo = Vec::new();
    let _ = stream.read_to_end(&mut echo);
    assert!(echo.is_empty() || echo.starts_with(b"HTTP/1.1 431"), "{}", String::from_utf8_lossy(&echo));
    let many = (0..500).fold(server.client(), |client, index| client.header(&format!("X-{index}"), "y"));
    let mut stream = connect(server.http());
    let _ = stream.write_all(&many.head("GET", "/api/v1/status", None));
    let mut echo = Vec::new();
    let _ = stream.read_to_end(&mut echo);
    assert!(echo.is_empty() || echo.starts_with(b"HTTP/1.1 431"), "{}", String::from_utf8_lossy(&echo));
    assert_eq!(server.get("/health/live").status, 200);
}
