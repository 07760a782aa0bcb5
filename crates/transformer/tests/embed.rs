//! A small model in the real format, compared with the same calculation in plain loops.

mod tiny_model;

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde_json::json;
use serval_transformer::{PoolingChoice, Transformer, TransformerError};
use tempfile::TempDir;
use tiny_model::{HIDDEN, bert_naively, config, write, write_json};

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    write(folder.path());
    folder
}

fn load(folder: &Path) -> Result<Transformer, TransformerError> {
    Transformer::load(folder, PoolingChoice::UseModel)
}

fn embed(folder: &Path, texts: &[&str]) -> Vec<Vec<f32>> {
    let model = load(folder).expect("a model");
    assert_eq!(model.dimensions(), HIDDEN);
    run(&model, texts).expect("vectors")
}

fn run(model: &Transformer, texts: &[&str]) -> Result<Vec<Vec<f32>>, TransformerError> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    model.embed(&texts, 3, &AtomicBool::new(false))
}

fn assert_near(found: &[f32], expected: &[f64]) {
    let length = expected
        .iter()
        .map(|value| value * value)
        .sum::<f64>()
        .sqrt();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let expected = expected / length;
        assert!(
            (f64::from(*found) - expected).abs() < 1e-4,
            "{found} is not {expected}"
        );
    }
}

fn mean(tokens: &[Vec<f64>]) -> Vec<f64> {
    (0..HIDDEN)
        .map(|at| tokens.iter().map(|token| token[at]).sum())
        .collect()
}

/// "[CLS] the lord of the ring ##s [SEP]"
const RINGS: [usize; 8] = [2, 4, 8, 9, 4, 5, 7, 3];

#[test]
fn the_mean_of_the_tokens_is_embedded_when_the_folder_says_nothing() {
    let folder = folder();
    let found = embed(folder.path(), &["The Lord of the Rings"]);
    assert_near(&found[0], &mean(&bert_naively(&RINGS)));
}

#[test]
fn texts_of_different_lengths_do_not_change_each_other() {
    let folder = folder();
    let found = embed(
        folder.path(),
        &["the king", "The Lord of the Rings", "", "zebra two"],
    );
    assert_near(&found[0], &mean(&bert_naively(&[2, 4, 6, 3])));
    assert_near(&found[1], &mean(&bert_naively(&RINGS)));
    assert_near(&found[2], &mean(&bert_naively(&[2, 3])));
    assert_near(&found[3], &mean(&bert_naively(&[2, 1, 11, 3])));
}

#[test]
fn more_texts_than_a_batch_holds_come_back_in_order() {
    let folder = folder();
    let texts: Vec<&str> = (0..1500)
        .map(|at| ["the king", "lord of the rings", "two"][at % 3])
        .collect();
    let found = embed(folder.path(), &texts);
    let expected = [&[2, 4, 6, 3][..], &[2, 8, 9, 4, 5, 7, 3], &[2, 11, 3]];
    for (at, found) in found.iter().enumerate() {
        assert_near(found, &mean(&bert_naively(expected[at % 3])));
    }
    assert!(embed(folder.path(), &[]).is_empty());
}

#[test]
fn long_texts_are_cut_at_what_the_model_takes_or_its_folder_says() {
    let folder = folder();
    let text = "the king ".repeat(40);
    let found = embed(folder.path(), &[&text]);
    assert_near(
        &found[0],
        &mean(&bert_naively(&[2, 4, 6, 4, 6, 4, 6, 4, 6, 3])),
    );
    write_json(
        &folder.path().join("sentence_bert_config.json"),
        &json!({ "max_seq_length": 5 }),
    );
    let found = embed(folder.path(), &[&text]);
    assert_near(&found[0], &mean(&bert_naively(&[2, 4, 6, 4, 3])));
}

#[test]
fn pooling_is_as_the_folder_says_unless_it_is_forced() {
    let folder = folder();
    let tokens = bert_naively(&RINGS);
    let largest = |at: usize| {
        tokens
            .iter()
            .map(|token| token[at])
            .fold(f64::MIN, f64::max)
    };
    let expected = [
        ("pooling_mode_cls_token", tokens[0].clone()),
        ("pooling_mode_lasttoken", tokens[7].clone()),
        ("pooling_mode_mean_tokens", mean(&tokens)),
        ("pooling_mode_mean_sqrt_len_tokens", mean(&tokens)),
        (
            "pooling_mode_max_tokens",
            (0..HIDDEN).map(largest).collect(),
        ),
    ];
    let path = folder.path().join("1_Pooling/config.json");
    for (mode, expected) in &expected {
        write_json(
            &path,
            &json!({ "word_embedding_dimension": HIDDEN, (*mode): true }),
        );
        assert_near(
            &embed(folder.path(), &["The Lord of the Rings"])[0],
            expected,
        );
    }
    for (choice, expected) in [
        (PoolingChoice::ForceCls, &tokens[0]),
        (PoolingChoice::ForceMean, &mean(&tokens)),
    ] {
        let model = Transformer::load(folder.path(), choice).expect("a model");
        let found = run(&model, &["the lord of the rings"]).expect("a vector");
        assert_near(&found[0], expected);
    }
    write_json(
        &path,
        &json!({ "pooling_mode_cls_token": true, "pooling_mode_max_tokens": true }),
    );
    assert!(matches!(
        load(folder.path()),
        Err(TransformerError::Unsupported { .. })
    ));
}

