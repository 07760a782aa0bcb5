//! Changes of the `embedders` setting: merged by embedder and by field.

use serde_json::{Map, Value};

use super::SettingsError;
use super::embedder_rules::{check_source, is_taken};

/// Fields of an embedder in the order in which they are returned.
pub(super) const FIELDS: [&str; 18] = [
    "source",
    "model",
    "revision",
    "pooling",
    "apiKey",
    "dimensions",
    "binaryQuantized",
    "documentTemplate",
    "documentTemplateMaxBytes",
    "url",
    "indexingFragments",
    "searchFragments",
    "request",
    "response",
    "headers",
    "searchEmbedder",
    "indexingEmbedder",
    "distribution",
];
/// Fields whose own fields are merged one by one.
const NESTED: [&str; 4] = [
    "indexingFragments",
    "searchFragments",
    "searchEmbedder",
    "indexingEmbedder",
];
/// The source of an embedder that names none.
pub(crate) const DEFAULT_SOURCE: &str = "openAi";
/// The model of OpenAI when none is named.
pub(crate) const DEFAULT_OPEN_AI_MODEL: &str = "text-embedding-3-small";
/// The model that runs in the server when none is named, and the state of it that is used.
const DEFAULT_LOCAL_MODEL: (&str, &str) = (
    "BAAI/bge-base-en-v1.5",
    "617ca489d9e86b49b8167676d8220688b99db36e",
);
/// The template of an embedder that has none: every searchable field with its name.
pub(crate) const DEFAULT_TEMPLATE: &str = "{% for field in fields %}{% if field.is_searchable \
     and field.value != nil %}{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}";
/// Bytes of a rendered template that are embedded, when nothing else is said.
pub(crate) const DEFAULT_MAX_BYTES: u64 = 400;
const MAX_EMBEDDERS: usize = 256;

/// Merges a change into the embedders. Names end in byte order; `null` removes an embedder or
/// resets a field, `null` for all removes all.
///
/// # Errors
/// Binary quantization taken back, a field that the stored source does not take, or too many
/// embedders.
pub(super) fn merge_embedders(
    current: &Map<String, Value>,
    change: &Value,
) -> Result<Map<String, Value>, SettingsError> {
    let Value::Object(change) = change else {
        return Ok(Map::new());
    };
    let mut merged: std::collections::BTreeMap<&str, Value> = current
        .iter()
        .map(|(name, embedder)| (name.as_str(), embedder.clone()))
        .collect();
    for (name, delta) in change {
        match delta {
            Value::Object(delta) => {
                let before = merged.get(name.as_str()).and_then(Value::as_object);
                let embedder = merge_embedder(name, before, delta)?;
                merged.insert(name, Value::Object(embedder));
            }
            _ => {
                merged.remove(name.as_str());
            }
        }
    }
    if merged.len() > MAX_EMBEDDERS {
        return Err(SettingsError::Embedder(format!(
            "Too many embedders in the configuration. Found {}, but limited to {MAX_EMBEDDERS}.",
            merged.len()
        )));
    }
    Ok(merged
        .into_iter()
        .map(|(name, embedder)| (name.to_owned(), embedder))
        .collect())
}

fn merge_embedder(
    name: &str,
    before: Option<&Map<String, Value>>,
    delta: &Map<String, Value>,
) -> Result<Map<String, Value>, SettingsError> {
    let empty = Map::new();
    let before = before.unwrap_or(&empty);
    let was_quantized = before.get("binaryQuantized") == Some(&Value::Bool(true));
    let takes_it_back = matches!(
        delta.get("binaryQuantized"),
        Some(Value::Bool(false) | Value::Null)
    );
    if was_quantized && takes_it_back {
        return Err(SettingsError::Embedder(format!(
            "`.embedders.{name}.binaryQuantized`: Cannot disable the binary quantization.\n - \
             Note: Binary quantization is a lossy operation that cannot be reverted.\n - Hint: \
             Add a new embedder that is non-quantized and regenerate the vectors."
        )));
    }
    let old_source = source_of(before);
    let mut merged = merge_fields(before, delta);
    if before.is_empty() && !merged.contains_key("source") {
        merged.insert("source".to_owned(), DEFAULT_SOURCE.into());
    }
    let source = source_of(&merged).to_owned();
    if !before.is_empty() && source != old_source {
        merged.retain(|field, _| delta.contains_key(field) || is_taken(&source, field));
    }
    if source == "huggingFace" {
        forget_model(before, delta, &mut merged);
    }
    check_source(name, &source, &merged)?;
    fill_defaults(&source, &mut merged);
    Ok(in_order(merged))
}

