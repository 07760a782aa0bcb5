//! See `payloads` in `crates/fuzz-targets`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| serval_fuzz_targets::payloads(bytes));
