// SPDX-License-Identifier: MIT OR Apache-2.0
//! Users who search and buy. Which purchases go wrong depends on their number alone, so that each run shows the same.

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

/// How fast time passes in the demo.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Pace(f64);

impl Pace {
    pub(crate) fn new(factor: f64) -> Pace {
        Pace(factor)
    }

    /// Waits so many milliseconds, more or less as the pace is.
    pub(crate) async fn wait(self, milliseconds: u32) {
        tokio::time::sleep(Duration::from_millis(u64::from(milliseconds)).mul_f64(self.0)).await;
    }
}

/// A purchase: what is searched for, and how long the user thinks about what was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Purchase {
    category: &'static str,
    keyword: &'static str,
    thinks: u32,
}

impl Purchase {
    fn new(number: u64) -> Purchase {
        let usual = match number % 3 {
            0 => Purchase { category: "books", keyword: "sundials", thinks: 1_000 },
            1 => Purchase { category: "hardware", keyword: "compass", thinks: 1_500 },
            _ => Purchase { category: "books", keyword: "astrolabes", thinks: 2_000 },
        };
        match number {
            // The shop is slow, and the rate of exchange is asked for too late.
            _ if number % 5 == 3 => Purchase { category: "hardware", keyword: EVERYTHING, ..usual },
            // The offer is confirmed when it is no longer good.
            _ if number % 9 == 6 => Purchase { thinks: 7_000, ..usual },
            // The client is told of a fault that there was not.
            _ if number % 17 == 9 => Purchase { category: GLASSWARE, ..usual },
            // These are in order: no shop, no product.
            _ if number % 11 == 4 => Purchase { category: UNICORNS, ..usual },
            _ if number % 13 == 7 => Purchase { keyword: NOTHING, ..usual },
            _ => usual,
        }
    }
}

/// Lets users buy until there were enough purchases (0: never enough).
pub(crate) async fn all(caller: &Arc<Caller>, count: u8, purchases: u64, pace: Pace) {
    let numbers = Arc::new(AtomicU64::new(1));
    let mut users = JoinSet::new();
    for number in 0..usize::from(count) {
        let (caller, numbers) = (Arc::clone(caller), Arc::clone(&numbers));
        let name = NAMES[number % NAMES.len()];
        let base = if number < NAMES.len() { name.to_owned() } else { format!("{name}{number}") };
        users.spawn(async move {
            let mut user = User { base, life: 1, caller, pace };
            loop {
                let number = numbers.fetch_add(1, Ordering::Relaxed);
                if purchases != 0 && number > purchases {
                    return;
                }
                user.buy(Purchase::new(number)).await;
                pace.wait(1_000).await;
            }
        });
    }
    while users.join_next().await.is_some() {}
}

struct User {
    base: String,
    /// Whoever is refused comes back under another name.
    life: u32,
    caller: Arc<Caller>,
    pace: Pace,
}

impl User {
    async fn buy(&mut self, purchase: Purchase) {
        let name = format!("{}-{}", self.base, self.life);
        if let Err(error) = self.try_to_buy(&name, purchase).await {
            match error {
                CallError::Refused(_) => {
                    println!("{name}: refused, and back under another name");
                    self.life += 1;
                }
                CallError::Failed(reason) => println!("{name}: {reason}"),
            }
        }
    }

    async fn try_to_buy(&self, name: &str, purchase: Purchase) -> Result<(), CallError> {
        let Purchase { category, keyword, thinks } = purchase;
        let question =
            Envelope::new("GetProductRequest", &[("userid", name), ("category", category), ("keyword", keyword)]);
        let answer = self.caller.call(Partner::ProductRetriever, &question).await?;
        let title = field(&answer, "productOut/title");
        if title.is_empty() {
            println!("{name}: searched {category} for {keyword}: {}", answer.name);
            return Ok(());
        }
        self.pace.wait(thinks).await;
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
    fn every_way_of_failing_is_soon_gone_through() {
        let purchases: Vec<Purchase> = (1..=20).map(Purchase::new).collect();
        let has = |fits: &dyn Fn(&Purchase) -> bool| purchases.iter().any(fits);
        assert!(has(&|purchase| purchase.keyword == EVERYTHING && purchase.category == "hardware"));
        assert!(has(&|purchase| purchase.thinks == 7_000));
        assert!(has(&|purchase| purchase.category == GLASSWARE));
        assert!(has(&|purchase| purchase.category == UNICORNS));
        assert!(has(&|purchase| purchase.keyword == NOTHING));
        assert!(purchases.iter().filter(|purchase| purchase.thinks <= 2_000).count() > 10);
    }
}
