//! Small models of every family, compared with the vectors that PyTorch makes of the same files;
//! `fixtures/write.py` wrote both.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use serval_transformer::{PoolingChoice, Transformer};

#[derive(Deserialize)]
struct Expected {
    text: String,
    vector: Vec<f32>,
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn assert_same(name: &str) {
    let folder = folder(name);
    let expected = fs::read(folder.join("expected.json")).expect("the file");
    let expected: Vec<Expected> = serde_json::from_slice(&expected).expect("vectors");
    assert!(expected.len() > 3);
    let model = Transformer::load(&folder, PoolingChoice::UseModel).expect("a model");
    let texts: Vec<String> = expected.iter().map(|one| one.text.clone()).collect();
    let found = model
        .embed(&texts, 2, &AtomicBool::new(false))
        .expect("vectors");
    for (found, Expected { text, vector }) in found.iter().zip(&expected) {
        assert_eq!(found.len(), model.dimensions());
        for (found, expected) in found.iter().zip(vector) {
            let error = (found - expected).abs();
            assert!(
                error < 2e-5,
                "{name}, {text:?}: {found}, expected {expected}"
            );
        }
    }
}

#[test]
fn bert_gives_the_vectors_of_pytorch() {
    assert_same("bert");
}

#[test]
fn weights_of_16_bits_give_the_vectors_of_pytorch() {
    assert_same("bert-16-bits");
}

#[test]
fn distilbert_gives_the_vectors_of_pytorch() {
    assert_same("distilbert");
}

#[test]
fn roberta_gives_the_vectors_of_pytorch() {
    assert_same("roberta");
}

#[test]
fn mpnet_gives_the_vectors_of_pytorch() {
    assert_same("mpnet");
}
