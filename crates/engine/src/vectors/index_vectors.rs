//! The vectors of all embedders of an index at one commit.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::layer_file::LayerFile;
use super::vector_set::VectorSet;
use crate::docset::DocSet;

/// Ending of files of vectors.
const EXTENSION: &str = "vectors";

/// The files of vectors, as a commit names them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VectorFiles {
    /// Number of the next file; never used again in a generation.
    pub next: u64,
    /// Files of each embedder, oldest first.
    pub embedders: BTreeMap<String, Vec<String>>,
}

impl VectorFiles {
    /// Whether there never was a vector.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// A name for another file.
    pub(crate) fn next_name(&mut self) -> String {
        self.next += 1;
        format!("{:08}.{EXTENSION}", self.next)
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.embedders.values().flatten()
    }
}

/// Open vectors by embedder.
#[derive(Clone, Default)]
pub(crate) struct IndexVectors {
    sets: BTreeMap<String, Arc<VectorSet>>,
}

impl IndexVectors {
    /// Opens the files that a commit names, sharing those that are open.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn open(
        directory: &Path,
        files: &VectorFiles,
        older: Option<&Self>,
    ) -> io::Result<Self> {
        let open = |(name, files): (&String, &Vec<String>)| {
            let older = older.and_then(|older| older.sets.get(name));
            let set = VectorSet::open(directory, files, older)?;
            Ok((name.clone(), set))
        };
        let sets = files
            .embedders
            .iter()
            .map(open)
            .collect::<io::Result<_>>()?;
        Ok(Self { sets })
    }

    /// The vectors of an embedder, if any document has an entry.
    pub(crate) fn get(&self, embedder: &str) -> Option<&Arc<VectorSet>> {
        self.sets.get(embedder)
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

    /// Lets files go that a later commit does not name any more, once nobody reads them.
    pub(crate) fn retire(&self, kept: &VectorFiles) {
        let files = self.sets.values().flat_map(|set| set.files());
        files
            .filter(|file| !kept.names().any(|name| name == file.name()))
            .for_each(|file| LayerFile::mark_obsolete(file));
    }
}

/// Removes files of vectors that the last commit does not name: left by a crash, or in use when
/// they were replaced.
///
/// # Errors
/// When the directory cannot be listed.
pub(crate) fn remove_unnamed(directory: &Path, files: &VectorFiles) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let is_ours = path
            .extension()
            .is_some_and(|extension| extension == EXTENSION);
        let name = path.file_name().and_then(|name| name.to_str());
        if is_ours && !files.names().any(|kept| Some(kept.as_str()) == name) {
            let _ = std::fs::remove_file(&path);
        }
    }
    Ok(())
}

/// Puts the named files into another directory as well, without copying where that is possible.
///
/// # Errors
/// When a file can neither be linked nor copied.
pub(crate) fn carry_over(from: &Path, to: &Path, files: &VectorFiles) -> io::Result<()> {
    for name in files.names() {
        let (source, target) = (from.join(name), to.join(name));
        if !target.exists() && std::fs::hard_link(&source, &target).is_err() {
            std::fs::copy(&source, &target)?;
            std::fs::File::open(&target)?.sync_data()?;
        }
    }
    Ok(())
}
