// SPDX-License-Identifier: MIT OR Apache-2.0
//! Progress on the terminal while large traces are read.

use std::fs;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::console::Console;
use crate::files::FilePosition;
use crate::memory::print_size;
use crate::render::line::{sanitised, shorten};
use crate::render::numbers::human_duration;

/// The bar appears after this time.
const DELAY: Duration = Duration::from_secs(1);
/// Longer names of traces are cut.
const MAX_NAME_WIDTH: usize = 24;

/// The progress of a command over all its traces, shown on standard error if that is a terminal.
pub(crate) struct RunProgress {
    is_shown: bool,
    started: Instant,
    /// Bytes of all traces; `None` if one is not a file.
    total: Option<u64>,
    /// Bytes and events of the traces that were read completely.
    done: (u64, u64),
    /// The position in the current trace, if it is a file.
    position: Option<FilePosition>,
    name: String,
    /// Bytes and events of the current trace.
    current: (u64, u64),
    bar: Option<ProgressBar>,
}

impl RunProgress {
    pub(crate) fn new(paths: &[String], console: &Console) -> RunProgress {
        let is_shown = console.shows_progress();
        let size = |path: &String| fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|found| found.len());
        let total = if is_shown { paths.iter().map(size).sum() } else { None };
        RunProgress {
            is_shown,
            started: Instant::now(),
            total,
            done: (0, 0),
            position: None,
            name: String::new(),
            current: (0, 0),
            bar: None,
        }
    }

    /// Begins a trace.
    pub(crate) fn begin(&mut self, name: &str, position: Option<FilePosition>) {
        self.name = shorten(&sanitised(name), MAX_NAME_WIDTH);
        self.position = position;
    }

    /// Shows the number of bytes and events of the current trace that were read so far. In a file the position counts, not the
    /// bytes after decompression.
    pub(crate) fn update(&mut self, bytes: u64, events: u64) {
        if !self.is_shown {
            return;
        }
        let bytes = self.position.as_mut().and_then(FilePosition::bytes).unwrap_or(bytes);
        // A reader with random access may step back.
        let bytes = bytes.max(self.current.0);
        self.current = (bytes, events);
        let elapsed = self.started.elapsed();
        if self.bar.is_none() && elapsed < DELAY {
            return;
        }
        let (bytes, events) = (self.done.0 + bytes, self.done.1 + events);
        let bar = self.bar.get_or_insert_with(|| new_bar(&self.name, self.total));
        bar.set_position(bytes);
        bar.set_message(describe(bytes, self.total, events, elapsed));
    }

    /// Ends the current trace, whether it was read completely or not. The bar disappears until the next trace shows it again, so
    /// that a report can be printed.
    pub(crate) fn end(&mut self) {
        let (bytes, events) = std::mem::take(&mut self.current);
        let bytes = self.position.take().and_then(|position| position.size()).unwrap_or(bytes);
        self.done = (self.done.0 + bytes, self.done.1 + events);
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for RunProgress {
    fn drop(&mut self) {
        self.end();
    }
}

fn new_bar(name: &str, total: Option<u64>) -> ProgressBar {
    let template = if total.is_some() { "{prefix} {bar:10} {wide_msg}" } else { "{prefix} {wide_msg}" };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(5)).with_style(style);
    bar.set_prefix(name.to_owned());
    bar
}

/// Describes the progress: the share of all bytes, the remaining time at the mean rate, that rate, and the events. Without a total
/// there is neither a share nor a remaining time. The important parts come first, because a narrow terminal cuts the line.
fn describe(bytes: u64, total: Option<u64>, events: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(0.001);
    let rate = bytes as f64 / seconds;
    let text = format!("{}/s, {events} events", print_size(rate as u64));
    let Some(total) = total.filter(|total| *total >= bytes && bytes > 0) else {
        return format!("{}, {text}", print_size(bytes));
    };
    let left = Duration::from_secs_f64(((total - bytes) as f64 / rate).min(1e9)).as_secs();
    format!("{} %, {} left, {text}", bytes * 100 / total.max(1), human_duration(i128::from(left) * 1_000_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_and_remaining_time_are_of_the_whole_run() {
        let text = describe(300 << 20, Some(1200 << 20), 5_000_000, Duration::from_secs(10));
        assert_eq!(text, "25 %, 30 s left, 30 MiB/s, 5000000 events");
        let text = describe(1 << 20, Some(8_000 << 20), 10, Duration::from_secs(4));
        assert_eq!(text, "0 %, 8 h 53 min left, 256 KiB/s, 10 events");
    }

    #[test]
    fn without_a_total_there_is_no_remaining_time() {
        assert_eq!(describe(30 << 20, None, 7, Duration::from_secs(2)), "30 MiB, 15 MiB/s, 7 events");
        assert_eq!(describe(0, Some(0), 0, Duration::ZERO), "0 bytes, 0 bytes/s, 0 events");
    }

    #[test]
    fn a_file_that_grows_has_no_remaining_time() {
        assert_eq!(describe(2 << 20, Some(1 << 20), 7, Duration::from_secs(2)), "2 MiB, 1 MiB/s, 7 events");
    }
}
