// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics for a browser: one page with everything in it, that asks nobody for anything.

use gnomon::offline::stats::Statistics;

use super::json;
use crate::files::file_name;
use crate::render::About;
use crate::render::junit::escaped;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// The page. What a trace or a spec says of itself stands in it as data, and the script writes it as text.
pub(super) fn render(about: &About<'_>, statistics: &Statistics) -> String {
    let title = format!("{}: statistics", file_name(&statistics.report.source));
    // The data come last: what stands in them is not looked at again.
    PAGE.replacen("{{title}}", &escaped(&title).replace('{', "&#123;"), 1)
        .replacen("{{style}}", STYLE, 1)
        .replacen("{{script}}", SCRIPT, 1)
        .replacen("{{data}}", &harmless(&json::render(about, statistics)), 1)
}

/// JSON that cannot end the element that it stands in, nor a line of it.
fn harmless(json: &str) -> String {
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
    fn data_stay_data() {
        assert_eq!(harmless("\"</script><!--&\u{2028}\""), "\"\\u003c/script\\u003e\\u003c!--\\u0026\\u2028\"");
    }
}
