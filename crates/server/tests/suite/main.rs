// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of the server from outside: a real server on a free port of loopback, and a client that writes raw bytes.

#![allow(clippy::unwrap_used)] // a test that cannot go on fails

mod api;
mod auth;
mod client;
mod hooks;
mod hostile;
mod ingest;
mod judged;
mod otlp;
mod overload;
mod proxy;
mod proxy_bypass;
mod refusals;
mod schema;
mod sdk;
mod service;
mod spans;
mod start;
mod starting;
mod stream;
mod tcp;
mod tls;
mod ways;
