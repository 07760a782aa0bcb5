//! What each source of an embedder takes, and what it cannot do without.

use serde_json::{Map, Value};

use super::SettingsError;
use super::embedders::{DEFAULT_OPEN_AI_MODEL, FIELDS};

/// Sources in the order in which messages list them.
const SOURCES: [&str; 6] = [
    "openAi",
    "huggingFace",
    "ollama",
    "userProvided",
    "rest",
    "composite",
];
/// Fields that all sources take, and that come last where they are listed.
const LISTED_LAST: [&str; 2] = ["distribution", "binaryQuantized"];
const DOCUMENT_TEMPLATE: [&str; 2] = ["documentTemplate", "documentTemplateMaxBytes"];
/// Models of OpenAI with their dimensions, and whether fewer may be asked for.
const OPEN_AI_MODELS: [(&str, u64, bool); 3] = [
    ("text-embedding-ada-002", 1536, false),
    ("text-embedding-3-small", 1536, true),
    ("text-embedding-3-large", 3072, true),
];

/// Refuses an embedder that lacks what its source needs, or has what it does not take.
///
/// # Errors
/// The first such field, in the order of fields.
pub(super) fn check_source(
    name: &str,
    source: &str,
    embedder: &Map<String, Value>,
) -> Result<(), SettingsError> {
    for field in FIELDS {
        let is_set = embedder.contains_key(field);
        if !is_set && needed(source).contains(&field) {
            return Err(SettingsError::Embedder(format!(
                "`.embedders.{name}`: Missing field `{field}` (note: this field is mandatory for \
                 source `{source}`)"
            )));
        }
        if is_set && !is_taken(source, field) {
            return Err(SettingsError::Embedder(unavailable(name, field, source)));
        }
    }
    match source {
        "openAi" => check_open_ai(name, embedder),
        _ => Ok(()),
    }
}

fn unavailable(name: &str, field: &str, source: &str) -> String {
    let sources = SOURCES.into_iter().filter(|source| is_taken(source, field));
    let first = FIELDS.into_iter().filter(|one| !LISTED_LAST.contains(one));
    let fields = first.chain(LISTED_LAST).filter(|one| is_taken(source, one));
    format!(
        "`.embedders.{name}`: Field `{field}` unavailable for source `{source}`.\n  - note: \
         `{field}` is available for sources: {}\n  - note: available fields for source \
         `{source}`: {}",
        quoted(sources),
        quoted(fields)
    )
}

fn quoted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

fn check_open_ai(name: &str, embedder: &Map<String, Value>) -> Result<(), SettingsError> {
    let model = embedder.get("model").and_then(Value::as_str);
    let model = model.unwrap_or(DEFAULT_OPEN_AI_MODEL);
    let Some((_, native, adjustable)) = OPEN_AI_MODELS.iter().find(|(known, ..)| *known == model)
    else {
        let names = OPEN_AI_MODELS.map(|(known, ..)| known);
        return Err(SettingsError::Embedder(format!(
            "`.embedders.{name}.model`: Invalid model `{model}` for OpenAI. Supported models: \
             {names:?}"
        )));
    };
    let dimensions = embedder.get("dimensions").and_then(Value::as_u64);
    let wrong = match dimensions {
        Some(asked) if asked != *native && !adjustable => {
            format!("its native dimensions of {native}. Found {asked}")
        }
        Some(asked) if asked > *native => {
            format!("its dimensions to a value higher than {native}. Found {asked}")
        }
        _ => return Ok(()),
    };
    Err(SettingsError::Embedder(format!(
        "`.embedders.{name}.dimensions`: Model `{model}` does not support overriding {wrong}"
    )))
}

/// Whether a source takes a field.
pub(super) fn is_taken(source: &str, field: &str) -> bool {
    if matches!(field, "source" | "distribution" | "binaryQuantized") {
        return true;
    }
    let takes_template = !matches!(source, "userProvided" | "composite");
    if DOCUMENT_TEMPLATE.contains(&field) {
        return takes_template;
    }
    match source {
        "openAi" => matches!(field, "model" | "apiKey" | "dimensions" | "url"),
        "huggingFace" => matches!(field, "model" | "revision" | "pooling"),
        "ollama" => matches!(field, "model" | "url" | "apiKey" | "dimensions"),
        "userProvided" => field == "dimensions",
        "rest" => matches!(
            field,
            "url"
                | "request"
                | "response"
                | "apiKey"
                | "dimensions"
                | "headers"
                | "indexingFragments"
                | "searchFragments"
        ),
        "composite" => matches!(field, "searchEmbedder" | "indexingEmbedder"),
        _ => false,
    }
}

/// What a source cannot do without, in the order in which it is missed.
fn needed(source: &str) -> &'static [&'static str] {
    match source {
        "userProvided" => &["dimensions"],
        "ollama" => &["model"],
        "rest" => &["url", "request", "response"],
        "composite" => &["searchEmbedder", "indexingEmbedder"],
        _ => &[],
    }
}
