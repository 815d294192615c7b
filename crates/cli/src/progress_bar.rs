// SPDX-License-Identifier: MIT OR Apache-2.0
//! A progress bar on the terminal for large traces.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The bar appears after this time.
const DELAY: Duration = Duration::from_secs(1);

/// The progress of one trace, shown on standard error if that is a terminal.
pub(crate) struct TraceProgress {
    name: String,
    size: Option<u64>,
    started: Instant,
    terminal: bool,
    bar: Option<ProgressBar>,
}

impl TraceProgress {
    pub(crate) fn new(name: &str, size: Option<u64>) -> TraceProgress {
        let terminal = std::io::stderr().is_terminal();
        TraceProgress { name: name.to_owned(), size, started: Instant::now(), terminal, bar: None }
    }

    /// Shows the number of bytes and events read so far.
    pub(crate) fn update(&mut self, bytes: u64, events: u64) {
        if !self.terminal || (self.bar.is_none() && self.started.elapsed() < DELAY) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| new_bar(&self.name, self.size, self.started));
        bar.set_position(bytes);
        bar.set_message(format!("{events} events"));
    }
}

impl Drop for TraceProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(name: &str, size: Option<u64>, started: Instant) -> ProgressBar {
    let template = match size {
        Some(_) => "{prefix} {wide_bar} {percent}% {bytes_per_sec} {msg} {eta}",
        None => "{prefix} {spinner} {bytes} {bytes_per_sec} {msg}",
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let target = ProgressDrawTarget::stderr_with_hz(5);
    let bar = ProgressBar::with_draw_target(size, target).with_style(style).with_elapsed(started.elapsed());
    bar.set_prefix(name.to_owned());
    bar
}
