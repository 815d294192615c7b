// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages of other systems: converts a SOAP envelope or a JSON text to a name, fields and participants.
//!
//! [`ParseData`] is the interface of all messages: name, fields, and the result of a [`Query`]. [`SoapMessage`] and
//! [`JsonMessage`] implement it; another protocol is added by implementing it. An [`Adapter`] is a set of queries
//! that converts a message to an [`AdaptedMessage`].
//!
//! ```
//! use gnomon_message::{Adapter, Query, SoapMessage};
//! let text = "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>\
//!             <p:getProduct xmlns:p='urn:shop'><user id='7'>ann</user></p:getProduct></s:Body></s:Envelope>";
//! let adapter = Adapter { source: Some(Query::parse("user/@id")?), ..Adapter::default() };
//! let message = adapter.message(&SoapMessage::parse(text)?)?;
//! assert_eq!(message.name, "getProduct");
//! assert_eq!(message.source.as_deref(), Some("7"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adapter;
mod capture_detection;
pub mod captured;
mod json;
mod located;
mod query;
mod soap;

pub use adapter::{AdaptedMessage, Adapter, FieldQuery, ParseData};
pub use capture_detection::{CaptureHint, detect_capture};
pub use gnomon_scan::xml::{XmlElement, XmlNode};
pub use json::JsonMessage;
pub use located::{Located, LocatedKind};
pub use query::{Query, QueryError};
pub use soap::SoapMessage;
