//! Indexes of older formats: made anew of what they store, as they were otherwise.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::{Index, IndexError, last_commit};
use super::{Fixture, document, open, settings, small};
use crate::index::FORMAT_VERSION;
use crate::indexing::upgrade_index;
use crate::ranking::Stop;
use crate::request::SearchRequest;
use crate::search::{IndexView, QueryConfigs, search};
use crate::storage::generation::{self, META};
use crate::storage::sealed::{seal, unseal};

/// An index with deletions, a compression dictionary and vectors.
fn full() -> Fixture {
    let fixture = Fixture::new(Some("id"));
    fixture.apply(json!([settings(json!({
        "filterableAttributes": ["tag", "_geo"],
        "sortableAttributes": ["tag", "id"],
        "embedders": {"own": {"source": "userProvided", "dimensions": 3}},
    }))]));
    fixture.add(&(0..300).map(document).collect::<Vec<_>>());
    fixture.add(&[document(12), document(301)]);
    fixture.apply(json!([{"type": "documentDeletion", "ids": ["3", "77"]}]));
    fixture
}

/// Everything that somebody can see of an index.
fn view(index: &Index) -> Vec<String> {
    let snapshot = index.snapshot();
    let mut seen: Vec<String> = super::documents_of(&snapshot)
        .iter()
        .map(|(id, document)| format!("{id} {document}"))
        .collect();
    let known = IndexView::new(snapshot.clone(), &QueryConfigs::default());
    for request in [
        json!({"q": "words titel", "facets": ["tag"], "sort": ["id:asc"], "limit": 500}),
        json!({"filter": "tag > 1 AND _geoRadius(10, 10, 900000)", "limit": 500}),
        json!({"vector": [1, 2, 3], "hybrid": {"embedder": "own"}, "limit": 20,
               "retrieveVectors": true}),
    ] {
        let request: SearchRequest = serde_json::from_value(request).expect("a request");
        let answer = search(&known, &request).expect("an answer");
        let mut answer: Value = serde_json::from_slice(&answer).expect("JSON");
        let members = answer.as_object_mut().expect("an object");
        members.retain(|name, _| name != "processingTimeMs" && name != "requestUid");
        seen.push(answer.to_string());
    }
    let meta = snapshot.meta();
    seen.push(serde_json::to_string(&meta.settings).expect("JSON"));
    seen.push(serde_json::to_string(&meta.last_batch).expect("JSON"));
    seen.push(format!(
        "{} {} {:?}",
        meta.created_at, meta.updated_at, meta.field_distribution
    ));
    seen
}

fn with_format(path: &Path, version: u32) {
    let current = generation::current(path).expect("readable").expect("there");
    let file = current.join(META);
    let content = unseal(fs::read(&file).expect("read")).expect("sealed");
    let mut meta: Value = serde_json::from_slice(&content).expect("JSON");
    let mut payload: Value =
        serde_json::from_str(meta["payload"].as_str().expect("a payload")).expect("JSON");
    payload["formatVersion"] = json!(version);
    meta["payload"] = json!(payload.to_string());
    fs::write(&file, seal(meta.to_string().as_bytes())).expect("written");
}

/// Closes an index and makes it one of a format before the first: without the files of ours.
fn outdated(fixture: Fixture) -> (tempfile::TempDir, PathBuf) {
    let path = fixture.path();
    let Fixture {
        index, directory, ..
    } = fixture;
    drop(index);
    with_format(&path, FORMAT_VERSION - 1);
    let current = generation::current(&path)
        .expect("readable")
        .expect("there");
    for entry in fs::read_dir(current).expect("listed") {
        let file = entry.expect("an entry").path();
        if file
            .extension()
            .is_some_and(|ending| ending == "fwd" || ending == "attr")
        {
            fs::remove_file(file).expect("removed");
        }
    }
    (directory, path)
}

fn generations(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).expect("listed");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| generation::is_generation(path))
        .collect()
}

