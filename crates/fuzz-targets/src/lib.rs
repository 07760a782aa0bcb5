//! What is done with the bytes that a fuzzer makes up: one function for each target of `fuzz/`.
//!
//! A function panics when something is wrong, and only then. The fuzzer calls it with bytes of its
//! own; the test of this crate with those that are kept in `fuzz/`, so that what was reached once
//! stays reached, and what was found once stays mended.

mod archives;
mod choices;
mod damaged_indexes;
mod filters;
mod folder;
mod payloads;
mod search_case;
mod searches;
mod segment_files;
mod settings;
mod tokens;
mod vector_files;

pub use archives::archives;
pub use damaged_indexes::damaged_indexes;
pub use filters::filters;
pub use payloads::payloads;
pub use searches::searches;
pub use segment_files::segment_files;
pub use settings::settings;
pub use tokens::tokens;
pub use vector_files::vector_files;

/// A target's name and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 9] = [
    ("archives", archives),
    ("damaged_indexes", damaged_indexes),
    ("filters", filters),
    ("payloads", payloads),
    ("searches", searches),
    ("segment_files", segment_files),
    ("settings", settings),
    ("tokens", tokens),
    ("vector_files", vector_files),
];
