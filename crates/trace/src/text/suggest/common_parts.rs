// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds fields in the messages of a log by what they have in common: words before a separator, and pairs of a key and a value.
//!
//! Example: the messages `c.App - order paid id=7` and `c.App - order sent id=9` give `{source} - {event} id={id}`.

use std::collections::BTreeSet;

use super::super::preset::is_level;

/// The fewest messages from which fields are inferred.
const FEWEST: usize = 3;
/// The most fields inside a message.
const MOST_PAIRS: usize = 8;
/// The names of words before a separator.
const NAMES: [&str; 4] = ["source", "thread", "context", "part"];

/// A pattern for messages, and the declaration of the names of events, if none of its parts is `event`.
pub(super) struct CommonParts {
    pub(super) pattern: String,
    pub(super) name: Option<String>,
}

/// A part of the messages: its name, and its text in each message.
struct Part<'l> {
    name: String,
    texts: Vec<&'l str>,
}

impl Part<'_> {
    fn distinct_count(&self) -> usize {
        self.texts.iter().collect::<BTreeSet<_>>().len()
    }
}

/// A key of pairs, with the text before each value and the quotes around it.
struct Pair {
    name: String,
    literal: String,
    quote: &'static str,
}

/// Finds the parts of messages. `before` are the parts in front of the messages, each with its text for each message.
pub(super) fn common_parts<'l>(before: Vec<(String, Vec<&'l str>)>, messages: &[&'l str]) -> Option<CommonParts> {
    if messages.len() < FEWEST {
        return None;
    }
    let mut parts: Vec<Part<'_>> = before.into_iter().map(|(name, texts)| Part { name, texts }).collect();
    let mut messages = messages.to_vec();
    let mut pattern = String::new();
    while let Some((count, separator)) = words_before_separator(&messages) {
        for place in 0..count {
            let texts: Vec<&str> = messages.iter().map(|message| word(message, place)).collect();
            let is_last = place + 1 == count;
            let texts = texts.into_iter().map(|text| if is_last { text.trim_end_matches(':') } else { text });
            let texts: Vec<&str> = texts.collect();
            let name = name_of_word(&parts, &texts)?;
            let between = if is_last { separator } else { " " };
            pattern = format!("{pattern}{{{name}}}{between}");
            parts.push(Part { name, texts });
        }
        let skipped = count + usize::from(separator == " - ");
        for message in &mut messages {
            *message = after_words(message, skipped);
        }
    }
    let pairs = pairs(&messages, &parts);
    let mut tail = String::new();
    for (at, pair) in pairs.iter().enumerate().rev() {
        let Pair { name, literal, quote } = pair;
        tail = format!("{literal}{quote}{{{name}}}{quote}{tail}");
        let mut texts = Vec::new();
        for message in &mut messages {
            let start = last_start(message, &pairs[..=at]);
            texts.push(message[start + literal.len()..].trim().trim_matches('"'));
            *message = &message[..start];
        }
        parts.push(Part { name: name.clone(), texts });
    }
    let event = Part { name: "event".to_owned(), texts: messages };
    let is_unique = |part: &Part<'_>| part.distinct_count() * 2 > part.texts.len();
    if !is_unique(&event) {
        return Some(CommonParts { pattern: format!("{pattern}{{event}}{tail}"), name: None });
    }
    // Almost every message is different: another part, which has few values, names the events.
    let has_few = |part: &&Part<'_>| !is_unique(part) && part.distinct_count() > 1 && !is_number(part);
    let named = parts.iter().find(|part| part.name == "level").filter(has_few);
    let named = named.or_else(|| parts.iter().filter(has_few).max_by_key(|part| part.distinct_count()));
    let name = named.map_or_else(|| "name \"line\"".to_owned(), |part| crate::advice::name_declaration(&part.name));
    Some(CommonParts { pattern: format!("{pattern}{{message}}{tail}"), name: Some(name) })
}

fn is_number(part: &Part<'_>) -> bool {
    part.texts.iter().all(|text| text.parse::<f64>().is_ok())
}

/// Returns a word of a message.
fn word(message: &str, place: usize) -> &str {
    message.split_whitespace().nth(place).unwrap_or_default()
}

/// Returns what follows the first words of a message.
fn after_words(message: &str, count: usize) -> &str {
    let mut rest = message.trim_start();
    for _ in 0..count {
        rest = rest.find(char::is_whitespace).map_or("", |blank| rest[blank..].trim_start());
    }
    rest
}

/// Returns the number of words before the first separator, `: ` or ` - `, if it is the same in all messages.
fn words_before_separator(messages: &[&str]) -> Option<(usize, &'static str)> {
    const MOST_WORDS: usize = 3;
    let is_word = |word: &str| !word.is_empty() && word.len() <= 60 && !word.contains(['"', '=', '(', '{', '}', ',']);
    let ends = |message: &&str, separator: &str| {
        let mut words = message.split_whitespace();
        let first = words.by_ref().take(MOST_WORDS + 1).position(|word| word == "-" || word.ends_with(':'))?;
        let (count, found) = if word(message, first) == "-" { (first, " - ") } else { (first + 1, ": ") };
        let fits = found == separator
            && (1..=MOST_WORDS).contains(&count)
            && (0..count).all(|place| is_word(word(message, place).trim_end_matches(':')))
            && !after_words(message, first + 1).is_empty();
        fits.then_some(count)
    };
    [": ", " - "].into_iter().find_map(|separator| {
        let counts: Option<BTreeSet<usize>> = messages.iter().map(|message| ends(message, separator)).collect();
        let counts = counts?;
        Some((counts.first().copied().filter(|_| counts.len() == 1)?, separator))
    })
}

