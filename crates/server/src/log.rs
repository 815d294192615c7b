// SPDX-License-Identifier: MIT OR Apache-2.0
//! The log: one line of JSON for each notable event. What may be said of an event is a type, so that nothing else gets into
//! a line: no tokens, no bodies.

pub(crate) mod events;

use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// How much is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// What somebody has to look at.
    Error,
    /// What somebody may have to look at.
    Warn,
    /// What happens seldom.
    Info,
    /// Every request.
    Debug,
}

/// Something notable.
pub trait Notable: Serialize {
    /// Its name, a subject and what happened to it.
    const NAME: &'static str;
    /// How notable it is.
    const LEVEL: Level;
}

/// Where notable events are written.
#[derive(Clone)]
pub struct Log {
    level: Option<Level>,
    sink: Arc<Mutex<dyn Write + Send>>,
}

/// A line of it.
#[derive(Serialize)]
struct Line<'a, E> {
    at: i64,
    level: Level,
    event: &'static str,
    #[serde(flatten)]
    about: &'a E,
}

impl Log {
    /// A log that writes nothing.
    pub fn silent() -> Log {
        Log { level: None, sink: Arc::new(Mutex::new(std::io::sink())) }
    }

    /// A log that writes what is at least so notable.
    pub fn new(level: Level, sink: impl Write + Send + 'static) -> Log {
        Log { level: Some(level), sink: Arc::new(Mutex::new(sink)) }
    }

    /// Writes a line. A log that cannot be written stops nothing.
    pub fn note<E: Notable>(&self, event: &E) {
        if self.level.is_none_or(|level| E::LEVEL > level) {
            return;
        }
        let line = Line { at: now(), level: E::LEVEL, event: E::NAME, about: event };
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

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::events::ConnectionRefused;
    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
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
        let kept = Kept::default();
        let event = ConnectionRefused { port: "http", reason: "too many\nconnections" };
        Log::new(Level::Error, kept.clone()).note(&event);
        assert!(kept.0.lock().unwrap().is_empty());
        Log::new(Level::Warn, kept.clone()).note(&event);
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 1);
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&line["event"], &line["level"]), (&"ConnectionRefused".into(), &"warn".into()));
        assert_eq!(line["reason"], "too many\nconnections");
        assert!(line["at"].as_i64().unwrap() > 1_700_000_000_000);
    }
}
