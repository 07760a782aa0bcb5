//! Indexes large enough for cells: recall, filters, deletions and merges, compared with exact search.

use std::sync::atomic::AtomicBool;

use serval_vector::{DocFilter, DocId, Encoding, Neighbor, VectorError, VectorIndex, VectorShape};

const DIMENSIONS: usize = 24;
const F32: VectorShape = VectorShape {
    dimensions: DIMENSIONS as u32,
    encoding: Encoding::F32,
};

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From -1 to 1, more often near 0.
    fn number(&mut self) -> f32 {
        let mut part = || (self.next() % 20_001) as f32 / 10_000.0 - 1.0;
        (part() + part() + part()) / 3.0
    }

    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS).map(|_| self.number()).collect()
    }

    /// A vector near one of some centres, each of which lies apart.
    fn near(&mut self, centres: &[Vec<f32>]) -> Vec<f32> {
        let centre = &centres[self.next() as usize % centres.len()];
        centre
            .iter()
            .map(|value| value + 0.4 * self.number())
            .collect()
    }
}

struct Filled {
    directory: tempfile::TempDir,
    index: VectorIndex,
    queries: Vec<Vec<f32>>,
}

fn fill(shape: VectorShape, n: u32) -> Filled {
    let directory = tempfile::tempdir().expect("a directory");
    let mut random = Random(42);
    let centres: Vec<Vec<f32>> = (0..50).map(|_| random.vector()).collect();
    let mut update = VectorIndex::empty(shape)
        .expect("a shape")
        .update(directory.path());
    for doc in 0..n {
        update
            .put(doc, &[random.near(&centres)])
            .expect("a good vector");
    }
    let index = update.finish().expect("a written index");
    let queries = (0..40).map(|_| random.near(&centres)).collect();
    Filled {
        directory,
        index,
        queries,
    }
}

/// The share of the exact answers that a search found, and whether it said the truth of each.
fn recall(filled: &Filled, index: &VectorIndex, filter: Option<&dyn DocFilter>) -> f64 {
    let (mut found, mut wanted) = (0, 0);
    for query in &filled.queries {
        let exact = index.search_exact(query, 10, filter).expect("a good query");
        let fast = index.search(query, 10, filter).expect("a good query");
        assert!(fast.is_sorted_by(|a, b| a.similarity >= b.similarity));
        assert_eq!(fast.len(), exact.len());
        let bar = exact.last().map_or(0.0, |neighbor| neighbor.similarity);
        wanted += exact.len();
        found += fast
            .iter()
            .filter(|neighbor| neighbor.similarity >= bar)
            .count();
    }
    found as f64 / wanted as f64
}

fn merge_all(mut index: VectorIndex, directory: &std::path::Path) -> VectorIndex {
    while let Some(merge) = index.next_merge() {
        let merged = merge
            .run(directory, &AtomicBool::new(false))
            .expect("a merge");
        index = index
            .with_merged(merged)
            .expect("nothing else changed the index");
    }
    index
}

#[test]
fn a_large_index_finds_almost_everything_with_and_without_filters() {
    let filled = fill(F32, 20_000);
    assert!(recall(&filled, &filled.index, None) >= 0.95);
    for every in [2, 10, 1000] {
        let allowed: Vec<DocId> = (0..20_000).filter(|doc| doc % every == 0).collect();
        let allowed = allowed.as_slice();
        assert!(
            recall(&filled, &filled.index, Some(&allowed)) >= 0.95,
            "1 of {every}"
        );
    }
}

#[test]
fn a_filter_far_from_the_query_is_searched_through() {
    let filled = fill(F32, 20_000);
    let mut by_similarity: Vec<Neighbor> = filled
        .index
        .search_exact(&filled.queries[0], 20_000, None)
        .expect("a good query");
    by_similarity.reverse();
    let mut least: Vec<DocId> = by_similarity[..4000]
        .iter()
        .map(|found| found.doc)
        .collect();
    least.sort_unstable();
    let least = least.as_slice();
    let exact = filled
        .index
        .search_exact(&filled.queries[0], 10, Some(&least));
    let fast = filled.index.search(&filled.queries[0], 10, Some(&least));
    assert_eq!(fast.expect("a good query"), exact.expect("a good query"));
}

#[test]
fn a_large_binary_index_finds_almost_everything() {
    let shape = VectorShape {
        encoding: Encoding::Binary,
        ..F32
    };
    let filled = fill(shape, 270_000);
    assert!(recall(&filled, &filled.index, None) >= 0.95);
}

#[test]
fn as_many_documents_as_asked_for_are_found() {
    let filled = fill(F32, 20_000);
    for k in [1, 500, 19_999, 30_000, usize::MAX] {
        let found = filled
            .index
            .search(&filled.queries[0], k, None)
            .expect("a good query");
        assert_eq!(found.len(), k.min(20_000));
    }
}