/// Returns a name for a word that has these texts: that of levels, or the next one that no part has.
fn name_of_word(parts: &[Part<'_>], texts: &[&str]) -> Option<String> {
    let is_free = |name: &&str| parts.iter().all(|part| part.name != **name);
    let levels = texts.iter().filter(|text| is_level(text.as_bytes())).count();
    let level = Some("level").filter(|name| is_free(name) && levels * 2 > texts.len());
    level.or_else(|| NAMES.into_iter().find(|name| is_free(name))).map(str::to_owned)
}

/// Returns the pairs that all messages have in the same order, `key=value` and `, key: value`, each behind other text.
fn pairs(messages: &[&str], parts: &[Part<'_>]) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    for (at, _) in messages[0].match_indices(' ') {
        let (text, before) = (&messages[0][at + 1..], &messages[0][..at]);
        let length = text.find(|letter: char| !letter.is_ascii_alphanumeric() && !"_-.".contains(letter));
        let Some(length) = length.filter(|length| *length > 0) else { continue };
        let (name, rest) = text.split_at(length);
        let comma = if before.ends_with(',') { "," } else { "" };
        let sign = match rest.as_bytes() {
            [b'=', ..] => "=",
            [b':', b' ', ..] if comma == "," => ": ",
            _ => continue,
        };
        let is_known = pairs.iter().any(|pair| pair.name == name) || parts.iter().any(|part| part.name == name);
        if is_known || name.starts_with(|first: char| !first.is_ascii_alphabetic()) || pairs.len() >= MOST_PAIRS {
            continue;
        }
        pairs.push(Pair { name: name.to_owned(), literal: format!("{comma} {name}{sign}"), quote: "" });
        if !messages.iter().all(|message| has_pairs(message, &pairs)) {
            pairs.pop();
        }
    }
    // Quotes around all values of a key belong to the pattern.
    for at in 0..pairs.len() {
        let is_quoted = |message: &&str| {
            let start = last_start(message, &pairs[..=at]) + pairs[at].literal.len();
            let end = pairs.get(at + 1).map_or(message.len(), |_| last_start(message, &pairs[..at + 2]));
            message.get(start..end).is_some_and(|value| {
                let inner = value.trim().strip_prefix('"').and_then(|value| value.strip_suffix('"'));
                inner.is_some_and(|value| !value.is_empty() && !value.contains('"'))
            })
        };
        if messages.iter().all(is_quoted) {
            pairs[at].quote = "\"";
        }
    }
    pairs
}

/// Returns true if a message has all pairs, in order, behind other text and with values.
fn has_pairs(message: &str, pairs: &[Pair]) -> bool {
    let mut rest = message;
    pairs.iter().all(|pair| {
        let found = rest.split_once(&pair.literal).filter(|(before, _)| !before.trim().is_empty());
        rest = found.map_or("", |(_, after)| after);
        !rest.trim().is_empty()
    })
}

/// Returns where the last of these pairs begins in a message that has all of them.
fn last_start(message: &str, pairs: &[Pair]) -> usize {
    let (mut start, mut from) = (0, 0);
    for pair in pairs {
        start = from + message[from..].find(&pair.literal).unwrap_or_default();
        from = start + pair.literal.len();
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(before: &[(&str, [&'static str; 4])], messages: [&str; 4]) -> String {
        let before = before.iter().map(|(name, texts)| ((*name).to_owned(), texts.to_vec())).collect();
        let Some(CommonParts { pattern, name }) = common_parts(before, &messages) else { return "none".to_owned() };
        name.map_or(pattern.clone(), |name| format!("{pattern} | {name}"))
    }

    #[test]
    fn words_before_separators_and_pairs_are_fields() {
        let java =
            ["c.App - order paid id=7", "c.App - order sent id=7", "c.App - order paid id=8", "c.B - order paid id=9"];
        assert_eq!(found(&[], java), "{source} - {event} id={id}");
        let python = [
            "a.v - INFO - in user=1 ip=x",
            "a.v - WARN - in user=2 ip=y",
            "b - INFO - out user=1 ip=x",
            "b - INFO - out user=3 ip=z",
        ];
        assert_eq!(found(&[], python), "{source} - {level} - {event} user={user} ip={ip}");
    }

    #[test]
    fn messages_that_are_all_different_do_not_name_events() {
        let nginx = [
            "71#71: *1 no /a, client: 10.0.0.1, server: shop, request: \"GET /a\", host: \"shop\"",
            "71#71: *2 no /b, client: 10.0.0.2, server: shop, request: \"GET /b\", host: \"shop\"",
            "71#71: *3 no /c, client: 10.0.0.3, server: shop, request: \"GET /c\", host: \"shop\"",
            "71#71: *4 no /d, client: 10.0.0.4, server: shop, request: \"GET /d\", host: \"shop\"",
        ];
        assert_eq!(
            found(&[("level", ["error", "warn", "warn", "error"])], nginx),
            "{source}: {message}, client: {client}, server: {server}, request: \"{request}\", host: \"{host}\" | name level"
        );
        let postgres = [
            "app@shop LOG:  duration: 1 ms",
            "app@shop ERROR:  deadlock",
            "app@shop LOG:  duration: 2 ms",
            "app@shop LOG:  duration: 3 ms",
        ];
        assert_eq!(found(&[], postgres), "{source} {level}: {message} | name level");
        assert_eq!(found(&[], ["a 1", "b 2", "c 3", "d 4"]), "{message} | name \"line\"");
    }

    #[test]
    fn what_only_some_messages_have_is_not_a_field() {
        assert_eq!(found(&[], ["up", "up", "up", "error: up"]), "{event}");
        assert_eq!(found(&[], ["in id=1", "out", "in id=2", "in"]), "{message} | name \"line\"");
        assert_eq!(found(&[], ["", "", "", ""]), "{event}");
    }
}
