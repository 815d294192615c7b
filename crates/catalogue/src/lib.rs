// SPDX-License-Identifier: MIT OR Apache-2.0
//! Catalogues of events from the descriptions of services: the messages, their data, and their senders and receivers.
//!
//! [`read`] turns a document (WSDL, `OpenAPI`, `AsyncAPI`, BPEL; see [`DocumentKind`]) into a [`Catalogue`] of [`CatalogueEvent`]s.
//! [`declarations`] prints it as text to paste into a spec. The crate opens no file and follows no reference out of a document. The
//! command line uses it for `gnomon events`, and to warn about messages in a spec that no service sends.
//!
//! Each kind of document has a reader (`asyncapi`, `bpel`, `openapi`, `wsdl`). They put messages into a `Collector`, which
//! joins messages of one name; schemas become trees of `SchemaMember`s, which are flattened into fields at the end.
//!
//! ```
//! let bpel = r#"<process xmlns="http://docs.oasis-open.org/wsbpel/2.0/process/executable" name="Shop">
//!   <sequence><receive partnerLink="client" operation="order" variable="in"/></sequence></process>"#;
//! let catalogue = gnomon_catalogue::read("shop.bpel", bpel)?;
//! assert_eq!(catalogue.names().collect::<Vec<_>>(), ["order"]);
//! assert!(gnomon_catalogue::declarations(&catalogue).contains("event order from client to Shop\n"));
//! # Ok::<(), gnomon_catalogue::CatalogueError>(())
//! ```

mod asyncapi;
mod bpel;
mod collect;
mod declare;
mod detect;
mod document;
mod error;
mod jsonschema;
mod openapi;
mod shape;
mod wsdl;

use std::fmt;

pub use declare::{declaration, declarations};
pub use detect::detect;
pub use error::CatalogueError;
pub use gnomon_scan::Location;

use gnomon_message::XmlElement;

/// The messages that a document describes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Catalogue {
    /// The kind of the document.
    pub kind: DocumentKind,
    /// The name of the document in messages to the user.
    pub source_name: String,
    /// The messages, in the order of the document, each name once.
    pub events: Vec<CatalogueEvent>,
    /// The parts of the document that were skipped.
    pub notes: Vec<CatalogueNote>,
}

gnomon_core::words! {
    /// The kinds of document that describe messages.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum DocumentKind as title {
        /// WSDL 1.1
        Wsdl = "WSDL",
        /// `OpenAPI` 3
        OpenApi = "OpenAPI",
        /// `AsyncAPI` 2 or 3
        AsyncApi = "AsyncAPI",
        /// WS-BPEL 2.0
        Bpel = "BPEL",
    }
}

/// A message as an event of a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogueEvent {
    /// Its name, as it appears in a trace.
    pub name: String,
    /// Its data.
    pub fields: Vec<CatalogueField>,
    /// The sender and the receiver.
    pub participants: Option<(String, String)>,
    /// The description in the document.
    pub text: Option<String>,
    /// The location of its first description.
    pub location: Location,
}

/// A piece of data that a message carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogueField {
    /// The name in a declaration, unique among the fields of the event.
    pub name: String,
    /// The path to it in the message.
    pub path: Vec<String>,
    /// The type.
    pub data: DataType,
    /// True if every such message has it.
    pub required: bool,
}

gnomon_core::words! {
    /// The type of a piece of data.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum DataType as word {
        /// A text.
        Text = "text",
        /// A number.
        Number = "number",
        /// A boolean.
        Boolean = "boolean",
        /// A list.
        List = "list",
        /// A map with unknown members.
        Map = "map",
        /// Anything.
        Any = "any",
    }
}

/// A part of a document that was skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogueNote {
    /// Its location.
    pub location: Location,
    /// A description of the part, and the reason.
    pub text: String,
}

/// Limit on the size of a document.
const MAX_SIZE: usize = 32 << 20;

/// Reads a document; its kind is detected from its content. `source_name` stands for it in messages.
pub fn read(source_name: &str, text: &str) -> Result<Catalogue, CatalogueError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() > MAX_SIZE {
        return Err(CatalogueError::unreadable(Location { line: 1, column: 1 }, "the document is larger than 32 MiB"));
    }
    let (kind, collector) = if text.trim_start().starts_with('<') {
        let root = XmlElement::parse(source_name, text)?;
        let kind = detect::of_element(&root)?;
        (kind, if kind == DocumentKind::Wsdl { wsdl::read(&root) } else { bpel::read(&root) })
    } else {
        let root = document::parse(source_name, text)?;
        let kind = detect::of_document(&root)?;
        (kind, if kind == DocumentKind::OpenApi { openapi::read(&root)? } else { asyncapi::read(&root)? })
    };
    let (events, notes) = collector.finish();
    Ok(Catalogue { kind, source_name: source_name.to_owned(), events, notes })
}

impl Catalogue {
    /// Returns the names of the messages.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.events.iter().map(|event| event.name.as_str())
    }
}

impl fmt::Display for DocumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}
