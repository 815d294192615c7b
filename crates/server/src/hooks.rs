// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hooks: addresses that are told of violations, and mutes: what nobody is told of.
//!
//! Whom to tell of a violation is written down before anybody is told; so a crash at any point repeats a message and loses none.

mod call;
mod delivery;
mod route;

use std::sync::{Arc, PoisonError, RwLock};

use gnomon_store::history::{Mute, NewDelivery, NewMute, NewWebhook, Outcome, Webhook};
use gnomon_store::{HistoryReader, Settings, StoreError};

use crate::log::now;
use crate::violation::newest;

pub(crate) use call::Call;
pub(crate) use delivery::run;
pub(crate) use route::{SEVERITIES, is_severity};

/// What people decided about being told, and what follows from it.
pub(crate) struct Hooks {
    settings: Settings,
    history: HistoryReader,
    /// What is written down, so that nobody has to ask for it at every violation.
    known: RwLock<Arc<Decided>>,
}

/// All hooks and all mutes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decided {
    pub(crate) hooks: Vec<Webhook>,
    pub(crate) mutes: Vec<Mute>,
}

impl Hooks {
    pub(crate) fn open(settings: Settings, history: HistoryReader) -> Result<Hooks, StoreError> {
        let hooks = Hooks { settings, history, known: RwLock::default() };
        hooks.look_again()?;
        Ok(hooks)
    }

    fn look_again(&self) -> Result<(), StoreError> {
        let decided = Decided { hooks: self.history.webhooks()?, mutes: self.history.mutes()? };
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(decided);
        Ok(())
    }

    /// What is decided at present.
    pub(crate) fn decided(&self) -> Arc<Decided> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a hook. It is told of what is found from now on.
    pub(crate) fn add_hook(&self, hook: &NewWebhook) -> Result<i64, StoreError> {
        let newest = newest(&self.history)?;
        let id = self.settings.add_webhook(hook)?;
        // A delivery that counts as made: after a restart, what is newer than this is still to be told.
        self.settings.enqueue(&NewDelivery { webhook: id, violation: newest, at: i64::MAX })?;
        self.settings.settle(id, newest, &Outcome::Delivered)?;
        self.look_again()?;
        Ok(id)
    }

    /// Removes a hook; `false` if there is none of this number.
    pub(crate) fn remove_hook(&self, id: i64) -> Result<bool, StoreError> {
        if !self.decided().hooks.iter().any(|hook| hook.id == id) {
            return Ok(false);
        }
        self.settings.remove_webhook(id)?;
        self.look_again()?;
        Ok(true)
    }

    /// Adds a mute.
    pub(crate) fn add_mute(&self, mute: &NewMute) -> Result<i64, StoreError> {
        let id = self.settings.add_mute(mute)?;
        self.look_again()?;
        Ok(id)
    }

    /// Removes a mute; `false` if there is none of this number.
    pub(crate) fn remove_mute(&self, id: i64) -> Result<bool, StoreError> {
        if !self.decided().mutes.iter().any(|mute| mute.id == id) {
            return Ok(false);
        }
        self.settings.remove_mute(id)?;
        self.look_again()?;
        Ok(true)
    }
}

impl Decided {
    /// Whether nobody is told of the violations of a property at present.
    pub(crate) fn mutes_property(&self, property: &str) -> bool {
        let now = now();
        self.mutes.iter().any(|mute| mute.mute.group.is_none() && mute.mute.covers(property, "", now))
    }
}
