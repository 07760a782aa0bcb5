//! Indexes under random changes, compared with maps and plain sums.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use serval_vector::{DocFilter, DocId, Encoding, Neighbor, VectorIndex, VectorShape};

type Documents = BTreeMap<DocId, Vec<Vec<f32>>>;

#[derive(Clone, Debug)]
enum Step {
    Put(DocId, Vec<Vec<f32>>),
    Remove(DocId),
    Clear,
    Commit,
    /// Merge what there is to merge, with a commit in between.
    Merge,
}

/// Few directions and lengths, so that equal similarities and zero vectors happen.
fn vector(dimensions: usize) -> impl Strategy<Value = Vec<f32>> {
    let number = prop_oneof![
        4 => (-2i8..=2).prop_map(f32::from),
        4 => -1f32..1.0,
        1 => prop::sample::select(vec![1e-42f32, 3e38, -3e38, 1e-20]),
    ];
    prop_oneof![
        1 => Just(vec![0f32; dimensions]),
        9 => prop::collection::vec(number, dimensions),
    ]
}

fn step(dimensions: usize) -> impl Strategy<Value = Step> {
    let vectors = prop::collection::vec(vector(dimensions), 0..4);
    prop_oneof![
        20 => (0u32..40, vectors).prop_map(|(doc, vectors)| Step::Put(doc, vectors)),
        4 => (0u32..40).prop_map(Step::Remove),
        1 => Just(Step::Clear),
        6 => Just(Step::Commit),
        1 => Just(Step::Merge),
    ]
}

fn shape() -> impl Strategy<Value = VectorShape> {
    let encoding = prop_oneof![Just(Encoding::F32), Just(Encoding::Binary)];
    (1u32..80, encoding).prop_map(|(dimensions, encoding)| VectorShape {
        dimensions,
        encoding,
    })
}

/// The similarity that the interface defines, in doubles.
fn similarity(encoding: Encoding, a: &[f32], b: &[f32]) -> f64 {
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| of(f64::from(*a), f64::from(*b))).sum()
    };
    if encoding == Encoding::Binary {
        let differ =
            |a: f64, b: f64| f64::from(u8::from(a.is_sign_positive() != b.is_sign_positive()));
        return 1.0 - sum(&differ) / a.len() as f64;
    }
    let lengths = (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt();
    match lengths > 0.0 {
        true => (1.0 + sum(&|a, b| a * b) / lengths) / 2.0,
        false => 1.0,
    }
}

/// Every document's best similarity, best first.
fn search_naively(
    shape: VectorShape,
    documents: &Documents,
    query: &[f32],
    filter: Option<&[DocId]>,
) -> Vec<(DocId, f64)> {
    let mut found: Vec<(DocId, f64)> = documents
        .iter()
        .filter(|(doc, _)| filter.is_none_or(|filter| filter.contains(doc)))
        .map(|(doc, vectors)| {
            let similarities = vectors
                .iter()
                .map(|vector| similarity(shape.encoding, vector, query));
            (*doc, similarities.fold(0.0, f64::max))
        })
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found
}

/// The answer has the right length, true similarities, and nothing better was left out.
fn check(found: &[Neighbor], naive: &[(DocId, f64)], k: usize) -> Result<(), TestCaseError> {
    const ROUNDING: f64 = 2e-6;
    prop_assert_eq!(found.len(), naive.len().min(k));
    for (neighbor, (_, expected)) in found.iter().zip(naive) {
        prop_assert!((f64::from(neighbor.similarity) - expected).abs() < ROUNDING);
        let of_doc = naive
            .iter()
            .find(|(doc, _)| *doc == neighbor.doc)
            .map(|(_, found)| *found);
        prop_assert!((of_doc.unwrap_or(-1.0) - f64::from(neighbor.similarity)).abs() < ROUNDING);
    }
    let ordered = |pair: &[Neighbor]| {
        pair[0].similarity > pair[1].similarity
            || (pair[0].similarity == pair[1].similarity && pair[0].doc < pair[1].doc)
    };
    prop_assert!(found.windows(2).all(ordered));
    Ok(())
}

fn check_index(
    index: &VectorIndex,
    documents: &Documents,
    query: &[f32],
    filter: &[DocId],
    k: usize,
) -> Result<(), TestCaseError> {
    let shape = index.shape();
    prop_assert_eq!(
        index.documents(),
        documents.keys().copied().collect::<Vec<_>>()
    );
    prop_assert_eq!(index.n_documents(), documents.len() as u64);
    let n_vectors: usize = documents.values().map(Vec::len).sum();
    prop_assert_eq!(index.n_vectors(), n_vectors as u64);
    if shape.encoding == Encoding::F32 {
        for (doc, vectors) in documents {
            prop_assert_eq!(&index.vectors(*doc), vectors);
        }
    }
    let naive = search_naively(shape, documents, query, None);
    check(
        &index.search(query, k, None).expect("a good query"),
        &naive,
        k,
    )?;
    let naive = search_naively(shape, documents, query, Some(filter));
    let allowed: Option<&dyn DocFilter> = Some(&filter);
    check(
        &index.search(query, k, allowed).expect("a good query"),
        &naive,
        k,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Small indexes answer exactly, whatever was put, replaced and removed, before and after they
    /// are opened again; an index that is still held keeps its answers.
    #[test]
    fn changes_are_seen_by_the_next_index_only(
        (shape, steps, query) in shape().prop_flat_map(|shape| {
            let dimensions = shape.dimensions as usize;
            (Just(shape), prop::collection::vec(step(dimensions), 1..60), vector(dimensions))
        }),
        filter in prop::collection::btree_set(0u32..45, 0..20),
        k in 0usize..30,
    ) {
        let filter: Vec<DocId> = filter.into_iter().collect();
        let directory = tempfile::tempdir().expect("a directory");
        let mut documents = Documents::new();
        let mut committed = Documents::new();
        let mut index = VectorIndex::empty(shape).expect("a shape");
        let mut update = index.update(directory.path());
        for step in steps.into_iter().chain([Step::Commit]) {
            match step {
                Step::Put(doc, vectors) => {
                    update.put(doc, &vectors).expect("good vectors");
                    match vectors.is_empty() {
                        true => documents.remove(&doc),
                        false => documents.insert(doc, vectors),
                    };
                }
                Step::Remove(doc) => {
                    update.remove(doc);
                    documents.remove(&doc);
                }
                Step::Clear => {
                    update.clear();
                    documents.clear();
                }
                Step::Merge => {
                    let Some(merge) = index.next_merge() else { continue };
                    let merged = merge.run(directory.path(), &AtomicBool::new(false));
                    index = index.with_merged(merged.expect("a merge")).expect("the same files");
                    check_index(&index, &committed, &query, &filter, k)?;
                }
                Step::Commit => {
                    let next = update.finish().expect("a written index");
                    check_index(&index, &committed, &query, &filter, k)?;
                    check_index(&next, &documents, &query, &filter, k)?;
                    let manifest = serde_json::to_string(&next.manifest()).expect("JSON");
                    let manifest = serde_json::from_str(&manifest).expect("the manifest");
                    index = VectorIndex::open(directory.path(), &manifest).expect("its files");
                    check_index(&index, &documents, &query, &filter, k)?;
                    committed = documents.clone();
                    update = index.update(directory.path());
                }
            }
        }
    }
}
