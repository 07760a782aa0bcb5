//! External ids with the places of texts in a payload, in order: what is known of an operation
//! before it is planned.
//!
//! # Cost
//! 16 bytes and the external id for each, in memory while they are few and then in a file.

use std::io;
use std::path::Path;

use super::planned_write::Location;
use super::spilled_bytes::SpilledBytes;

const HEAD_LEN: usize = 16;
/// Length that stands for no text.
const NO_TEXT: u32 = u32::MAX;

/// External ids and places, in the order in which they came.
pub(crate) struct NamedTexts {
    bytes: SpilledBytes,
    len: usize,
    /// The payload that all places are in.
    payload: u32,
}

impl NamedTexts {
    /// None yet; many are kept in a file in `folder`.
    pub(crate) fn new(folder: &Path, payload: u32) -> Self {
        Self {
            bytes: SpilledBytes::new(folder),
            len: 0,
            payload,
        }
    }

    /// Number of external ids, equal ones counted apart.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Adds an external id with first byte and length of its text, or without a text.
    ///
    /// # Errors
    /// When there is no room on disk.
    pub(crate) fn push(&mut self, external_id: &str, text: Option<(u64, u32)>) -> io::Result<()> {
        let (start, len) = text.unwrap_or((0, NO_TEXT));
        let mut head = [0; HEAD_LEN];
        head[0..8].copy_from_slice(&start.to_le_bytes());
        head[8..12].copy_from_slice(&len.to_le_bytes());
        head[12..16].copy_from_slice(&(external_id.len() as u32).to_le_bytes());
        self.bytes.push(&head)?;
        self.bytes.push(external_id.as_bytes())?;
        self.len += 1;
        Ok(())
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Option<Location>)> {
        let mut at = 0;
        (0..self.len).map(move |_| {
            let head = self.bytes.next(at, HEAD_LEN);
            let word = |from: usize| {
                let bytes = head[from..from + 4].try_into();
                bytes.map_or(0, u32::from_le_bytes)
            };
            let (len, id_len) = (word(8), word(12));
            let start = u64::from(word(4)) << 32 | u64::from(word(0));
            let id = self.bytes.next(at + HEAD_LEN, id_len as usize);
            at += HEAD_LEN + id_len as usize;
            let location = Location {
                payload: self.payload,
                start,
                len,
            };
            let id = std::str::from_utf8(id).unwrap_or_default();
            (id, (len != NO_TEXT).then_some(location))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids and places come back in order, few or so many that they lie in a file.
    #[test]
    fn ids_and_places_come_back_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut texts = NamedTexts::new(folder.path(), 3);
        let text_of =
            |number: u32| (!number.is_multiple_of(5)).then_some((u64::from(number) << 30, number));
        for number in 0..200_000 {
            let id = format!("id-{number}");
            texts.push(&id, text_of(number)).expect("room");
        }
        assert_eq!(texts.len(), 200_000);
        for (number, (id, location)) in (0..).zip(texts.iter()) {
            assert_eq!(id, format!("id-{number}"));
            let place = location.map(|place| (place.start, place.len));
            assert_eq!(place, text_of(number));
            assert!(location.is_none_or(|place| place.payload == 3));
        }
    }
}
