// SPDX-License-Identifier: MIT OR Apache-2.0
//! The log: one line of JSON per event. Each kind of event is a type with a fixed set of fields, so that tokens and
//! bodies cannot get into the log.

pub(crate) mod events;

use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// Severity of log events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Requires attention.
    Error,
    /// May require attention.
    Warn,
    /// Rare events of normal operation.
    Info,
    /// Every request.
    Debug,
}

/// An event that can be logged.
pub trait LogEvent: Serialize {
    /// Name: a subject and what happened to it.
    const NAME: &'static str;
    /// Severity.
    const LEVEL: LogLevel;
}

/// Writes log events.
#[derive(Clone)]
pub struct Log {
    level: Option<LogLevel>,
    sink: Arc<Mutex<dyn Write + Send>>,
}

/// A line of the log.
#[derive(Serialize)]
struct LogLine<'a, E> {
    at: i64,
    level: LogLevel,
    event: &'static str,
    #[serde(flatten)]
    about: &'a E,
}

impl Log {
    /// Creates a log that discards everything.
    pub fn silent() -> Log {
        Log { level: None, sink: Arc::new(Mutex::new(std::io::sink())) }
    }

    /// Creates a log for events of at least this severity.
    pub fn new(level: LogLevel, sink: impl Write + Send + 'static) -> Log {
        Log { level: Some(level), sink: Arc::new(Mutex::new(sink)) }
    }

    /// Writes an event. A failure to write is ignored.
    pub fn write<E: LogEvent>(&self, event: &E) {
        if self.level.is_none_or(|level| E::LEVEL > level) {
            return;
        }
        let line = LogLine { at: now(), level: E::LEVEL, event: E::NAME, about: event };
        if let Ok(mut text) = serde_json::to_vec(&line) {
            text.push(b'\n');
            let mut sink = self.sink.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let _ = sink.write_all(&text).and_then(|()| sink.flush());
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Log({:?})", self.level)
    }
}

/// Returns the current time in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::events::ConnectionRefused;
    use super::*;

    #[derive(Clone, Default)]
    struct LogBuffer(Arc<Mutex<Vec<u8>>>);

    impl Write for LogBuffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_is_json_and_the_level_is_kept_to() {
        let kept = LogBuffer::default();
        let event = ConnectionRefused { port: "http", reason: "too many\nconnections" };
        Log::new(LogLevel::Error, kept.clone()).write(&event);
        assert!(kept.0.lock().unwrap().is_empty());
        Log::new(LogLevel::Warn, kept.clone()).write(&event);
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 1);
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&line["event"], &line["level"]), (&"ConnectionRefused".into(), &"warn".into()));
        assert_eq!(line["reason"], "too many\nconnections");
        assert!(line["at"].as_i64().unwrap() > 1_700_000_000_000);
    }
}
