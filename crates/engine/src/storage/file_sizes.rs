//! What files take on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Bytes of all files under a folder, by the end of their names behind the last point; empty for those
/// without one. Files that vanish meanwhile count as nothing, and so does what cannot be listed.
#[must_use]
pub fn file_sizes(folder: &Path) -> BTreeMap<String, u64> {
    let mut sizes = BTreeMap::new();
    add_files(folder, &mut sizes);
    sizes
}

fn add_files(folder: &Path, sizes: &mut BTreeMap<String, u64>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            add_files(&entry.path(), sizes);
            continue;
        }
        let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
        let name = entry.file_name();
        let ending = Path::new(&name).extension().unwrap_or_default();
        let ending = ending.to_string_lossy();
        match sizes.get_mut(ending.as_ref()) {
            Some(sum) => *sum += bytes,
            None => {
                sizes.insert(ending.into_owned(), bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_summed_by_the_ends_of_names_in_all_folders_below() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("000001/vectors.d");
        fs::create_dir_all(&below).expect("made");
        for (path, bytes) in [("a.doc", 3), ("000001/b.doc", 4), ("000001/vectors.d/c", 5)] {
            fs::write(folder.path().join(path), vec![0; bytes]).expect("written");
        }
        let sizes = file_sizes(folder.path());
        let expected = [(String::new(), 5), ("doc".to_owned(), 7)];
        assert_eq!(sizes, BTreeMap::from(expected));
        assert!(file_sizes(&folder.path().join("gone")).is_empty());
    }
}
