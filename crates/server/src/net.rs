// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ports, connections, and who may come in: everything below a request.

pub(crate) mod accept;
pub(crate) mod guard;
pub(crate) mod http;
pub(crate) mod idle;
pub(crate) mod stream;
pub(crate) mod tls;
