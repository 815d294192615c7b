// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns of paths: `/orders/{order}/items/*`, `/static/**`.

use percent_encoding::percent_decode_str;

/// A pattern of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pattern {
    parts: Vec<Part>,
    /// Whether any number of parts may follow: `**` at the end.
    open: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    /// Just this, once it is decoded.
    Text(String),
    /// `{name}`: anything, by that name.
    Hole(String),
    /// `*`: anything.
    Any,
}

impl Pattern {
    /// Reads a pattern; an error says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Pattern, String> {
        let Some(rest) = text.strip_prefix('/') else { return Err("a path begins with `/`".to_owned()) };
        let (rest, open) = match rest.strip_suffix("**") {
            Some(start) if start.is_empty() || start.ends_with('/') => (start.trim_end_matches('/'), true),
            _ => (rest, false),
        };
        let texts = rest.split('/').filter(|_| !(open && rest.is_empty()));
        let parts = texts.map(Part::parse).collect::<Result<Vec<Part>, String>>()?;
        let names: Vec<&str> = parts.iter().filter_map(Part::name).collect();
        if let Some(twice) = names.iter().enumerate().find(|(place, name)| names[..*place].contains(name)) {
            return Err(format!("there are two holes `{{{}}}`: give them different names", twice.1));
        }
        Ok(Pattern { parts, open })
    }

    /// What the holes stand for in a path that fits.
    pub(super) fn matches(&self, path: &str) -> Option<Vec<(&str, String)>> {
        let mut found = path.strip_prefix('/')?.split('/');
        let mut holes = Vec::new();
        for part in &self.parts {
            let text = percent_decode_str(found.next()?).decode_utf8_lossy();
            match part {
                Part::Text(expected) if *expected != text => return None,
                Part::Text(_) | Part::Any => {}
                // Nothing between two slashes is no part of a path that a hole could stand for.
                Part::Hole(_) if text.is_empty() => return None,
                Part::Hole(name) => holes.push((name.as_str(), text.into_owned())),
            }
        }
        (self.open || found.next().is_none()).then_some(holes)
    }

    /// Whether there is a hole of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part.name() == Some(name))
    }
}

impl Part {
    fn parse(text: &str) -> Result<Part, String> {
        if text == "*" {
            return Ok(Part::Any);
        }
        if let Some(name) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            let fits = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.');
            if name.is_empty() || !name.chars().all(fits) {
                return Err(format!("`{{{name}}}` is no hole: its name has letters, digits, `_`, `-` and `.`"));
            }
            return Ok(Part::Hole(name.to_owned()));
        }
        if text.contains(['{', '}', '*']) {
            return Err(format!(
                "`{text}` is neither a text nor a hole: a hole or a star fills all between two slashes"
            ));
        }
        Ok(Part::Text(percent_decode_str(text).decode_utf8_lossy().into_owned()))
    }

    fn name(&self) -> Option<&str> {
        match self {
            Part::Hole(name) => Some(name),
            Part::Text(_) | Part::Any => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holes(pattern: &str, path: &str) -> Option<String> {
        let holes = Pattern::parse(pattern)
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
    fn what_is_no_pattern() {
        for pattern in ["orders", "", "/a{b}", "/{}", "/{a b}", "/a*", "/**/a", "/{a}/{a}"] {
            assert!(Pattern::parse(pattern).is_err(), "{pattern}");
        }
    }
}
