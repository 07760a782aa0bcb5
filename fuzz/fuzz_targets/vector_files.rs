//! See `vector_files` in `crates/fuzz-targets`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| serval_fuzz_targets::vector_files(bytes));
