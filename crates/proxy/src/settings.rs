// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the proxies bear, and for how long. The defaults suit services on one machine or in one network.

use std::time::Duration;

/// Limits and times of all proxies of a [`Relay`](crate::Relay).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How many bytes of a body are copied aside for the tap.
    pub body: usize,
    /// How many bytes of bodies are held at one time, by all proxies together.
    pub held: usize,
    /// How many connections a proxy has at one time; others wait to be accepted.
    pub connections: usize,
    /// How many exchanges there are at one time, in all proxies together; others are answered with 503.
    pub exchanges: usize,
    /// How many bytes the head of a message may have.
    pub head: usize,
    /// How many header fields a message may have.
    pub headers: usize,
    /// How long a service may take to accept a connection.
    pub connect: Duration,
    /// How long a client may take for the head of a request, and be silent between two of them.
    pub client_head: Duration,
    /// How long a client may take for a body that is held, and for one that is passed on beyond what comes at
    /// [`pace`](Settings::pace).
    pub client_body: Duration,
    /// How many bytes a second a client must send of a body at least, once `client_body` has passed.
    pub pace: u32,
    /// How long a service may take for the head of its response once it has the request.
    pub response: Duration,
    /// How long nothing at all may move in an exchange.
    pub idle: Duration,
    /// How long the body of a request is waited for if nothing says how long it is; then the request is told without it.
    pub hold_request: Duration,
    /// How long that of a response is; then it is passed on as it comes and told at its end.
    pub hold_response: Duration,
    /// How long exchanges may go on when the proxy is told to stop.
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
            drain: Duration::from_secs(5),
        }
    }
}
