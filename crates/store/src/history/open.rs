// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opens a history file: new, existing, of another program, or damaged.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use super::HistoryState;
use super::database::{
    APPLICATION, Purpose, SqliteResultExt, TABLES, VERSION, beside, connect, damage_marker, explain,
};
use super::settings::{mutes, put_mute, put_webhook, webhooks};
use crate::error::{ErrorKind, StoreError, failed};
use crate::files::{Directory, absent_is_fine};

pub(super) fn open(path: &Path) -> Result<(Connection, HistoryState), StoreError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Directory::open(folder)?;
    let reason = if damage_marker(path).exists() {
        "it was found damaged while in use".to_owned()
    } else {
        match prepare(path) {
            Ok(connection) => return Ok((connection, HistoryState::default())),
            Err(error) if error.is(ErrorKind::Damaged) => error.message().to_owned(),
            Err(error) => return Err(error),
        }
    };
    let renamed = rename_damaged(path)?;
    let mut connection = prepare(path)?;
    let carried = carry_over(&renamed, &mut connection).at_path(path)?;
    let mark = damage_marker(path);
    fs::remove_file(&mark).or_else(absent_is_fine).map_err(failed(&mark, "be removed"))?;
    let note = format!(
        "{} was damaged ({reason}) and set aside as {}; a new history begins, {carried}",
        path.display(),
        renamed.display()
    );
    Ok((connection, HistoryState { rebuilt: true, note: Some(note) }))
}

/// Connects to a file and checks that it has our tables and that each can be read at its start.
fn prepare(path: &Path) -> Result<Connection, StoreError> {
    let explained = |error| explain(path, error);
    let mut connection = connect(path, Purpose::Derived).map_err(explained)?;
    let number = |connection: &Connection, sql: &str| connection.query_row(sql, [], |row| row.get::<_, i32>(0));
    let tables = number(&connection, "SELECT count(*) FROM sqlite_schema").map_err(explained)?;
    let application = number(&connection, "PRAGMA application_id").map_err(explained)?;
    let version = number(&connection, "PRAGMA user_version").map_err(explained)?;
    if tables == 0 {
        create(&mut connection).map_err(explained)?;
    } else if application != APPLICATION {
        let error = StoreError::new(ErrorKind::Version, path, "it is the database of another program");
        return Err(error.help("move it away, or keep the store in another folder"));
    } else if version != VERSION {
        let message = format!("it has version {version} of the tables, which this program does not support");
        let error = StoreError::new(ErrorKind::Version, path, message);
        return Err(error.help("use the program that wrote it, or another folder"));
    }
    for table in ["marks", "violations", "violation_groups", "statistics", "mutes", "webhooks", "deliveries"] {
        // The table itself, because an index could answer as well.
        let sql = format!("SELECT count(*) FROM (SELECT * FROM {table} NOT INDEXED LIMIT 1)");
        number(&connection, &sql).map_err(|error| {
            // Our marker and version, but a table is missing.
            let error = explain(path, error);
            if error.is(ErrorKind::Full) {
                error
            } else {
                StoreError::new(ErrorKind::Damaged, path, error.message()).caused(error)
            }
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

/// Renames a damaged file and the files that SQLite keeps beside it, so that it can be examined.
fn rename_damaged(path: &Path) -> Result<PathBuf, StoreError> {
    // The ninth copy is overwritten: repeated damage must not fill the disk.
    let mut names = (1..=9).map(|number| beside(path, &format!(".damaged-{number}")));
    let renamed = names.find(|renamed| !renamed.exists()).unwrap_or_else(|| beside(path, ".damaged-9"));
    for ending in ["-wal", "-shm", ""] {
        let (from, to) = (beside(path, ending), beside(&renamed, ending));
        fs::rename(&from, &to).or_else(absent_is_fine).map_err(failed(&from, "be set aside"))?;
    }
    Ok(renamed)
}

/// Copies settings, which are in no journal, from a damaged file as far as it can be read. Returns a summary.
fn carry_over(renamed: &Path, connection: &mut Connection) -> rusqlite::Result<String> {
    let Ok(old) = connect(renamed, Purpose::Queries) else {
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