/// Models of other sources mean nothing here, and the revision of one model nothing for another.
fn forget_model(
    before: &Map<String, Value>,
    delta: &Map<String, Value>,
    merged: &mut Map<String, Value>,
) {
    if source_of(before) != "huggingFace" && !delta.contains_key("model") {
        merged.shift_remove("model");
    }
    if before.get("model") != merged.get("model") && !delta.contains_key("revision") {
        merged.shift_remove("revision");
    }
}

/// Gives an embedder the values that it shows although nobody set them.
fn fill_defaults(source: &str, embedder: &mut Map<String, Value>) {
    let takes_template = is_taken(source, "documentTemplate") && !uses_fragments(embedder);
    let is_default_model = !embedder.contains_key("model");
    let mut fill = |field: &str, value: Value| {
        embedder.entry(field).or_insert(value);
    };
    if source == "openAi" {
        fill("model", DEFAULT_OPEN_AI_MODEL.into());
    }
    if source == "huggingFace" {
        let (model, revision) = DEFAULT_LOCAL_MODEL;
        fill("model", model.into());
        if is_default_model {
            fill("revision", revision.into());
        }
        fill("pooling", "useModel".into());
    }
    if takes_template {
        fill("documentTemplate", DEFAULT_TEMPLATE.into());
        fill("documentTemplateMaxBytes", DEFAULT_MAX_BYTES.into());
    }
}

/// Whether documents become fragments instead of one text.
fn uses_fragments(embedder: &Map<String, Value>) -> bool {
    let fragments = embedder.get("indexingFragments").and_then(Value::as_object);
    fragments.is_some_and(|fragments| !fragments.is_empty())
}

fn source_of(embedder: &Map<String, Value>) -> &str {
    let source = embedder.get("source").and_then(Value::as_str);
    source.unwrap_or(DEFAULT_SOURCE)
}

fn merge_fields(before: &Map<String, Value>, delta: &Map<String, Value>) -> Map<String, Value> {
    let mut merged = before.clone();
    for (field, value) in delta {
        match (value, merged.get(field).and_then(Value::as_object)) {
            (Value::Null, _) => {
                merged.shift_remove(field);
            }
            (Value::Object(inner), Some(old)) if NESTED.contains(&field.as_str()) => {
                let inner = merge_fields(old, inner);
                merged.insert(field.clone(), Value::Object(inner));
            }
            (Value::Object(inner), None) if NESTED.contains(&field.as_str()) => {
                let inner = merge_fields(&Map::new(), inner);
                merged.insert(field.clone(), Value::Object(inner));
            }
            _ => {
                merged.insert(field.clone(), value.clone());
            }
        }
    }
    merged
}

