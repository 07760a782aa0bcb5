//! The `_vectors` member of a document: what a user says about the vectors of each embedder.
//!
//! ```text
//! {"e": null}                                          no vectors, and none are to be made
//! {"e": [0.1, 0.2]}                                    one vector, kept until replaced
//! {"e": [[0.1, 0.2], [0.3, 0.4]]}                      several
//! {"e": {"embeddings": ..., "regenerate": true}}       either, replaced when the text changes
//! {"e": {"regenerate": true}}                          to be made
//! ```

use serde_json::Value;

use crate::document::raw_document::{JsonText, RawDocument};

/// Name of the member.
pub(crate) const VECTORS: &str = "_vectors";
/// Vectors of one document and embedder at the most.
const MAX_VECTORS: usize = 256;

/// What a document says about one embedder.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GivenVectors {
    /// The vectors; `None` if it gives none.
    pub(crate) vectors: Option<Vec<Vec<f32>>>,
    /// Whether vectors are made again when the document's text changes.
    pub(crate) regenerate: bool,
}

/// Why `_vectors` is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VectorsError {
    /// The member is no object; carries the document's id and the member.
    #[error(
        "The `_vectors` field in the document with id: `{0}` is not an object. Was expecting an \
         object with a key for each embedder with manually provided vectors, but instead got `{1}`"
    )]
    NotAnObject(String, String),
    /// What is said about an embedder has another shape; carries the document's id and the reason.
    #[error("Bad embedder configuration in the document with id: `{0}`. {1}")]
    Shape(String, String),
    /// A vector has another length than the embedder's.
    #[error(
        "Invalid vector dimensions in document with id `{id}` in `._vectors.{embedder}`.\n  - \
         note: embedding #{at} has dimensions {found}\n  - note: embedder `{embedder}` requires \
         {expected}"
    )]
    Dimensions {
        /// The document.
        id: String,
        /// The embedder.
        embedder: String,
        /// Which vector.
        at: usize,
        /// Its length.
        found: usize,
        /// The length needed.
        expected: usize,
    },
    /// More vectors than are kept.
    #[error("Too many vectors for document with id {0}: found {1}, but limited to {MAX_VECTORS}.")]
    TooMany(String, usize),
}

impl VectorsError {
    /// The stable code of the interface.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotAnObject(..) | Self::Shape(..) => "invalid_vectors_type",
            Self::Dimensions { .. } => "invalid_vector_dimensions",
            Self::TooMany(..) => "too_many_vectors",
        }
    }
}

/// The entries of `_vectors` by embedder.
///
/// # Errors
/// When it is no object.
pub(crate) fn entries<'d>(
    vectors: JsonText<'d>,
    external_id: &str,
) -> Result<RawDocument<'d>, VectorsError> {
    RawDocument::parse(vectors.get())
        .map_err(|_| VectorsError::NotAnObject(external_id.to_owned(), vectors.get().to_owned()))
}

/// Reads what a document says about an embedder.
///
/// # Errors
/// Another shape than those above, or more vectors than are kept.
pub(crate) fn read(
    raw: JsonText<'_>,
    embedder: &str,
    external_id: &str,
) -> Result<GivenVectors, VectorsError> {
    let shape = |reason: String| VectorsError::Shape(external_id.to_owned(), reason);
    let place = format!("._vectors.{embedder}");
    let given = match raw.get().as_bytes().first() {
        Some(b'[') => GivenVectors {
            vectors: Some(read_vectors(raw, &place).map_err(shape)?),
            regenerate: false,
        },
        Some(b'n') => GivenVectors {
            vectors: None,
            regenerate: false,
        },
        Some(b'{') => read_object(raw, &place).map_err(shape)?,
        _ => {
            return Err(shape(format!(
                "Expected `{place}` to be an array of floats, an array of arrays of floats, or an \
                 object with at least the field `regenerate`, but got the {}",
                described(raw)
            )));
        }
    };
    match given.vectors.as_ref().map(Vec::len) {
        Some(n) if n > MAX_VECTORS => Err(VectorsError::TooMany(external_id.to_owned(), n)),
        _ => Ok(given),
    }
}

