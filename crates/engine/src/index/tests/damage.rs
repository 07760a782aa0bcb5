//! Damaged files: every one is named by a check, and none does more than refuse an answer.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::super::{Index, IndexError, check_index};
use super::{Fixture, document, evaluate, settings, small};
use crate::fetch::{DocumentOptions, document as document_of};
use crate::request::{SearchRequest, SearchSource};
use crate::search::{IndexView, QueryConfigs, search};
use crate::storage::sealed::{seal, unseal};

/// An index with a file of every kind.
fn full() -> Fixture {
    let fixture = Fixture::new(Some("id"));
    fixture.apply(json!([settings(json!({
        "filterableAttributes": ["tag", "_geo"],
        "sortableAttributes": ["tag"],
        "embedders": {"own": {"source": "userProvided", "dimensions": 3}},
    }))]));
    fixture.add(&(0..300).map(document).collect::<Vec<_>>());
    fixture.apply(json!([{"type": "documentDeletion", "ids": ["3", "77"]}]));
    fixture.index.wait_for_merges().expect("merges succeed");
    fixture
}

/// Closes the index; its folder lives on.
fn closed(fixture: Fixture) -> (tempfile::TempDir, PathBuf) {
    let path = fixture.path();
    let Fixture {
        index, directory, ..
    } = fixture;
    drop(index);
    (directory, path)
}

/// The files that make the index up.
fn files_below(path: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path).expect("listed") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if !name.starts_with('.') {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The files that make the index up, with their bytes.
fn contents(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = files_below(path).into_iter();
    files
        .map(|file| (file.clone(), fs::read(&file).expect("read")))
        .collect()
}

/// Makes the index what it was.
fn restore(path: &Path, contents: &[(PathBuf, Vec<u8>)]) {
    fs::remove_dir_all(path).expect("removed");
    for (file, bytes) in contents {
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::write(file, bytes).expect("written");
    }
}

fn kind(path: &Path) -> String {
    let ending = path
        .extension()
        .unwrap_or(path.file_name().expect("a name"));
    ending.to_string_lossy().into_owned()
}

#[test]
fn an_intact_index_has_no_damage_whether_it_is_open_or_not() {
    let fixture = full();
    let open = fixture.index.check().expect("checked");
    let (_folder, path) = closed(fixture);
    let check = check_index(&path);
    assert_eq!(check.damaged, []);
    assert_eq!(open, check);
    let kinds: std::collections::BTreeSet<String> =
        files_below(&path).iter().map(|file| kind(file)).collect();
    let expected = [
        "CURRENT",
        "attr",
        "del",
        "doc",
        "fast",
        "fieldnorm",
        "fwd",
        "idx",
        "json",
        "pos",
        "statuses",
        "store",
        "term",
        "vectors",
        "zdict",
    ];
    assert_eq!(kinds.iter().collect::<Vec<_>>(), expected);
    assert_eq!(check.files as usize, files_below(&path).len());
}

#[test]
fn a_check_names_the_file_in_which_a_byte_was_changed() {
    let (_folder, path) = closed(full());
    for file in files_below(&path) {
        let bytes = fs::read(&file).expect("read");
        for place in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[place] ^= 0x10;
            fs::write(&file, &changed).expect("written");
            let found = check_index(&path).damaged;
            let names: Vec<&Path> = found.iter().map(|damaged| damaged.path.as_path()).collect();
            assert_eq!(names, [file.as_path()], "byte {place}");
        }
        fs::remove_file(&file).expect("removed");
        assert_eq!(
            check_index(&path).damaged.len(),
            1,
            "{} is gone",
            file.display()
        );
        fs::write(&file, &bytes).expect("written");
    }
    assert_eq!(check_index(&path).damaged, []);
}

