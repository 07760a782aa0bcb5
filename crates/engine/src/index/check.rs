//! Looks through the files of an index for damage, without opening it and without changing anything.
//!
//! # Cost
//! Every file is read once. Nothing else does this: opening an index reads checksums of small files
//! and of vectors only, and searches read none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::check_vectors::check_vectors;
use super::index_meta::{FORMAT_VERSION, IndexMeta};
use super::{Index, IndexError};
use crate::storage::generation::{self, META};
use crate::storage::named_segments::NamedSegments;
use crate::storage::sealed::unseal;
use crate::storage::{
    attribute_plugin, document_codec, document_plugin, forward_plugin, segment_files,
};

/// Endings of the files that every segment has.
const ENDINGS: &[&str] = &[
    "term",
    "idx",
    "pos",
    "fast",
    "fieldnorm",
    "store",
    document_plugin::EXTENSION,
    forward_plugin::EXTENSION,
    attribute_plugin::EXTENSION,
];

/// A file that does not hold what was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DamagedFile {
    /// Where it is.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

/// What a look through the files of an index found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IndexCheck {
    /// Number of files that were read.
    pub files: u64,
    /// Those that are damaged.
    pub damaged: Vec<DamagedFile>,
}

impl Index {
    /// [`check_index`] while nothing is written, merged or removed; reads go on.
    ///
    /// # Errors
    /// When a merge that was under way fails.
    pub fn check(&self) -> Result<IndexCheck, IndexError> {
        let path = self.path().to_owned();
        self.with_settled_files(|_| Ok(check_index(&path)))
    }
}

/// Reads all files that make up the index in a directory. Nobody may write to it meanwhile.
#[must_use]
pub fn check_index(path: &Path) -> IndexCheck {
    let mut check = IndexCheck::default();
    let pointer = path.join(generation::CURRENT);
    let current = generation::current(path).and_then(|found| {
        found
            .filter(|directory| directory.is_dir())
            .ok_or_else(|| damage("it names no generation that is there"))
    });
    if let Some(directory) = check.read(&pointer, || current) {
        check.generation(&directory);
    }
    check
}

fn damage(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

impl IndexCheck {
    /// Notes a file, and what is wrong with it when reading it fails.
    pub(crate) fn read<T>(
        &mut self,
        path: &Path,
        read: impl FnOnce() -> io::Result<T>,
    ) -> Option<T> {
        self.files += 1;
        read()
            .map_err(|error| {
                self.damaged.push(DamagedFile {
                    path: path.to_owned(),
                    reason: error.to_string(),
                });
            })
            .ok()
    }

    fn generation(&mut self, directory: &Path) {
        let meta = directory.join(META);
        let Some((commit, known)) = self.read(&meta, || read_commit(&meta)) else {
            return;
        };
        for name in commit.files(ENDINGS) {
            let path = directory.join(name);
            self.read(&path, || segment_files::verify(&path));
        }
        for number in 1..=usize::from(known.n_dictionaries) {
            let path = document_codec::dictionary_path(directory, number);
            self.read(&path, || document_codec::read_dictionary(&path));
        }
        check_vectors(directory, &known.vectors, self);
    }
}

/// A commit, and what it says of the index.
fn read_commit(path: &Path) -> io::Result<(NamedSegments, IndexMeta)> {
    let commit = NamedSegments::read(&unseal(fs::read(path)?)?)?;
    let known: IndexMeta = serde_json::from_str(commit.payload.as_deref().unwrap_or_default())?;
    if known.format_version != FORMAT_VERSION {
        return Err(damage("it has a version that this program does not know"));
    }
    Ok((commit, known))
}
