//! One document of a plan: how it is kept, and how others see it.
//!
//! # Cost
//! [`ROW_LEN`] bytes a document; 20 for each further text of it.

use crate::docset::DocId;

/// Bytes of a row.
pub(super) const ROW_LEN: usize = 56;
/// Bytes of a text in a chain.
pub(super) const TEXT_LEN: usize = 20;
/// Stands for no document, no text, no operation.
pub(super) const NONE: u32 = u32::MAX;

/// Where a document's text stands: payload, first byte, length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) payload: u32,
    pub(crate) start: u64,
    pub(crate) len: u32,
}

/// What a document will be.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// It will not be.
    Deleted,
    /// One text as it is.
    Text(Location),
    /// Texts merged in order.
    Merged(Merged),
}

/// Texts merged in order, over the stored document if there is one.
#[derive(Clone, Debug)]
pub(crate) struct Merged {
    pub(crate) over_stored: Option<DocId>,
    pub(crate) texts: Vec<Location>,
}

impl Content {
    /// Its texts in the batch, in order.
    pub(crate) fn texts(&self) -> &[Location] {
        match self {
            Self::Deleted => &[],
            Self::Text(location) => std::slice::from_ref(location),
            Self::Merged(merged) => &merged.texts,
        }
    }
}

/// One document touched by the batch.
#[derive(Clone, Debug)]
pub(crate) struct PlannedWrite<'p> {
    pub(crate) external_id: &'p str,
    /// Its number; of no use once deleted.
    pub(crate) doc_id: DocId,
    /// The number under which the committed snapshot holds it.
    pub(crate) committed: Option<DocId>,
    pub(crate) content: Content,
    /// Whether nothing of a document before it counts.
    pub(crate) is_new: bool,
    /// Texts of this batch that the content replaced: what they say about vectors still counts.
    pub(crate) replaced: Vec<Location>,
}

/// What a row's content is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Deleted,
    Text,
    /// Texts, which may be none, over each other.
    Merged,
    /// Texts, which may be none, over the stored document.
    MergedOverStored,
}

/// A planned write as it is kept. Further texts hang in chains, newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) id_start: u64,
    pub(super) id_len: u32,
    pub(super) doc_id: DocId,
    /// Its number in the snapshot, or [`NONE`].
    pub(super) committed: u32,
    /// The last payload that named it, or [`NONE`].
    pub(super) named_by: u32,
    pub(super) kind: Kind,
    pub(super) is_new: bool,
    /// Its newest text, if there is one.
    pub(super) text: Option<Location>,
    /// The texts before the newest, or [`NONE`].
    pub(super) earlier: u32,
    /// The texts that were replaced, or [`NONE`].
    pub(super) replaced: u32,
}

/// A text and the place of the one before it.
pub(super) fn text_bytes(location: Location, before: u32) -> [u8; TEXT_LEN] {
    let mut bytes = [0; TEXT_LEN];
    bytes[0..8].copy_from_slice(&location.start.to_le_bytes());
    bytes[8..12].copy_from_slice(&location.payload.to_le_bytes());
    bytes[12..16].copy_from_slice(&location.len.to_le_bytes());
    bytes[16..20].copy_from_slice(&before.to_le_bytes());
    bytes
}

/// Reads what [`text_bytes`] made.
pub(super) fn text_of(bytes: &[u8]) -> (Location, u32) {
    let location = Location {
        start: u64_at(bytes, 0),
        payload: u32_at(bytes, 8),
        len: u32_at(bytes, 12),
    };
    (location, u32_at(bytes, 16))
}

impl Row {
    /// The row as bytes.
    pub(super) fn to_bytes(self) -> [u8; ROW_LEN] {
        let text = self.text.unwrap_or(Location {
            payload: NONE,
            start: 0,
            len: 0,
        });
        let mut bytes = [0; ROW_LEN];
        bytes[0..8].copy_from_slice(&self.id_start.to_le_bytes());
        bytes[8..16].copy_from_slice(&text.start.to_le_bytes());
        let words = [
            self.id_len,
            self.doc_id,
            self.committed,
            self.named_by,
            text.payload,
            text.len,
            self.earlier,
            self.replaced,
        ];
        for (place, word) in bytes[16..48].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes[48] = self.kind as u8;
        bytes[49] = u8::from(self.is_new);
        bytes
    }

    /// Reads what [`Self::to_bytes`] made.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let payload = u32_at(bytes, 32);
        let text = Location {
            payload,
            start: u64_at(bytes, 8),
            len: u32_at(bytes, 36),
        };
        Self {
            id_start: u64_at(bytes, 0),
            id_len: u32_at(bytes, 16),
            doc_id: u32_at(bytes, 20),
            committed: u32_at(bytes, 24),
            named_by: u32_at(bytes, 28),
            kind: match bytes[48] {
                0 => Kind::Deleted,
                1 => Kind::Text,
                2 => Kind::Merged,
                _ => Kind::MergedOverStored,
            },
            is_new: bytes[49] != 0,
            text: (payload != NONE).then_some(text),
            earlier: u32_at(bytes, 40),
            replaced: u32_at(bytes, 44),
        }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].try_into().map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].try_into().map_or(0, u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row and a text come back as they were, whatever is missing in them.
    #[test]
    fn rows_and_texts_survive_a_round_trip() {
        let location = Location {
            payload: 7,
            start: 1 << 40,
            len: 99,
        };
        assert_eq!(text_of(&text_bytes(location, 3)), (location, 3));
        for kind in [
            Kind::Deleted,
            Kind::Text,
            Kind::Merged,
            Kind::MergedOverStored,
        ] {
            for text in [None, Some(location)] {
                let row = Row {
                    id_start: 1 << 33,
                    id_len: 511,
                    doc_id: 12,
                    committed: NONE,
                    named_by: 4,
                    kind,
                    is_new: text.is_none(),
                    text,
                    earlier: 5,
                    replaced: NONE,
                };
                assert_eq!(Row::from_bytes(&row.to_bytes()), row);
            }
        }
    }
}
