// SPDX-License-Identifier: MIT OR Apache-2.0
//! The spans of a file, with as much of them as the projection wants. A span is exported when it has ended, behind those that
//! started after it, and the spans of a trace come from several services: only the whole file tells their order.

use gnomon_core::event::{Projection, Want};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::value::Value;
use gnomon_otlp::{Lifeline, Occurrence, OneSpan, SpanId, TraceId, What};

use crate::error::{Code, Fault};
use crate::names::Names;
use crate::reader::Place;

/// About as many bytes as may be kept.
const MOST: usize = 1 << 30;
/// About what a span, and what each thing that it tells, takes besides its fields.
const SPAN: usize = 320;
const TOLD: usize = 64;
/// About what a field takes besides its texts.
const FIELD: usize = 64;

/// A span as far as it matters here.
pub(super) struct Life {
    trace: TraceId,
    id: SpanId,
    parent: SpanId,
    pub(super) place: Place,
    start: Option<Told>,
    notes: Vec<Option<Told>>,
    end: Option<Told>,
}

/// An event of a span.
pub(super) struct Told {
    time_ns: u64,
    pub(super) name: Name,
    pub(super) fields: Option<Box<[Kept]>>,
}

/// A field that is wanted.
pub(super) struct Kept {
    pub(super) key: Key,
    /// Its name, where every field is wanted.
    pub(super) name: Option<Box<str>>,
    pub(super) value: Value<'static>,
}

impl Life {
    /// What a span tells: `told` gives it.
    pub(super) fn told(&self, what: What) -> Option<&Told> {
        match what {
            What::Start => self.start.as_ref(),
            What::Note(index) => self.notes.get(index).and_then(Option::as_ref),
            What::End => self.end.as_ref(),
        }
    }
}

impl Lifeline for Life {
    fn trace(&self) -> TraceId {
        self.trace
    }
    fn id(&self) -> SpanId {
        self.id
    }
    fn parent(&self) -> SpanId {
        self.parent
    }
    fn start(&self) -> Option<u64> {
        self.start.as_ref().map(|told| told.time_ns)
    }
    fn end(&self) -> Option<u64> {
        self.end.as_ref().map(|told| told.time_ns)
    }
    fn note_count(&self) -> usize {
        self.notes.len()
    }
    fn note(&self, index: usize) -> Option<u64> {
        self.told(What::Note(index)).map(|told| told.time_ns)
    }
}

/// Counts what is kept.
#[derive(Default)]
pub(super) struct Gatherer {
    bytes: usize,
}

impl Gatherer {
    /// Keeps of a span what the projection wants.
    pub(super) fn keep(
        &mut self,
        span: OneSpan<'_>,
        place: Place,
        names: &mut Names,
        projection: &Projection,
    ) -> Result<Life, Fault> {
        if span.untimed() > 0 {
            return Err(Fault::new(Code::NoTime, span.at(), "this span, or an event on it, has no time")
                .help("leave it out, or give it a `startTimeUnixNano` or an `endTimeUnixNano`, and each event on it a `timeUnixNano`"));
        }
        let mut tell =
            |what: What, time: Option<u64>| time.map(|time_ns| self.tell(span.tell(what), time_ns, names, projection));
        let start = tell(What::Start, span.start());
        let notes = (0..span.note_count()).map(|index| tell(What::Note(index), span.note(index))).collect();
        let end = tell(What::End, span.end());
        self.bytes = self.bytes.saturating_add(SPAN);
        if self.bytes > MOST {
            return Err(Fault::new(Code::TooMuch, span.at(), "the spans up to here take more than 1 GiB of memory")
                .help("split the export, by time or by trace ids, and judge the parts"));
        }
        Ok(Life { trace: span.trace(), id: span.id(), parent: span.parent(), place, start, notes, end })
    }

    fn tell(&mut self, event: Occurrence<'_>, time_ns: u64, names: &mut Names, projection: &Projection) -> Told {
        let name = names.intern(event.name(), None);
        let symbols = names.symbols();
        let want = projection.want(name);
        let mut kept = Vec::new();
        if *want != Want::Nothing {
            event.each_field(&mut |text, value| {
                let key = symbols.find_key(&text).unwrap_or(Key::OTHER);
                let is_all = *want == Want::All;
                if is_all || matches!(want, Want::Fields(keys) if keys.contains(&key)) {
                    let name = is_all.then(|| Box::from(&*text));
                    let texts = name.as_deref().map_or(0, str::len) + size(&value);
                    self.bytes = self.bytes.saturating_add(FIELD + texts);
                    kept.push(Kept { key, name, value: value.into_owned() });
                }
            });
        }
        self.bytes = self.bytes.saturating_add(TOLD);
        let fields = (*want != Want::Nothing).then(|| kept.into_boxed_slice());
        Told { time_ns, name, fields }
    }
}

/// About how many bytes a value takes besides its own place.
fn size(value: &Value<'_>) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::Text(text) => text.len(),
        Value::List(items) => items.iter().map(|item| FIELD + size(item)).sum(),
        Value::Map(entries) => entries.iter().map(|(key, value)| FIELD + key.len() + size(value)).sum(),
    }
}
