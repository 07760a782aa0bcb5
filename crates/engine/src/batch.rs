//! What a batch asks for and what came of it; the JSON forms cross the boundary as they are.

use std::path::PathBuf;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::document::DocumentError;

/// Operations on one index, applied in order and committed together.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// Number under which the commit remembers the batch.
    pub batch_uid: u64,
    /// Time to record as the index's last update, RFC 3339; the present when absent.
    #[serde(default)]
    pub finished_at: Option<String>,
    /// What to do.
    pub operations: Vec<Operation>,
}

/// One step of a batch; it succeeds or fails on its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// Number under which the result is reported.
    pub task_uid: u64,
    /// What to do.
    #[serde(flatten)]
    pub kind: OperationKind,
}

/// The kinds of operation.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum OperationKind {
    /// Adds documents or changes them.
    DocumentAdditionOrUpdate {
        /// What happens to a document that exists.
        method: AdditionMethod,
        /// Primary key to declare, or to check against the declared one.
        #[serde(default)]
        primary_key: Option<String>,
        /// The documents.
        payload: Payload,
        /// Whether documents that do not exist are passed over.
        #[serde(default)]
        skip_creation: bool,
    },
    /// Deletes documents by identifier, by filter, or both.
    DocumentDeletion {
        /// Identifiers; unknown ones are ignored.
        #[serde(default)]
        ids: Vec<String>,
        /// A file of more of them, one JSON string a line.
        #[serde(default)]
        ids_file: Option<PathBuf>,
        /// A filter in its JSON form.
        #[serde(default)]
        filter: Option<Value>,
    },
    /// Edits documents by a function.
    DocumentEdition(Edition),
    /// Deletes all documents.
    DocumentClear,
    /// Changes settings; `null` resets one.
    SettingsUpdate {
        /// The settings to change.
        #[serde(default)]
        settings: Map<String, Value>,
        /// A file of them, as one JSON object, in the place of `settings`.
        #[serde(default)]
        settings_file: Option<PathBuf>,
    },
    /// Declares the primary key.
    PrimaryKeyUpdate {
        /// Its name; `None` changes nothing.
        primary_key: Option<String>,
    },
}

/// Documents to edit, and how.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Edition {
    /// The script that changes `doc`.
    pub function: String,
    /// What the script may read. It may come as the text of its JSON, where who passed it on would have
    /// changed its numbers.
    #[serde(default, deserialize_with = "object_or_its_text")]
    pub context: Option<Map<String, Value>>,
    /// A filter in its JSON form; all documents without one.
    #[serde(default)]
    pub filter: Option<Value>,
}

fn object_or_its_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Map<String, Value>>, D::Error> {
    let read = match Value::deserialize(deserializer)? {
        Value::String(text) => serde_json::from_str(&text),
        value => serde_json::from_value(value),
    };
    read.map_err(D::Error::custom)
}

/// What an addition does to a document that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AdditionMethod {
    /// The new document takes its place.
    Replace,
    /// Its top-level fields are overwritten one by one.
    Update,
}

/// Documents as NDJSON, one compact object a line.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Payload {
    /// A file.
    File(PathBuf),
    /// The text itself.
    Inline(String),
}

/// What came of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationResult {
    /// Number of the operation.
    pub task_uid: u64,
    /// Success with counts, or the reason of failure.
    #[serde(flatten)]
    pub outcome: OperationOutcome,
}

/// Success with counts, or the reason of failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "status",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum OperationOutcome {
    /// The operation is part of the commit.
    Succeeded {
        /// Documents received by an addition.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        indexed_documents: Option<u64>,
        /// Documents that a deletion removed.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        deleted_documents: Option<u64>,
        /// Documents that an edition changed.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        edited_documents: Option<u64>,
    },
    /// Nothing of the operation was applied.
    Failed {
        /// Why.
        error: OperationError,
    },
}

/// Why an operation failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct OperationError {
    /// Stable code of the interface.
    pub code: String,
    /// Text for people.
    pub message: String,
}

impl OperationError {
    /// An error with a code of the interface.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
        }
    }
}

impl From<DocumentError> for OperationError {
    fn from(error: DocumentError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_context_is_an_object_or_the_text_of_one_that_keeps_its_numbers() {
        let context = |context: Value| {
            let operation = json!({
                "taskUid": 1, "type": "documentEdition", "function": "", "context": context,
            });
            let read: Operation = serde_json::from_value(operation).expect("an operation");
            match read.kind {
                OperationKind::DocumentEdition(edition) => edition.context.map(Value::Object),
                _ => None,
            }
        };
        assert_eq!(context(json!(null)), None);
        assert_eq!(context(json!({"a": 1})), Some(json!({"a": 1})));
        let text = r#"{"a":4.0,"b":12345678901234567}"#;
        let kept = context(json!(text)).expect("a context");
        assert_eq!(kept.to_string(), text);
    }
}
