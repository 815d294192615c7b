// SPDX-License-Identifier: MIT OR Apache-2.0
//! The task that tells hooks: what is found is written down as to be told, what is due is told, what failed is tried again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use gnomon_live::wire::Told;
use gnomon_store::StoreError;
use gnomon_store::history::{Delivery, NewDelivery, Outcome, ViolationRow};
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::{Call, Hooks};
use crate::app::App;
use crate::log::events::{HookDelivered, HookFailed, HookStoreFailed, TaskFailed};
use crate::log::now;
use crate::net::accept::stopped;
use crate::options::HookOptions;
use crate::violation::{Namer, newest, page};

/// How many are taken up at a time.
const TAKEN: usize = 1000;

/// Tells hooks until the server stops.
pub(crate) async fn run(app: App, options: HookOptions) {
    let mut news = app.live.subscribe();
    let mut stopping = app.stopping.clone();
    let mut tick = interval((options.window / 4).clamp(Duration::from_millis(20), Duration::from_secs(1)));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut clerk = Clerk {
        app,
        options,
        considered: None,
        calls: JoinSet::new(),
        called: BTreeSet::new(),
        failures: BTreeMap::new(),
    };
    let mut is_behind = true;
    loop {
        tokio::select! {
            () = stopped(&mut stopping) => break,
            told = news.recv() => match told {
                Ok(Told::Violation(_)) | Err(RecvError::Lagged(_)) => is_behind = true,
                Ok(_) => {}
                Err(RecvError::Closed) => break,
            },
            Some(done) = clerk.calls.join_next() => clerk.hear(done).await,
            _ = tick.tick() => {
                if is_behind {
                    is_behind = clerk.consider().await.is_err();
                }
                clerk.send().await;
            }
        }
    }
    // Calls that are under way are waited for; what is heard of them late is told again by the next run.
    while let Some(done) = clerk.calls.join_next().await {
        clerk.hear(done).await;
    }
}

/// What came of a call.
struct Done {
    hook: i64,
    deliveries: Vec<Delivery>,
    oldest: i64,
    result: Result<(), String>,
}

struct Clerk {
    app: App,
    options: HookOptions,
    /// The last violation that was looked at.
    considered: Option<u64>,
    calls: JoinSet<Done>,
    /// Hooks that are being called: one call at a time for each.
    called: BTreeSet<i64>,
    /// How often each hook failed in a row.
    failures: BTreeMap<i64, u32>,
}

impl Clerk {
    /// Writes down who is to be told of what was found since.
    async fn consider(&mut self) -> Result<(), ()> {
        let (from, window) = (self.considered, millis(self.options.window));
        let considered = self.with_hooks(move |hooks| consider(hooks, from, window)).await?;
        self.considered = Some(considered);
        Ok(())
    }

    /// Calls the hooks for which something is due.
    async fn send(&mut self) {
        if self.app.hooks.decided().hooks.is_empty() {
            return;
        }
        let lease = millis(self.options.timeout * 2 + Duration::from_secs(30));
        let Ok(taken) = self.with_hooks(move |hooks| hooks.settings.take_due(now(), lease, TAKEN)).await else {
            return;
        };
        let mut by_hook: BTreeMap<i64, Vec<Delivery>> = BTreeMap::new();
        for delivery in taken {
            by_hook.entry(delivery.webhook).or_default().push(delivery);
        }
        let (spec, _, _) = self.app.live.spec();
        for (hook, deliveries) in by_hook {
            if self.called.contains(&hook) {
                let busy = now() + millis(self.options.window).max(1);
                self.settle(hook, &deliveries, &Outcome::Retry { at: busy, error: String::new() }).await;
                continue;
            }
            let decided = self.app.hooks.decided();
            let Some(known) = decided.hooks.iter().find(|known| known.id == hook) else { continue };
            let (url, secret) = (known.webhook.url.clone(), known.webhook.secret.clone());
            let (app, spec, timeout) = (self.app.clone(), spec.clone(), self.options.timeout);
            self.called.insert(hook);
            self.calls.spawn_blocking(move || {
                let rows =
                    deliveries.iter().filter_map(|delivery| app.hooks.history.violation(delivery.violation).ok()?);
                let rows: Vec<ViolationRow> = rows.collect();
                let oldest = rows.iter().map(|row| row.noted_at).min().unwrap_or_default();
                let result = if rows.is_empty() {
                    // Forgotten in the meantime: there is nothing left to tell.
                    Ok(())
                } else {
                    let (body, id) = Call::message(&spec, &Namer::of(&app.live), &rows);
                    Call { url, secret, body, id }.make(timeout)
                };
                Done { hook, deliveries, oldest, result }
            });
        }
    }

