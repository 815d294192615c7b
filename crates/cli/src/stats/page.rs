// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics as a self-contained HTML page.

use gnomon::escape;
use gnomon::offline::stats::Statistics;

use super::json;
use crate::files::file_name;
use crate::render::SpecContext;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// Prints the page. Texts of the trace and the spec are JSON data in it, which the script inserts as text, never as HTML.
pub(super) fn render(about: &SpecContext<'_>, statistics: &Statistics) -> String {
    let title = format!("{}: statistics", file_name(&statistics.report.source));
    // The data are inserted last, so that no placeholder in them is replaced.
    PAGE.replacen("{{title}}", &escape::xml(&title).replace('{', "&#123;"), 1)
        .replacen("{{style}}", STYLE, 1)
        .replacen("{{script}}", SCRIPT, 1)
        .replacen("{{data}}", &escape_for_html(&json::render(about, statistics)), 1)
}

/// Escapes JSON so that it cannot end its HTML element or a line of the script.
fn escape_for_html(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_become_markup() {
        assert_eq!(escape_for_html("\"</script><!--&\u{2028}\""), "\"\\u003c/script\\u003e\\u003c!--\\u0026\\u2028\"");
    }
}
