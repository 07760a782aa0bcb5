//! Walks the values of a document depth first, in document order, under dotted names.
//!
//! Arrays are transparent: their items stand under the array's own name. A literal key `a.b` and
//! `b` inside `a` are the same field. Every key met is announced to the sink, so that parents get
//! numbers too, before their children.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::FieldId;
use super::raw_document::RawDocument;

/// A value without parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scalar<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer below zero.
    Negative(i64),
    /// Any other integer.
    Unsigned(u64),
    /// A number with a fraction or an exponent, or too large for an integer.
    Float(f64),
    /// A string.
    Text(&'a str),
}

/// Receives the walk.
pub(crate) trait ValueSink {
    /// A key is met: gives its number, or `None` to pass over its value.
    fn field(&mut self, name: &str) -> Option<FieldId>;
    /// The field's own value is an array or object. `is_nested` tells that the key stands inside
    /// an object, not at the top of the document.
    fn container(&mut self, field: FieldId, is_nested: bool);
    /// An array or object without content. `is_own` tells that it is the field's own value, not
    /// an item of its array.
    fn empty(&mut self, field: FieldId, is_own: bool);
    /// A value without parts.
    fn scalar(&mut self, field: FieldId, value: Scalar<'_>, is_own: bool);
}

/// Walks a whole document.
///
/// # Errors
/// When the text of a value is no JSON.
pub(crate) fn walk(
    document: &RawDocument<'_>,
    sink: &mut impl ValueSink,
) -> Result<(), serde_json::Error> {
    let mut path = String::new();
    for (key, value) in document.entries() {
        let Some(field) = sink.field(key) else {
            continue;
        };
        if let Some(text) = plain_string(value.get()) {
            sink.scalar(field, Scalar::Text(text), true);
            continue;
        }
        path.clear();
        path.push_str(key);
        let node = Node {
            path: &mut path,
            sink,
            field,
            is_own: true,
            is_nested: false,
        };
        node.deserialize(&mut serde_json::Deserializer::from_str(value.get()))?;
    }
    Ok(())
}

/// What is in a string without escapes.
fn plain_string(value: &str) -> Option<&str> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    memchr::memchr(b'\\', inner.as_bytes())
        .is_none()
        .then_some(inner)
}

struct Node<'w, S> {
    path: &'w mut String,
    sink: &'w mut S,
    field: FieldId,
    is_own: bool,
    is_nested: bool,
}

impl<S: ValueSink> Node<'_, S> {
    fn scalar<E>(self, value: Scalar<'_>) -> Result<(), E> {
        self.sink.scalar(self.field, value, self.is_own);
        Ok(())
    }
}

impl<'de, S: ValueSink> DeserializeSeed<'de> for Node<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, S: ValueSink> Visitor<'de> for Node<'_, S> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.scalar(Scalar::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.scalar(Scalar::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.scalar(Scalar::Negative(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.scalar(Scalar::Unsigned(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.scalar(Scalar::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.scalar(Scalar::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Self {
            path,
            sink,
            field,
            is_own,
            is_nested,
        } = self;
        if is_own {
            sink.container(field, is_nested);
        }
        let mut is_empty = true;
        loop {
            let item = Node {
                path,
                sink,
                field,
                is_own: false,
                is_nested,
            };
            if items.next_element_seed(item)?.is_none() {
                break;
            }
            is_empty = false;
        }
        if is_empty {
            sink.empty(field, is_own);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self {
            path,
            sink,
            field,
            is_own,
            is_nested,
        } = self;
        if is_own {
            sink.container(field, is_nested);
        }
        let mut is_empty = true;
        let parent_len = path.len();
        loop {
            path.truncate(parent_len);
            path.push('.');
            if map.next_key_seed(KeyInto(path))?.is_none() {
                break;
            }
            is_empty = false;
            match sink.field(path) {
                Some(field) => map.next_value_seed(Node {
                    path,
                    sink,
                    field,
                    is_own: true,
                    is_nested: true,
                })?,
                None => {
                    map.next_value::<serde::de::IgnoredAny>()?;
                }
            }
        }
        path.truncate(parent_len);
        if is_empty {
            sink.empty(field, is_own);
        }
        Ok(())
    }
}

/// Appends a key to a path.
struct KeyInto<'w>(&'w mut String);

impl<'de> DeserializeSeed<'de> for KeyInto<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyInto<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<(), E> {
        self.0.push_str(key);
        Ok(())
    }
}
