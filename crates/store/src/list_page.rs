//! Pages that are asked for from outside, and how long they may become.
//!
//! A page becomes one text, and there is a limit on how long a text of JavaScript can be. So a page
//! ends once its entries are long, and says where the next one starts.

/// Bytes after which a page ends.
const LIST_BYTES: usize = 128 << 20;
/// Bytes of an entry apart from the texts that may be of any length, at the most.
const BYTES_PER_ENTRY: usize = 512;

/// What a page lists.
pub(crate) trait ListEntry {
    /// Where it stands in the list.
    fn uid(&self) -> u32;
    /// Bytes of its texts that may be of any length.
    fn text_bytes(&self) -> usize;
}

/// The entries of a page, and where the next one starts.
pub(crate) struct ListPage<T> {
    pub(crate) results: Vec<T>,
    pub(crate) next: Option<u32>,
}

impl<T: ListEntry> ListPage<T> {
    /// Takes entries until there are `limit`, or until they are long: one of them at least.
    ///
    /// # Errors
    /// Those of reading an entry.
    pub(crate) fn read<E>(
        entries: impl Iterator<Item = Result<T, E>>,
        limit: usize,
    ) -> Result<Self, E> {
        let mut results = Vec::new();
        let mut bytes = 0;
        for entry in entries {
            let entry = entry?;
            if results.len() == limit || bytes >= LIST_BYTES {
                let next = Some(entry.uid());
                return Ok(Self { results, next });
            }
            bytes += BYTES_PER_ENTRY + entry.text_bytes();
            results.push(entry);
        }
        Ok(Self {
            results,
            next: None,
        })
    }

    /// Where the page starts.
    pub(crate) fn from(&self) -> Option<u32> {
        self.results.first().map(ListEntry::uid)
    }
}
