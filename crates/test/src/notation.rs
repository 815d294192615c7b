// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces as the corpus writes them: `request(42)@10 reply(id: 42)@13`.
//!
//! Events are separated by spaces or points. An event without `@time` comes one unit after the one before, the first of all
//! at time one. Arguments are literals, by place or as `field: literal` with odd names in quotes; `_` is an empty cell of a
//! CSV file. Lists and maps are written `[1, 2]` and `{"key": 1}`.

use gnomon_core::datetime;
use gnomon_core::number::Number;
use gnomon_core::time::{Clock, Duration, Timestamp};
use gnomon_core::value::Value;
use gnomon_oracle::OracleEvent;

/// Reads a trace; a message if it is not one.
pub fn parse(text: &str, clock: Clock) -> Result<Vec<OracleEvent>, String> {
    let mut reader = NotationParser { rest: text, clock };
    let mut events: Vec<OracleEvent> = Vec::new();
    loop {
        reader.skip(|character| character.is_whitespace() || character == '.');
        if reader.rest.is_empty() {
            return Ok(events);
        }
        let before = events.last().map_or(Timestamp::from_ticks(0), |event| event.time);
        let event = reader.event(before)?;
        if event.time < before {
            return Err(format!("`{}` goes back in time", event.name));
        }
        events.push(event);
    }
}

type TraceField = (String, Option<Value<'static>>);

struct NotationParser<'a> {
    rest: &'a str,
    clock: Clock,
}

impl<'a> NotationParser<'a> {
    fn event(&mut self, before: Timestamp) -> Result<OracleEvent, String> {
        let name = self.name()?;
        let mut fields = Vec::new();
        if self.take("(") {
            while !self.take(")") {
                let field = self.field(fields.len())?;
                fields.push(field);
                if !self.take(",") && !self.rest.trim_start().starts_with(')') {
                    return Err(format!("`{name}`: `,` or `)` wanted at `{}`", self.rest));
                }
            }
        }
        let time = if self.rest.starts_with('@') {
            self.rest = &self.rest[1..];
            self.time()?
        } else {
            before + Duration::from_ticks(self.clock.ticks_per_unit())
        };
        Ok(OracleEvent { name, time, fields })
    }

    fn field(&mut self, place: usize) -> Result<TraceField, String> {
        self.skip(char::is_whitespace);
        if self.rest.starts_with('"') {
            let text = self.quoted()?;
            let is_name = self.take(":");
            return if is_name {
                Ok((text, self.literal()?))
            } else {
                Ok((unnamed(place), Some(Value::Text(text.into()))))
            };
        }
        let word = self.word();
        let after_word = self.rest[word.len()..].trim_start();
        let is_name = word.chars().next().is_some_and(char::is_alphabetic) && after_word.starts_with(':');
        if is_name {
            self.rest = &after_word[1..];
            return Ok((word.to_owned(), self.literal()?));
        }
        Ok((unnamed(place), self.literal()?))
    }

    fn literal(&mut self) -> Result<Option<Value<'static>>, String> {
        self.skip(char::is_whitespace);
        if self.rest.starts_with('"') {
            return Ok(Some(Value::Text(self.quoted()?.into())));
        }
        if self.take("[") {
            return Ok(Some(Value::List(self.members("]", NotationParser::inner)?)));
        }
        if self.take("{") {
            let entry = |reader: &mut Self| {
                reader.skip(char::is_whitespace);
                let key = if reader.rest.starts_with('"') { reader.quoted()? } else { reader.name()? };
                if !reader.take(":") {
                    return Err(format!("`:` wanted after `{key}`"));
                }
                Ok((key.into(), reader.inner()?))
            };
            return Ok(Some(Value::Map(self.members("}", entry)?)));
        }
        let end = self.rest.find([',', ')', ']', '}']).unwrap_or(self.rest.len());
        let word = self.rest[..end].trim();
        self.rest = &self.rest[end..];
        match word {
            "_" => Ok(None),
            "null" => Ok(Some(Value::Null)),
            "true" | "false" => Ok(Some(Value::Bool(word == "true"))),
            _ => Number::parse(word)
                .map(|number| Some(Value::Number(number)))
                .map_err(|_| format!("no literal: `{word}`")),
        }
    }

    /// Reads elements separated by commas up to a closing bracket.
    fn members<T>(&mut self, close: &str, member: impl Fn(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        let mut members = Vec::new();
        while !self.take(close) {
            members.push(member(self)?);
            if !self.take(",") && !self.rest.trim_start().starts_with(close) {
                return Err(format!("`,` or `{close}` wanted at `{}`", self.rest));
            }
        }
        Ok(members)
    }

    fn inner(&mut self) -> Result<Value<'static>, String> {
        self.literal()?.ok_or("an empty cell is not a member".to_owned())
    }

    fn name(&mut self) -> Result<String, String> {
        if self.rest.starts_with('"') {
            return self.quoted();
        }
        let word = self.word();
        if word.is_empty() {
            return Err(format!("an event's name wanted at `{}`", self.rest));
        }
        self.rest = &self.rest[word.len()..];
        Ok(word.to_owned())
    }

    fn quoted(&mut self) -> Result<String, String> {
        let inner = &self.rest[1..];
        let end = inner.find('"').ok_or("a quote is not closed")?;
        self.rest = &inner[end + 1..];
        Ok(inner[..end].to_owned())
    }

    fn time(&mut self) -> Result<Timestamp, String> {
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let text = self.rest[..end].trim_end_matches('.');
        self.rest = &self.rest[text.len()..];
        let time = self.clock.parse_number(text).or_else(|_| datetime::parse(text));
        time.map_err(|error| format!("`{text}`: {error}"))
    }

    fn word(&self) -> &'a str {
        let end = self.rest.find(|character: char| !character.is_alphanumeric() && character != '_');
        &self.rest[..end.unwrap_or(self.rest.len())]
    }

    fn skip(&mut self, what: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(what);
    }

    fn take(&mut self, symbol: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(symbol);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

fn unnamed(place: usize) -> String {
    format!("field {place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        let events = parse(text, Clock::default()).unwrap();
        let show = |event: &OracleEvent| {
            let fields = event.fields.iter().map(|(name, value)| match value {
                Some(value) => format!("{name}={value}"),
                None => format!("{name} empty"),
            });
            format!(
                "{}[{}]@{}",
                event.name,
                fields.collect::<Vec<_>>().join(","),
                Clock::default().print_number(event.time)
            )
        };
        events.iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn events_in_all_their_forms() {
        assert_eq!(show("a b@4. c@5.5. d"), "a[]@1 b[]@4 c[]@5.5 d[]@6.5");
        assert_eq!(show("pay(user: \"ann\", amount: 5)@10"), "pay[user=\"ann\",amount=5]@10");
        assert_eq!(
            show("p(1, _, true)  \"odd name\"(null)"),
            "p[field 0=1,field 1 empty,field 2=true]@1 odd name[field 0=null]@2"
        );
        assert_eq!(show("p(\"odd:name\": \"x\", \"y\")"), "p[odd:name=\"x\",field 1=\"y\"]@1");
        assert_eq!(show("p(l: [1, {\"k\": [], j: \"x\"}], m: {})@2"), "p[l=[1, {\"k\": [], \"j\": \"x\"}],m={}]@2");
        assert_eq!(show(" \n"), "");
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        for text in ["a@x", "a(1", "a(x)", "@3", "a@3 b@2", "\"a", "a([1)", "a({1})", "a([_])"] {
            assert!(parse(text, Clock::default()).is_err(), "{text}");
        }
    }
}
