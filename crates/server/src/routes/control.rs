// SPDX-License-Identifier: MIT OR Apache-2.0
//! What people decide: sessions that may go on, what nobody is told of, who is told of the rest.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use gnomon_live::wire::Block;
use gnomon_store::StoreError;
use gnomon_store::history::{Mute, NewMute, NewWebhook, Webhook};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::extract::{Number, Sent};
use crate::app::App;
use crate::hooks::{Call, Hooks, SEVERITIES, is_severity};
use crate::ingest::problem;
use crate::log::events::BlockReleased;
use crate::log::now;
use crate::problem::Problem;
use crate::violation::Namer;

/// The most hooks, and the most mutes.
const MOST: usize = 1000;
/// The longest text in one of them.
const LONGEST: usize = 2000;

pub(super) async fn blocks(State(app): State<App>) -> Json<Vec<Block>> {
    Json(app.live.blocks())
}

pub(super) async fn release(State(app): State<App>, Number(id): Number) -> Result<StatusCode, Problem> {
    let released = app.live.release(id).await.map_err(|refusal| problem(&refusal))?;
    if !released {
        return Err(Problem::not_found(format!("nothing is blocked under the number {id}")));
    }
    app.log.note(&BlockReleased { id });
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize)]
pub(super) struct MuteAnswer {
    id: i64,
    property: Option<String>,
    group: Option<String>,
    until: Option<i64>,
    reason: String,
    created: i64,
}

impl MuteAnswer {
    fn of(Mute { id, mute }: &Mute) -> MuteAnswer {
        let NewMute { property, group, until, reason, created } = mute.clone();
        MuteAnswer { id: *id, property, group, until, reason, created }
    }
}

pub(super) async fn mutes(State(app): State<App>) -> Json<Vec<MuteAnswer>> {
    Json(app.hooks.decided().mutes.iter().map(MuteAnswer::of).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MuteRequest {
    property: Option<String>,
    group: Option<String>,
    until: Option<i64>,
    #[serde(default)]
    reason: String,
}

pub(super) async fn add_mute(State(app): State<App>, Sent(sent): Sent<MuteRequest>) -> Result<Response, Problem> {
    let MuteRequest { property, group, until, reason } = sent;
    bounded([property.as_deref(), group.as_deref(), Some(&*reason)])?;
    room(app.hooks.decided().mutes.len())?;
    let mute = NewMute { property, group, until, reason, created: now() };
    let added = mute.clone();
    let id = write(&app, move |hooks| hooks.add_mute(&added)).await?;
    Ok((StatusCode::CREATED, Json(MuteAnswer::of(&Mute { id, mute }))).into_response())
}

pub(super) async fn remove_mute(State(app): State<App>, Number(id): Number) -> Result<StatusCode, Problem> {
    removed(id, write(&app, move |hooks| hooks.remove_mute(signed(id))).await?)
}

#[derive(Serialize)]
pub(super) struct HookAnswer {
    id: i64,
    url: String,
    severity: Option<String>,
    property: Option<String>,
    /// Whether it has a secret, which nobody is told.
    signed: bool,
    enabled: bool,
}

impl HookAnswer {
    fn of(Webhook { id, webhook }: &Webhook) -> HookAnswer {
        let NewWebhook { url, severity, property, secret, enabled } = webhook.clone();
        HookAnswer { id: *id, url, severity, property, signed: secret.is_some(), enabled }
    }
}

pub(super) async fn hooks(State(app): State<App>) -> Json<Vec<HookAnswer>> {
    Json(app.hooks.decided().hooks.iter().map(HookAnswer::of).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HookRequest {
    url: String,
    severity: Option<String>,
    property: Option<String>,
    secret: Option<String>,
}

pub(super) async fn add_hook(State(app): State<App>, Sent(sent): Sent<HookRequest>) -> Result<Response, Problem> {
    let HookRequest { url, severity, property, secret } = sent;
    bounded([Some(&*url), property.as_deref(), secret.as_deref()])?;
    room(app.hooks.decided().hooks.len())?;
    if let Some(word) = severity.as_deref().filter(|word| !is_severity(word)) {
        let word: String = word.chars().take(40).collect();
        return Err(Problem::unfit(format!("`{word}` is no severity; use one of {}", SEVERITIES.join(", "))));
    }
    let uri: Option<Uri> = url.parse().ok();
    let scheme = uri.as_ref().and_then(Uri::scheme_str);
    let has_host = uri.as_ref().and_then(Uri::host).is_some_and(|host| !host.is_empty());
    let https = cfg!(feature = "https");
    if !has_host || !(scheme == Some("http") || (https && scheme == Some("https"))) {
        let https = if https { " or https://" } else { "; this program was built without TLS for hooks" };
        return Err(Problem::unfit(format!("`url` must be an address that begins with http://{https}")));
    }
    let secret = secret.filter(|secret| !secret.is_empty());
    let hook = NewWebhook { url, severity, property, secret, enabled: true };
    let added = hook.clone();
    let id = write(&app, move |hooks| hooks.add_hook(&added)).await?;
    Ok((StatusCode::CREATED, Json(HookAnswer::of(&Webhook { id, webhook: hook }))).into_response())
}

pub(super) async fn remove_hook(State(app): State<App>, Number(id): Number) -> Result<StatusCode, Problem> {
    removed(id, write(&app, move |hooks| hooks.remove_hook(signed(id))).await?)
}

/// Calls a hook with no violations, and tells what came of it.
pub(super) async fn test_hook(State(app): State<App>, Number(id): Number) -> Result<Response, Problem> {
    let decided = app.hooks.decided();
    let hook = decided.hooks.iter().find(|hook| hook.id == signed(id)).ok_or_else(|| none(id))?;
    let (spec, _, _) = app.live.spec();
    let (body, _) = Call::message(&spec, &Namer::of(&app.live), &[]);
    let (url, secret) = (hook.webhook.url.clone(), hook.webhook.secret.clone());
    let call = Call { url, secret, body, id: "test".to_owned() };
    let timeout = app.hook_timeout;
    let called = tokio::task::spawn_blocking(move || call.make(timeout)).await;
    let called = called.map_err(|error| Problem::internal(format!("the call failed: {error}")))?;
    Ok(Json(json!({ "delivered": called.is_ok(), "error": called.err() })).into_response())
}

/// Changes what is decided, where it may block.
async fn write<T: Send + 'static>(
    app: &App,
    change: impl FnOnce(&Hooks) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Problem> {
    let app = app.clone();
    let changed = tokio::task::spawn_blocking(move || change(&app.hooks)).await;
    let changed = changed.map_err(|error| Problem::internal(format!("it was not written down: {error}")))?;
    changed.map_err(|error| Problem::unavailable(format!("it was not written down: {error}")))
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

fn removed(id: u64, was_there: bool) -> Result<StatusCode, Problem> {
    if was_there { Ok(StatusCode::NO_CONTENT) } else { Err(none(id)) }
}

fn none(id: u64) -> Problem {
    Problem::not_found(format!("there is none with the number {id}"))
}
