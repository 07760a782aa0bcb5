//! The primary key: which field it is, and the identifier of a document.

use std::borrow::Cow;

use serde_json::Value;

use super::DocumentError;
use super::raw_document::{JsonText, RawDocument};

/// Bytes of an identifier at the most.
const MAX_ID_BYTES: usize = 511;

/// A primary key by name, possibly a dotted path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrimaryKey {
    name: String,
}

impl PrimaryKey {
    /// The primary key with this name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
        }
    }

    /// The name as given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Chooses the primary key from the field names of the first document.
    ///
    /// # Errors
    /// Unless exactly one name ends with `id`, whatever its case.
    pub(crate) fn infer(document: &RawDocument<'_>) -> Result<Self, DocumentError> {
        let mut names: Vec<&str> = document
            .entries()
            .iter()
            .map(|(name, _)| &**name)
            .filter(|name| name.to_lowercase().ends_with("id"))
            .collect();
        names.sort_unstable();
        match *names {
            [] => Err(DocumentError::NoPrimaryKeyCandidate),
            [name] => Ok(Self::new(name)),
            [first, second, ..] => Err(DocumentError::SeveralPrimaryKeyCandidates {
                count: names.len(),
                first: first.to_owned(),
                second: second.to_owned(),
            }),
        }
    }

    /// The identifier of a document.
    ///
    /// # Errors
    /// When the document has none, several, or one of a wrong form.
    pub(crate) fn external_id<'a>(
        &self,
        document: &RawDocument<'a>,
    ) -> Result<Cow<'a, str>, DocumentError> {
        if let Some(value) = document
            .get(&self.name)
            .filter(|_| !self.name.contains('.'))
        {
            return identifier(value);
        }
        let mut values = Vec::new();
        for (key, value) in document.entries() {
            let Some(rest) = remaining(&self.name, key) else {
                continue;
            };
            let value: Value = serde_json::from_str(value.get())
                .map_err(|error| DocumentError::Malformed(error.to_string()))?;
            collect(value, rest, &mut values);
        }
        let text = || document.to_json().into_owned();
        let primary_key = self.name.clone();
        match values.as_slice() {
            [] => Err(DocumentError::MissingId {
                primary_key,
                document: text(),
            }),
            [value] => checked(value).map(Cow::Owned),
            _ => Err(DocumentError::TooManyIds {
                primary_key,
                document: text(),
            }),
        }
    }
}

/// What is left of a path after a key that is the whole of it or its beginning.
fn remaining<'p>(path: &'p str, key: &str) -> Option<&'p str> {
    match path.strip_prefix(key)? {
        "" => Some(""),
        rest => rest.strip_prefix('.'),
    }
}

/// Objects are looked into, arrays are not: what is in one is not the identifier of the document.
fn collect(value: Value, path: &str, values: &mut Vec<Value>) {
    match value {
        value if path.is_empty() => values.push(value),
        Value::Object(object) => {
            for (key, value) in object {
                if let Some(rest) = remaining(path, &key) {
                    collect(value, rest, values);
                }
            }
        }
        _ => {}
    }
}

/// The identifier in a value's text, borrowed where possible.
fn identifier(value: JsonText<'_>) -> Result<Cow<'_, str>, DocumentError> {
    let text = value.get();
    let inner = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    if let Some(inner) = inner.filter(|inner| is_identifier(inner)) {
        return Ok(Cow::Borrowed(inner));
    }
    let value: Value =
        serde_json::from_str(text).map_err(|error| DocumentError::Malformed(error.to_string()))?;
    checked(&value).map(Cow::Owned)
}

fn checked(value: &Value) -> Result<String, DocumentError> {
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => Ok(number.to_string()),
        Value::String(text) if is_identifier(text) => Ok(text.clone()),
        other => Err(DocumentError::InvalidId(other.to_string())),
    }
}

/// Whether a string may identify a document.
fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_ID_BYTES
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(primary_key: &str, document: &str) -> Result<String, String> {
        let document = RawDocument::parse(document).expect("valid");
        PrimaryKey::new(primary_key)
            .external_id(&document)
            .map(Cow::into_owned)
            .map_err(|error| format!("{}: {error}", error.code()))
    }

    #[test]
    fn integers_and_short_plain_strings_identify() {
        assert_eq!(id("id", r#"{"id":-12}"#), Ok("-12".into()));
        assert_eq!(id("id", r#"{"id":"a_B-9"}"#), Ok("a_B-9".into()));
        assert_eq!(id("id", r#"{"id":"\u0061"}"#), Ok("a".into()));
        assert!(id("id", &format!(r#"{{"id":"{}"}}"#, "x".repeat(511))).is_ok());
    }

    #[test]
    fn anything_else_is_refused_with_its_json() {
        for value in [
            r#""foo & bar""#,
            "1.0",
            "true",
            "null",
            "[1]",
            "{}",
            r#""""#,
            r#"" a""#,
        ] {
            let error = id("id", &format!(r#"{{"id":{value}}}"#)).expect_err("refused");
            let start = format!("invalid_document_id: Document identifier `{value}` is invalid.");
            assert!(error.starts_with(&start), "{error}");
        }
        assert!(id("id", &format!(r#"{{"id":"{}"}}"#, "x".repeat(512))).is_err());
    }

    #[test]
    fn a_missing_identifier_shows_the_document() {
        assert_eq!(
            id("docid", r#"{"id":"1"}"#),
            Err(
                "missing_document_id: Document doesn't have a `docid` attribute: `{\"id\":\"1\"}`."
                    .into()
            )
        );
    }

    #[test]
    fn a_path_leads_into_objects_and_must_end_at_one_value() {
        assert_eq!(id("a.b", r#"{"a":{"b":7}}"#), Ok("7".into()));
        assert_eq!(id("a.b", r#"{"a.b":"x"}"#), Ok("x".into()));
        let error = id("a.b", r#"{"a":{"b":7},"a.b":8}"#).expect_err("two values");
        assert!(error.starts_with("invalid_document_id: Document have too many matching `a.b`"));
        assert!(
            id("a.b", r#"{"a":1}"#)
                .expect_err("no value")
                .starts_with("missing_document_id")
        );
    }

    #[test]
    fn inference_wants_exactly_one_name_that_ends_with_id() {
        let infer = |text: &str| {
            let document = RawDocument::parse(text).expect("valid");
            PrimaryKey::infer(&document)
                .map(|key| key.name)
                .map_err(|error| error.code())
        };
        assert_eq!(infer(r#"{"title":1,"objectID":2}"#), Ok("objectID".into()));
        assert_eq!(
            infer(r#"{"title":1}"#),
            Err("index_primary_key_no_candidate_found")
        );
        assert_eq!(
            infer(r#"{"id":1,"object_id":2}"#),
            Err("index_primary_key_multiple_candidates_found")
        );
    }
}
