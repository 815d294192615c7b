// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses queries.

use gnomon_scan::xml::without_prefix;

use super::{Predicate, Query, QueryError, QueryStep, StepTarget};

/// Maximum number of steps; no message is as deep.
const MAX_STEPS: usize = 256;

pub(super) fn query(text: &str) -> Result<Query, QueryError> {
    if let Some(pointer) = text.strip_prefix('#') {
        return self::pointer(pointer, 1);
    }
    let mut reader = QueryParser { text, at: 0 };
    let absolute = text.starts_with('/');
    let mut steps = Vec::new();
    let mut deep = reader.take("//");
    if !deep {
        reader.take("/");
    }
    loop {
        steps.push(reader.step(deep)?);
        if steps.len() > MAX_STEPS {
            return Err(QueryError::new(reader.at, format!("more than {MAX_STEPS} steps")));
        }
        if reader.at == text.len() {
            break;
        }
        deep = reader.take("//");
        if !deep && !reader.take("/") {
            return Err(reader.wrong("`/` between two steps"));
        }
    }
    Ok(Query { absolute, steps, text: text.to_owned() })
}

/// Parses a JSON pointer; `before` is the number of bytes of the query in front of it.
pub(super) fn pointer(text: &str, before: usize) -> Result<Query, QueryError> {
    let mut steps = Vec::new();
    let mut at = before;
    let Some(rest) = text.strip_prefix('/') else {
        let query = Query { absolute: true, steps, text: if before > 0 { "#".to_owned() } else { String::new() } };
        let wrong = || QueryError::new(before, "a JSON pointer begins with `/`");
        return if text.is_empty() { Ok(query) } else { Err(wrong()) };
    };
    for token in rest.split('/') {
        at += 1;
        if steps.len() == MAX_STEPS {
            return Err(QueryError::new(at, format!("more than {MAX_STEPS} steps")));
        }
        let escape =
            token.match_indices('~').find(|(place, _)| !matches!(token.as_bytes().get(place + 1), Some(b'0' | b'1')));
        if let Some((place, _)) = escape {
            return Err(QueryError::new(
                at + place,
                "`~` in a JSON pointer is followed by `0` (for `~`) or `1` (for `/`)",
            ));
        }
        let key = token.replace("~1", "/").replace("~0", "~");
        steps.push(QueryStep { deep: false, part: StepTarget::Key(key), predicates: Vec::new() });
        at += token.len();
    }
    let text = if before > 0 { format!("#{text}") } else { text.to_owned() };
    Ok(Query { absolute: true, steps, text })
}

struct QueryParser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> QueryParser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn wrong(&self, expected: &str) -> QueryError {
        let found = match self.rest().chars().next() {
            Some(found) => format!("`{}`", found.escape_debug()),
            None => "the end".to_owned(),
        };
        QueryError::new(self.at, format!("expected {expected}, found {found}"))
    }

    fn step(&mut self, deep: bool) -> Result<QueryStep, QueryError> {
        let part = self.part()?;
        let mut predicates = Vec::new();
        self.skip_blanks();
        while self.take("[") {
            predicates.push(self.predicate()?);
            self.skip_blanks();
        }
        Ok(QueryStep { deep, part, predicates })
    }

    fn part(&mut self) -> Result<StepTarget, QueryError> {
        self.skip_blanks();
        let start = self.at;
        if self.take("*") {
            return Ok(StepTarget::Any);
        }
        let is_attribute = self.take("@");
        if self.take("..") || (self.rest().starts_with('.') && !is_attribute) {
            return Err(QueryError::new(start, "`.` and `..` are not known here: write the path from where it begins"));
        }
        let name = self.name()?;
        let after = self.rest();
        if after.starts_with("::") {
            return Err(QueryError::new(
                start,
                format!("the axis `{name}::` is not known here: write `/`, `//` or `@`"),
            ));
        }
        if after.starts_with('(') {
            if name == "text" && !is_attribute && self.take("()") {
                return Ok(StepTarget::Text);
            }
            return Err(QueryError::new(
                start,
                format!("the function `{name}(…)` is not known here: only `text()` is"),
            ));
        }
        let name = without_prefix(name).to_owned();
        Ok(if is_attribute { StepTarget::Attribute(name) } else { StepTarget::Child(name) })
    }

    /// Parses a name with an optional namespace prefix.
    fn name(&mut self) -> Result<&'a str, QueryError> {
        let rest = self.rest();
        let inside = |character: char| {
            !matches!(character, '/' | '[' | ']' | '(' | ')' | '@' | '=' | '\'' | '"' | '*')
                && !character.is_whitespace()
        };
        let mut end = rest.find(|character| !inside(character)).unwrap_or(rest.len());
        if let Some(axis) = rest[..end].find("::") {
            end = axis;
        }
        if end == 0 || rest[..end].ends_with(':') && end == 1 {
            return Err(self.wrong("a name, `@name`, `*` or `text()`"));
        }
        self.at += end;
        Ok(&rest[..end])
    }

    /// Parses the rest of a predicate behind `[`, including `]`.
    fn predicate(&mut self) -> Result<Predicate, QueryError> {
        self.skip_blanks();
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let predicate = if digits > 0 {
            let number = self.rest()[..digits].parse().unwrap_or(usize::MAX);
            if number == 0 {
                return Err(QueryError::new(self.at, "places in `[…]` are counted from 1"));
            }
            self.at += digits;
            Predicate::Index(number)
        } else {
            let part = self.part()?;
            if part == StepTarget::Any {
                return Err(self.wrong("a name before `=`"));
            }
            self.skip_blanks();
            if !self.take("=") {
                return Err(self.wrong("`=` and a text in quotes"));
            }
            self.skip_blanks();
            Predicate::Equal(part, self.quoted()?)
        };
        self.skip_blanks();
        if self.take("]") { Ok(predicate) } else { Err(self.wrong("`]`")) }
    }

    fn quoted(&mut self) -> Result<String, QueryError> {
        let start = self.at;
        let quote = if self.take("'") { '\'' } else { '"' };
        if quote == '"' && !self.take("\"") {
            return Err(self.wrong("a text in quotes"));
        }
        let Some(end) = self.rest().find(quote) else {
            return Err(QueryError::new(start, "this quote is not closed"));
        };
        let text = self.rest()[..end].to_owned();
        self.at += end + 1;
        Ok(text)
    }
}
