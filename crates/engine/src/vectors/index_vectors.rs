//! The vectors of all embedders of an index at one commit.
//!
//! ```text
//! <generation>/vectors/*.vectors     rows, made by `serval-vector`
//! <generation>/vectors/*.statuses    who gave them, and whether they are made again
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serval_vector::Merge;

use super::vector_set::{EmbedderFiles, VectorSet};
use crate::docset::DocSet;
use crate::storage::directory::sync_directory;

/// The files of vectors by embedder, as a commit names them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VectorFiles {
    /// Of each embedder that something is known of.
    pub embedders: BTreeMap<String, EmbedderFiles>,
}

impl VectorFiles {
    /// Whether nothing is known of any embedder.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.embedders.is_empty()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.embedders.values().flat_map(EmbedderFiles::names)
    }
}

/// Where the files of a generation are.
pub(crate) fn directory_in(generation: &Path) -> PathBuf {
    generation.join("vectors")
}

/// Open vectors by embedder.
#[derive(Clone, Default)]
pub(crate) struct IndexVectors {
    sets: BTreeMap<String, Arc<VectorSet>>,
}

impl IndexVectors {
    /// Opens the files that a commit of a generation names, sharing those that an older commit of
    /// the same one has open.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn open(
        generation: &Path,
        files: &VectorFiles,
        older: Option<&Self>,
    ) -> io::Result<Self> {
        let directory = directory_in(generation);
        let open = |(name, files): (&String, &EmbedderFiles)| {
            let older = older.and_then(|older| older.sets.get(name));
            let set = VectorSet::open(&directory, files, older)?;
            Ok((name.clone(), set))
        };
        let sets = files
            .embedders
            .iter()
            .map(open)
            .collect::<io::Result<_>>()?;
        Ok(Self { sets })
    }

    /// The vectors of an embedder, if anything is known.
    pub(crate) fn get(&self, embedder: &str) -> Option<&Arc<VectorSet>> {
        self.sets.get(embedder)
    }

    /// The next large merge that is due, and its embedder.
    pub(crate) fn next_merge(&self) -> Option<(&str, Merge)> {
        let mut sets = self.sets.iter();
        sets.find_map(|(name, set)| Some((name.as_str(), set.next_merge()?)))
    }

    /// Number of vectors of all embedders.
    pub(crate) fn n_vectors(&self) -> u64 {
        self.sets.values().map(|set| set.n_vectors()).sum()
    }

    /// Documents that have a vector of any embedder.
    pub(crate) fn embedded(&self) -> DocSet {
        let sets = self.sets.values();
        sets.fold(DocSet::empty(), |docs, set| docs.or(set.embedded()))
    }
}

/// Removes files of vectors that the last commit does not name: replaced ones, and those of batches
/// that failed, but not what a merge is writing in its folder. Whoever has one open keeps reading it; where such a file cannot be removed, it is
/// after the next commit.
///
/// # Errors
/// When the directory cannot be listed.
pub(crate) fn remove_unnamed(generation: &Path, files: &VectorFiles) -> io::Result<()> {
    let entries = match fs::read_dir(directory_in(generation)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_folder && !files.names().any(|kept| name == kept) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// Puts the named files into another generation as well, without copying where that is possible.
///
/// # Errors
/// When a file can neither be linked nor copied.
pub(crate) fn carry_over(from: &Path, to: &Path, files: &VectorFiles) -> io::Result<()> {
    let (from, to) = (directory_in(from), directory_in(to));
    if !files.is_empty() {
        fs::create_dir_all(&to)?;
    }
    for name in files.names() {
        let (source, target) = (from.join(name), to.join(name));
        if !target.exists() && fs::hard_link(&source, &target).is_err() {
            fs::copy(&source, &target)?;
            fs::File::open(&target)?.sync_data()?;
        }
    }
    if files.is_empty() {
        return Ok(());
    }
    sync_directory(&to)
}