#[test]
fn an_index_of_another_version_is_refused_and_stays_as_it_is() {
    let (_folder, path) = closed(full());
    let meta = path.join("000001/meta.json");
    let current = unseal(fs::read(&meta).expect("read")).expect("sealed");
    let text = String::from_utf8(current).expect("text");
    let other = text.replace(r#"\"formatVersion\":2"#, r#"\"formatVersion\":1"#);
    assert_ne!(text, other);
    fs::write(&meta, seal(other.as_bytes())).expect("written");
    let files = files_below(&path);
    let error = Index::open(&path, small()).err().expect("an error");
    assert!(
        matches!(
            error,
            IndexError::Version {
                found: 1,
                expected: 2
            }
        ),
        "{error}"
    );
    assert_eq!(files_below(&path), files);
}

/// Opens a damaged index and uses it in every way; what fails must do so by an error, or by a panic
/// that the caller can catch.
fn use_damaged(path: &Path) -> Result<(), String> {
    let used = catch_unwind(AssertUnwindSafe(|| {
        let index = Index::open(path, small()).map_err(|error| {
            assert_eq!(error.code(), "invalid_store_file", "{error}");
            error.to_string()
        })?;
        let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
        for request in [
            json!({"q": "words title", "facets": ["tag"], "sort": ["tag:asc"], "limit": 500}),
            json!({"q": "titl 2", "filter": "tag > 1 AND _geoRadius(10, 10, 900000)"}),
            json!({"vector": [1, 2, 3], "hybrid": {"embedder": "own"}, "limit": 20}),
        ] {
            let request: SearchRequest = serde_json::from_value(request).expect("a request");
            let _ = search(&view, &request);
        }
        let batch = json!({"batchUid": 9, "operations": [
            {"taskUid": 1, "type": "documentDeletion", "ids": ["5", "250"]},
            {"taskUid": 2, "type": "documentAdditionOrUpdate", "method": "replace",
             "primaryKey": null, "payload": {"inline": document(12).to_string()},
             "skipCreation": false},
        ]});
        let batch = serde_json::from_value(batch).expect("a batch");
        let applied = index.apply_batch(&batch, &evaluate);
        let _ = index.compact();
        applied.map(drop).map_err(|error| error.to_string())
    }));
    used.unwrap_or_else(|_| Err("a panic".to_owned()))
}

#[test]
fn a_damaged_file_of_any_kind_costs_answers_and_nothing_else() {
    let (_folder, path) = closed(full());
    let originals = contents(&path);
    let restore = || restore(&path, &originals);
    for (file, bytes) in &originals {
        let truncated = bytes[..bytes.len() / 2].to_vec();
        let mut ones = bytes.clone();
        let middle = ones.len() / 2;
        let end = ones.len().min(middle + 16);
        ones[middle..end].fill(0xff);
        for damaged in [Vec::new(), truncated, ones] {
            fs::write(file, damaged).expect("written");
            let _ = use_damaged(&path);
            restore();
        }
        fs::remove_file(file).expect("removed");
        let _ = use_damaged(&path);
        restore();
    }
    assert_eq!(use_damaged(&path), Ok(()));
}

/// tantivy looks deleted documents up in every segment, on a thread whose panics end the process.
#[test]
fn a_deletion_that_meets_damage_in_another_segment_fails_alone() {
    let fixture = full();
    fixture.add(&(300..600).map(document).collect::<Vec<_>>());
    let (_folder, path) = closed(fixture);
    let originals = contents(&path);
    let is_looked_up = |file: &Path| ["term", "idx", "del", "fast"].contains(&kind(file).as_str());
    for (file, bytes) in originals.iter().filter(|(file, _)| is_looked_up(file)) {
        let n_places = 12;
        for place in 0..n_places {
            let mut changed = bytes.clone();
            let at = place * bytes.len() / n_places;
            let end = changed.len().min(at + 1 + bytes.len() / n_places);
            changed[at..end].fill(0xff);
            fs::write(file, &changed).expect("written");
            let _ = delete_some(&path);
            restore(&path, &originals);
        }
    }
    assert_eq!(delete_some(&path), Ok(()));
}

fn delete_some(path: &Path) -> Result<(), String> {
    let deleted = catch_unwind(AssertUnwindSafe(|| {
        let index = Index::open(path, small()).map_err(|error| error.to_string())?;
        let batch = json!({"batchUid": 9, "operations": [
            {"taskUid": 1, "type": "documentDeletion", "ids": ["7", "90", "310", "555"]},
        ]});
        let batch = serde_json::from_value(batch).expect("a batch");
        let applied = index.apply_batch(&batch, &evaluate);
        applied.map(drop).map_err(|error| error.to_string())
    }));
    deleted.unwrap_or_else(|_| Err("a panic".to_owned()))
}

/// Sets of documents reserve memory up to the largest number of a document.
#[test]
fn an_index_whose_numbers_of_documents_are_damaged_is_not_opened() {
    let (_folder, path) = closed(full());
    for (file, bytes) in contents(&path) {
        if kind(&file) != "fast" {
            continue;
        }
        for place in [0, bytes.len() / 3, bytes.len() / 2] {
            let mut changed = bytes.clone();
            changed[place] ^= 0x40;
            fs::write(&file, &changed).expect("written");
            let error = Index::open(&path, small()).err().expect("refused");
            assert_eq!(error.code(), "invalid_store_file", "{error}");
        }
        fs::write(&file, &bytes).expect("written");
    }
}

#[test]
fn an_index_is_refused_for_its_damage_whichever_byte_of_a_dictionary_was_changed() {
    let (_folder, path) = closed(full());
    let mut n_refused = 0;
    for (file, bytes) in contents(&path) {
        if kind(&file) != "term" {
            continue;
        }
        for place in (0..bytes.len())
            .step_by(11)
            .chain(bytes.len() - 60..bytes.len())
        {
            let mut changed = bytes.clone();
            changed[place] ^= 0x55;
            fs::write(&file, &changed).expect("written");
            let opened = catch_unwind(AssertUnwindSafe(|| Index::open(&path, small())));
            if let Ok(Err(error)) = opened {
                assert_eq!(error.code(), "invalid_store_file", "byte {place}: {error}");
                n_refused += 1;
            }
        }
        fs::write(&file, &bytes).expect("written");
    }
    assert!(n_refused > 0);
}

/// A document whose id cannot be read is not one that is missing: an update would add a second one,
/// and who asks for it would be told that it is gone.
#[test]
fn a_document_that_cannot_be_looked_up_is_an_error_and_not_missing() {
    let fixture = Fixture::new(Some("id"));
    fixture.add(&(0..30).map(document).collect::<Vec<_>>());
    let (_folder, path) = closed(fixture);
    let originals = contents(&path);
    let is_postings = |file: &Path| kind(file) == "idx";
    let mut n_refused = 0;
    for (file, bytes) in originals.iter().filter(|(file, _)| is_postings(file)) {
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 0x40;
            fs::write(file, &changed).expect("written");
            n_refused += u32::from(is_look_up_refused(&path));
            restore(&path, &originals);
        }
    }
    assert!(n_refused > 0);
}

