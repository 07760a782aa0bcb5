//! A model of a few numbers in the real format, and BERT once more in plain loops over doubles.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

pub(crate) const HIDDEN: usize = 8;
pub(crate) const HEADS: usize = 2;
pub(crate) const LAYERS: usize = 2;
const INNER: usize = 12;
pub(crate) const POSITIONS: usize = 10;
pub(crate) const VOCABULARY: [&str; 12] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "ring", "king", "##s", "lord", "of", "return", "two",
];

type Weights = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// The weights, the same in every run.
pub(crate) fn weights() -> Weights {
    let mut shapes = vec![
        (
            "embeddings.word_embeddings.weight".to_owned(),
            vec![VOCABULARY.len(), HIDDEN],
        ),
        (
            "embeddings.position_embeddings.weight".to_owned(),
            vec![POSITIONS, HIDDEN],
        ),
        (
            "embeddings.token_type_embeddings.weight".to_owned(),
            vec![2, HIDDEN],
        ),
    ];
    let mut linear = |name: String, out: usize, input: usize| {
        shapes.push((format!("{name}.weight"), vec![out, input]));
        shapes.push((format!("{name}.bias"), vec![out]));
    };
    for layer in 0..LAYERS {
        let layer = format!("encoder.layer.{layer}");
        for part in ["query", "key", "value"] {
            linear(format!("{layer}.attention.self.{part}"), HIDDEN, HIDDEN);
        }
        linear(format!("{layer}.attention.output.dense"), HIDDEN, HIDDEN);
        linear(format!("{layer}.intermediate.dense"), INNER, HIDDEN);
        linear(format!("{layer}.output.dense"), HIDDEN, INNER);
    }
    let mut norms = vec!["embeddings.LayerNorm".to_owned()];
    for layer in 0..LAYERS {
        norms.push(format!("encoder.layer.{layer}.attention.output.LayerNorm"));
        norms.push(format!("encoder.layer.{layer}.output.LayerNorm"));
    }
    for norm in norms {
        shapes.push((format!("{norm}.weight"), vec![HIDDEN]));
        shapes.push((format!("{norm}.bias"), vec![HIDDEN]));
    }
    let mut state = 7u64;
    let mut number = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((state >> 40) as f32 / (1u64 << 24) as f32 - 0.5) * 1.6
    };
    let fill = |(name, shape): (String, Vec<usize>)| {
        let n = shape.iter().product();
        (name, (shape, (0..n).map(|_| number()).collect()))
    };
    shapes.into_iter().map(fill).collect()
}

/// Writes a complete folder.
pub(crate) fn write(folder: &Path) {
    fs::write(folder.join("model.safetensors"), safetensors(&weights())).expect("weights");
    write_json(&folder.join("tokenizer.json"), &tokenizer());
    write_json(&folder.join("config.json"), &config());
    write_json(
        &folder.join("modules.json"),
        &modules(&["Transformer", "Pooling", "Normalize"]),
    );
}

pub(crate) fn write_json(path: &Path, value: &Value) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, value.to_string()).expect("a file");
}

/// The steps from a text to its vector.
pub(crate) fn modules(names: &[&str]) -> Value {
    let module = |(at, name): (usize, &&str)| {
        let path = if at == 0 {
            String::new()
        } else {
            format!("{at}_{name}")
        };
        json!({ "idx": at, "name": at.to_string(), "path": path,
            "type": format!("sentence_transformers.models.{name}") })
    };
    names.iter().enumerate().map(module).collect()
}

pub(crate) fn config() -> Value {
    json!({
        "model_type": "bert", "vocab_size": VOCABULARY.len(), "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": INNER,
        "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "max_position_embeddings": POSITIONS,
        "type_vocab_size": 2, "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0
    })
}

fn tokenizer() -> Value {
    let vocabulary: BTreeMap<&str, usize> = VOCABULARY.iter().copied().zip(0..).collect();
    let special = |id: usize| {
        json!({ "id": id, "content": VOCABULARY[id], "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": false, "special": true })
    };
    let part = |token: &str| json!({ "SpecialToken": { "id": token, "type_id": 0 } });
    let meaning =
        |id: usize| json!({ "id": VOCABULARY[id], "ids": [id], "tokens": [VOCABULARY[id]] });
    let text = json!({ "Sequence": { "id": "A", "type_id": 0 } });
    let other = json!({ "Sequence": { "id": "B", "type_id": 1 } });
    json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [special(0), special(1), special(2), special(3)],
        "normalizer": { "type": "BertNormalizer", "clean_text": true,
            "handle_chinese_chars": true, "strip_accents": null, "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": { "type": "TemplateProcessing",
            "single": [part("[CLS]"), text.clone(), part("[SEP]")],
            "pair": [part("[CLS]"), text, part("[SEP]"), other],
            "special_tokens": { "[CLS]": meaning(2), "[SEP]": meaning(3) } },
        "decoder": null,
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary }
    })
}

