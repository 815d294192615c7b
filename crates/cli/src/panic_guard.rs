// SPDX-License-Identifier: MIT OR Apache-2.0
//! Catches panics and reports them as internal errors, distinct from errors of the user.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Mutex;

use crate::paint::{Ink, Paint};
use crate::render::diagnostic::{header, remark};

/// A panic that was caught.
#[derive(Debug)]
pub(crate) struct CaughtPanic {
    message: String,
}

impl CaughtPanic {
    pub(crate) fn render(&self, paint: Paint) -> String {
        let mut out = header("internal error", None, &self.message, Ink::Bad, paint);
        remark(&mut out, "note", "this is an error of gnomon, not of your files; nothing was checked", 1, paint);
        let help = "please report it, with this text, the command line and, if you can, the spec and the trace";
        remark(&mut out, "help", help, 1, paint);
        out
    }
}

static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Runs `work`. A panic inside it is returned as an error instead of printing a backtrace.
pub(crate) fn guard<T>(work: impl FnOnce() -> T) -> Result<T, CaughtPanic> {
    let previous = panic::take_hook();
    panic::set_hook(Box::new(remember));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    panic::set_hook(previous);
    result.map_err(|_| {
        let message = LAST.lock().ok().and_then(|mut last| last.take());
        CaughtPanic { message: message.unwrap_or_else(|| "of unknown origin".to_owned()) }
    })
}

fn remember(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
    let place = info.location().map_or(String::new(), |place| format!(" ({}:{})", place.file(), place.line()));
    if let Ok(mut last) = LAST.lock() {
        *last = Some(format!("{text}{place}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_report() {
        assert_eq!(guard(|| 1).unwrap(), 1);
        let fault = guard(|| panic!("the sky fell")).map(|()| 0).unwrap_err();
        let drawn = fault.render(Paint::PLAIN);
        assert!(drawn.starts_with("internal error: the sky fell (crates/cli/src/panic_guard.rs:"), "{drawn}");
        assert!(drawn.contains("please report it"), "{drawn}");
    }
}
