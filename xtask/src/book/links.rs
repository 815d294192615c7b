// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links in Markdown.

/// Replacement of a link.
pub(crate) enum Link {
    /// Leaves the link.
    Keep,
    /// Changes its target.
    To(String),
    /// Leaves its text only.
    Remove,
}

/// Replaces the relative links of a page. Code is left alone: it may look like a link.
pub(crate) fn rewrite(text: &str, replace: &mut dyn FnMut(&str) -> Link) -> String {
    let mut out = String::with_capacity(text.len());
    let mut prose = String::new();
    let mut fence = false;
    for line in text.split_inclusive('\n') {
        if line.starts_with("```") {
            fence = !fence;
            rewrite_prose(&std::mem::take(&mut prose), &mut out, replace);
            out.push_str(line);
        } else if fence {
            out.push_str(line);
        } else {
            prose.push_str(line);
        }
    }
    rewrite_prose(&prose, &mut out, replace);
    out
}

fn rewrite_prose(text: &str, out: &mut String, replace: &mut dyn FnMut(&str) -> Link) {
    for (index, part) in text.split('`').enumerate() {
        if index > 0 {
            out.push('`');
        }
        if index % 2 == 1 {
            out.push_str(part);
            continue;
        }
        let mut rest = part;
        while let Some(at) = rest.find("](") {
            let Some(length) = rest[at + 2..].find(')') else { break };
            let target = &rest[at + 2..at + 2 + length];
            out.push_str(&rest[..at]);
            rest = &rest[at + 3 + length..];
            let is_relative = !target.contains("://") && !target.starts_with('#') && !target.is_empty();
            match if is_relative { replace(target) } else { Link::Keep } {
                Link::Keep => out.extend(["](", target, ")"]),
                Link::To(target) => out.extend(["](", &target, ")"]),
                Link::Remove => {
                    if let Some(opening) = out.rfind('[') {
                        out.remove(opening);
                    }
                }
            }
        }
        out.push_str(rest);
    }
}

/// A relative path from a folder, as a path from the root.
pub(crate) fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The path that leads from a folder to a file, both from the root.
pub(crate) fn relative(folder: &str, file: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = file.split('/').collect();
    let shared = from.iter().zip(&to).take_while(|(left, right)| left == right).count();
    let up = from[shared..].iter().map(|_| "..");
    up.chain(to[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_relative_links_in_prose_are_replaced() {
        let text = "[`a`](b.md#c) [d](https://x) `[e](f)` ![g](h.png) [i](#j) [k](l/)\n```\n[m](n)\n```\n[o](p.md)";
        let mut seen = Vec::new();
        let out = rewrite(text, &mut |target| {
            seen.push(target.to_owned());
            if target == "l/" { Link::Remove } else { Link::To(format!("../{target}")) }
        });
        assert_eq!(seen, ["b.md#c", "h.png", "l/", "p.md"]);
        let expected =
            "[`a`](../b.md#c) [d](https://x) `[e](f)` ![g](../h.png) [i](#j) k\n```\n[m](n)\n```\n[o](../p.md)";
        assert_eq!(out, expected);
    }

    #[test]
    fn paths_lead_from_one_page_to_another() {
        assert_eq!(joined("docs/book/src", "../../watch.md"), "docs/watch.md");
        assert_eq!(relative("tutorial", "languages/mtl.md"), "../languages/mtl.md");
        assert_eq!(relative("languages", "languages/mtl.md"), "mtl.md");
        assert_eq!(relative("", "watch.md"), "watch.md");
    }
}
