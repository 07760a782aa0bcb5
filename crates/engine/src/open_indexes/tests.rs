//! Indexes that rest answer like those that are awake; what is at work does not rest.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{OpenIndex, OpenIndexes};
use crate::batch::{Batch, OperationResult};
use crate::index::{IndexError, IndexOptions, SearchMemory, Shared};

/// Some indexes of a list in which two are awake, each with its number as the title of a document.
struct Fixture {
    open: OpenIndexes,
    indexes: Vec<Arc<OpenIndex>>,
    folder: TempDir,
}

const OPTIONS: IndexOptions = IndexOptions {
    indexing_memory_bytes: 15_000_000,
    indexing_threads: 1,
    search_memory: SearchMemory::exactly(1 << 20),
};

impl Fixture {
    fn new(n_indexes: usize) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let open = OpenIndexes::new(2);
        let shared = Shared::default();
        let create = |number: usize| {
            let path = folder.path().join(number.to_string());
            let path = path.to_str().expect("a readable path").to_owned();
            let index = open.create(path, OPTIONS, &shared).expect("an index");
            add(
                &index,
                json!({"id": 1, "title": format!("number {number}")}),
            );
            index
        };
        let indexes = (0..n_indexes).map(create).collect();
        Self {
            open,
            indexes,
            folder,
        }
    }

    fn awake(&self) -> Vec<usize> {
        let is_awake = |at: &usize| self.indexes[*at].is_awake();
        (0..self.indexes.len()).filter(is_awake).collect()
    }

    fn path(&self, number: usize) -> std::path::PathBuf {
        self.folder.path().join(number.to_string())
    }
}

fn apply(index: &OpenIndex, operation: Value) -> Result<Vec<OperationResult>, IndexError> {
    static BATCHES: AtomicU64 = AtomicU64::new(1);
    apply_as(index, BATCHES.fetch_add(1, Ordering::Relaxed), operation)
}

fn apply_as(
    index: &OpenIndex,
    uid: u64,
    mut operation: Value,
) -> Result<Vec<OperationResult>, IndexError> {
    operation["taskUid"] = json!(uid);
    let batch: Batch = serde_json::from_value(json!({"batchUid": uid, "operations": [operation]}))
        .expect("a batch");
    let awake = index.wake()?;
    awake.index.apply_batch(&batch, &|_, _| unreachable!())
}

fn addition(document: Value) -> Value {
    json!({
        "type": "documentAdditionOrUpdate", "method": "replace",
        "primaryKey": "id", "payload": {"inline": document.to_string()},
    })
}

fn add(index: &OpenIndex, document: Value) {
    apply(index, addition(document)).expect("applied");
}

/// Waits until what a commit began has ended.
fn settle(index: &OpenIndex) {
    while !index.wake().expect("awake").index.is_idle() {
        std::thread::yield_now();
    }
}

fn title(index: &OpenIndex) -> Value {
    let snapshot = index.wake().expect("awake").index.snapshot();
    let document = snapshot.find("1").expect("read").expect("a document");
    let json = snapshot.document(document).expect("a document");
    let document: Value = serde_json::from_slice(&json).expect("JSON");
    document["title"].clone()
}

#[test]
fn those_that_were_asked_last_are_awake_and_all_of_them_answer() {
    let fixture = Fixture::new(6);
    assert_eq!(fixture.awake(), [4, 5]);
    for number in [0, 3, 5, 1, 3, 2] {
        let index = &fixture.indexes[number];
        assert_eq!(title(index), json!(format!("number {number}")));
        assert!(fixture.awake().contains(&number));
        assert_eq!(fixture.awake().len(), 2);
    }
    assert_eq!(fixture.awake(), [2, 3]);
    let folder = fixture.path(0);
    let found = fixture.open.find(folder.to_str().expect("a path"));
    assert!(Arc::ptr_eq(&found.expect("known"), &fixture.indexes[0]));
}

#[test]
fn what_was_written_before_a_rest_is_there_after_it() {
    let fixture = Fixture::new(5);
    for round in 0..3 {
        for (number, index) in fixture.indexes.iter().enumerate() {
            let text = format!("round {round} of {number}");
            add(index, json!({"id": 1, "title": text}));
        }
        for (number, index) in fixture.indexes.iter().enumerate() {
            assert_eq!(title(index), json!(format!("round {round} of {number}")));
        }
    }
}