#[test]
fn vectors_have_length_one_only_if_the_folder_says_so() {
    let folder = folder();
    let modules = tiny_model::modules(&["Transformer", "Pooling"]);
    write_json(&folder.path().join("modules.json"), &modules);
    let found = embed(folder.path(), &["The Lord of the Rings"]);
    let sum = mean(&bert_naively(&RINGS));
    for (found, sum) in found[0].iter().zip(sum) {
        assert!((f64::from(*found) - sum / RINGS.len() as f64).abs() < 1e-4);
    }
}

#[test]
fn embedding_ends_soon_after_it_was_stopped() {
    let folder = folder();
    let model = load(folder.path()).expect("a model");
    let texts = vec!["the king".to_owned(); 200];
    let stopped = model.embed(&texts, 2, &AtomicBool::new(true));
    assert!(matches!(stopped, Err(TransformerError::Stopped)));
}

#[test]
fn a_token_that_the_model_has_no_row_for_is_an_error() {
    let folder = folder();
    let path = folder.path().join("tokenizer.json");
    let tokenizer = fs::read_to_string(&path).expect("the file");
    fs::write(&path, tokenizer.replace("\"two\":11", "\"two\":12")).expect("the file");
    let model = load(folder.path()).expect("a model");
    assert!(run(&model, &["the king"]).is_ok());
    let error = run(&model, &["two kings"]).expect_err("an error");
    assert!(
        matches!(
            error,
            TransformerError::Token {
                token: 12,
                known: 12
            }
        ),
        "{error}"
    );
}

#[test]
fn damaged_and_missing_files_are_named() {
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let folder = folder();
        let path = folder.path().join(name);
        let bytes = fs::read(&path).expect("the file");
        for keep in [0, 7, 8, bytes.len() / 2, bytes.len() - 1] {
            fs::write(&path, &bytes[..keep]).expect("the file");
            let error = load(folder.path()).err().expect("an error").to_string();
            assert!(error.contains(name), "{error}");
        }
        fs::remove_file(&path).expect("the file");
        let error = load(folder.path()).err().expect("an error").to_string();
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn models_that_are_not_supported_are_refused() {
    let folder = folder();
    let with = |key: &str, value: serde_json::Value| {
        let mut config = config();
        config[key] = value;
        write_json(&folder.path().join("config.json"), &config);
        load(folder.path()).err()
    };
    let other = with("model_type", json!("t5"));
    assert!(matches!(other, Some(TransformerError::Unsupported { .. })));
    for (key, value) in [
        ("num_attention_heads", 0),
        ("num_attention_heads", 3),
        ("hidden_size", 0),
        ("hidden_size", 16),
        ("max_position_embeddings", 0),
        ("vocab_size", 5),
    ] {
        assert!(with(key, json!(value)).is_some(), "{key} {value}");
    }
    write(folder.path());
    let dense = json!([{ "idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Dense" }]);
    write_json(&folder.path().join("modules.json"), &dense);
    assert!(matches!(
        load(folder.path()),
        Err(TransformerError::Unsupported { .. })
    ));
}

/// Without marks around a text, one of which nothing is left has no tokens.
#[test]
fn a_text_without_tokens_has_the_vector_zero_and_the_others_theirs() {
    let folder = folder();
    let path = folder.path().join("tokenizer.json");
    let text = fs::read_to_string(&path).expect("a tokenizer");
    let mut tokenizer: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    tokenizer["post_processor"] = json!(null);
    write_json(&path, &tokenizer);
    let alone = embed(folder.path(), &["the ring"]);
    let found = embed(folder.path(), &["", "the ring", "  "]);
    assert_eq!(found[0], [0.0; HIDDEN]);
    assert_eq!(found[1], alone[0]);
    assert_eq!(found[2], [0.0; HIDDEN]);
}
