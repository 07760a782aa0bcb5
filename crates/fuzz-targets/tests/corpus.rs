//! Every target takes the bytes that are kept in `fuzz/`: seeds written by hand, what fuzzing reached,
//! and what it found.

use std::fs;
use std::path::{Path, PathBuf};

use serval_archive::{Cancel, ExtractOptions, extract};
use serval_fuzz_targets::{TARGETS, Target};

fn fuzz_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// The files of a folder, in order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder that can be listed");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    paths
}

/// Runs a target on each file; the name of a file is said before, for when it panics.
fn replay((name, run): Target, folder: &Path) -> usize {
    let paths = files(folder);
    for path in &paths {
        eprintln!("{name} takes {}", path.display());
        run(&fs::read(path).expect("a file that can be read"));
    }
    paths.len()
}

fn replay_all(name: &str) {
    let target = TARGETS.into_iter().find(|(other, _)| *other == name);
    let target = target.expect("a target of that name");
    assert!(replay(target, &fuzz_folder().join("seeds").join(name)) > 0);
    let corpus = tempfile::tempdir().expect("a folder");
    let archive = fuzz_folder().join("corpus").join(format!("{name}.tar.gz"));
    let options = ExtractOptions {
        max_bytes: 64 << 20,
        max_entries: 20_000,
        durable: false,
    };
    extract(&archive, corpus.path(), options, &Cancel::default()).expect("an intact archive");
    assert!(replay(target, corpus.path()) > 0);
}

macro_rules! replays {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            replay_all(stringify!($name));
        })*

        #[test]
        fn no_target_is_left_out() {
            let here = [$(stringify!($name)),*];
            assert_eq!(TARGETS.map(|(name, _)| name), here);
        }
    };
}

replays! {
    archives damaged_indexes filters payloads searches segment_files settings tokens vector_files
}
