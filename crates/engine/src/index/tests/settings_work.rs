//! How much a change of settings rewrites.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::attributes::check_attributes;
use super::merged_files::wait_for;
use super::stopped_batches::stopped_when;
use super::words::documents;
use super::{Fixture, is_success, settings, update};
use crate::docset::DocSet;
use crate::index::{BatchStep, IndexError};
use crate::settings::IndexSettings;

fn generation(fixture: &Fixture) -> PathBuf {
    fixture.index.snapshot().generation().path().to_owned()
}

/// Content of all files of the segments, without their columns.
fn unchanging_files(fixture: &Fixture) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(generation(fixture)).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .filter_map(|path| {
            let ending = path.extension()?.to_str()?;
            let stays = ["term", "idx", "pos", "fast", "store", "fwd", "del"].contains(&ending);
            let name = path.file_name()?.to_str()?.to_owned();
            stays.then(|| (name, fs::read(&path).expect("a file")))
        })
        .collect()
}

fn film(id: u32) -> Value {
    json!({"id": id, "title": format!("film {id} of many words"), "year": 1900 + id % 100,
        "tags": ["a", {"deep": id % 3}], "_geo": {"lat": 1.5, "lng": f64::from(id % 90)}})
}

fn films(n: u32) -> Fixture {
    let fixture = Fixture::new(Some("id"));
    let documents: Vec<Value> = (0..n).map(film).collect();
    fixture.add(&documents[..n as usize / 2]);
    fixture.add(&documents[n as usize / 3..]);
    // So few dead documents that no later commit has a reason to merge.
    fixture.index.compact().expect("the merge succeeds");
    fixture.apply(json!([{"type": "documentDeletion", "ids": ["3", "17"]}]));
    // The files that were merged go on a thread of their own.
    wait_for(&generation(&fixture), 1);
    fixture
}

fn check_years(fixture: &Fixture) {
    let snapshot = fixture.index.snapshot();
    let field = snapshot.field_id("year").expect("a field that was seen");
    let years = snapshot.attribute(field).expect("a column");
    for year in 1900..1960 {
        let documents = fixture.documents();
        let of_year = documents.iter().filter(|(_, film)| film["year"] == year);
        let expected: DocSet = of_year.map(|(id, _)| *id).collect();
        assert_eq!(years.equal_number(f64::from(year)), expected);
    }
}

#[test]
fn settings_of_queries_and_answers_touch_no_document() {
    let fixture = films(60);
    let first =
        json!({"searchableAttributes": ["title", "year"], "filterableAttributes": ["year"]});
    fixture.apply(json!([settings(first)]));
    let (before, files) = (generation(&fixture), unchanging_files(&fixture));
    for change in [
        json!({"searchableAttributes": ["year", "title"]}),
        json!({"rankingRules": ["words", "exactness", "year:asc"]}),
        json!({"synonyms": {"film": ["movie"]}}),
        json!({"typoTolerance": {"disableOnWords": ["film"], "minWordSizeForTypos": {"oneTypo": 4}}}),
        json!({"pagination": {"maxTotalHits": 7}}),
        json!({"faceting": {"maxValuesPerFacet": 3}}),
        json!({"displayedAttributes": ["title"]}),
        json!({"distinctAttribute": "year"}),
        json!({"sortableAttributes": ["year"]}),
        json!({"proximityPrecision": "byAttribute"}),
        json!({"searchCutoffMs": 10, "facetSearch": false, "prefixSearch": "disabled"}),
        json!({"filterableAttributes": []}),
    ] {
        let results = fixture.apply(json!([settings(change.clone())]));
        assert!(is_success(&results[0]), "{change}: {results:?}");
        let steps: Vec<_> = fixture.index.batch_trace();
        let reads = steps
            .iter()
            .any(|(step, _)| *step == BatchStep::ExtractingDocuments);
        assert!(!reads, "{change}: {steps:?}");
        assert_eq!(generation(&fixture), before, "{change}");
        assert_eq!(unchanging_files(&fixture), files, "{change}");
    }
}