#[test]
fn an_index_of_an_older_format_is_after_an_upgrade_as_it_was() {
    let fixture = full();
    let before = view(&fixture.index);
    let (_folder, path) = outdated(fixture);
    assert!(last_commit(&path).expect("readable").is_outdated());
    let refused = Index::open(&path, small()).map(drop);
    assert!(
        matches!(refused, Err(IndexError::Version { .. })),
        "{refused:?}"
    );
    assert!(upgrade_index(&path, small(), &Stop::default()).expect("upgraded"));
    assert_eq!(view(&open(&path)), before);
    assert_eq!(generations(&path).len(), 1);
    assert!(!upgrade_index(&path, small(), &Stop::default()).expect("nothing to do"));
}

#[test]
fn an_upgraded_index_takes_writes() {
    let (_folder, path) = outdated(full());
    upgrade_index(&path, small(), &Stop::default()).expect("upgraded");
    let index = open(&path);
    let batch = json!({"batchUid": 9, "operations": [
        {"taskUid": 1, "type": "documentDeletion", "ids": ["5"]},
        {"taskUid": 2, "type": "documentAdditionOrUpdate", "method": "replace",
         "primaryKey": null, "payload": {"inline": document(400).to_string()},
         "skipCreation": false},
    ]});
    let batch = serde_json::from_value(batch).expect("a batch");
    let before = index.snapshot().documents().len();
    index
        .apply_batch(&batch, &super::evaluate)
        .expect("applied");
    let snapshot = index.snapshot();
    assert_eq!(snapshot.documents().len(), before);
    let found = |id: &str| snapshot.find(id).expect("read").is_some();
    assert!(found("400") && !found("5"));
}

#[test]
fn an_upgrade_that_is_stopped_at_any_question_changes_nothing_and_can_be_tried_again() {
    let fixture = full();
    let before = view(&fixture.index);
    let (_folder, path) = outdated(fixture);
    let mut n_stopped = 0;
    for n in (0..).step_by(37) {
        match upgrade_index(&path, small(), &Stop::after_questions(n)) {
            Ok(was_outdated) => {
                assert!(was_outdated);
                break;
            }
            Err(error) => assert!(matches!(error, IndexError::Aborted), "{error}"),
        }
        n_stopped += 1;
        assert!(last_commit(&path).expect("readable").is_outdated());
        assert_eq!(generations(&path).len(), 1);
    }
    assert!(n_stopped > 3, "stopped {n_stopped} times");
    assert_eq!(view(&open(&path)), before);
}

#[test]
fn what_an_upgrade_that_was_killed_left_is_not_in_the_way() {
    let fixture = full();
    let before = view(&fixture.index);
    let (_folder, path) = outdated(fixture);
    let current = generation::current(&path)
        .expect("readable")
        .expect("there");
    let begun = generation::next(&path, Some(&current));
    fs::create_dir(&begun).expect("made");
    fs::write(begun.join("documents-1.zdict"), "begun").expect("written");
    upgrade_index(&path, small(), &Stop::default()).expect("upgraded");
    assert_eq!(view(&open(&path)), before);
}

#[test]
fn an_index_of_a_newer_format_is_neither_opened_nor_upgraded() {
    let fixture = full();
    let path = fixture.path();
    let Fixture {
        index, directory, ..
    } = fixture;
    drop(index);
    with_format(&path, FORMAT_VERSION + 1);
    let opened = Index::open(&path, small()).map(drop);
    assert!(
        matches!(opened, Err(IndexError::Version { .. })),
        "{opened:?}"
    );
    let upgraded = upgrade_index(&path, small(), &Stop::default());
    assert!(
        matches!(upgraded, Err(IndexError::Version { .. })),
        "{upgraded:?}"
    );
    drop(directory);
}

#[test]
fn an_index_that_lost_stored_documents_stays_as_it_is() {
    let (_folder, path) = outdated(full());
    let current = generation::current(&path)
        .expect("readable")
        .expect("there");
    for entry in fs::read_dir(&current).expect("listed") {
        let file = entry.expect("an entry").path();
        if file.extension().is_some_and(|ending| ending == "zdict") {
            fs::remove_file(file).expect("removed");
        }
    }
    let error = upgrade_index(&path, small(), &Stop::default()).expect_err("damaged");
    assert_eq!(error.code(), "invalid_store_file", "{error}");
    assert_eq!(generations(&path), [current]);
}
