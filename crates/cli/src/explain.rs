// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon explain`: prints the pages of the error codes, which are compiled into the binary.

use std::fmt::Write as _;

use crate::console::Console;
use crate::failure::Failure;
use crate::outcome::{CommandResult, ExitStatus};
use crate::similar::closest;

mod pages {
    include!(concat!(env!("OUT_DIR"), "/pages.rs"));
}

pub(crate) fn run(code: Option<&str>, console: &Console) -> CommandResult {
    let text = match code {
        Some(code) => page(code)?.to_owned(),
        None => list(),
    };
    console.print(&text)?;
    Ok(ExitStatus::Success)
}

fn page(code: &str) -> Result<&'static str, Failure> {
    let wanted = code.trim().to_uppercase();
    let found = pages::PAGES.iter().find(|(code, _)| *code == wanted);
    found.map(|(_, page)| *page).ok_or_else(|| {
        let known = pages::PAGES.iter().map(|(code, _)| *code);
        let help = match closest(&wanted, known) {
            Some(near) => format!("`{near}` exists; `gnomon explain` lists all codes"),
            None => "`gnomon explain` lists all codes".to_owned(),
        };
        Failure::new("G0707", format!("`{code}` is not an error code of this version")).help(help)
    })
}

fn list() -> String {
    let mut out = String::new();
    for (code, page) in pages::PAGES {
        let _ = writeln!(out, "{code}  {}", title(code, page));
    }
    out.push_str("\n`gnomon explain CODE` prints the page of one.\n");
    out
}

/// Returns the page's heading without its code.
fn title<'a>(code: &str, page: &'a str) -> &'a str {
    let heading = page.lines().next().unwrap_or_default().trim_start_matches('#').trim();
    heading.strip_prefix(code).unwrap_or(heading).trim_start_matches([':', '.', ' ', '-', '—']).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_a_title() {
        assert!(!pages::PAGES.is_empty());
        for (code, page) in pages::PAGES {
            assert!(page.starts_with(&format!("# {code}: ")), "the page of {code} must begin with `# {code}: title`");
            assert!(!title(code, page).is_empty(), "{code}");
        }
    }
}
