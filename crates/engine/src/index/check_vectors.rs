//! Looks through the files of vectors that a commit names.

use std::io;
use std::path::Path;

use serval_vector::{Manifest, VectorIndex};

use super::check::IndexCheck;
use crate::vectors::{Statuses, VectorFiles, directory_in, into_io};

/// Reads each file of vectors of a generation by itself.
pub(crate) fn check_vectors(generation: &Path, files: &VectorFiles, check: &mut IndexCheck) {
    let directory = directory_in(generation);
    for embedder in files.embedders.values() {
        for manifest in embedder.index.iter().flat_map(each_file) {
            let path = directory.join(manifest.file_names().next().unwrap_or_default());
            check.read(&path, || open(&directory, &manifest));
        }
        let path = directory.join(&embedder.statuses);
        check.read(&path, || Statuses::open(&path));
    }
}

fn each_file(manifest: &Manifest) -> impl Iterator<Item = Manifest> + '_ {
    manifest.files.iter().map(|file| Manifest {
        shape: manifest.shape,
        files: vec![file.clone()],
    })
}

fn open(directory: &Path, manifest: &Manifest) -> io::Result<VectorIndex> {
    VectorIndex::open(directory, manifest).map_err(into_io)
}
