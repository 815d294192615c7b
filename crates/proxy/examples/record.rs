// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes what passes through proxies as a capture that `gnomon check` reads: `record NAME@LISTEN=UPSTREAM…`. Messages without a
//! body that can be read are left out.
#![allow(clippy::print_stdout, reason = "the capture goes there")]

use std::time::SystemTime;

use gnomon_proxy::{Relay, Ruling, Settings, Tap, TappedMessage};
use serde_json::json;

struct Recorder;

impl Tap for Recorder {
    async fn tap(&self, message: TappedMessage) -> Ruling {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let TappedMessage { source, destination, service, body, truncated, .. } = message;
        if let (Ok(body), false) = (std::str::from_utf8(&body), truncated || body.is_empty()) {
            let time = format!("{}.{:03}", now.as_secs(), now.subsec_millis());
            let rest = json!({ "source": source, "destination": destination, "service": service, "body": body });
            println!("{{\"time\":{time},{}", &rest.to_string()[1..]);
        }
        Ruling::Pass
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let relay = Relay::new(Settings::default(), Recorder);
    let mut proxies = tokio::task::JoinSet::new();
    for route in std::env::args().skip(1) {
        proxies.spawn(relay.bind(route.parse()?).await?.run(std::future::pending()));
    }
    proxies.join_all().await;
    Ok(())
}
