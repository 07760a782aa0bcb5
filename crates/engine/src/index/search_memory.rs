//! How much memory the searches of an index may remember things in.

/// Bytes for each document. What a search remembers of a frequent word is a byte or two for each of
/// its documents, and a bit for each of all: so this holds some hundred words at a time.
const BYTES_PER_DOCUMENT: usize = 128;

/// Bounds of that memory, in bytes: it grows with the documents between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchMemory {
    /// What a small index may use.
    pub least: usize,
    /// What a large index may use.
    pub most: usize,
}

impl SearchMemory {
    /// So many bytes whatever the index holds.
    #[must_use]
    pub const fn exactly(bytes: usize) -> Self {
        Self {
            least: bytes,
            most: bytes,
        }
    }

    /// The same, but not beyond so many bytes.
    #[must_use]
    pub fn under(self, ceiling: usize) -> Self {
        Self {
            least: self.least.min(ceiling),
            most: self.most.min(ceiling),
        }
    }

    /// Bytes for an index of so many documents.
    #[must_use]
    pub fn bytes(self, n_documents: usize) -> usize {
        let wanted = n_documents.saturating_mul(BYTES_PER_DOCUMENT);
        wanted.min(self.most).max(self.least)
    }
}

impl Default for SearchMemory {
    /// 64 MiB, and up to 512 MiB from half a million documents on.
    fn default() -> Self {
        Self {
            least: 64 << 20,
            most: 512 << 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_grows_with_the_documents_between_its_bounds() {
        let memory = SearchMemory::default();
        let mebibytes = [0, 1_000, 1 << 20, 4 << 20, 40 << 20].map(|n| memory.bytes(n) >> 20);
        assert_eq!(mebibytes, [64, 64, 128, 512, 512]);
        let [small, large] = [1, 4 << 20].map(|n| memory.under(100 << 20).bytes(n) >> 20);
        assert_eq!([small, large], [64, 100]);
        assert_eq!(memory.under(9).bytes(1 << 20), 9);
        assert_eq!(SearchMemory::exactly(7).bytes(1 << 30), 7);
    }
}