#[test]
fn an_index_that_somebody_reads_does_not_rest() {
    let fixture = Fixture::new(2);
    let held = fixture.indexes[0].wake().expect("awake");
    let snapshot = fixture.indexes[1].wake().expect("awake").index.snapshot();
    let third = fixture.path(7);
    let third = third.to_str().expect("a path").to_owned();
    let shared = Shared::default();
    let third = fixture
        .open
        .create(third, OPTIONS, &shared)
        .expect("an index");
    assert_eq!(fixture.awake(), [0, 1]);
    drop((held, snapshot));
    title(&fixture.indexes[1]);
    drop(third);
    let last = fixture.path(8);
    let last = last.to_str().expect("a path").to_owned();
    let _last = fixture
        .open
        .create(last, OPTIONS, &shared)
        .expect("an index");
    assert_eq!(fixture.awake(), [1]);
}

#[test]
fn a_batch_that_is_told_to_stop_while_its_index_rests_stops() {
    let fixture = Fixture::new(4);
    assert!(!fixture.indexes[0].is_awake());
    fixture.indexes[0].abort_batch(1 << 40);
    let refused = apply_as(
        &fixture.indexes[0],
        1 << 40,
        addition(json!({"id": 1, "title": "stopped"})),
    );
    assert!(matches!(refused, Err(IndexError::Aborted)), "{refused:?}");
    assert_eq!(title(&fixture.indexes[0]), json!("number 0"));
    add(&fixture.indexes[0], json!({"id": 1, "title": "later"}));
    assert_eq!(title(&fixture.indexes[0]), json!("later"));
}

#[test]
fn where_foreign_keys_lead_is_known_of_an_index_that_rests() {
    let fixture = Fixture::new(4);
    let keys = json!([
        {"foreignIndexUid": "people", "fieldName": "actors"},
        {"foreignIndexUid": "cities", "fieldName": "place"},
        {"foreignIndexUid": "people", "fieldName": "crew"},
    ]);
    let settings = json!({"type": "settingsUpdate", "settings": {"foreignKeys": keys}});
    apply(&fixture.indexes[1], settings).expect("applied");
    assert_eq!(fixture.indexes[1].foreign_uids(), ["cities", "people"]);
    settle(&fixture.indexes[1]);
    for other in [0, 2, 3] {
        title(&fixture.indexes[other]);
    }
    assert_eq!(fixture.indexes[1].foreign_uids(), ["cities", "people"]);
    assert!(!fixture.indexes[1].is_awake());
}

#[test]
fn what_is_counted_of_an_index_that_rests_is_known_without_opening_it() {
    let fixture = Fixture::new(4);
    add(
        &fixture.indexes[2],
        json!({"id": 2, "title": "second", "tag": 1}),
    );
    settle(&fixture.indexes[2]);
    let before = fixture.indexes[2].counts().expect("counted");
    assert_eq!((before.n_documents, before.n_embeddings), (2, 0));
    let fields = before.field_distribution.iter();
    let fields: Vec<(&str, u64)> = fields.map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(fields, [("id", 2), ("tag", 1), ("title", 2)]);
    for other in [0, 1, 3] {
        title(&fixture.indexes[other]);
    }
    assert_eq!(fixture.indexes[2].counts().expect("counted"), before);
    assert!(!fixture.indexes[2].is_awake());
    add(&fixture.indexes[2], json!({"id": 3, "title": "third"}));
    assert_eq!(fixture.indexes[2].counts().expect("counted").n_documents, 3);
}

#[test]
fn an_index_that_was_damaged_while_it_rested_says_so_and_others_go_on() {
    let fixture = Fixture::new(4);
    damage(&fixture.path(0));
    let refused = fixture.indexes[0].wake().err().map(|error| error.code());
    assert_eq!(refused, Some("invalid_store_file"));
    assert_eq!(title(&fixture.indexes[1]), json!("number 1"));
}

fn damage(index: &Path) {
    let generation = crate::storage::generation::current(index).expect("read");
    let meta = generation.expect("a generation").join("meta.json");
    std::fs::write(meta, "{").expect("written");
}

#[test]
fn many_threads_ask_many_indexes_at_once() {
    let fixture = Fixture::new(6);
    std::thread::scope(|scope| {
        for thread in 0..4_usize {
            let indexes = &fixture.indexes;
            scope.spawn(move || {
                for step in 0..60 {
                    let number = (step * 5 + thread * 7) % indexes.len();
                    if step % 9 == thread {
                        let text = format!("number {number}");
                        add(&indexes[number], json!({"id": 1, "title": text}));
                    }
                    assert_eq!(title(&indexes[number]), json!(format!("number {number}")));
                }
            });
        }
    });
    for index in &fixture.indexes {
        settle(index);
    }
    for index in &fixture.indexes {
        title(index);
    }
    assert!(fixture.awake().len() <= 2);
}