#[test]
fn removed_and_replaced_documents_are_not_found_in_cells() {
    let filled = fill(F32, 20_000);
    let query = &filled.queries[0];
    let before = filled.index.search(query, 20, None).expect("a good query");
    let mut update = filled.index.update(filled.directory.path());
    let opposite: Vec<f32> = query.iter().map(|value| -value).collect();
    for (at, neighbor) in before.iter().enumerate() {
        match at % 2 {
            0 => update.remove(neighbor.doc),
            _ => update
                .put(neighbor.doc, &[&opposite])
                .expect("a good vector"),
        }
    }
    let after = update.finish().expect("a written index");
    let is_changed = |doc: DocId| before.iter().any(|neighbor| neighbor.doc == doc);
    let found = after.search(query, 20, None).expect("a good query");
    assert!(found.iter().all(|neighbor| !is_changed(neighbor.doc)));
    let found = after.search(&opposite, 10, None).expect("a good query");
    assert!(found.iter().all(|neighbor| is_changed(neighbor.doc)));
    assert_eq!(
        filled.index.search(query, 20, None).expect("a good query"),
        before
    );
    assert_eq!(after.n_documents(), 19_990);
}

#[test]
fn many_small_updates_leave_few_files_and_the_same_answers() {
    let filled = fill(F32, 17_000);
    let mut random = Random(7);
    let mut index = filled.index.clone();
    for round in 0..120u32 {
        let mut update = index.update(filled.directory.path());
        for _ in 0..random.next() % 40 {
            let doc = (random.next() % 18_000) as DocId;
            match random.next() % 4 {
                0 => update.remove(doc),
                _ => update
                    .put(doc, &[random.vector(), random.vector()])
                    .expect("good vectors"),
            }
        }
        index = update.finish().expect("a written index");
        assert!(index.manifest().files.len() < 24, "after {round} updates");
    }
    let merged = merge_all(index.clone(), filled.directory.path());
    assert_eq!(merged.documents(), index.documents());
    assert_eq!(merged.n_vectors(), index.n_vectors());
    let opened = VectorIndex::open(filled.directory.path(), &merged.manifest());
    let opened = opened.expect("the files of a merge");
    for query in &filled.queries {
        let exact = index.search_exact(query, 15, None).expect("a good query");
        assert_eq!(
            merged.search_exact(query, 15, None).expect("a good query"),
            exact
        );
        assert_eq!(
            opened.search_exact(query, 15, None).expect("a good query"),
            exact
        );
    }
    assert!(recall(&filled, &merged, None) >= 0.95);
}

/// An index with four files of equal size, which are due to be merged.
fn due_for_a_merge(filled: &Filled, per_file: u32) -> VectorIndex {
    let mut random = Random(3);
    let mut index = filled.index.clone();
    for file in 0..4 {
        let mut update = index.update(filled.directory.path());
        for doc in 0..per_file {
            let doc = file * per_file + doc;
            update.put(doc, &[random.vector()]).expect("a good vector");
        }
        index = update.finish().expect("a written index");
    }
    index
}

#[test]
fn updates_made_during_a_merge_survive_it() {
    let empty = fill(F32, 0);
    let directory = empty.directory.path();
    let before = due_for_a_merge(&empty, 22_000);
    let merge = before.next_merge().expect("four equal files");

    let mut update = before.update(directory);
    update.remove(5);
    update
        .put(30_000, &[&empty.queries[0]])
        .expect("a good vector");
    update
        .put(900_000, &[&empty.queries[1]])
        .expect("a good vector");
    let changed = update.finish().expect("a written index");

    let merged = merge
        .run(directory, &AtomicBool::new(false))
        .expect("a merge");
    let after = changed
        .with_merged(merged)
        .expect("its files are all there");
    assert!(after.manifest().files.len() < changed.manifest().files.len());
    assert!(!after.contains(5));
    assert_eq!(after.documents(), changed.documents());
    for query in &empty.queries {
        let exact = changed.search_exact(query, 10, None).expect("a good query");
        assert_eq!(
            after.search_exact(query, 10, None).expect("a good query"),
            exact
        );
    }
}

#[test]
fn a_merge_of_files_that_are_gone_is_refused_and_a_stopped_one_ends() {
    let empty = fill(F32, 0);
    let directory = empty.directory.path();
    let before = due_for_a_merge(&empty, 22_000);
    let merge = || before.next_merge().expect("four equal files");
    let stopped = merge().run(directory, &AtomicBool::new(true));
    assert!(matches!(stopped, Err(VectorError::Stopped)));

    let merged = merge()
        .run(directory, &AtomicBool::new(false))
        .expect("a merge");
    let mut update = before.update(directory);
    update.clear();
    let cleared = update.finish().expect("a written index");
    assert!(cleared.with_merged(merged).is_none());
}
