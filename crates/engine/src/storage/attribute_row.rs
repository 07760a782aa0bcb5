//! The attribute values of one document, before they stand in columns.

use std::sync::Arc;

use smallvec::SmallVec;

use super::forward_row::FieldId;
use crate::geometry::{Bounds, Shape};

/// Values of the faceted attributes of one document.
#[derive(Debug, Default)]
pub(crate) struct AttributeRow {
    /// One entry per faceted field that the document has, in any order, each field once.
    pub(crate) fields: Vec<FieldValues>,
    /// Latitude and longitude, when `_geo` is faceted and present.
    pub(crate) geo: Option<[f64; 2]>,
    /// The shape of `_geojson`, when it is filterable and present.
    pub(crate) shape: Option<StoredShape>,
}

impl AttributeRow {
    /// Bytes of memory on the heap, roughly.
    pub(crate) fn mem_usage(&self) -> usize {
        let fields = self.fields.iter().map(|values| {
            let strings = values.strings.iter();
            let bytes = strings.map(|string| 48 + 2 * string.normalized.len());
            size_of::<FieldValues>() + 8 * values.numbers.capacity() + bytes.sum::<usize>()
        });
        fields.sum::<usize>() + self.shape.as_ref().map_or(0, |shape| shape.bytes.len())
    }
}

/// A shape as it lies on disk.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredShape {
    /// The smallest rectangle around it.
    pub(crate) bounds: Bounds,
    /// What [`crate::geometry::Shape::encode`] wrote.
    pub(crate) bytes: Box<[u8]>,
}

impl StoredShape {
    /// The bytes of a shape; `None` when it has no parts.
    pub(crate) fn new(shape: &Shape) -> Option<Self> {
        Some(Self {
            bounds: shape.bounds()?,
            bytes: shape.encode().into(),
        })
    }
}

/// Values of one field of one document.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct FieldValues {
    /// The field.
    pub(crate) field: FieldId,
    /// Whether the field's own value is `null`.
    pub(crate) is_null: bool,
    /// Whether the field's own value is `""`, `[]` or `{}`.
    pub(crate) is_empty: bool,
    /// Distinct numbers, never NaN, -0 written as 0.
    pub(crate) numbers: SmallVec<[f64; 2]>,
    /// Distinct strings; documents share those that many of them have.
    pub(crate) strings: SmallVec<[Arc<StringValue>; 2]>,
}

/// A string as it is compared and as it was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StringValue {
    /// Trimmed, decomposed, lower case, at most 468 bytes.
    pub(crate) normalized: Box<str>,
    /// As it stands in the document; `None` when equal to the normalised form.
    pub(crate) original: Option<Box<str>>,
}

impl FieldValues {
    /// No value yet.
    pub(crate) fn new(field: FieldId) -> Self {
        Self {
            field,
            ..Self::default()
        }
    }

    /// Adds a number unless it is there already.
    pub(crate) fn push_number(&mut self, number: f64) {
        let number = if number == 0.0 { 0.0 } else { number };
        if !number.is_nan() && !self.numbers.contains(&number) {
            self.numbers.push(number);
        }
    }

    /// Adds a string; of several with the same normalised form the first one stays.
    pub(crate) fn push_string(&mut self, string: Arc<StringValue>) {
        let mut strings = self.strings.iter();
        if !strings.any(|value| value.normalized == string.normalized) {
            self.strings.push(string);
        }
    }
}

impl StringValue {
    /// A string by its normalised form and by how it was written.
    pub(crate) fn new(normalized: String, original: &str) -> Self {
        let original = (normalized != original).then(|| original.into());
        Self {
            normalized: normalized.into(),
            original,
        }
    }

    /// As it stands in the document.
    pub(crate) fn written(&self) -> &str {
        self.original.as_deref().unwrap_or(&self.normalized)
    }
}
