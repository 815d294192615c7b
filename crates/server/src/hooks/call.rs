// SPDX-License-Identifier: MIT OR Apache-2.0
//! A call of a hook: body, signature and response. Blocking.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use gnomon_live::wire;
use gnomon_store::history::ViolationRow;
use ring::hmac;
use serde::Serialize;
use ureq::Agent;

use crate::violation::ViolationRenderer;

/// A call of a hook.
#[derive(Clone)]
pub(crate) struct HookCall {
    pub(crate) url: String,
    pub(crate) secret: Option<String>,
    pub(crate) body: Vec<u8>,
    /// Id of the message. A repeated message has the same id, so that receivers can ignore it.
    pub(crate) id: String,
}

#[derive(Serialize)]
struct HookMessage<'a> {
    gnomon: &'static str,
    spec: &'a str,
    violations: Vec<wire::ViolationRow>,
    repeated: usize,
}

impl HookCall {
    /// Returns the body of a message about violations, with the first of each group only, and its id.
    pub(crate) fn message(spec: &str, namer: &ViolationRenderer, rows: &[ViolationRow]) -> (Vec<u8>, String) {
        let first_of_each_group = first_of_each_group(rows);
        let repeated = rows.len() - first_of_each_group.len();
        let violations = first_of_each_group.into_iter().filter_map(|row| namer.listed(row)).collect();
        let message = HookMessage { gnomon: env!("CARGO_PKG_VERSION"), spec, violations, repeated };
        let body = serde_json::to_vec(&message).unwrap_or_default();
        let numbers = || rows.iter().map(|row| row.number);
        (body, format!("{}-{}", numbers().min().unwrap_or(0), numbers().max().unwrap_or(0)))
    }

    /// Sends the message. Returns the error otherwise.
    pub(crate) fn make(&self, timeout: Duration) -> Result<(), String> {
        let agent: Agent = Agent::config_builder()
            .timeout_global(Some(timeout))
            // A redirect could send the message anywhere.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent(concat!("gnomon/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        let mut request =
            agent.post(&self.url).header("Content-Type", "application/json").header("Gnomon-Delivery", &self.id);
        if let Some(secret) = &self.secret {
            request = request.header("Gnomon-Signature", signature(secret, &self.body));
        }
        let answer = request.send(&self.body[..]).map_err(|error| error.to_string())?;
        let status = answer.status();
        if status.is_success() { Ok(()) } else { Err(format!("it answered {status}")) }
    }
}

/// Returns the first violation of each group, ordered by number.
fn first_of_each_group(rows: &[ViolationRow]) -> Vec<&ViolationRow> {
    let mut first_of_each_group: BTreeMap<&str, &ViolationRow> = BTreeMap::new();
    for row in rows {
        let first = first_of_each_group.entry(&row.group).or_insert(row);
        if row.number < first.number {
            *first = row;
        }
    }
    let mut first_of_each_group: Vec<&ViolationRow> = first_of_each_group.into_values().collect();
    first_of_each_group.sort_by_key(|row| row.number);
    first_of_each_group
}

/// Returns `sha256=` and the HMAC of the body in hexadecimal.
pub(super) fn signature(secret: &str, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let mut out = "sha256=".to_owned();
    for byte in hmac::sign(&key, body).as_ref() {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_rfc_4231() {
        let expected = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(signature("Jefe", b"what do ya want for nothing?"), expected);
    }

    #[test]
    fn repeated_violations_are_sent_once() {
        let row = |number: u64, group: &str| ViolationRow {
            number,
            sequence: number,
            property: "p".to_owned(),
            severity: None,
            case: None,
            group: group.to_owned(),
            time: String::new(),
            sort_time: 0,
            noted_at: 0,
            json: String::new(),
        };
        let rows = [row(3, "a"), row(4, "b"), row(5, "a")];
        assert_eq!(first_of_each_group(&rows).iter().map(|row| row.number).collect::<Vec<_>>(), [3, 4]);
    }
}
