// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits and timeouts of the proxies. The defaults suit services on one machine or in one network.

use std::time::Duration;

/// Limits and timeouts of all proxies of a [`Relay`](crate::Relay).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Largest number of bytes of a body that are captured for the tap.
    pub body: usize,
    /// Largest number of captured bytes of all proxies together.
    pub held: usize,
    /// Largest number of connections of a proxy; others wait to be accepted.
    pub connections: usize,
    /// Largest number of concurrent exchanges of all proxies together; others are answered with 503.
    pub exchanges: usize,
    /// Largest head of a message, in bytes.
    pub head: usize,
    /// Largest number of header fields of a message.
    pub headers: usize,
    /// Time for a service to accept a connection.
    pub connect: Duration,
    /// Time for a client to send the head of a request, and longest pause between two requests.
    pub client_head: Duration,
    /// Time for a client to send a body that is read ahead. A body that is streamed gets this time in addition to its time at
    /// the rate [`pace`](Settings::pace).
    pub client_body: Duration,
    /// Least number of bytes per second that a client must send of a body, once `client_body` has passed.
    pub pace: u32,
    /// Time for a service to send the head of its response once it has the request.
    pub response: Duration,
    /// Longest time without any transfer in an exchange.
    pub idle: Duration,
    /// Time to read the body of a request ahead if its length is unknown; then the request is shown without it.
    pub hold_request: Duration,
    /// Time to read the body of a response ahead if its length is unknown; then it is streamed, and shown at its end.
    pub hold_response: Duration,
    /// True if the service gets its own address as `Host` instead of the client's.
    pub rewrite_host: bool,
    /// Time for current exchanges to end after the proxy is stopped.
    pub drain: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            body: 1 << 20,
            held: 256 << 20,
            connections: 1_024,
            exchanges: 4_096,
            head: 64 << 10,
            headers: 128,
            connect: Duration::from_secs(5),
            client_head: Duration::from_secs(30),
            client_body: Duration::from_secs(60),
            pace: 500,
            response: Duration::from_secs(60),
            idle: Duration::from_secs(300),
            hold_request: Duration::from_secs(1),
            hold_response: Duration::from_millis(100),
            rewrite_host: false,
            drain: Duration::from_secs(5),
        }
    }
}
