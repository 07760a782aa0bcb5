//! How long a search for ten neighbours takes, and an update of one document.
//!
//! Corpus: 50,000 generated vectors of 384 numbers, see `mixture`. For recall and the time to build
//! run the example: `cargo run --release -p serval-vector --example recall`.
//! Run with `cargo bench -p serval-vector`.

mod mixture;

use std::sync::LazyLock;

use divan::Bencher;
use mixture::Mixture;
use serval_vector::{DocFilter, DocId, Encoding, VectorIndex, VectorShape};
use tempfile::TempDir;

const VECTORS: u32 = 50_000;
const DIMENSIONS: usize = 384;

fn main() {
    divan::main();
}

struct Corpus {
    directory: TempDir,
    index: VectorIndex,
    queries: Vec<Vec<f32>>,
}

fn corpus(encoding: Encoding) -> Corpus {
    let shape = VectorShape {
        dimensions: DIMENSIONS as u32,
        encoding,
    };
    let directory = tempfile::tempdir().expect("a directory");
    let mut mixture = Mixture::new(DIMENSIONS);
    let empty = VectorIndex::empty(shape).expect("a shape");
    let mut update = empty.update(directory.path());
    for doc in 0..VECTORS {
        update.put(doc, &[mixture.vector()]).expect("a vector");
    }
    Corpus {
        index: update.finish().expect("an index"),
        queries: (0..100).map(|_| mixture.vector()).collect(),
        directory,
    }
}

static FLOATS: LazyLock<Corpus> = LazyLock::new(|| corpus(Encoding::F32));
static BINARY: LazyLock<Corpus> = LazyLock::new(|| corpus(Encoding::Binary));

fn search(bencher: Bencher<'_, '_>, corpus: &Corpus, every: u32, exact: bool) {
    let allowed: Vec<DocId> = (0..VECTORS).filter(|doc| doc % every == 0).collect();
    let allowed = allowed.as_slice();
    let filter: Option<&dyn DocFilter> = (every > 1).then_some(&allowed);
    let mut queries = corpus.queries.iter().cycle();
    bencher.bench_local(|| {
        let query = queries.next().expect("invariant: cycles");
        match exact {
            true => corpus.index.search_exact(query, 10, filter),
            false => corpus.index.search(query, 10, filter),
        }
    });
}

/// With a filter that allows one document in so many.
#[divan::bench(args = [1, 4, 100, 1000])]
fn floats(bencher: Bencher<'_, '_>, every: u32) {
    search(bencher, &FLOATS, every, false);
}

#[divan::bench]
fn floats_exact(bencher: Bencher<'_, '_>) {
    search(bencher, &FLOATS, 1, true);
}

#[divan::bench]
fn binary(bencher: Bencher<'_, '_>) {
    search(bencher, &BINARY, 1, false);
}

#[divan::bench]
fn update_of_one(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| {
        let mut update = FLOATS.index.update(FLOATS.directory.path());
        update.put(7, &[&FLOATS.queries[0]]).expect("a vector");
        update.finish().expect("an index")
    });
}
