//! Writing and reading whole archives.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use serval_archive::{
    ArchiveWriter, Cancel, ExtractError, ExtractOptions, Extracted, extract, remove_abandoned,
};

const LIMITS: ExtractOptions = ExtractOptions {
    max_bytes: 1 << 24,
    max_entries: 100,
    durable: false,
};

fn write(target: &Path, entries: &BTreeMap<String, Vec<u8>>) -> u64 {
    let mut archive = ArchiveWriter::create(target, Cancel::default()).expect("created");
    for (path, content) in entries {
        archive.add_bytes(path, content).expect("added");
    }
    archive.finish(false).expect("finished")
}

fn files_under(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(at).expect("listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("inside").to_owned();
                let name = name.to_str().expect("UTF-8").to_owned();
                found.insert(name, fs::read(path).expect("read"));
            }
        }
    }
    found
}

fn extracted(
    archive: &Path,
    limits: ExtractOptions,
) -> (tempfile::TempDir, Result<Extracted, ExtractError>) {
    let folder = tempfile::tempdir().expect("a folder");
    let result = extract(archive, folder.path(), limits, &Cancel::default());
    (folder, result)
}

fn sample() -> BTreeMap<String, Vec<u8>> {
    BTreeMap::from([
        ("metadata.json".to_owned(), b"{}".to_vec()),
        ("empty".to_owned(), Vec::new()),
        (
            format!("indexes/{}/documents.jsonl", "u".repeat(200)),
            vec![b'x'; 70_000],
        ),
        ("exactly/one/block".to_owned(), vec![1; 512]),
    ])
}

/// The bytes of an archive of one entry, its header changed by `change`.
fn forged(change: impl FnOnce(&mut [u8])) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.dump");
    write(
        &path,
        &BTreeMap::from([("name".to_owned(), b"content".to_vec())]),
    );
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(&path).expect("open"))
        .read_to_end(&mut bytes)
        .expect("read");
    change(&mut bytes[..512]);
    let spaces_sum: u64 = (0..512)
        .map(|at| {
            if (148..156).contains(&at) {
                32
            } else {
                u64::from(bytes[at])
            }
        })
        .sum();
    bytes[148..156].copy_from_slice(format!("{spaces_sum:06o}\0 ").as_bytes());
    let mut out = GzEncoder::new(File::create(&path).expect("made"), Compression::fast());
    out.write_all(&bytes).expect("written");
    out.finish().expect("finished");
    (folder, path)
}

#[test]
fn what_was_archived_is_extracted_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new/folder/a.dump");
    let size = write(&path, &sample());
    assert_eq!(size, fs::metadata(&path).expect("there").len());
    let (out, result) = extracted(&path, LIMITS);
    assert_eq!(result.expect("extracted").n_files, 4);
    assert_eq!(files_under(out.path()), sample());
}

#[test]
fn nothing_but_the_whole_archive_ever_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.dump");
    let mut archive = ArchiveWriter::create(&path, Cancel::default()).expect("created");
    archive.add_bytes("a", b"b").expect("added");
    assert!(!path.exists());
    drop(archive);
    assert!(files_under(folder.path()).is_empty());
}

#[test]
fn a_canceled_archive_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let cancel = Cancel::default();
    let mut archive =
        ArchiveWriter::create(&folder.path().join("a"), cancel.clone()).expect("created");
    cancel.cancel();
    assert!(archive.add_bytes("a", b"b").is_err());
    assert!(archive.finish(false).is_err());
    assert!(files_under(folder.path()).is_empty());
}

#[test]
fn only_abandoned_parts_are_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(".old.dump.77.part"), "x").expect("written");
    fs::write(folder.path().join("notes.part"), "x").expect("written");
    let running = ArchiveWriter::create(&folder.path().join("new.dump"), Cancel::default());
    remove_abandoned(folder.path()).expect("listed");
    let left: Vec<String> = files_under(folder.path()).into_keys().collect();
    let ours = format!(".new.dump.{}.part", std::process::id());
    assert_eq!(left, [ours, "notes.part".to_owned()]);
    drop(running);
    remove_abandoned(&folder.path().join("missing")).expect("a missing folder is fine");
}

#[test]
fn an_entry_that_changes_between_measuring_and_writing_fails_the_archive() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let mut archive = ArchiveWriter::create(&path, Cancel::default()).expect("created");
    let mut call = 0;
    let result = archive.add_measured("a", &mut |out| {
        call += 1;
        out.write_all(&vec![0; call])
    });
    assert!(result.is_err());
}

#[cfg(unix)]
#[test]
fn a_read_only_archive_replaces_an_older_one() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.snapshot");
    for _ in 0..2 {
        let archive = ArchiveWriter::create(&path, Cancel::default()).expect("created");
        archive.finish(true).expect("finished");
    }
    let mode = fs::metadata(&path).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o444);
}

#[test]
fn a_truncated_archive_is_called_damaged_wherever_it_is_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.dump");
    write(&path, &sample());
    // Of one archive: another may have another length, as the time in its headers differs.
    let whole = fs::read(&path).expect("read");
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).expect("cut");
        let (_out, result) = extracted(&path, LIMITS);
        assert!(matches!(result, Err(ExtractError::Damaged(_))), "{length}");
    }
}

#[test]
fn entries_that_lead_out_of_the_folder_are_refused() {
    for name in ["../evil", "/tmp/evil", "a/../../evil"] {
        let (folder, path) = forged(|header| {
            header[..100].fill(0);
            header[..name.len()].copy_from_slice(name.as_bytes());
        });
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("made");
        let result = extract(&path, &inner, LIMITS, &Cancel::default());
        assert!(
            matches!(result, Err(ExtractError::Refused { .. })),
            "{name}"
        );
        assert!(!folder.path().join("evil").exists());
    }
}