/// Whether the look-up of a stored document fails; by an error, or a panic that is caught.
fn is_look_up_refused(path: &Path) -> bool {
    let looked_up = catch_unwind(AssertUnwindSafe(|| {
        let index = Index::open(path, small()).ok()?;
        let found = index.snapshot().find("5");
        Some((index, found))
    }));
    let Ok(Some((index, found))) = looked_up else {
        return false;
    };
    let error = match found {
        Ok(found) => {
            assert!(found.is_some(), "the document is there");
            return false;
        }
        Err(error) => IndexError::from(error),
    };
    assert_eq!(error.code(), "invalid_store_file", "{error}");
    let fetched = document_of(&index.snapshot(), "5", &DocumentOptions::default());
    assert_eq!(fetched.expect_err("refused").code, "invalid_store_file");
    let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
    assert_eq!(
        SearchSource::find(&view, "5").expect_err("refused").code,
        "invalid_store_file"
    );
    let batch = json!({"batchUid": 9, "operations": [
        {"taskUid": 1, "type": "documentAdditionOrUpdate", "method": "replace",
         "primaryKey": null, "payload": {"inline": document(5).to_string()},
         "skipCreation": false},
    ]});
    let batch = serde_json::from_value(batch).expect("a batch");
    let error = index.apply_batch(&batch, &evaluate).expect_err("refused");
    assert_eq!(error.code(), "invalid_store_file", "{error}");
    assert_eq!(index.snapshot().documents().len(), 30);
    true
}