/// The container of weights: the length of a header, the header, the numbers.
pub(crate) fn safetensors(weights: &Weights) -> Vec<u8> {
    let mut numbers: Vec<u8> = Vec::new();
    let mut header = serde_json::Map::new();
    for (name, (shape, values)) in weights {
        let start = numbers.len();
        numbers.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let place =
            json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, numbers.len()] });
        header.insert(name.clone(), place);
    }
    let header = Value::from(header).to_string();
    let length = (header.len() as u64).to_le_bytes();
    [&length[..], header.as_bytes(), &numbers].concat()
}

/// The vectors of the tokens of one text, calculated without batches, masks and libraries.
pub(crate) fn bert_naively(ids: &[usize]) -> Vec<Vec<f64>> {
    let model = Naive(weights());
    let mut rows: Vec<Vec<f64>> = ids
        .iter()
        .enumerate()
        .map(|(position, id)| {
            let word = model.row("embeddings.word_embeddings.weight", *id);
            let place = model.row("embeddings.position_embeddings.weight", position);
            let kind = model.row("embeddings.token_type_embeddings.weight", 0);
            let sum = (0..HIDDEN)
                .map(|at| word[at] + place[at] + kind[at])
                .collect();
            model.norm("embeddings.LayerNorm", sum)
        })
        .collect();
    for layer in 0..LAYERS {
        rows = model.layer(&format!("encoder.layer.{layer}"), &rows);
    }
    rows
}

struct Naive(Weights);

impl Naive {
    fn row(&self, name: &str, row: usize) -> Vec<f64> {
        let (shape, values) = &self.0[name];
        let width = *shape.last().expect("a shape");
        values[row * width..][..width]
            .iter()
            .map(|value| f64::from(*value))
            .collect()
    }

    fn linear(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let bias = self.row(&format!("{name}.bias"), 0);
        let weights = format!("{name}.weight");
        let out = |(at, bias): (usize, &f64)| bias + dot(&self.row(&weights, at), input);
        bias.iter().enumerate().map(out).collect()
    }

    fn norm(&self, name: &str, input: Vec<f64>) -> Vec<f64> {
        let mean = input.iter().sum::<f64>() / input.len() as f64;
        let variance = input
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>();
        let spread = (variance / input.len() as f64 + 1e-12).sqrt();
        let scale = self.row(&format!("{name}.weight"), 0);
        let shift = self.row(&format!("{name}.bias"), 0);
        let scaled = |(at, value): (usize, f64)| (value - mean) / spread * scale[at] + shift[at];
        input.into_iter().enumerate().map(scaled).collect()
    }

    fn layer(&self, name: &str, rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let project = |part: &str| -> Vec<Vec<f64>> {
            let part = format!("{name}.attention.self.{part}");
            rows.iter().map(|row| self.linear(&part, row)).collect()
        };
        let (queries, keys, values) = (project("query"), project("key"), project("value"));
        let through = |(at, row): (usize, &Vec<f64>)| {
            let mixed = attend(&queries[at], &keys, &values);
            let mixed = self.linear(&format!("{name}.attention.output.dense"), &mixed);
            let mixed = self.norm(
                &format!("{name}.attention.output.LayerNorm"),
                add(&mixed, row),
            );
            let inner = self.linear(&format!("{name}.intermediate.dense"), &mixed);
            let inner: Vec<f64> = inner.into_iter().map(gelu).collect();
            let outer = self.linear(&format!("{name}.output.dense"), &inner);
            self.norm(&format!("{name}.output.LayerNorm"), add(&outer, &mixed))
        };
        rows.iter().enumerate().map(through).collect()
    }
}

fn attend(query: &[f64], keys: &[Vec<f64>], values: &[Vec<f64>]) -> Vec<f64> {
    let width = HIDDEN / HEADS;
    let head = |head: usize| {
        let part = head * width..(head + 1) * width;
        let weight = |key: &Vec<f64>| {
            (dot(&query[part.clone()], &key[part.clone()]) / (width as f64).sqrt()).exp()
        };
        let weights: Vec<f64> = keys.iter().map(weight).collect();
        let sum: f64 = weights.iter().sum();
        part.clone()
            .map(|at| {
                let parts = weights.iter().zip(values);
                parts.map(|(weight, value)| weight / sum * value[at]).sum()
            })
            .collect::<Vec<f64>>()
    };
    (0..HEADS).flat_map(head).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// With the error function as its power series.
fn gelu(x: f64) -> f64 {
    let z = x / std::f64::consts::SQRT_2;
    let (mut power, mut sum) = (z, z);
    for n in 1..80 {
        power *= -z * z / f64::from(n);
        sum += power / f64::from(2 * n + 1);
    }
    x / 2.0 * (1.0 + sum * 2.0 / std::f64::consts::PI.sqrt())
}
