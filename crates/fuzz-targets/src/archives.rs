//! Archives of any bytes are refused or extracted below their folder, and nowhere else.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serval_archive::{Cancel, ExtractOptions, extract};

use crate::folder::temporary_folder;

/// Extracts an archive, its checksums made right.
pub fn archives(bytes: &[u8]) {
    let folder = temporary_folder();
    let (archive, target) = (folder.path().join("archive"), folder.path().join("target"));
    std::fs::create_dir(&target).expect("a folder");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::none());
    gzip.write_all(&with_checksums(bytes)).expect("written");
    std::fs::write(&archive, gzip.finish().expect("written")).expect("written");
    let options = ExtractOptions {
        max_bytes: 1 << 20,
        max_entries: 100,
        durable: false,
    };
    let _ = extract(&archive, &target, options, &Cancel::default());
    let names = std::fs::read_dir(folder.path()).expect("listed");
    assert_eq!(names.count(), 2, "something lies beside the folder");
}

/// The blocks of an archive whose headers have the checksums that belong to them.
fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut blocks = bytes.to_vec();
    blocks.resize(bytes.len().next_multiple_of(512) + 1024, 0);
    for block in blocks.chunks_exact_mut(512) {
        if !block[257..].starts_with(b"ustar") {
            continue;
        }
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    blocks
}
