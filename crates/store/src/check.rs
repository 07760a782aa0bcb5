//! Looks through the database file for damage.

use std::path::Path;

use rusqlite::Connection;

use crate::error::StoreError;

/// How many findings are told at the most.
const MAX_FINDINGS: usize = 10;

/// What is wrong with the store of a folder; nothing when it is intact. The store may be open.
///
/// SQLite keeps no checksum of its pages: what is found is what contradicts itself, structure and
/// every JSON text that cannot be read.
///
/// # Errors
/// When the file is not there or the system refuses to read it.
pub fn check_store(folder: &Path) -> Result<Vec<String>, StoreError> {
    let path = folder.join("server.sqlite");
    if !path.is_file() {
        return Ok(vec!["it is not there".to_owned()]);
    }
    match findings(&path) {
        Err(StoreError::Corrupt(reason) | StoreError::Database(reason)) => Ok(vec![reason]),
        other => other,
    }
}

fn findings(path: &Path) -> Result<Vec<String>, StoreError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(std::time::Duration::from_secs(30))?;
    let mut findings = texts(
        &connection,
        &format!("PRAGMA integrity_check({MAX_FINDINGS})"),
    )?;
    findings.retain(|finding| finding != "ok");
    if findings.is_empty() {
        findings = texts(&connection, UNREADABLE)?;
    }
    Ok(findings)
}

fn texts(connection: &Connection, sql: &str) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.take(MAX_FINDINGS).collect::<Result<_, _>>()?)
}

/// Rows with JSON that cannot be read.
const UNREADABLE: &str = "
SELECT 'task ' || uid || ' cannot be read' FROM tasks
  WHERE NOT (json_valid(coalesce(details, '{}')) AND json_valid(coalesce(error, '{}'))
    AND json_valid(coalesce(content, '{}')) AND json_valid(coalesce(network, '{}')))
UNION ALL SELECT 'batch ' || uid || ' cannot be read' FROM batches
  WHERE NOT (json_valid(details) AND json_valid(stats))
UNION ALL SELECT 'the record ' || namespace || '/' || key || ' cannot be read' FROM records
  WHERE NOT json_valid(json)";