#[test]
fn new_columns_leave_words_and_documents_as_they_are() {
    let fixture = films(60);
    let (before, files) = (generation(&fixture), unchanging_files(&fixture));
    let documents = fixture.documents();
    for change in [
        json!({"filterableAttributes": ["year", "_geo"]}),
        json!({"sortableAttributes": ["tags.deep"]}),
        json!({"distinctAttribute": "title"}),
        json!({"rankingRules": ["words", "id:desc"]}),
    ] {
        let generation_before = generation(&fixture);
        let results = fixture.apply(json!([settings(change.clone())]));
        assert!(is_success(&results[0]), "{results:?}");
        assert_ne!(generation(&fixture), generation_before, "{change}");
        assert_eq!(unchanging_files(&fixture), files, "{change}");
        assert_eq!(fixture.documents(), documents);
        check_years(&fixture);
    }
    assert!(!before.exists());
    let fixture = fixture.reopened();
    assert_eq!(fixture.documents(), documents);
    check_years(&fixture);
}

#[test]
fn columns_of_coordinates_made_late_are_not_those_of_a_name_that_comes_later() {
    let fixture = films(60);
    let change = json!({"filterableAttributes": ["_geo", "late"]});
    fixture.apply(json!([settings(change)]));
    let check = |fixture: &Fixture, n_late: usize| {
        let snapshot = fixture.index.snapshot();
        let column = |name: &str| {
            let field = snapshot.field_id(name).expect("a field that was seen");
            snapshot.attribute(field).expect("a column")
        };
        assert_eq!(column("_geo.lat").exists(), *snapshot.documents());
        assert_eq!(column("_geo.lng").equal_number(5.0).len(), 1);
        if n_late > 0 {
            assert_eq!(column("late").exists().len(), n_late);
        }
    };
    check(&fixture, 0);
    fixture.apply(json!([update(&[json!({"id": 1, "late": 7})])]));
    check(&fixture, 1);
    check(&fixture.reopened(), 1);
}

#[test]
fn columns_that_cannot_be_made_leave_everything_as_it_was() {
    let fixture = films(20);
    fixture.add(&[json!({"id": 99, "title": "nowhere", "_geo": {"lat": "north", "lng": 1}})]);
    let (before, documents) = (generation(&fixture), fixture.documents());
    let settings_before: IndexSettings = fixture.index.snapshot().settings().clone();
    let results = fixture.apply(json!([settings(
        json!({"filterableAttributes": ["_geo", "year"]})
    )]));
    assert!(!is_success(&results[0]), "{results:?}");
    assert_eq!(generation(&fixture), before);
    assert_eq!(*fixture.index.snapshot().settings(), settings_before);
    assert_eq!(fixture.documents(), documents);
    let generations = fs::read_dir(fixture.path()).expect("a folder");
    let folders =
        generations.filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().is_dir()));
    assert_eq!(folders.count(), 1);
}

#[test]
fn a_change_of_columns_stopped_on_the_way_leaves_everything_as_it_was() {
    let fixture = films(3_000);
    let (before, documents) = (generation(&fixture), fixture.documents());
    let change = settings(json!({"filterableAttributes": ["year"]}));
    let is_time = |step, finished| step == BatchStep::ExtractingDocuments && finished > 10;
    let stopped = stopped_when(&fixture, json!([change]), is_time);
    assert!(matches!(stopped, Err(IndexError::Aborted)), "{stopped:?}");
    assert_eq!(generation(&fixture), before);
    assert!(
        fixture
            .index
            .snapshot()
            .settings()
            .filterable_attributes
            .is_empty()
    );
    let fixture = fixture.reopened();
    assert_eq!(fixture.documents(), documents);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Columns made late equal a naive evaluation with deletions, replacements and merges before
    /// and after, and through a reopening.
    #[test]
    fn late_columns_answer_like_a_naive_evaluation(
        batches in proptest::collection::vec(documents(), 1..4),
        deleted in proptest::collection::vec(0_u32..20, 0..4),
        later in documents(),
    ) {
        let fixture = Fixture::new(Some("id"));
        for documents in &batches {
            fixture.add(documents);
        }
        let deleted: Vec<String> = deleted.iter().map(u32::to_string).collect();
        fixture.apply(json!([{"type": "documentDeletion", "ids": deleted}]));
        let all = json!({"filterableAttributes": [{"attributePatterns": ["*"]}]});
        fixture.apply(json!([settings(all)]));
        check_attributes(&fixture.index.snapshot())?;
        fixture.add(&later);
        check_attributes(&fixture.index.snapshot())?;
        fixture.index.compact().expect("the merge succeeds");
        check_attributes(&fixture.index.snapshot())?;
        check_attributes(&fixture.reopened().index.snapshot())?;
    }
}
