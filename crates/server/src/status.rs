// SPDX-License-Identifier: MIT OR Apache-2.0
//! The response of `GET /api/v1/status`: the status of the watch and of its proxies.

use gnomon_live::wire::WatchStatus;
use serde::Serialize;

use crate::app::AppState;
use crate::tap::ProxyStatus;

/// The status of the watch and of its proxies.
#[derive(Serialize)]
pub(crate) struct ServerStatus {
    #[serde(flatten)]
    watch: WatchStatus,
    /// Messages that were not evaluated, or only by their heads; null without a proxy.
    proxy: Option<ProxyStatus>,
}

impl ServerStatus {
    pub(crate) fn of(app: &AppState) -> ServerStatus {
        let mut watch = app.live.status();
        let (proxy, warning) = app.tap_counts.status();
        watch.warnings.extend(warning);
        ServerStatus { watch, proxy: app.has_proxies.then_some(proxy) }
    }
}