/// Checks that all vectors have the same, given length.
///
/// # Errors
/// Names the first that has not.
pub(crate) fn check_dimensions(
    vectors: &[Vec<f32>],
    expected: usize,
    embedder: &str,
    external_id: &str,
) -> Result<(), VectorsError> {
    let wrong = vectors
        .iter()
        .position(|vector| vector.len() != expected)
        .map(|at| VectorsError::Dimensions {
            id: external_id.to_owned(),
            embedder: embedder.to_owned(),
            at,
            found: vectors[at].len(),
            expected,
        });
    wrong.map_or(Ok(()), Err)
}

fn read_object(raw: JsonText<'_>, place: &str) -> Result<GivenVectors, String> {
    let object = RawDocument::parse(raw.get())
        .map_err(|error| format!("Could not parse `{place}`: {error}"))?;
    if let Some(column) = colon_of_unknown(&object, raw.get()) {
        return Err(format!(
            "Could not parse `{place}`: trailing characters at line 1 column {column}"
        ));
    }
    let Some(regenerate) = object.get("regenerate") else {
        return Err(format!(
            "Missing field `{place}.regenerate`\n  - note: `{place}` must be an array of floats, \
             an array of arrays of floats, or an object with field `regenerate`"
        ));
    };
    let regenerate: bool = serde_json::from_str(regenerate.get()).map_err(|error| {
        let column = start_of(raw.get(), regenerate) + regenerate.get().len();
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        format!("Could not parse `{place}.regenerate`: {reason} at line 1 column {column}")
    })?;
    let embeddings = object
        .get("embeddings")
        .filter(|embeddings| embeddings.get() != "null");
    let vectors = embeddings
        .map(|embeddings| read_vectors(embeddings, &format!("{place}.embeddings")))
        .transpose()?;
    Ok(GivenVectors {
        vectors,
        regenerate,
    })
}

/// The column, from 1, of the colon of the first member that has no meaning.
fn colon_of_unknown(object: &RawDocument<'_>, text: &str) -> Option<usize> {
    let known = |name: &str| matches!(name, "embeddings" | "regenerate");
    let unknown = object.entries().iter().find(|(name, _)| !known(name));
    unknown.map(|(_, value)| start_of(text, *value))
}

/// Bytes before a value inside a text.
fn start_of(text: &str, value: JsonText<'_>) -> usize {
    value.get().as_ptr() as usize - text.as_ptr() as usize
}

/// One vector or a list of them.
fn read_vectors(raw: JsonText<'_>, place: &str) -> Result<Vec<Vec<f32>>, String> {
    let text = raw.get();
    if let Ok(one) = serde_json::from_str::<Vec<f32>>(text) {
        return Ok(if one.is_empty() {
            Vec::new()
        } else {
            vec![one]
        });
    }
    if let Ok(several) = serde_json::from_str::<Vec<Vec<f32>>>(text) {
        return Ok(several);
    }
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    Err(misshapen(&value, place))
}

/// What is wrong with vectors that are none.
fn misshapen(value: &Value, place: &str) -> String {
    let wrong = |at: &str, expected: &str, found: &Value| {
        format!(
            "Invalid value type at `{at}`: expected {expected}, but found {}",
            kind(found)
        )
    };
    let Value::Array(items) = value else {
        return wrong(place, "an array", value);
    };
    let holds_vectors = items.first().is_some_and(Value::is_array);
    for (at, item) in items.iter().enumerate() {
        let place = format!("{place}[{at}]");
        match item {
            Value::Array(numbers) if holds_vectors => {
                let bad = numbers
                    .iter()
                    .enumerate()
                    .find(|(_, number)| !number.is_number());
                if let Some((inner, found)) = bad {
                    return wrong(&format!("{place}[{inner}]"), "a number", found);
                }
            }
            Value::Number(_) if !holds_vectors => {}
            found if at == 0 => return wrong(&place, "a number or an array", found),
            found if holds_vectors => return wrong(&place, "an array", found),
            found => return wrong(&place, "a number", found),
        }
    }
    // All are numbers: one of them is too large.
    format!("Expected numbers of 32 bits in `{place}`")
}

