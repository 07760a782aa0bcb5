//! Files of identifiers: one JSON string a line. They are walked line by line, so that a deletion
//! takes the same memory however many documents it names.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::document::DocumentError;

use super::batch_session::{BatchSession, Failure};

const BUFFER: usize = 256 * 1024;

impl BatchSession<'_> {
    /// Plans the deletion of the documents that a file names; of a file with anything else in it
    /// nothing is planned.
    pub(super) fn plan_deletion_of_file(&mut self, path: &Path) -> Result<u64, Failure> {
        each_id(path, |_| Ok(()))?;
        let mut n_deleted = 0;
        each_id(path, |id| {
            n_deleted += u64::from(self.plan.delete(&self.snapshot, id)?);
            Ok(())
        })?;
        Ok(n_deleted)
    }
}

fn each_id(path: &Path, mut take: impl FnMut(&str) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut reader = BufReader::with_capacity(BUFFER, File::open(path)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let id: String = serde_json::from_slice(&line)
            .map_err(|error| DocumentError::Malformed(error.to_string()))?;
        take(&id)?;
    }
}
