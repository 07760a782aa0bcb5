//! An index whose own files of segments were changed is refused or used, without a panic: searched,
//! written to and merged.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::{Value, json};
use serval_engine::docset::DocSet;
use serval_engine::index::{Index, IndexOptions, SearchMemory};
use serval_engine::request::SearchRequest;
use serval_engine::search::{IndexView, QueryConfigs, search};

use crate::choices::Choices;
use crate::folder::temporary_folder;

const OPTIONS: IndexOptions = IndexOptions {
    indexing_memory_bytes: 15_000_000,
    indexing_threads: 1,
    search_memory: SearchMemory::exactly(1 << 20),
};
/// Documents in each of the two segments.
const DOCUMENTS: usize = 40;

/// Changes files of an intact index and uses it.
pub fn damaged_indexes(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let folder = temporary_folder();
    let changed = choices.below(intact().iter().filter(|file| file.is_own).count());
    let mut own = 0;
    for file in intact() {
        let mut content = file.content.clone();
        own += usize::from(file.is_own);
        if file.is_own && own == changed + 1 {
            damage(&mut content, choices.rest());
        }
        let path = folder.path().join(&file.path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, content).expect("written");
    }
    match Index::open(folder.path(), OPTIONS) {
        Ok(index) => use_index(&index),
        Err(error) => assert_eq!(error.code(), "invalid_store_file"),
    }
}

/// A file of an index.
struct IndexFile {
    path: PathBuf,
    content: Vec<u8>,
    /// It is one whose readers are ours and compare no checksum.
    is_own: bool,
}

fn intact() -> &'static [IndexFile] {
    static FILES: OnceLock<Vec<IndexFile>> = OnceLock::new();
    FILES.get_or_init(|| {
        let folder = temporary_folder();
        let index = Index::create(&folder.path().join("index"), Some("id"), OPTIONS).expect("made");
        apply(&index, json!([{"type": "settingsUpdate", "settings": {
            "filterableAttributes": ["tag", "_geo", "_geojson"], "sortableAttributes": ["tag", "_geo"],
        }}, addition(0..DOCUMENTS)])).expect("applied");
        apply(&index, json!([addition(DOCUMENTS..2 * DOCUMENTS)])).expect("applied");
        apply(&index, json!([{"type": "documentDeletion", "ids": ["3", "50"]}])).expect("applied");
        index.wait_for_merges().expect("merged");
        drop(index);
        let mut files = Vec::new();
        collect(&folder.path().join("index"), Path::new(""), &mut files);
        files.sort_by(|a, b| a.content.len().cmp(&b.content.len()).then(a.path.cmp(&b.path)));
        files
    })
}

fn collect(folder: &Path, below: &Path, files: &mut Vec<IndexFile>) {
    for entry in fs::read_dir(folder).expect("listed") {
        let entry = entry.expect("an entry");
        let path = below.join(entry.file_name());
        if entry.path().is_dir() {
            collect(&entry.path(), &path, files);
            continue;
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        files.push(IndexFile {
            is_own: matches!(ending, Some("fwd" | "attr")),
            content: fs::read(entry.path()).expect("read"),
            path,
        });
    }
}

fn document(id: usize) -> Value {
    const WORDS: [&str; 7] = ["night", "knight", "the", "shadow", "train", "of", "x"];
    let word = |n: usize| WORDS[(id * 5 + n * n) % WORDS.len()];
    let words: Vec<&str> = (0..id % 9).map(word).collect();
    json!({
        "id": id,
        "title": format!("{} {}. {}", word(1), word(2), word(3)),
        "text": [words.join(" "), word(4)],
        "tag": match id % 5 {
            0 => json!([word(5), id % 4]),
            1 => Value::Null,
            2 => json!([]),
            3 => json!(id as f64 / 2.0),
            _ => json!(word(6).to_uppercase()),
        },
        "_geo": id.is_multiple_of(3).then(|| json!({"lat": id % 80, "lng": id % 160})),
        "_geojson": id.is_multiple_of(6).then(|| json!({
            "type": "LineString", "coordinates": [[id % 90, id % 40], [id % 80, id % 50]],
        })),
    })
}

fn addition(ids: std::ops::Range<usize>) -> Value {
    let lines: String = ids.map(|id| format!("{}\n", document(id))).collect();
    json!({"type": "documentAdditionOrUpdate", "method": "replace", "payload": {"inline": lines}})
}

/// Changes bytes near the places named, counted from the start or from the end of the content.
fn damage(content: &mut [u8], changes: &[u8]) {
    for change in changes.chunks_exact(4) {
        let [low, high, kind, value] = *change else {
            return;
        };
        let offset = usize::from(u16::from_le_bytes([low, high])) % content.len().max(1);
        let at = match kind & 1 {
            0 => offset,
            _ => content.len().saturating_sub(1 + offset),
        };
        match (kind >> 1) % 5 {
            0 => content[at..]
                .iter_mut()
                .take(1)
                .for_each(|byte| *byte = value),
            1 => content[at..]
                .iter_mut()
                .take(1)
                .for_each(|byte| *byte ^= value),
            2 => content[at..]
                .iter_mut()
                .take(4)
                .for_each(|byte| *byte = 0xff),
            3 => content[at..]
                .iter_mut()
                .take(8)
                .for_each(|byte| *byte = value),
            _ => content[at..]
                .iter_mut()
                .take(3)
                .for_each(|byte| *byte = byte.wrapping_add(value)),
        }
    }
}

fn apply(index: &Index, mut operations: Value) -> Result<(), String> {
    for operation in operations.as_array_mut().into_iter().flatten() {
        operation["taskUid"] = json!(1);
    }
    let batch = json!({"batchUid": 1, "operations": operations});
    let batch = serde_json::from_value(batch).expect("a batch");
    let applied = index.apply_batch(&batch, &|_, _| Ok(DocSet::empty()));
    applied.map(drop).map_err(|error| error.to_string())
}

fn use_index(index: &Index) {
    ask(index);
    let _ = apply(
        index,
        json!([
            {"type": "documentDeletion", "ids": ["5", "60"]},
            addition(10..12),
        ]),
    );
    let _ = apply(
        index,
        json!([{"type": "settingsUpdate", "settings": {
            "filterableAttributes": ["tag", "title", "_geo", "_geojson"],
        }}]),
    );
    let _ = index.compact();
    ask(index);
}

fn ask(index: &Index) {
    let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
    for request in [
        json!({"q": "night trian \"the shadow\"", "facets": ["*"], "sort": ["tag:asc"], "limit": 200,
            "attributesToHighlight": ["*"], "showRankingScore": true}),
        json!({"q": "shad x", "filter": "tag > 1 OR tag = night OR tag IS NULL", "distinct": "tag"}),
        json!({"filter": "tag STARTS WITH n OR tag IS EMPTY", "sort": ["_geoPoint(10, 10):asc"]}),
        json!({"q": "the of x", "matchingStrategy": "frequency",
            "filter": "_geoRadius(10, 10, 900000) OR _geoBoundingBox([45, 45], [0, 0])"}),
    ] {
        let request: SearchRequest = serde_json::from_value(request).expect("a request");
        let _ = search(&view, &request);
    }
}
