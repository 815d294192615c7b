// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opening a history: new, known, of another program, or damaged.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use super::HistoryState;
use super::database::{APPLICATION, Guarded, Purpose, TABLES, VERSION, beside, connect, explain, suspicion};
use super::settings::{mutes, put_mute, put_webhook, webhooks};
use crate::error::{Kind, StoreError, failed};
use crate::files::{Directory, absent_is_fine};

pub(super) fn open(path: &Path) -> Result<(Connection, HistoryState), StoreError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Directory::open(folder)?;
    let reason = if suspicion(path).exists() {
        "it was found damaged while in use".to_owned()
    } else {
        match prepare(path) {
            Ok(connection) => return Ok((connection, HistoryState::default())),
            Err(error) if error.is_damaged() => error.message().to_owned(),
            Err(error) => return Err(error),
        }
    };
    let aside = set_aside(path)?;
    let mut connection = prepare(path)?;
    let carried = carry_over(&aside, &mut connection).guarded(path)?;
    let mark = suspicion(path);
    fs::remove_file(&mark).or_else(absent_is_fine).map_err(failed(&mark, "be removed"))?;
    let note = format!(
        "{} was damaged ({reason}) and set aside as {}; the history begins anew, {carried}",
        path.display(),
        aside.display()
    );
    Ok((connection, HistoryState { rebuilt: true, note: Some(note) }))
}

/// A connection to a file that has the tables and can be read, at least where they begin.
fn prepare(path: &Path) -> Result<Connection, StoreError> {
    let told = |error| explain(path, error);
    let mut connection = connect(path, Purpose::Telling).map_err(told)?;
    let number = |connection: &Connection, sql: &str| connection.query_row(sql, [], |row| row.get::<_, i32>(0));
    let tables = number(&connection, "SELECT count(*) FROM sqlite_schema").map_err(told)?;
    let application = number(&connection, "PRAGMA application_id").map_err(told)?;
    let version = number(&connection, "PRAGMA user_version").map_err(told)?;
    if tables == 0 {
        create(&mut connection).map_err(told)?;
    } else if application != APPLICATION {
        let error = StoreError::new(Kind::Version, path, "it is the database of another program");
        return Err(error.help("move it away, or keep the store in another folder"));
    } else if version != VERSION {
        let message = format!("it has version {version} of the tables, which this program does not know");
        let error = StoreError::new(Kind::Version, path, message);
        return Err(error.help("use the program that wrote it, or another folder"));
    }
    for table in ["marks", "violations", "violation_groups", "statistics", "mutes", "webhooks", "deliveries"] {
        // The table itself: an index could answer, too.
        let sql = format!("SELECT count(*) FROM (SELECT * FROM {table} NOT INDEXED LIMIT 1)");
        number(&connection, &sql).map_err(|error| {
            // Our mark, our version, and yet a table is not there.
            let error = explain(path, error);
            if error.is_full() { error } else { StoreError::new(Kind::Damaged, path, error.message()).caused(error) }
        })?;
    }
    Ok(connection)
}

fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// Gives a damaged file another name, with what SQLite keeps beside it, so that it can still be looked into.
fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    // The ninth is replaced by the next: what breaks again and again must not fill the disk with copies.
    let mut names = (1..=9).map(|number| beside(path, &format!(".damaged-{number}")));
    let aside = names.find(|aside| !aside.exists()).unwrap_or_else(|| beside(path, ".damaged-9"));
    for ending in ["-wal", "-shm", ""] {
        let (from, to) = (beside(path, ending), beside(&aside, ending));
        fs::rename(&from, &to).or_else(absent_is_fine).map_err(failed(&from, "be set aside"))?;
    }
    Ok(aside)
}

/// Takes what no journal knows out of a damaged file, as far as it can be read. Returns how that went, in words.
fn carry_over(aside: &Path, connection: &mut Connection) -> rusqlite::Result<String> {
    let Ok(old) = connect(aside, Purpose::Questions) else {
        return Ok("without the mutes and webhooks".to_owned());
    };
    let (old_mutes, old_webhooks) = (mutes(&old), webhooks(&old));
    let mut unread = old_mutes.is_err() || old_webhooks.is_err();
    let (old_mutes, old_webhooks) = (old_mutes.unwrap_or_default(), old_webhooks.unwrap_or_default());
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for mute in &old_mutes {
        unread |= put_mute(&transaction, Some(mute.id), &mute.mute).is_err();
    }
    for webhook in &old_webhooks {
        unread |= put_webhook(&transaction, Some(webhook.id), &webhook.webhook).is_err();
    }
    transaction.commit()?;
    let counts = format!("with {} mutes and {} webhooks", old_mutes.len(), old_webhooks.len());
    Ok(if unread { format!("{counts}; some could not be read") } else { counts })
}
