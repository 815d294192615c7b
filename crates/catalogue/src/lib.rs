// SPDX-License-Identifier: MIT OR Apache-2.0
//! Descriptions of services read as catalogues of events: which messages there are, what data they carry, who sends them to
//! whom. It opens no file, follows no reference out of a document, and judges nothing; the command line calls it, for
//! `gnomon events` and for what a spec says of messages that nobody sends.
//!
//! The nouns that matter: [`Catalogue`], what a document tells; [`Event`], one message as a property meets it; [`Kind`],
//! what the document is. [`declarations`] writes a catalogue as text to paste into a spec.
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
mod document;
mod error;
mod jsonschema;
mod openapi;
mod places;
mod shape;
mod sniff;
mod wsdl;

use std::fmt;

pub use declare::{declaration, declarations};
pub use error::CatalogueError;
pub use gnomon_trace::Place;
pub use sniff::sniff;

use gnomon_trace::message::Element;
use places::Places;

/// What a document tells of messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Catalogue {
    /// What the document is.
    pub kind: Kind,
    /// What it is called in messages.
    pub source_name: String,
    /// The messages, in the order of the document, each name once.
    pub events: Vec<Event>,
    /// What was passed over, and why.
    pub notes: Vec<Note>,
}

/// The kinds of document that tell of messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// WSDL 1.1
    Wsdl,
    /// `OpenAPI` 3
    OpenApi,
    /// `AsyncAPI` 2 or 3
    AsyncApi,
    /// WS-BPEL 2.0
    Bpel,
}

/// A message as a property meets it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its name, as it appears in a trace.
    pub name: String,
    /// Its data.
    pub fields: Vec<Field>,
    /// Who sends it and who gets it.
    pub participants: Option<(String, String)>,
    /// What the document says about it.
    pub text: Option<String>,
    /// Where the document first tells of it.
    pub place: Place,
}

/// A piece of data that a message carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// What a declaration calls it; no two fields of an event are called the same.
    pub name: String,
    /// Where it is in the message.
    pub path: Vec<String>,
    /// What it is.
    pub data: Data,
    /// Whether every such message has it.
    pub required: bool,
}

/// What a piece of data is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Data {
    /// A text.
    Text,
    /// A number.
    Number,
    /// A truth value.
    Boolean,
    /// A list.
    List,
    /// A map of which no more is known.
    Map,
    /// Anything.
    Any,
}

/// Something that was passed over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Where.
    pub place: Place,
    /// What, and why.
    pub text: String,
}

/// The largest document that is read.
const LARGEST: usize = 32 << 20;

/// Reads a document, whose kind its content tells. `source_name` stands for it in messages.
pub fn read(source_name: &str, text: &str) -> Result<Catalogue, CatalogueError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() > LARGEST {
        return Err(CatalogueError::unreadable(Place { line: 1, column: 1 }, "the document is larger than 32 MiB"));
    }
    let (kind, collected) = if text.trim_start().starts_with('<') {
        let root = Element::parse(source_name, text)?;
        let kind = sniff::of_element(&root)?;
        let places = Places::new(text);
        (kind, if kind == Kind::Wsdl { wsdl::read(&root, &places) } else { bpel::read(&root, &places) })
    } else {
        let root = document::parse(source_name, text)?;
        let kind = sniff::of_document(&root)?;
        (kind, if kind == Kind::OpenApi { openapi::read(&root)? } else { asyncapi::read(&root)? })
    };
    let (events, notes) = collected.finish();
    Ok(Catalogue { kind, source_name: source_name.to_owned(), events, notes })
}

impl Catalogue {
    /// The names of the messages.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.events.iter().map(|event| event.name.as_str())
    }
}

impl Kind {
    /// What people call it.
    pub const fn title(self) -> &'static str {
        match self {
            Kind::Wsdl => "WSDL",
            Kind::OpenApi => "OpenAPI",
            Kind::AsyncApi => "AsyncAPI",
            Kind::Bpel => "BPEL",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl Data {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Data::Text => "text",
            Data::Number => "number",
            Data::Boolean => "boolean",
            Data::List => "list",
            Data::Map => "map",
            Data::Any => "any",
        }
    }
}
