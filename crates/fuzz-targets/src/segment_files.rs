//! Forward indexes, attribute columns and shapes of any bytes are refused or read, without a panic,
//! and in time and memory that their length bounds.

use serval_engine::fuzzing;

use crate::folder::temporary_folder;

/// Reads a file of a segment; the first byte chooses what it is taken for.
pub fn segment_files(bytes: &[u8]) {
    let Some((first, file)) = bytes.split_first() else {
        return;
    };
    match first % 4 {
        0 => fuzzing::read_forward(file),
        1 => fuzzing::read_attributes(file),
        2 => fuzzing::read_shape(file),
        _ => {
            let folder = temporary_folder();
            fuzzing::merge_attributes([file, file], folder.path());
        }
    }
}
