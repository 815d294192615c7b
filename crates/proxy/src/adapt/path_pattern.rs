// SPDX-License-Identifier: MIT OR Apache-2.0
//! Path patterns: `/orders/{order}/items/*`, `/static/**`.

use percent_encoding::percent_decode_str;

/// A pattern that request paths are matched with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PathPattern {
    segments: Vec<PathSegment>,
    /// True if any number of segments may follow: `**` at the end.
    is_open: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum PathSegment {
    /// A fixed text, compared after percent-decoding.
    Text(String),
    /// `{name}`: any text, captured under that name.
    Hole(String),
    /// `*`: any text.
    Any,
}

impl PathPattern {
    /// Reads a pattern; the error is a message for the user.
    pub(super) fn parse(text: &str) -> Result<PathPattern, String> {
        let Some(rest) = text.strip_prefix('/') else { return Err("a path begins with `/`".to_owned()) };
        let (rest, is_open) = match rest.strip_suffix("**") {
            Some(start) if start.is_empty() || start.ends_with('/') => (start.trim_end_matches('/'), true),
            _ => (rest, false),
        };
        let texts = rest.split('/').filter(|_| !(is_open && rest.is_empty()));
        let segments = texts.map(PathSegment::parse).collect::<Result<Vec<PathSegment>, String>>()?;
        let names: Vec<&str> = segments.iter().filter_map(PathSegment::name).collect();
        if let Some(twice) = names.iter().enumerate().find(|(place, name)| names[..*place].contains(name)) {
            return Err(format!("there are two holes `{{{}}}`: give them different names", twice.1));
        }
        Ok(PathPattern { segments, is_open })
    }

    /// Returns the values of the holes if the path matches.
    pub(super) fn matches(&self, path: &str) -> Option<Vec<(&str, String)>> {
        let mut found = path.strip_prefix('/')?.split('/');
        let mut holes = Vec::new();
        for segment in &self.segments {
            let text = percent_decode_str(found.next()?).decode_utf8_lossy();
            match segment {
                PathSegment::Text(expected) if *expected != text => return None,
                PathSegment::Text(_) | PathSegment::Any => {}
                // A hole does not match the empty text between two slashes.
                PathSegment::Hole(_) if text.is_empty() => return None,
                PathSegment::Hole(name) => holes.push((name.as_str(), text.into_owned())),
            }
        }
        (self.is_open || found.next().is_none()).then_some(holes)
    }

    /// Returns true if there is a hole of this name.
    pub(super) fn has_hole(&self, name: &str) -> bool {
        self.segments.iter().any(|segment| segment.name() == Some(name))
    }
}

/// Returns true if a service may take this path for another one: it has empty segments, segments `.` or `..`, or encoded slashes.
pub(super) fn is_ambiguous(path: &str) -> bool {
    let mut segments = path.strip_prefix('/').unwrap_or(path).split('/').peekable();
    while let Some(segment) = segments.next() {
        let text = percent_decode_str(segment).decode_utf8_lossy();
        // The last segment may be empty: `/orders/`.
        let is_empty = text.is_empty() && segments.peek().is_some();
        if is_empty || matches!(&*text, "." | "..") || text.contains(['/', '\\', ';']) {
            return true;
        }
    }
    false
}

impl PathSegment {
    fn parse(text: &str) -> Result<PathSegment, String> {
        if text == "*" {
            return Ok(PathSegment::Any);
        }
        if let Some(name) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            let fits = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.');
            if name.is_empty() || !name.chars().all(fits) {
                return Err(format!("`{{{name}}}` is not a hole: its name has letters, digits, `_`, `-` and `.`"));
            }
            return Ok(PathSegment::Hole(name.to_owned()));
        }
        if text.contains(['{', '}', '*']) {
            return Err(format!(
                "`{text}` is neither a text nor a hole: a hole or a star fills everything between two slashes"
            ));
        }
        Ok(PathSegment::Text(percent_decode_str(text).decode_utf8_lossy().into_owned()))
    }

    fn name(&self) -> Option<&str> {
        match self {
            PathSegment::Hole(name) => Some(name),
            PathSegment::Text(_) | PathSegment::Any => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holes(pattern: &str, path: &str) -> Option<String> {
        let holes = PathPattern::parse(pattern)
            .unwrap()
            .matches(path)?
            .iter()
            .map(|(name, text)| format!("{name}={text}"))
            .collect::<Vec<_>>();
        Some(holes.join(" "))
    }

    #[test]
    fn paths_that_fit() {
        for (pattern, path, expected) in [
            ("/", "/", Some("")),
            ("/", "/a", None),
            ("/**", "/", Some("")),
            ("/**", "/a/b", Some("")),
            ("/a/**", "/a", Some("")),
            ("/a/**", "/b/a", None),
            ("/orders/{order}", "/orders/7", Some("order=7")),
            ("/orders/{order}", "/orders/7/", None),
            ("/orders/{order}", "/orders/", None),
            ("/orders/{a}/*/{b}", "/orders/x%20y/z/%2F", Some("a=x y b=/")),
            ("/a%20b", "/a b", Some("")),
            ("/a", "a", None),
        ] {
            assert_eq!(holes(pattern, path).as_deref(), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn invalid_patterns_are_refused() {
        for pattern in ["orders", "", "/a{b}", "/{}", "/{a b}", "/a*", "/**/a", "/{a}/{a}"] {
            assert!(PathPattern::parse(pattern).is_err(), "{pattern}");
        }
    }
}
