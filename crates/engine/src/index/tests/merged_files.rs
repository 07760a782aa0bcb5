//! What merges leave on disk.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Fixture, document, replace};

/// The segments that have files in the directory of a generation.
fn segments_on_disk(generation: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(generation).expect("the directory is there");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let ids = names.filter_map(|name| Some(name.to_str()?.split_once('.')?.0.to_owned()));
    ids.filter(|id| id.len() == 32).collect()
}

/// Waits until so many segments have files; those that are in the making count as well.
pub(super) fn wait_for(generation: &Path, n_segments: usize) {
    let started = Instant::now();
    while segments_on_disk(generation).len() != n_segments {
        let left = segments_on_disk(generation);
        assert!(started.elapsed() < Duration::from_secs(20), "{left:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// An index of one segment more than are left unmerged, whose merge is under way or done.
fn with_merge() -> Fixture {
    let fixture = Fixture::new(Some("id"));
    for number in 0..4 {
        fixture.add(&[document(number)]);
    }
    fixture
}

#[test]
fn files_of_merged_segments_go_though_nobody_searches_or_writes() {
    let fixture = with_merge();
    let generation = fixture.index.generation();
    wait_for(generation.path(), 1);
    assert_eq!(fixture.index.snapshot().documents().len(), 4);
}

#[test]
fn files_of_merged_segments_go_when_the_last_search_that_reads_them_ends() {
    let fixture = with_merge();
    let before = fixture.index.snapshot();
    let n_before = before.n_segments();
    std::thread::sleep(Duration::from_millis(300));
    let held = segments_on_disk(before.generation().path()).len();
    assert!(held >= n_before, "{held} of {n_before} segments are left");
    assert_eq!(before.documents().len(), 4);
    let generation = fixture.index.generation();
    drop(before);
    wait_for(generation.path(), 1);
}

#[test]
fn copies_hold_no_files_of_segments_that_were_merged() {
    let fixture = with_merge();
    // As a search would that has not ended.
    let before = fixture.index.snapshot();
    let copied = fixture.index.with_settled_files(|files| {
        let stems = files.iter().filter_map(|file| file.file_stem()?.to_str());
        let ids = stems.filter(|stem| stem.len() == 32);
        Ok(ids.map(str::to_owned).collect::<BTreeSet<String>>().len())
    });
    assert_eq!(copied.expect("the files"), 1);
    assert_eq!(before.documents().len(), 4);
}

/// Adds so many large batches; to the first ones it is said that others follow.
pub(super) fn add_large(fixture: &Fixture, n_batches: u32, n_followed: u32) {
    const SIZE: u32 = 4_100;
    for batch in 0..n_batches {
        if batch < n_followed {
            fixture.index.expect_more(fixture.next_batch.get());
        }
        let ids = batch * SIZE..(batch + 1) * SIZE;
        let documents: Vec<_> = ids.map(|id| json!({"id": id})).collect();
        fixture.apply(json!([replace(&documents)]));
    }
}

#[test]
fn merges_of_large_segments_are_left_to_the_batches_that_follow() {
    let fixture = Fixture::new(Some("id"));
    add_large(&fixture, 6, 6);
    fixture.index.wait_for_merges().expect("merged");
    assert_eq!(fixture.index.snapshot().n_segments(), 6);
    fixture.add(&[document(0)]);
    fixture.index.wait_for_merges().expect("merged");
    assert_eq!(fixture.index.snapshot().n_segments(), 2);
    assert_eq!(fixture.index.snapshot().documents().len(), 6 * 4_100);
}

#[test]
fn eight_large_segments_are_merged_whatever_follows() {
    let fixture = Fixture::new(Some("id"));
    add_large(&fixture, 8, 8);
    fixture.index.wait_for_merges().expect("merged");
    assert_eq!(fixture.index.snapshot().n_segments(), 1);
}
