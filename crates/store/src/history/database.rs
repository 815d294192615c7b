// SPDX-License-Identifier: MIT OR Apache-2.0
//! SQLite connections, tables and errors.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Params, Row};

use crate::error::{ErrorKind, MAKE_ROOM, StoreError};

/// `GNOM`, in the header of the file: identifies a file of this program.
pub(super) const APPLICATION: i32 = 0x474E_4F4D;
/// Version of the tables.
pub(super) const VERSION: i32 = 1;

/// The mode of `auto_vacuum` in which [`super::History::retain`] returns free pages to the file system.
const INCREMENTAL: i32 = 2;

/// Time that a writer waits for another. No transaction takes long.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) const TABLES: &str = "
CREATE TABLE marks (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE violations (
    number INTEGER PRIMARY KEY,
    sequence INTEGER NOT NULL,
    property TEXT NOT NULL,
    severity TEXT,
    case_name TEXT,
    group_name TEXT NOT NULL,
    time TEXT NOT NULL,
    sort_time INTEGER NOT NULL,
    noted_at INTEGER NOT NULL,
    json TEXT NOT NULL
) STRICT;
CREATE INDEX violations_by_property ON violations (property);
CREATE INDEX violations_by_case ON violations (case_name) WHERE case_name IS NOT NULL;
CREATE INDEX violations_by_group ON violations (group_name);
CREATE INDEX violations_by_severity ON violations (severity);
CREATE INDEX violations_by_noting ON violations (noted_at);

CREATE TABLE violation_groups (
    name TEXT PRIMARY KEY,
    property TEXT NOT NULL,
    severity TEXT,
    count INTEGER NOT NULL,
    first_noted INTEGER NOT NULL,
    last_noted INTEGER NOT NULL,
    last_number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX groups_by_number ON violation_groups (last_number);

CREATE TABLE statistics (
    property TEXT NOT NULL,
    at INTEGER NOT NULL,
    activated INTEGER NOT NULL,
    satisfied INTEGER NOT NULL,
    violated INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    min TEXT,
    max TEXT,
    mean TEXT,
    PRIMARY KEY (property, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX statistics_by_time ON statistics (at);

CREATE TABLE mutes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    property TEXT,
    group_name TEXT,
    until INTEGER,
    reason TEXT NOT NULL,
    created INTEGER NOT NULL
) STRICT;

CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL,
    severity TEXT,
    property TEXT,
    secret TEXT,
    enabled INTEGER NOT NULL
) STRICT;

CREATE TABLE deliveries (
    webhook INTEGER NOT NULL,
    violation INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    next_attempt INTEGER NOT NULL,
    state INTEGER NOT NULL,
    error TEXT,
    PRIMARY KEY (webhook, violation)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (next_attempt) WHERE state = 0;
CREATE INDEX deliveries_by_violation ON deliveries (violation);
";

/// Purpose of a connection: determines its durability.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// Rows derived from the journal: the file stays consistent, but a power failure may lose the latest.
    Derived,
    /// Settings of users: durable when the call returns.
    Settings,
    /// Read-only queries.
    Queries,
}

pub(super) fn connect(path: &Path, purpose: Purpose) -> rusqlite::Result<Connection> {
    let create = if purpose == Purpose::Derived { OpenFlags::SQLITE_OPEN_CREATE } else { OpenFlags::empty() };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | create;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    match purpose {
        Purpose::Derived => {
            // It takes effect only before the first table is created. Setting it again would write to the file, which a full
            // disk does not allow.
            if connection.pragma_query_value(None, "auto_vacuum", |row| row.get::<_, i32>(0))? != INCREMENTAL {
                connection.pragma_update(None, "auto_vacuum", INCREMENTAL)?;
            }
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
        }
        Purpose::Settings => connection.pragma_update(None, "synchronous", "FULL")?,
        Purpose::Queries => connection.pragma_update(None, "query_only", true)?,
    }
    Ok(connection)
}

/// Returns all rows of a query.
pub(super) fn rows<T>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare_cached(sql)?.query_map(values, read)?.collect()
}

/// Converts results of SQLite to results of the store, with the file that they are about.
pub(super) trait SqliteResultExt<T> {
    fn at_path(self, path: &Path) -> Result<T, StoreError>;
}

impl<T> SqliteResultExt<T> for rusqlite::Result<T> {
    fn at_path(self, path: &Path) -> Result<T, StoreError> {
        self.map_err(|error| {
            let error = explain(path, error);
            if error.is(ErrorKind::Damaged) {
                // With this marker, the next start knows of the damage without a search. It is reported in any case.
                let _ = File::create(damage_marker(path));
            }
            error
        })
    }
}

/// Converts an error of SQLite.
pub(super) fn explain(path: &Path, error: rusqlite::Error) -> StoreError {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    let (kind, help) = match error.sqlite_error_code() {
        // SQLite calls a file that it cannot extend a failing disk.
        Some(ErrorCode::SystemIoFailure) if has_no_space(path) => (ErrorKind::Full, Some(MAKE_ROOM)),
        Some(ErrorCode::DiskFull) => (ErrorKind::Full, Some(MAKE_ROOM)),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => (ErrorKind::Damaged, Some(START_AGAIN)),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (ErrorKind::Io, Some("close other programs that use the file; refused requests can be repeated"))
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            (ErrorKind::Io, Some("check that the file and its folder are writable"))
        }
        _ => match error {
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..) => {
                (ErrorKind::Damaged, Some(START_AGAIN))
            }
            _ => (ErrorKind::Io, None),
        },
    };
    let new = StoreError::new(kind, path, format!("the history cannot be used: {error}")).caused(error);
    match help {
        Some(help) => new.help(help),
        None => new,
    }
}

/// Returns true if a small file beside `path` cannot be written for lack of space.
fn has_no_space(path: &Path) -> bool {
    let probe = beside(path, ".probe");
    let written = fs::write(&probe, vec![0; 64 << 10]);
    let _ = fs::remove_file(&probe);
    written.is_err_and(|error| StoreError::io(path, "be written", error).is(ErrorKind::Full))
}

const START_AGAIN: &str =
    "start again: the file is set aside, and the history is rebuilt as far as the journal reaches";

/// Returns the path of a marker file: its presence says that the database was found damaged.
pub(super) fn damage_marker(path: &Path) -> PathBuf {
    beside(path, ".suspect")
}

/// Appends an ending to a file name.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
