// SPDX-License-Identifier: MIT OR Apache-2.0
//! Foreign messages: what a SOAP envelope or a JSON text is to a property. `message/FORMAT.md` says how a capture of them
//! is a trace.
//!
//! [`ParseData`] is what can be asked of any message: its name, its fields, a [`Query`]. [`Soap`] and [`Json`] answer
//! it; another protocol joins in by answering it too. An [`Adapter`] is data: the queries by which a message becomes a
//! [`Message`], a name with fields and participants.
//!
//! ```
//! use gnomon_trace::message::{Adapter, Query, Soap};
//! let text = "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>\
//!             <p:getProduct xmlns:p='urn:shop'><user id='7'>ann</user></p:getProduct></s:Body></s:Envelope>";
//! let adapter = Adapter { source: Some(Query::parse("user/@id")?), ..Adapter::default() };
//! let message = adapter.message(&Soap::parse(text)?)?;
//! assert_eq!(message.name, "getProduct");
//! assert_eq!(message.source.as_deref(), Some("7"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adapter;
mod captured;
mod element;
mod json;
mod located;
mod query;
mod read;
mod sniff;
mod soap;

pub use adapter::{Adapter, FieldQuery, Message, ParseData};
pub use element::{Element, Node};
pub use json::Json;
pub use located::{Kind, Located};
pub use query::{Query, QueryError};
pub use read::MessageReader;
pub(crate) use sniff::{Look, look};
pub use soap::Soap;
