//! Forward indexes and attribute columns of any bytes are refused or read, without a panic, and in
//! time and memory that their length bounds.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serval_engine::fuzzing;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, file)) = bytes.split_first() else {
        return;
    };
    match first % 3 {
        0 => fuzzing::read_forward(file),
        1 => fuzzing::read_attributes(file),
        _ => fuzzing::read_shape(file),
    }
});
