//! How long it takes to index documents and to commit one more.
//!
//! Every iteration works in a new directory under the system's temporary one; a slow disk shows in
//! the single-document figure, which is mostly syncs.
//! Run with `cargo bench -p serval-engine --bench indexing`.

use divan::Bencher;

mod corpus;

fn main() {
    divan::main();
}

/// Everything from text to a committed, readable index.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn index_the_corpus(bencher: Bencher<'_, '_>) {
    let batch = corpus::addition(&corpus::documents());
    bencher
        .with_inputs(corpus::new_index)
        .bench_refs(|(_, index)| corpus::apply(index, &batch));
}

/// One document replaced in an index that holds the corpus, until it is durable and readable.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn commit_one_document(bencher: Bencher<'_, '_>) {
    let (_folder, index) = corpus::new_index();
    corpus::apply(&index, &corpus::addition(&corpus::documents()));
    let one = corpus::addition(r#"{"id":1,"title":"a changed title","overview":"a changed text"}"#);
    bencher.bench_local(|| corpus::apply(&index, &one));
}
