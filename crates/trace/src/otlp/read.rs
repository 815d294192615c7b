// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: gathers the spans of the whole input, then tells their events in order.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;

use gnomon_core::datetime;
use gnomon_core::event::{Fields, NoFields};
use gnomon_core::symbols::Key;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_otlp::{Lifeline, Step, TraceId, sequence};

use super::frame::Frames;
use super::gather::{Gatherer, Kept, Life, Told};
use crate::buffer::Buffer;
use crate::context::{Context, answer_from_context};
use crate::error::{Fault, TraceError};
use crate::reader::{Entry, Place, Reader, Setup};

/// What the time of an event is called.
const TIME: &str = "time";

/// Reads exports of OpenTelemetry traces; see `otlp/FORMAT.md`.
pub struct OtlpReader<R> {
    frames: Frames<R>,
    context: Context,
    by_trace: bool,
    spans: Vec<Life>,
    /// What the spans tell, in order; `None` until they are gathered.
    steps: Option<Vec<Step>>,
    /// The index of the next event.
    index: usize,
    present: Option<Step>,
    case: Case,
}

/// The trace that the present event belongs to.
#[derive(Default)]
struct Case {
    number: u64,
    trace: Option<TraceId>,
    name: Option<String>,
}

impl<R: Read> OtlpReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, setup: Setup) -> Self {
        let Setup { symbols, projection, clock, .. } = setup;
        OtlpReader {
            frames: Frames::new(buffer),
            context: Context::new(source, symbols, projection, clock),
            by_trace: false,
            spans: Vec::new(),
            steps: None,
            index: 0,
            present: None,
            case: Case::default(),
        }
    }

    /// Tells one trace after the other, each a case, instead of all by time. Traces come in the order in which they began.
    #[must_use]
    pub fn by_trace(mut self) -> Self {
        self.by_trace = true;
        self
    }

    fn gather(&mut self) -> Result<Vec<Step>, Fault> {
        let mut gatherer = Gatherer::default();
        while let Some(request) = self.frames.next()? {
            let (mut place, mut behind) = (self.frames.start(), 0);
            for span in request.spans() {
                place = self.frames.place(place, behind, span.at());
                behind = span.at();
                let Context { names, projection, .. } = &mut self.context;
                self.spans.push(gatherer.keep(span, place, names, projection)?);
            }
        }
        let mut steps = sequence(&self.spans);
        if self.by_trace {
            let mut ranks: HashMap<TraceId, usize> = HashMap::new();
            for step in &steps {
                let next = ranks.len();
                ranks.entry(self.spans[step.span].trace()).or_insert(next);
            }
            steps.sort_by_key(|step| ranks.get(&self.spans[step.span].trace()).copied());
        }
        self.context.times.count_nanoseconds();
        Ok(steps)
    }

    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        if self.steps.is_none() {
            self.steps = Some(self.gather()?);
        }
        self.present = self.steps.as_ref().and_then(|steps| steps.get(self.index)).copied();
        let Some(step) = self.present else { return Ok(None) };
        let Some(told) = self.told() else { return Ok(None) };
        let event = told.name;
        let event_index = self.index as u64;
        self.index += 1;
        let trace = self.spans[step.span].trace();
        if self.by_trace && self.case.trace != Some(trace) {
            let number = self.case.number + 1;
            self.case = Case { number, trace: Some(trace), name: (!trace.is_absent()).then(|| trace.to_string()) };
        }
        Ok(Some(Origin { event_index, time: time(step), event }))
    }
}

impl<R> OtlpReader<R> {
    fn told(&self) -> Option<&Told> {
        let step = self.present?;
        self.spans.get(step.span)?.told(step.what)
    }

    fn kept(&self) -> &[Kept] {
        self.told().and_then(|told| told.fields.as_deref()).unwrap_or_default()
    }
}

fn time(step: Step) -> Timestamp {
    Timestamp::from_ticks(i128::from(step.time_ns))
}

impl<R> Fields for OtlpReader<R> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.kept().iter().find(|field| field.key == key).map(|field| field.value.clone())
    }

    fn parameter_count(&self) -> usize {
        self.kept().len()
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        self.kept().get(index).map_or(Value::Null, |field| field.value.clone())
    }
}

impl<R: Read> Reader for OtlpReader<R> {
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        self.read().map_err(|fault| self.frames.error(&self.context.source, fault))
    }

    fn fields(&self) -> &dyn Fields {
        if self.kept().is_empty() { &NoFields } else { self }
    }

    answer_from_context!();

    fn bytes_read(&self) -> u64 {
        self.frames.bytes_read()
    }

    fn place(&self) -> Place {
        self.present.and_then(|step| self.spans.get(step.span)).map_or(Place::START, |span| span.place)
    }

    fn time_field(&self) -> Option<&str> {
        Some(TIME)
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        let (Some(step), Some(_)) = (self.present, self.told().and_then(|told| told.fields.as_ref())) else {
            return Vec::new();
        };
        let written = Value::Text(Cow::Owned(datetime::print(time(step))));
        let time = Entry { key: Cow::Borrowed(TIME), value: written, is_time: true };
        let named = self.kept().iter().filter_map(|field| {
            let key = Cow::Borrowed(field.name.as_deref()?);
            Some(Entry { key, value: field.value.clone(), is_time: false })
        });
        [time].into_iter().chain(named).collect()
    }

    fn case(&self) -> Option<&str> {
        self.case.name.as_deref()
    }

    fn case_number(&self) -> u64 {
        self.case.number
    }
}

#[cfg(test)]
mod tests;