    /// Writes down what came of a call.
    async fn hear(&mut self, done: Result<Done, tokio::task::JoinError>) {
        let Done { hook, deliveries, oldest, result } = match done {
            Ok(done) => done,
            Err(error) => {
                // Nothing is known of it: it is due again when its lease is over.
                self.called.clear();
                self.app.log.note(&TaskFailed { task: "hook", detail: error.to_string() });
                return;
            }
        };
        self.called.remove(&hook);
        let outcome = match result {
            Ok(()) => {
                self.failures.remove(&hook);
                self.app.metrics.hook_called("delivered");
                self.app.log.note(&HookDelivered { hook, violations: deliveries.len() });
                Outcome::Delivered
            }
            Err(error) => {
                let failures = self.failures.entry(hook).or_default();
                *failures = failures.saturating_add(1);
                let failures = *failures;
                let gave_up = now() - oldest > millis(self.options.give_up);
                self.app.metrics.hook_called(if gave_up { "given-up" } else { "failed" });
                self.app.log.note(&HookFailed { hook, failures, gave_up, detail: &error });
                if gave_up {
                    Outcome::GivenUp { error }
                } else {
                    Outcome::Retry { at: now() + millis(pause(&self.options, failures)), error }
                }
            }
        };
        self.settle(hook, &deliveries, &outcome).await;
    }

    async fn settle(&self, hook: i64, deliveries: &[Delivery], outcome: &Outcome) {
        let violations: Vec<u64> = deliveries.iter().map(|delivery| delivery.violation).collect();
        let outcome = outcome.clone();
        let settled = self.with_hooks(move |hooks| {
            violations.iter().try_for_each(|violation| hooks.settings.settle(hook, *violation, &outcome))
        });
        // What could not be written down is told again: twice is better than never.
        let _ = settled.await;
    }

    /// Does something with what is written down, where it may block; an error is in the log.
    async fn with_hooks<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Hooks) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ()> {
        let app = self.app.clone();
        let detail = match tokio::task::spawn_blocking(move || ask(&app.hooks)).await {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        self.app.log.note(&HookStoreFailed { detail: &detail });
        Err(())
    }
}

/// Goes through the violations that were not looked at yet; says which was the last.
fn consider(hooks: &Hooks, from: Option<u64>, window: i64) -> Result<u64, StoreError> {
    let decided = hooks.decided();
    let newest = newest(&hooks.history)?;
    let mut last = match from {
        Some(from) => from,
        None => resume(hooks, newest)?,
    };
    while last < newest {
        let (rows, through) = page(&hooks.history, last, newest)?;
        for row in &rows {
            for hook in decided.told_of(row, now()) {
                hooks.settings.enqueue(&NewDelivery { webhook: hook.id, violation: row.number, at: now() + window })?;
            }
        }
        last = through;
    }
    Ok(last)
}

/// Where the run before stopped: after the last violation that the hook which is least far was told of, or is to be.
fn resume(hooks: &Hooks, newest: u64) -> Result<u64, StoreError> {
    let mut least = newest;
    for hook in &hooks.decided().hooks {
        let newest_told = hooks.history.deliveries(hook.id, 1)?;
        least = least.min(newest_told.first().map_or(newest, |delivery| delivery.violation));
    }
    Ok(least)
}

/// The pause after so many failures: it doubles, up to a limit.
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