fn in_order(mut embedder: Map<String, Value>) -> Map<String, Value> {
    let ordered = FIELDS
        .iter()
        .filter_map(|field| embedder.shift_remove_entry(*field));
    ordered.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(current: Value, change: Value) -> Result<Value, String> {
        let current = current.as_object().expect("an object");
        merge_embedders(current, &change)
            .map(Value::Object)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_change_keeps_the_fields_and_embedders_it_does_not_name() {
        let before = json!({"b": {"source": "userProvided", "dimensions": 3}});
        let change = json!({
            "b": {"distribution": {"mean": 0.5, "sigma": 0.1}},
            "a": {"dimensions": 2, "source": "userProvided"},
        });
        assert_eq!(
            merged(before, change).expect("valid").to_string(),
            r#"{"a":{"source":"userProvided","dimensions":2},"b":{"source":"userProvided","dimensions":3,"distribution":{"mean":0.5,"sigma":0.1}}}"#
        );
    }

    #[test]
    fn null_resets_a_field_removes_an_embedder_or_all() {
        let before = json!({"a": {"source": "openAi", "model": "m"}, "b": {"source": "openAi"}});
        let change = json!({"a": {"model": null}, "b": null, "never": null});
        assert_eq!(
            merged(before.clone(), change),
            Ok(json!({"a": {
                "source": "openAi", "model": DEFAULT_OPEN_AI_MODEL,
                "documentTemplate": DEFAULT_TEMPLATE, "documentTemplateMaxBytes": 400,
            }}))
        );
        assert_eq!(merged(before, Value::Null), Ok(json!({})));
    }

    #[test]
    fn another_source_drops_what_it_does_not_take() {
        let before = json!({"a": {"source": "openAi", "model": "m", "dimensions": 2}});
        let change = json!({"a": {"source": "userProvided"}});
        assert_eq!(
            merged(before, change),
            Ok(json!({"a": {"source": "userProvided", "dimensions": 2}}))
        );
    }

    #[test]
    fn a_model_that_runs_here_has_a_default_and_its_revision_does_not_outlive_it() {
        let shown = |before: Value, change: Value| {
            let mut merged = merged(before, json!({ "a": change })).expect("valid");
            let embedder = merged["a"].as_object_mut().expect("an embedder");
            embedder.retain(|field, _| !field.starts_with("document"));
            json!({ "a": embedder })
        };
        let (model, revision) = DEFAULT_LOCAL_MODEL;
        let local = |model: &str| json!({"source": "huggingFace", "model": model});
        let plain = json!({"a": {
            "source": "huggingFace", "model": model, "revision": revision, "pooling": "useModel",
        }});
        let first = shown(json!({}), json!({"source": "huggingFace"}));
        assert_eq!(first, plain);
        let open_ai = json!({"a": {"source": "openAi", "model": DEFAULT_OPEN_AI_MODEL}});
        assert_eq!(shown(open_ai, json!({"source": "huggingFace"})), plain);
        let other = shown(first, local("m"));
        let expected = json!({"source": "huggingFace", "model": "m", "pooling": "useModel"});
        assert_eq!(other, json!({ "a": expected }));
        let pinned = shown(other, json!({"revision": "r", "pooling": "forceCls"}));
        assert_eq!(pinned["a"]["revision"], "r");
        let same = shown(pinned.clone(), local("m"));
        assert_eq!(same, pinned);
        assert_eq!(
            shown(same, json!({"model": null})),
            json!({"a": {
                "source": "huggingFace", "model": model, "revision": revision, "pooling": "forceCls",
            }})
        );
    }

    #[test]
    fn quantization_is_not_taken_back() {
        let before =
            json!({"a": {"source": "userProvided", "dimensions": 2, "binaryQuantized": true}});
        let change = json!({"a": {"binaryQuantized": false}});
        let message = merged(before, change).expect_err("refused");
        assert!(message.starts_with(
            "`.embedders.a.binaryQuantized`: Cannot disable the binary quantization.\n - Note:"
        ));
    }

    #[test]
    fn what_a_source_needs_may_not_be_reset() {
        let before = json!({"a": {"source": "userProvided", "dimensions": 2}});
        let message = merged(before, json!({"a": {"dimensions": null}})).expect_err("refused");
        assert_eq!(
            message,
            "`.embedders.a`: Missing field `dimensions` (note: this field is mandatory for source \
             `userProvided`)"
        );
    }

    #[test]
    fn what_the_stored_source_does_not_take_is_refused_with_what_it_takes() {
        let before = json!({"a": {"source": "userProvided", "dimensions": 2}});
        let message = merged(before, json!({"a": {"model": "m"}})).expect_err("refused");
        assert_eq!(
            message,
            "`.embedders.a`: Field `model` unavailable for source `userProvided`.\n  - note: \
             `model` is available for sources: `openAi`, `huggingFace`, `ollama`\n  - note: \
             available fields for source `userProvided`: `source`, `dimensions`, `distribution`, \
             `binaryQuantized`"
        );
    }

    #[test]
    fn a_model_that_open_ai_does_not_have_or_another_size_of_it_is_refused_without_a_source() {
        let refused =
            |change: Value| merged(json!({}), json!({ "a": change })).expect_err("refused");
        assert_eq!(
            refused(json!({"model": "m"})),
            "`.embedders.a.model`: Invalid model `m` for OpenAI. Supported models: \
             [\"text-embedding-ada-002\", \"text-embedding-3-small\", \"text-embedding-3-large\"]"
        );
        assert_eq!(
            refused(json!({"model": "text-embedding-ada-002", "dimensions": 42})),
            "`.embedders.a.dimensions`: Model `text-embedding-ada-002` does not support overriding \
             its native dimensions of 1536. Found 42"
        );
        assert_eq!(
            refused(json!({"dimensions": 1537})),
            "`.embedders.a.dimensions`: Model `text-embedding-3-small` does not support overriding \
             its dimensions to a value higher than 1536. Found 1537"
        );
    }
}
