// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ports, connections and access control.

pub(crate) mod accept;
pub(crate) mod connections;
pub(crate) mod exchange_body;
pub(crate) mod guard;
pub(crate) mod http;
pub(crate) mod idle;
pub(crate) mod tls;
