// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sends due deliveries to hooks and retries failed ones.
//!
//! `gnomon-live` decides which hook is notified of which violation and queues a delivery with the violation. Here
//! deliveries are leased, sent and settled; a crash at any point repeats a message and loses none.
//!
//! One round: all due deliveries are leased and grouped by hook, so a hook gets one message with all its due
//! violations. Each hook has at most one call in progress; deliveries that become due meanwhile wait for the next
//! round. After a failure the pause doubles up to a limit; violations that are too old are abandoned.

mod call;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use gnomon_store::history::{Delivery, DeliveryOutcome, ViolationRow};
use gnomon_store::{HistoryReader, NotificationSettings, StoreError};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;
use crate::log::events::{HookDelivered, HookFailed, HookStoreFailed, TaskFailed};
use crate::log::now;
use crate::net::accept::stopped;
use crate::options::HookOptions;
use crate::violation::ViolationRenderer;

pub(crate) use call::HookCall;

/// Maximum number of deliveries leased at a time.
const BATCH: usize = 1000;

/// Sends deliveries until the server stops.
pub(crate) async fn run(app: App, options: HookOptions) {
    let mut stopping = app.stopping.clone();
    let mut tick = interval((options.first_pause / 4).clamp(Duration::from_millis(20), Duration::from_secs(1)));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut worker =
        DeliveryWorker { app, options, calls: JoinSet::new(), called: BTreeSet::new(), failures: BTreeMap::new() };
    loop {
        tokio::select! {
            () = stopped(&mut stopping) => break,
            Some(ended) = worker.calls.join_next() => worker.record(ended).await,
            _ = tick.tick() => worker.send().await,
        }
    }
    // Calls in progress are awaited; those whose outcome is not recorded are repeated after the next start.
    while let Some(ended) = worker.calls.join_next().await {
        worker.record(ended).await;
    }
}

/// Result of a call.
struct CallResult {
    hook: i64,
    deliveries: Vec<Delivery>,
    /// Time of detection of the oldest violation.
    oldest: i64,
    result: Result<(), String>,
}

struct DeliveryWorker {
    app: App,
    options: HookOptions,
    calls: JoinSet<CallResult>,
    /// Hooks with a call in progress: at most one call each.
    called: BTreeSet<i64>,
    /// Number of consecutive failures of each hook.
    failures: BTreeMap<i64, u32>,
}

impl DeliveryWorker {
    /// Calls the hooks that have due deliveries, each with all its due violations.
    async fn send(&mut self) {
        let lease = millis(self.options.timeout * 2 + Duration::from_secs(30));
        let due = self.with_store(move |history, settings| {
            let hooks = history.webhooks()?;
            let due = if hooks.is_empty() { vec![] } else { settings.take_due(now(), lease, BATCH)? };
            Ok((hooks, due))
        });
        let Some((hooks, due)) = due.await else { return };
        let mut by_hook: BTreeMap<i64, Vec<Delivery>> = BTreeMap::new();
        for delivery in due {
            by_hook.entry(delivery.webhook).or_default().push(delivery);
        }
        let (spec, _, _) = self.app.live.spec();
        for (hook, deliveries) in by_hook {
            if self.called.contains(&hook) {
                let at = now() + millis(self.options.first_pause);
                self.settle(hook, &deliveries, DeliveryOutcome::Retry { at, error: String::new() }).await;
                continue;
            }
            let Some(known) = hooks.iter().find(|known| known.id == hook) else { continue };
            let (url, secret) = (known.webhook.url.clone(), known.webhook.secret.clone());
            let (live, spec, timeout) = (self.app.live.clone(), spec.clone(), self.options.timeout);
            self.called.insert(hook);
            self.calls.spawn_blocking(move || {
                let history = live.history();
                let rows = deliveries.iter().filter_map(|delivery| history.violation(delivery.violation).ok()?);
                let rows: Vec<ViolationRow> = rows.collect();
                let oldest = rows.iter().map(|row| row.noted_at).min().unwrap_or_default();
                let result = if rows.is_empty() {
                    // Removed by retention in the meantime: there is nothing to report.
                    Ok(())
                } else {
                    let (body, id) = HookCall::message(&spec, &ViolationRenderer::of(&live), &rows);
                    HookCall { url, secret, body, id }.make(timeout)
                };
                CallResult { hook, deliveries, oldest, result }
            });
        }
    }

    /// Records the outcome of a call.
    async fn record(&mut self, ended: Result<CallResult, tokio::task::JoinError>) {
        let CallResult { hook, deliveries, oldest, result } = match ended {
            Ok(ended) => ended,
            Err(error) => {
                // The outcome is unknown: the deliveries are due again when their lease ends.
                self.called.clear();
                self.app.log.write(&TaskFailed { task: "hook", detail: error.to_string() });
                return;
            }
        };
        self.called.remove(&hook);
        let outcome = match result {
            Ok(()) => {
                self.failures.remove(&hook);
                self.app.metrics.hook_called("delivered");
                self.app.log.write(&HookDelivered { hook, violations: deliveries.len() });
                DeliveryOutcome::Delivered
            }
            Err(error) => {
                let failures = self.failures.entry(hook).or_default();
                *failures = failures.saturating_add(1);
                let failures = *failures;
                let gave_up = now() - oldest > millis(self.options.give_up);
                self.app.metrics.hook_called(if gave_up { "given-up" } else { "failed" });
                self.app.log.write(&HookFailed { hook, failures, gave_up, detail: &error });
                if gave_up {
                    DeliveryOutcome::Abandoned { error }
                } else {
                    DeliveryOutcome::Retry { at: now() + millis(pause(&self.options, failures)), error }
                }
            }
        };
        self.settle(hook, &deliveries, outcome).await;
    }

    async fn settle(&self, hook: i64, deliveries: &[Delivery], outcome: DeliveryOutcome) {
        let violations: Vec<u64> = deliveries.iter().map(|delivery| delivery.violation).collect();
        // An outcome that cannot be written repeats the message: twice is better than never.
        self.with_store(move |_, settings| {
            violations.iter().try_for_each(|violation| settings.settle(hook, *violation, &outcome))
        })
        .await;
    }

    /// Uses the store on a thread that may block. Logs errors.
    async fn with_store<T: Send + 'static>(
        &self,
        act: impl FnOnce(&HistoryReader, &NotificationSettings) -> Result<T, StoreError> + Send + 'static,
    ) -> Option<T> {
        let (history, settings) = (self.app.live.history(), self.app.live.notification_settings());
        let detail = match tokio::task::spawn_blocking(move || act(&history, &settings)).await {
            Ok(Ok(value)) => return Some(value),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        self.app.log.write(&HookStoreFailed { detail: &detail });
        None
    }
}

/// Returns the pause after this many failures: it doubles up to a limit.
fn pause(options: &HookOptions, failures: u32) -> Duration {
    options.first_pause.saturating_mul(1 << failures.saturating_sub(1).min(20)).min(options.longest_pause)
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_limit() {
        let options = HookOptions::default();
        let pauses: Vec<u64> =
            [1, 2, 3, 10, 11, u32::MAX].iter().map(|failures| pause(&options, *failures).as_secs()).collect();
        assert_eq!(pauses, [5, 10, 20, 2560, 3600, 3600]);
    }
}
