//! An index that opens what another manifest names reads only files that it does not have open.

use serval_vector::{Encoding, VectorError, VectorIndex, VectorShape};

const SHAPE: VectorShape = VectorShape {
    dimensions: 2,
    encoding: Encoding::F32,
};

#[test]
fn files_that_are_open_are_shared_and_not_read_again() -> Result<(), VectorError> {
    let directory = tempfile::tempdir().expect("a folder");
    let mut update = VectorIndex::empty(SHAPE)?.update(directory.path());
    update.put(1, &[[1.0, 0.0]])?;
    update.put(2, &[[0.9, 0.1]])?;
    let first = update.finish()?;
    let mut update = first.update(directory.path());
    update.put(1, &[[0.0, 1.0]])?;
    let second = update.finish()?.manifest();
    assert_eq!(second.files.len(), 2);

    let whole = VectorIndex::open(directory.path(), &second)?;
    std::fs::remove_file(directory.path().join(&second.files[0].name)).expect("removed");
    assert!(VectorIndex::open(directory.path(), &second).is_err());
    let again = first.reopen(directory.path(), &second)?;
    for query in [[1.0, 0.0], [0.0, 1.0]] {
        assert_eq!(
            again.search(&query, 2, None)?,
            whole.search(&query, 2, None)?
        );
    }
    // What the second file replaced counts in the first index as before.
    assert_eq!(first.vectors(1), [[1.0, 0.0]]);
    assert_eq!(again.vectors(1), [[0.0, 1.0]]);
    Ok(())
}

#[test]
fn a_file_of_another_shape_is_not_shared() -> Result<(), VectorError> {
    let directory = tempfile::tempdir().expect("a folder");
    let mut update = VectorIndex::empty(SHAPE)?.update(directory.path());
    update.put(1, &[[1.0, 0.0]])?;
    let index = update.finish()?;
    let mut other = index.manifest();
    other.shape.dimensions = 3;
    assert!(index.reopen(directory.path(), &other).is_err());
    Ok(())
}
