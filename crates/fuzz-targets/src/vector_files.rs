//! Vector files of any bytes, their checksums made right, are refused or searched.

use serval_vector::{VectorIndex, fuzzing};

use crate::folder::temporary_folder;

/// Opens a vector file and searches in it.
pub fn vector_files(bytes: &[u8]) {
    let Some((manifest, file)) = fuzzing::with_checksums(bytes) else {
        return;
    };
    let folder = temporary_folder();
    let name = manifest.file_names().next().expect("one file").to_owned();
    std::fs::write(folder.path().join(name), file).expect("written");
    let Ok(index) = VectorIndex::open(folder.path(), &manifest) else {
        return;
    };
    let query = vec![0.5; index.shape().dimensions as usize];
    let _ = index.search(&query, 10, None);
    for doc in index.documents().into_iter().take(20) {
        let _ = index.vectors(doc);
    }
}
