// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings: blocked sessions, mutes and hooks.

use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use gnomon::ir::spec::PropertySeverity;
use gnomon_live::wire::Block;
use gnomon_store::history::{Mute, NewMute, NewWebhook, Webhook};
use gnomon_store::{ErrorKind, HistoryReader, NotificationSettings, StoreError};
use serde::Serialize;
use serde_json::json;

use super::extract::{JsonBody, PathNumber};
use crate::app::App;
use crate::hooks::HookCall;
use crate::ingest::problem;
use crate::log::events::BlockReleased;
use crate::log::now;
use crate::net::guard::ClientRole;
use crate::problem::{Problem, run_blocking};
use crate::tokens::AccessRole;
use crate::violation::ViolationRenderer;

/// Maximum number of hooks, and of mutes.
const MOST: usize = 1000;
/// Maximum length of a text in them.
const LONGEST: usize = 2000;

pub(super) async fn blocks(State(app): State<App>) -> Json<Vec<Block>> {
    Json(app.live.blocks())
}

pub(super) async fn release(State(app): State<App>, PathNumber(id): PathNumber) -> Result<StatusCode, Problem> {
    let released = app.live.release(id).await.map_err(|refusal| problem(&refusal))?;
    if !released {
        return Err(Problem::not_found(format!("no block has the number {id}")));
    }
    app.log.write(&BlockReleased { id });
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn mutes(State(app): State<App>) -> Result<Json<Vec<Mute>>, Problem> {
    app.ask_history(HistoryReader::mutes).await.map(Json)
}

pub(super) async fn add_mute(State(app): State<App>, JsonBody(mute): JsonBody<NewMute>) -> Result<Response, Problem> {
    bounded([mute.property.as_deref(), mute.group.as_deref(), Some(&*mute.reason)])?;
    room(app.ask_history(HistoryReader::mutes).await?.len())?;
    let mute = NewMute { created: now(), ..mute };
    let added = mute.clone();
    let id = write(&app, move |settings| settings.add_mute(&added)).await?;
    Ok((StatusCode::CREATED, Json(Mute { id, mute })).into_response())
}

pub(super) async fn remove_mute(State(app): State<App>, PathNumber(id): PathNumber) -> Result<StatusCode, Problem> {
    remove(&app, id, move |settings| settings.remove_mute(signed(id))).await
}

/// A hook as a client may see it: its address often contains a secret.
#[derive(Serialize)]
pub(super) struct HookEntry {
    id: i64,
    /// `None` unless the client is an administrator.
    url: Option<String>,
    severity: Option<String>,
    property: Option<String>,
    signed: bool,
    enabled: bool,
}

pub(super) async fn hooks(
    State(app): State<App>,
    Extension(ClientRole(role)): Extension<ClientRole>,
) -> Result<Json<Vec<HookEntry>>, Problem> {
    let entry = |Webhook { id, webhook }: Webhook| {
        let NewWebhook { url, severity, property, secret, enabled } = webhook;
        let url = Some(url).filter(|_| role == AccessRole::Admin);
        HookEntry { id, url, severity, property, signed: secret.is_some(), enabled }
    };
    let hooks = app.ask_history(HistoryReader::webhooks).await?;
    Ok(Json(hooks.into_iter().map(entry).collect()))
}

pub(super) async fn add_hook(
    State(app): State<App>,
    JsonBody(mut hook): JsonBody<NewWebhook>,
) -> Result<Response, Problem> {
    bounded([Some(&*hook.url), hook.property.as_deref(), hook.secret.as_deref()])?;
    room(app.ask_history(HistoryReader::webhooks).await?.len())?;
    if let Some(word) = hook.severity.as_deref().filter(|word| PropertySeverity::parse(word).is_none()) {
        let word: String = word.chars().take(40).collect();
        let known = PropertySeverity::ALL.map(PropertySeverity::word).join(", ");
        return Err(Problem::unfit(format!("`{word}` is not a severity; use one of {known}")));
    }
    let uri: Option<Uri> = hook.url.parse().ok();
    let scheme = uri.as_ref().and_then(Uri::scheme_str);
    let has_host = uri.as_ref().and_then(Uri::host).is_some_and(|host| !host.is_empty());
    let https = cfg!(feature = "https");
    if !has_host || !(scheme == Some("http") || (https && scheme == Some("https"))) {
        let https = if https { " or https://" } else { "; this program was built without TLS for hooks" };
        return Err(Problem::unfit(format!("`url` must be an address that begins with http://{https}")));
    }
    hook.secret = hook.secret.filter(|secret| !secret.is_empty());
    hook.enabled = true;
    let added = hook.clone();
    let id = write(&app, move |settings| settings.add_webhook(&added)).await?;
    Ok((StatusCode::CREATED, Json(Webhook { id, webhook: hook })).into_response())
}

pub(super) async fn remove_hook(State(app): State<App>, PathNumber(id): PathNumber) -> Result<StatusCode, Problem> {
    remove(&app, id, move |settings| settings.remove_webhook(signed(id))).await
}

/// Calls a hook without violations and returns the result.
pub(super) async fn test_hook(State(app): State<App>, PathNumber(id): PathNumber) -> Result<Response, Problem> {
    let hooks = app.ask_history(HistoryReader::webhooks).await?;
    let hook = hooks.iter().find(|hook| hook.id == signed(id)).ok_or_else(|| none(id))?;
    let (spec, _, _) = app.live.spec();
    let (body, _) = HookCall::message(&spec, &ViolationRenderer::of(&app.live), &[]);
    let (url, secret) = (hook.webhook.url.clone(), hook.webhook.secret.clone());
    let call = HookCall { url, secret, body, id: "test".to_owned() };
    let timeout = app.hook_timeout;
    let called = run_blocking("the call failed", move || call.make(timeout)).await?;
    Ok(Json(json!({ "delivered": called.is_ok(), "error": called.err() })).into_response())
}

/// Changes mutes or hooks on a thread that may block.
async fn write<T: Send + 'static>(
    app: &App,
    change: impl FnOnce(&NotificationSettings) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Problem> {
    let settings = app.live.notification_settings();
    let changed = run_blocking("it was not written down", move || change(&settings)).await?;
    changed.map_err(|error| Problem::unavailable(format!("it was not saved: {error}")))
}

fn bounded<const N: usize>(texts: [Option<&str>; N]) -> Result<(), Problem> {
    if texts.iter().flatten().any(|text| text.len() > LONGEST) {
        return Err(Problem::unfit(format!("a text is longer than {LONGEST} bytes")));
    }
    Ok(())
}

fn room(there: usize) -> Result<(), Problem> {
    if there >= MOST {
        return Err(Problem::unfit(format!("there are {MOST} already; remove some")));
    }
    Ok(())
}

fn signed(id: u64) -> i64 {
    i64::try_from(id).unwrap_or(-1)
}

/// Removes a mute or a hook, or returns a problem if there is none with this number.
async fn remove(
    app: &App,
    id: u64,
    remove: impl FnOnce(&NotificationSettings) -> Result<(), StoreError> + Send + 'static,
) -> Result<StatusCode, Problem> {
    let removed = write(app, |settings| match remove(settings) {
        Err(error) if error.is(ErrorKind::Unknown) => Ok(false),
        other => other.map(|()| true),
    });
    if removed.await? { Ok(StatusCode::NO_CONTENT) } else { Err(none(id)) }
}

fn none(id: u64) -> Problem {
    Problem::not_found(format!("none has the number {id}"))
}
