// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writer: one event per line.

use std::io;

use gnomon_core::escape::{XmlContext, write_xml};

use crate::loss::{Loss, Losses};
use crate::writer::{EventRecord, TextFormat, TextWriter, cell, key};

/// Writes the XML of the competitions; see `xml/FORMAT.md`.
pub type XmlWriter<W> = TextWriter<W, XmlFormat>;

/// The grammar of that XML.
#[derive(Default)]
pub struct XmlFormat;

impl TextFormat for XmlFormat {
    fn begin(&mut self, text: &mut String, _: &mut Losses) {
        text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<log>\n");
    }

    fn event(&mut self, line: &mut String, event: &EventRecord<'_>, losses: &mut Losses) -> io::Result<()> {
        line.push_str("<event><name>");
        if write_xml(line, event.name, XmlContext::Content).is_some() {
            losses.add(Loss::Characters, event.index, "");
        }
        line.push_str("</name>");
        if let Some(event_time) = &event.event_time {
            field(line, event_time.field, &event_time.text(), event.index, losses);
        }
        for entry in event.fields {
            let text = cell(&entry.value, event.index, &entry.key, losses);
            let key = key(event, entry, &[], losses);
            field(line, &key, &text, event.index, losses);
        }
        line.push_str("</event>\n");
        Ok(())
    }

    fn end(&mut self, text: &mut String) {
        text.push_str("</log>\n");
    }
}

fn field(line: &mut String, key: &str, value: &str, event: u64, losses: &mut Losses) {
    line.push_str("<field><name>");
    let key_replaced = write_xml(line, key, XmlContext::Content);
    line.push_str("</name><value>");
    let value_replaced = write_xml(line, value, XmlContext::Content);
    line.push_str("</value></field>");
    if key_replaced.or(value_replaced).is_some() {
        losses.add(Loss::Characters, event, key);
    }
}