/// A value with its kind, as messages show it.
fn kind(value: &Value) -> String {
    let name = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_u64() => "a positive integer",
        Value::Number(number) if number.is_i64() => "a negative integer",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    format!("{name}: `{value}`")
}

/// A value that is neither array, object nor null.
fn described(raw: JsonText<'_>) -> String {
    match serde_json::from_str::<Value>(raw.get()) {
        Ok(Value::Bool(value)) => format!("boolean `{value}`"),
        Ok(Value::String(text)) => format!("string `{text}`"),
        _ => format!("number `{}`", raw.get()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn reading(text: &str) -> Result<GivenVectors, String> {
        let raw = RawValue::from_string(text.to_owned()).expect("JSON");
        read((&*raw).into(), "e", "7").map_err(|error| error.to_string())
    }

    #[test]
    fn every_form_is_read() {
        let given = |vectors, regenerate| {
            Ok(GivenVectors {
                vectors,
                regenerate,
            })
        };
        assert_eq!(reading("null"), given(None, false));
        assert_eq!(reading("[]"), given(Some(vec![]), false));
        assert_eq!(reading("[1,2]"), given(Some(vec![vec![1.0, 2.0]]), false));
        assert_eq!(
            reading("[[1],[2]]"),
            given(Some(vec![vec![1.0], vec![2.0]]), false)
        );
        assert_eq!(reading(r#"{"regenerate":true}"#), given(None, true));
        assert_eq!(
            reading(r#"{"embeddings":[1],"regenerate":true}"#),
            given(Some(vec![vec![1.0]]), true)
        );
        assert_eq!(
            reading(r#"{"embeddings":null,"regenerate":false}"#),
            given(None, false)
        );
    }

    #[test]
    fn other_forms_are_named_with_their_place() {
        let refused = |text: &str| {
            let message = reading(text).expect_err("refused");
            let lead = "Bad embedder configuration in the document with id: `7`. ";
            message.strip_prefix(lead).expect("the lead").to_owned()
        };
        assert!(refused("\"x\"").ends_with("but got the string `x`"));
        assert_eq!(
            refused(r#"["a"]"#),
            "Invalid value type at `._vectors.e[0]`: expected a number or an array, but found a \
             string: `\"a\"`"
        );
        assert_eq!(
            refused(r#"{"embeddings":[true],"regenerate":false}"#),
            "Invalid value type at `._vectors.e.embeddings[0]`: expected a number or an array, \
             but found a boolean: `true`"
        );
        assert_eq!(
            refused(r#"{"regenerate":"x"}"#),
            "Could not parse `._vectors.e.regenerate`: invalid type: string \"x\", expected a \
             boolean at line 1 column 17"
        );
        assert_eq!(
            refused(r#"{"embeddings":[3,4],"regenerate":false,"other":1}"#),
            "Could not parse `._vectors.e`: trailing characters at line 1 column 47"
        );
        for text in ["[1e39,2]", "[[1,2],[-1e39,2]]"] {
            assert_eq!(
                refused(text),
                "Expected numbers of 32 bits in `._vectors.e`"
            );
        }
        assert!(
            refused(r#"{"embeddings":[3,4]}"#)
                .starts_with("Missing field `._vectors.e.regenerate`")
        );
    }

    #[test]
    fn more_than_256_vectors_are_refused() {
        let text = format!("[{}]", vec!["[1]"; 257].join(","));
        assert_eq!(
            reading(&text),
            Err(
                "Too many vectors for document with id 7: found 257, but limited to 256."
                    .to_owned()
            )
        );
    }
}
