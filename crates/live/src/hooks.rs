// SPDX-License-Identifier: MIT OR Apache-2.0
//! Routes violations to hooks: decides which hooks are notified of a violation, and when.
//!
//! This is the only place that decides it. A delivery is written to the history in the same transaction as its
//! violation, so a crash loses none; `gnomon-server` sends what is due and records the outcome.
//!
//! **Grouping.** The first violation for a hook opens a window; all that follow until it closes are due when it
//! closes. `gnomon-server` sends all due violations of a hook in one message. Example with a window of 5 s:
//! violations at 1.0 s, 3.0 s and 5.9 s are all due at 6.0 s and are one message; a violation at 6.0 s opens the next
//! window and is due at 11.0 s. So a hundred violations within five seconds are one message, and no violation waits
//! longer than the window.

use std::collections::BTreeMap;
use std::time::Duration;

use gnomon_ir::spec::PropertySeverity;
use gnomon_store::history::{NewDelivery, NewWebhook, ViolationRow};
use gnomon_store::{HistoryReader, StoreError};

pub(crate) struct HookRouter {
    history: HistoryReader,
    /// Length of a window in milliseconds.
    window: i64,
    /// End of the current window of each hook, in milliseconds since 1970.
    closes_at: BTreeMap<i64, i64>,
}

impl HookRouter {
    pub(crate) fn new(history: HistoryReader, window: Duration) -> Self {
        let window = i64::try_from(window.as_millis()).unwrap_or(i64::MAX / 4);
        HookRouter { history, window, closes_at: BTreeMap::new() }
    }

    /// Returns the deliveries of these violations. Muted violations have none.
    pub(crate) fn route(&mut self, violations: &[ViolationRow], now: i64) -> Result<Vec<NewDelivery>, StoreError> {
        let mut deliveries = Vec::new();
        if violations.is_empty() {
            return Ok(deliveries);
        }
        let (hooks, mutes) = (self.history.webhooks()?, self.history.mutes()?);
        let is_muted = |row: &&ViolationRow| mutes.iter().any(|mute| mute.mute.covers(&row.property, &row.group, now));
        for row in violations.iter().filter(|row| !is_muted(row)) {
            for hook in hooks.iter().filter(|hook| wants(&hook.webhook, row)) {
                let closes_at = self.closes_at.entry(hook.id).or_insert(now);
                if *closes_at <= now {
                    *closes_at = now + self.window;
                }
                deliveries.push(NewDelivery { webhook: hook.id, violation: row.number, at: *closes_at });
            }
        }
        Ok(deliveries)
    }
}

fn wants(hook: &NewWebhook, row: &ViolationRow) -> bool {
    let severity = row.severity.as_deref().and_then(PropertySeverity::parse).unwrap_or_default();
    let least = hook.severity.as_deref().map(|word| PropertySeverity::parse(word).unwrap_or_default());
    hook.enabled
        && hook.property.as_ref().is_none_or(|property| *property == row.property)
        && least.is_none_or(|least| severity >= least)
}

#[cfg(test)]
mod tests {
    use gnomon_store::History;
    use gnomon_store::history::NewMute;

    use super::*;

    struct HistoryFolder(std::path::PathBuf);

    impl Drop for HistoryFolder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn opened(name: &str) -> (HistoryFolder, History) {
        let folder = std::env::temp_dir().join(format!("gnomon-routing-{name}-{}", std::process::id()));
        let (history, _) = History::open(&folder.join("history.sqlite")).unwrap();
        (HistoryFolder(folder), history)
    }

    fn row(number: u64, property: &str, severity: Option<&str>) -> ViolationRow {
        ViolationRow {
            number,
            sequence: number,
            property: property.to_owned(),
            severity: severity.map(str::to_owned),
            case: None,
            group: format!("{property}/x"),
            time: String::new(),
            sort_time: 0,
            noted_at: 0,
            json: "{}".to_owned(),
        }
    }

    fn hook(severity: Option<&str>, property: Option<&str>) -> NewWebhook {
        let (severity, property) = (severity.map(str::to_owned), property.map(str::to_owned));
        NewWebhook { url: "http://a".to_owned(), severity, property, secret: None, enabled: true }
    }

    fn routed(router: &mut HookRouter, row: ViolationRow, now: i64) -> Vec<(i64, i64)> {
        router.route(&[row], now).unwrap().iter().map(|one| (one.webhook, one.at)).collect()
    }

    #[test]
    fn severity_property_and_mutes_decide() {
        let (_folder, history) = opened("filters");
        let settings = history.settings().unwrap();
        for new in [hook(None, None), hook(Some("high"), None), hook(None, Some("paid")), hook(Some("medium"), None)] {
            settings.add_webhook(&new).unwrap();
        }
        let off = settings.add_webhook(&hook(None, None)).unwrap();
        let off =
            gnomon_store::history::Webhook { id: off, webhook: NewWebhook { enabled: false, ..hook(None, None) } };
        settings.change_webhook(&off).unwrap();
        let mut router = HookRouter::new(history.reader(), Duration::ZERO);
        let mut hooks = |property: &str, severity| {
            let deliveries = routed(&mut router, row(1, property, severity), 100);
            deliveries.into_iter().map(|(hook, _)| hook).collect::<Vec<_>>()
        };
        assert_eq!(hooks("paid", Some("low")), [1, 3]);
        assert_eq!(hooks("sent", Some("high")), [1, 2, 4]);
        assert_eq!(hooks("sent", None), [1, 4], "no severity counts as medium");
        let mute = |until| NewMute { property: Some("paid".to_owned()), until: Some(until), ..NewMute::default() };
        settings.add_mute(&mute(100)).unwrap();
        assert_eq!(hooks("paid", None), [1, 3, 4], "this mute is over");
        settings.add_mute(&mute(101)).unwrap();
        assert_eq!(hooks("paid", None), [0i64; 0]);
        assert_eq!(hooks("sent", None), [1, 4]);
    }

    #[test]
    fn violations_within_a_window_are_due_together() {
        let (_folder, history) = opened("window");
        let settings = history.settings().unwrap();
        settings.add_webhook(&hook(None, None)).unwrap();
        settings.add_webhook(&hook(None, Some("paid"))).unwrap();
        let mut router = HookRouter::new(history.reader(), Duration::from_secs(5));
        let mut at = |number, property: &str, now| routed(&mut router, row(number, property, None), now);
        assert_eq!(at(1, "sent", 1_000), [(1, 6_000)]);
        assert_eq!(at(2, "paid", 3_000), [(1, 6_000), (2, 8_000)], "each hook has a window of its own");
        assert_eq!(at(3, "paid", 5_999), [(1, 6_000), (2, 8_000)]);
        assert_eq!(at(4, "paid", 6_000), [(1, 11_000), (2, 8_000)], "the window is over: the next one opens");
    }
}
