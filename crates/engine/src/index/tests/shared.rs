//! What many indexes share: writers that stay open, and the memory of their searches.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::merged_files::{add_large, wait_for};
use super::{Fixture, replace, small};
use crate::index::{Index, Shared};
use crate::search::{IndexView, QueryConfigs, search_remembering};

fn fixtures(n: usize, shared: &Shared) -> Vec<Fixture> {
    let create = |_| {
        let directory = TempDir::new().expect("a temporary directory");
        let path = directory.path().join("index");
        let index = Index::create_among(shared, &path, Some("id"), small()).expect("a new index");
        Fixture {
            index,
            directory,
            next_batch: std::cell::Cell::new(1),
        }
    };
    (0..n).map(create).collect()
}

fn is_writer_open(fixture: &Fixture) -> bool {
    fixture.index.lock_writer().is_some()
}

#[test]
fn the_writers_that_were_used_last_stay_open() {
    let fixtures = fixtures(12, &Shared::default());
    for fixture in &fixtures {
        fixture.add(&[json!({"id": 1})]);
    }
    let open: Vec<bool> = fixtures.iter().map(is_writer_open).collect();
    assert_eq!(open, [[false; 4], [true; 4], [true; 4]].concat());
    for fixture in &fixtures[..2] {
        fixture.add(&[json!({"id": 2})]);
        assert_eq!(fixture.documents().len(), 2);
    }
    let open: Vec<bool> = fixtures.iter().map(is_writer_open).collect();
    let expected = [vec![true; 2], vec![false; 4], vec![true; 6]].concat();
    assert_eq!(open, expected);
}

#[test]
fn a_writer_is_not_closed_while_its_segments_are_merged() {
    let fixtures = fixtures(9, &Shared::default());
    for id in 0..40 {
        fixtures[0].add(&[json!({"id": id, "text": format!("word{id}")})]);
    }
    for fixture in &fixtures[1..] {
        fixture.add(&[json!({"id": 1})]);
    }
    fixtures[0].index.wait_for_merges().expect("merged");
    assert!(fixtures[0].index.snapshot().n_segments() < 4);
    assert_eq!(fixtures[0].documents().len(), 40);
}

#[test]
fn merges_that_were_left_to_a_batch_that_never_came_begin_when_the_writer_is_to_be_closed() {
    let fixtures = fixtures(9, &Shared::default());
    add_large(&fixtures[0], 5, 5);
    assert_eq!(fixtures[0].index.snapshot().n_segments(), 5);
    for fixture in &fixtures[1..] {
        fixture.add(&[json!({"id": 1})]);
    }
    assert!(is_writer_open(&fixtures[0]));
    wait_for(fixtures[0].index.generation().path(), 1);
    fixtures[1].add(&[json!({"id": 2})]);
    assert!(!is_writer_open(&fixtures[0]));
    assert_eq!(fixtures[0].index.snapshot().n_segments(), 1);
}

fn ask(fixture: &Fixture, query: &str) {
    let view = IndexView::new(fixture.index.snapshot(), &QueryConfigs::default());
    let text = json!({"q": query}).to_string();
    let request = serde_json::from_str(&text).expect("a request");
    search_remembering(&view, "films", (&text, &request), None).expect("an answer");
}

#[test]
fn the_searches_of_all_indexes_remember_within_one_bound() {
    const TOGETHER: usize = 64 << 10;
    let shared = Shared::new(TOGETHER);
    let fixtures = fixtures(5, &shared);
    let words = |id: u32| format!("common{} words of text {} and more", id % 3, id % 50);
    let documents: Vec<Value> = (0..300)
        .map(|id| json!({"id": id, "text": words(id)}))
        .collect();
    for fixture in &fixtures {
        fixture.apply(json!([replace(&documents)]));
    }
    for round in 0..200 {
        let fixture = &fixtures[round % fixtures.len()];
        ask(fixture, &format!("common{} {}", round % 3, round % 50));
        assert!(shared.remembered_bytes() <= TOGETHER);
    }
    assert!(shared.remembered_bytes() > TOGETHER / 2);
    drop(fixtures);
    assert_eq!(shared.remembered_bytes(), 0);
}
