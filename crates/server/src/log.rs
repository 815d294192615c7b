// SPDX-License-Identifier: MIT OR Apache-2.0
//! The log: one line of JSON per event. Each kind of event is a type with a fixed set of fields, so that tokens and
//! bodies cannot get into the log.

pub(crate) mod events;

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use self::events::LinesSuppressed;

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
    budgets: Arc<Mutex<BTreeMap<&'static str, LineBudget>>>,
    sink: Arc<Mutex<dyn Write + Send>>,
}

/// Lines of one name that may be written before the rate applies.
const BURST: f64 = 50.0;
/// Lines of one name per second after that.
const LINES_PER_SECOND: f64 = 5.0;
/// Interval between lines about suppressed lines of one name.
const SUPPRESSED_EVERY: Duration = Duration::from_secs(10);

/// Limits the lines of one name, so that a client that causes errors cannot fill the disk.
#[derive(Debug)]
struct LineBudget {
    left: f64,
    at: Instant,
    suppressed: u64,
    reported: Instant,
}

impl LineBudget {
    fn new(now: Instant) -> LineBudget {
        LineBudget { left: BURST, at: now, suppressed: 0, reported: now }
    }

    /// Returns true if a line may be written now; counts it as suppressed otherwise.
    fn take(&mut self, now: Instant) -> bool {
        let gained = now.saturating_duration_since(self.at).as_secs_f64() * LINES_PER_SECOND;
        (self.left, self.at) = ((self.left + gained).min(BURST), now);
        let is_allowed = self.left >= 1.0;
        if is_allowed {
            self.left -= 1.0;
        } else {
            self.suppressed += 1;
        }
        is_allowed
    }

    /// Takes the number of suppressed lines, if it is time to report it.
    fn drain_suppressed(&mut self, now: Instant) -> Option<u64> {
        if self.suppressed == 0 || now.saturating_duration_since(self.reported) < SUPPRESSED_EVERY {
            return None;
        }
        self.reported = now;
        Some(std::mem::take(&mut self.suppressed))
    }
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
        Log { level: None, budgets: Arc::default(), sink: Arc::new(Mutex::new(std::io::sink())) }
    }

    /// Creates a log for events of at least this severity.
    pub fn new(level: LogLevel, sink: impl Write + Send + 'static) -> Log {
        Log { level: Some(level), budgets: Arc::default(), sink: Arc::new(Mutex::new(sink)) }
    }

    /// Writes an event, unless there were too many of its name lately; at level `debug` nothing is left out. A failure to
    /// write is ignored.
    pub fn write<E: LogEvent>(&self, event: &E) {
        if self.level.is_none_or(|level| E::LEVEL > level) {
            return;
        }
        if self.level != Some(LogLevel::Debug) {
            let now = Instant::now();
            let mut budgets = self.budgets.lock().unwrap_or_else(PoisonError::into_inner);
            if !budgets.entry(E::NAME).or_insert_with(|| LineBudget::new(now)).take(now) {
                return;
            }
        }
        self.write_line(event);
    }

    /// Writes how many lines were left out, at most once in ten seconds for each name.
    pub(crate) fn report_suppressed(&self) {
        let now = Instant::now();
        let drain = |(name, budget): (&&'static str, &mut LineBudget)| Some((*name, budget.drain_suppressed(now)?));
        let drained: Vec<_> =
            self.budgets.lock().unwrap_or_else(PoisonError::into_inner).iter_mut().filter_map(drain).collect();
        for (name, lines) in drained {
            self.write_line(&LinesSuppressed { name, lines });
        }
    }

    fn write_line<E: LogEvent>(&self, event: &E) {
        if self.level.is_none_or(|level| E::LEVEL > level) {
            return;
        }
        let line = LogLine { at: now(), level: E::LEVEL, event: E::NAME, about: event };
        if let Ok(mut text) = serde_json::to_vec(&line) {
            text.push(b'\n');
            let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
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
    use super::events::{AcceptFailed, ConnectionRefused};
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

    #[test]
    fn a_flood_of_lines_is_cut_and_counted() {
        let kept = LogBuffer::default();
        let log = Log::new(LogLevel::Warn, kept.clone());
        for _ in 0..10_000 {
            log.write(&ConnectionRefused { port: "http", reason: "too many connections" });
        }
        log.write(&AcceptFailed { port: "http", detail: "another name".to_owned() });
        let lines = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap().lines().count();
        assert!((51..200).contains(&lines), "{lines}");

        let start = Instant::now();
        let mut budget = LineBudget::new(start);
        assert_eq!((0..60).filter(|_| budget.take(start)).count(), 50);
        assert_eq!(budget.drain_suppressed(start), None);
        let later = start + Duration::from_secs(10);
        assert_eq!((budget.drain_suppressed(later), budget.drain_suppressed(later)), (Some(10), None));
        assert!(budget.take(later));
    }
}