#[test]
fn links_and_devices_are_refused() {
    for kind in [b'1', b'2', b'3', b'4', b'6', b'S'] {
        let (_folder, path) = forged(|header| {
            header[156] = kind;
            header[157..163].copy_from_slice(b"../etc");
        });
        let (out, result) = extracted(&path, LIMITS);
        assert!(matches!(result, Err(ExtractError::Refused { .. })));
        assert!(files_under(out.path()).is_empty());
    }
}

#[test]
fn entries_of_absurd_size_are_refused_before_anything_is_written() {
    for size in ["77777777777\0", "00400000000\0"] {
        let (_folder, path) = forged(|header| header[124..136].copy_from_slice(size.as_bytes()));
        let (out, result) = extracted(&path, LIMITS);
        assert!(matches!(result, Err(ExtractError::TooLarge(_))));
        assert!(files_under(out.path()).is_empty());
    }
    let (_folder, path) = forged(|header| header[124..136].fill(0xff));
    assert!(matches!(
        extracted(&path, LIMITS).1,
        Err(ExtractError::Damaged(_))
    ));
    let (_folder, path) = forged(|header| {
        header[156] = b'L';
        header[124..136].copy_from_slice(b"77777777777\0");
    });
    assert!(matches!(
        extracted(&path, LIMITS).1,
        Err(ExtractError::Damaged(_))
    ));
}

#[test]
fn limits_count_all_entries_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.dump");
    write(&path, &sample());
    for limits in [
        ExtractOptions {
            max_bytes: 70_512,
            ..LIMITS
        },
        ExtractOptions {
            max_entries: 3,
            ..LIMITS
        },
    ] {
        let (_out, result) = extracted(&path, limits);
        assert!(matches!(result, Err(ExtractError::TooLarge(_))));
    }
}

#[test]
fn two_entries_of_one_path_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.dump");
    let mut archive = ArchiveWriter::create(&path, Cancel::default()).expect("created");
    archive.add_bytes("a", b"1").expect("added");
    archive.add_bytes("./a", b"2").expect("added");
    archive.finish(false).expect("finished");
    let refused = extracted(&path, LIMITS).1.expect_err("refused");
    assert!(
        refused
            .to_string()
            .contains("in the place of another entry")
    );
}

#[test]
fn archives_of_the_usual_program_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("in");
    for (path, content) in sample() {
        let path = inside.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, content).expect("written");
    }
    for format in ["gnu", "posix", "ustar"] {
        let path = folder.path().join(format);
        let made = std::process::Command::new("tar")
            .args(["--format", format, "-czf"])
            .arg(&path)
            .arg("-C")
            .arg(&inside)
            .arg(".")
            .status();
        // Not every machine that runs this has the program, nor every program every form.
        if !made.is_ok_and(|status| status.success()) {
            continue;
        }
        let (out, result) = extracted(&path, LIMITS);
        result.expect("extracted");
        assert_eq!(files_under(out.path()), sample(), "{format}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_mutated_archive_never_panics_nor_writes_outside_nor_past_its_limits(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
        inside in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.dump");
        write(&path, &sample());
        let mut bytes = fs::read(&path).expect("read");
        if inside {
            let mut plain = Vec::new();
            GzDecoder::new(&bytes[..]).read_to_end(&mut plain).expect("read");
            // The headers are where harm can be done.
            let places: Vec<usize> = (0..plain.len().min(2048)).chain(plain.len() - 4096..plain.len()).collect();
            for (at, value) in &flips {
                plain[*at.get(&places)] = *value;
            }
            let mut out = GzEncoder::new(Vec::new(), Compression::fast());
            out.write_all(&plain).expect("written");
            bytes = out.finish().expect("finished");
        } else {
            for (at, value) in &flips {
                let place = at.index(bytes.len());
                bytes[place] = *value;
            }
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        fs::write(&path, &bytes).expect("written");
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("made");
        let limits = ExtractOptions { max_bytes: 100_000, max_entries: 20, durable: false };
        let result = extract(&path, &inner, limits, &Cancel::default());
        let written: u64 = files_under(&inner).values().map(|bytes| bytes.len() as u64).sum();
        prop_assert!(written <= limits.max_bytes);
        let beside: Vec<_> = fs::read_dir(folder.path()).expect("listed").collect();
        prop_assert_eq!(beside.len(), 2);
        if let Ok(extracted) = result {
            prop_assert_eq!(extracted.n_bytes, written);
        }
    }
}

#[test]
fn every_level_of_compression_gives_an_archive_of_the_same_content() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = b"the same words again and again, ".repeat(4000);
    let sizes: Vec<u64> = [0, 1, 9, 99]
        .into_iter()
        .map(|level| {
            let path = folder.path().join(format!("level-{level}"));
            let archive = ArchiveWriter::with_level(&path, level, Cancel::default());
            let mut archive = archive.expect("created");
            archive.add_bytes("text", &text).expect("added");
            let size = archive.finish(false).expect("finished");
            let (into, result) = extracted(&path, LIMITS);
            result.expect("extracted");
            let found = files_under(into.path());
            assert_eq!(found.get("text"), Some(&text));
            size
        })
        .collect();
    assert!(
        sizes[0] > text.len() as u64 && sizes[1] < sizes[0] / 4,
        "{sizes:?}"
    );
    assert_eq!(sizes[2], sizes[3]);
}
