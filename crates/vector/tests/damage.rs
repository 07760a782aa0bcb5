//! Files that were cut, changed or exchanged are refused, whatever was done to them.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serval_vector::{Encoding, Manifest, VectorError, VectorIndex, VectorShape};

fn written(directory: &Path, encoding: Encoding) -> VectorIndex {
    let shape = VectorShape {
        dimensions: 5,
        encoding,
    };
    let mut update = VectorIndex::empty(shape)
        .expect("a shape")
        .update(directory);
    for doc in 0..70 {
        let vector = [doc as f32, 1.0, -3.0, 0.5, -0.0];
        update
            .put(doc * 3, &[vector, [1.0; 5]])
            .expect("good vectors");
    }
    let mut update = update.finish().expect("a written index").update(directory);
    update.remove(9);
    update.put(12, &[[0.0; 5]]).expect("a good vector");
    update.finish().expect("a written index")
}

fn refused(directory: &Path, manifest: &Manifest) -> bool {
    VectorIndex::open(directory, manifest).is_err()
}

proptest! {
    #[test]
    fn a_changed_byte_is_found(place in any::<prop::sample::Index>(), bit in 0u8..8, file in 0usize..2,
        encoding in prop_oneof![Just(Encoding::F32), Just(Encoding::Binary)])
    {
        let directory = tempfile::tempdir().expect("a directory");
        let manifest = written(directory.path(), encoding).manifest();
        let path = directory.path().join(&manifest.files[file].name);
        let mut bytes = fs::read(&path).expect("the file");
        let at = place.index(bytes.len());
        bytes[at] ^= 1 << bit;
        fs::write(&path, &bytes).expect("the file");
        // Bytes between sections mean nothing: with one of them changed all is as it was.
        if !refused(directory.path(), &manifest) {
            bytes[at] ^= 1 << bit;
            prop_assert_eq!(bytes[at], 0);
            let opened = VectorIndex::open(directory.path(), &manifest).expect("a good index");
            prop_assert_eq!(opened.n_documents(), 69);
        }
    }

    #[test]
    fn a_file_of_another_length_is_found(keep in any::<prop::sample::Index>(), longer in 0usize..100) {
        let directory = tempfile::tempdir().expect("a directory");
        let manifest = written(directory.path(), Encoding::F32).manifest();
        let path = directory.path().join(&manifest.files[0].name);
        let bytes = fs::read(&path).expect("the file");
        fs::write(&path, &bytes[..keep.index(bytes.len())]).expect("the file");
        prop_assert!(refused(directory.path(), &manifest));
        fs::write(&path, [&bytes[..], &vec![0; longer + 1]].concat()).expect("the file");
        prop_assert!(refused(directory.path(), &manifest));
    }
}

#[test]
fn an_exchanged_or_missing_file_is_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let manifest = written(directory.path(), Encoding::F32).manifest();
    let other = written(directory.path(), Encoding::F32).manifest();
    let path = |manifest: &Manifest, at: usize| directory.path().join(&manifest.files[at].name);
    fs::copy(path(&other, 1), path(&manifest, 0)).expect("a copy");
    assert!(refused(directory.path(), &manifest));
    fs::remove_file(path(&manifest, 0)).expect("the file");
    let missing = VectorIndex::open(directory.path(), &manifest);
    assert!(matches!(missing, Err(VectorError::Io { .. })));
}

#[test]
fn names_that_lead_elsewhere_and_impossible_shapes_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let manifest = written(directory.path(), Encoding::F32).manifest();
    for name in [
        "../x.vectors",
        "/x.vectors",
        ".vectors",
        "x.store",
        "a/b.vectors",
        "",
    ] {
        let mut manifest = manifest.clone();
        manifest.files[0].name = name.to_owned();
        let opened = VectorIndex::open(directory.path(), &manifest);
        assert!(matches!(opened, Err(VectorError::Manifest(_))), "{name}");
    }
    for dimensions in [0, VectorShape::MAX_DIMENSIONS + 1, u32::MAX] {
        let shape = VectorShape {
            dimensions,
            encoding: Encoding::F32,
        };
        assert!(matches!(
            VectorIndex::empty(shape),
            Err(VectorError::Shape { .. })
        ));
    }
}

#[test]
fn bad_vectors_are_refused_and_change_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let index = written(directory.path(), Encoding::F32);
    let mut update = index.update(directory.path());
    let short = update.put(1, &[vec![1.0; 5], vec![1.0; 4]]);
    assert!(matches!(
        short,
        Err(VectorError::Dimensions {
            expected: 5,
            found: 4
        })
    ));
    let infinite = update.put(1, &[[f32::INFINITY; 5]]);
    assert!(matches!(infinite, Err(VectorError::NotFinite { doc: 1 })));
    let next = update.finish().expect("a written index");
    assert_eq!(next.manifest(), index.manifest());
    assert!(matches!(
        index.search(&[1.0; 4], 3, None),
        Err(VectorError::Dimensions { .. })
    ));
    assert!(matches!(
        index.search(&[f32::NAN; 5], 3, None),
        Err(VectorError::QueryNotFinite)
    ));
}

#[test]
fn an_update_that_is_dropped_leaves_no_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let index = written(directory.path(), Encoding::F32);
    let count = || {
        fs::read_dir(directory.path())
            .expect("the directory")
            .count()
    };
    let before = count();
    let mut update = index.update(directory.path());
    for doc in 0..1000 {
        update.put(doc, &vec![[1.0; 5]; 200]).expect("good vectors");
    }
    drop(update);
    assert_eq!(count(), before);
}
