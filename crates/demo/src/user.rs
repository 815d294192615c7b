// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulated users who search and buy. The number of a purchase alone decides whether it goes wrong, so all runs are alike.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;

use crate::http::{CallError, Caller};
use crate::partner::Partner;
use crate::retriever::GLASSWARE;
use crate::services::{EVERYTHING, NOTHING, UNICORNS};
use crate::soap::{Envelope, field};

const NAMES: [&str; 8] = ["ann", "bob", "cleo", "dan", "eve", "finn", "gwen", "hugo"];

/// The factor by which all waiting times of the demo are multiplied.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct TimeScale(pub(crate) f64);

impl TimeScale {
    /// Waits this many milliseconds, multiplied by the factor.
    pub(crate) async fn wait(self, milliseconds: u32) {
        tokio::time::sleep(Duration::from_millis(u64::from(milliseconds)).mul_f64(self.0)).await;
    }
}

/// A purchase: the search, and the time that the user takes to decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Purchase {
    category: &'static str,
    keyword: &'static str,
    thinking_time: u32,
}

impl Purchase {
    fn new(number: u64) -> Purchase {
        let usual = match number % 3 {
            0 => Purchase { category: "books", keyword: "sundials", thinking_time: 1_000 },
            1 => Purchase { category: "hardware", keyword: "compass", thinking_time: 1_500 },
            _ => Purchase { category: "books", keyword: "astrolabes", thinking_time: 2_000 },
        };
        match number {
            // The shop is slow, so the exchange rate is requested too late.
            _ if number % 5 == 3 => Purchase { category: "hardware", keyword: EVERYTHING, ..usual },
            // The offer is confirmed after it has expired.
            _ if number % 9 == 6 => Purchase { thinking_time: 7_000, ..usual },
            // The composition reports a fault that did not occur.
            _ if number % 17 == 9 => Purchase { category: GLASSWARE, ..usual },
            // Without a shop or a product, but no violation.
            _ if number % 11 == 4 => Purchase { category: UNICORNS, ..usual },
            _ if number % 13 == 7 => Purchase { keyword: NOTHING, ..usual },
            _ => usual,
        }
    }
}

/// Runs users until they have made `purchases` purchases; 0 means forever.
pub(crate) async fn run_users(caller: &Arc<Caller>, count: u8, purchases: u64, scale: TimeScale) {
    let numbers = Arc::new(AtomicU64::new(1));
    let mut users = JoinSet::new();
    for number in 0..usize::from(count) {
        let (caller, numbers) = (Arc::clone(caller), Arc::clone(&numbers));
        let name = NAMES[number % NAMES.len()];
        let base = if number < NAMES.len() { name.to_owned() } else { format!("{name}{number}") };
        users.spawn(async move {
            let mut user = User { base, incarnation: 1, caller, scale };
            loop {
                let number = numbers.fetch_add(1, Ordering::Relaxed);
                if purchases != 0 && number > purchases {
                    return;
                }
                user.buy(Purchase::new(number)).await;
                scale.wait(1_000).await;
            }
        });
    }
    while users.join_next().await.is_some() {}
}

struct User {
    base: String,
    /// A user who is refused continues under a new name with the next number.
    incarnation: u32,
    caller: Arc<Caller>,
    scale: TimeScale,
}

impl User {
    async fn buy(&mut self, purchase: Purchase) {
        let name = format!("{}-{}", self.base, self.incarnation);
        if let Err(error) = self.try_to_buy(&name, purchase).await {
            match error {
                CallError::Refused(_) => {
                    println!("{name}: refused, and back under another name");
                    self.incarnation += 1;
                }
                CallError::Failed(reason) => println!("{name}: {reason}"),
            }
        }
    }

    async fn try_to_buy(&self, name: &str, purchase: Purchase) -> Result<(), CallError> {
        let Purchase { category, keyword, thinking_time } = purchase;
        let question =
            Envelope::new("GetProductRequest", &[("userid", name), ("category", category), ("keyword", keyword)]);
        let answer = self.caller.call(Partner::ProductRetriever, &question).await?;
        let title = field(&answer, "productOut/title");
        if title.is_empty() {
            println!("{name}: searched {category} for {keyword}: {}", answer.name);
            return Ok(());
        }
        self.scale.wait(thinking_time).await;
        let question = Envelope::new("GetAuthorisationRequest", &[("userid", name), ("title", &title)]);
        let answer = self.caller.call(Partner::ProductRetriever, &question).await?;
        println!("{name}: bought {title}, granted: {}", field(&answer, "granted"));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_purchases_show_every_failure() {
        let purchases: Vec<Purchase> = (1..=20).map(Purchase::new).collect();
        let has = |fits: &dyn Fn(&Purchase) -> bool| purchases.iter().any(fits);
        assert!(has(&|purchase| purchase.keyword == EVERYTHING && purchase.category == "hardware"));
        assert!(has(&|purchase| purchase.thinking_time == 7_000));
        assert!(has(&|purchase| purchase.category == GLASSWARE));
        assert!(has(&|purchase| purchase.category == UNICORNS));
        assert!(has(&|purchase| purchase.keyword == NOTHING));
        assert!(purchases.iter().filter(|purchase| purchase.thinking_time <= 2_000).count() > 10);
    }
}
