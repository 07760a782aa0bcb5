//! One file of an index together with which of its rows still count.

use std::sync::Arc;

use crate::bit_set::BitSet;
use crate::shape::DocId;
use crate::vector_file::VectorFile;

/// A file and its dead rows. Cheap to clone; a clone never changes with the original.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    file: Arc<VectorFile>,
    /// Rows that a later file replaced; none of them when absent.
    dead: Option<Arc<BitSet>>,
    dead_documents: u32,
}

impl Part {
    /// A file of which every row counts.
    pub(crate) fn new(file: VectorFile) -> Self {
        Self {
            file: Arc::new(file),
            dead: None,
            dead_documents: 0,
        }
    }

    /// The same file, every row of which counts.
    pub(crate) fn anew(&self) -> Self {
        Self {
            file: Arc::clone(&self.file),
            dead: None,
            dead_documents: 0,
        }
    }

    pub(crate) fn file(&self) -> &VectorFile {
        &self.file
    }

    /// Whether both are of the same file.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.file, &other.file)
    }

    /// Number of rows that count.
    pub(crate) fn n_rows(&self) -> u32 {
        self.file.counts().rows - self.n_dead()
    }

    /// Number of rows that a later file replaced.
    pub(crate) fn n_dead(&self) -> u32 {
        self.dead.as_ref().map_or(0, |dead| dead.len())
    }

    /// Number of documents that have rows that count.
    pub(crate) fn n_documents(&self) -> u32 {
        self.file.counts().documents - self.dead_documents
    }

    /// Whether a row counts.
    pub(crate) fn is_alive(&self, row: u32) -> bool {
        self.dead.as_ref().is_none_or(|dead| !dead.contains(row))
    }

    /// The rows of a document, if they count. A document's rows live and die together.
    pub(crate) fn rows_of(&self, doc: DocId) -> &[[u32; 2]] {
        let pairs = self.file.pairs_of(doc);
        match pairs.first() {
            Some(pair) if self.is_alive(pair[1]) => pairs,
            _ => &[],
        }
    }

    /// Lets the rows of these documents count no longer; `found` hears of each that did.
    pub(crate) fn kill(&mut self, docs: impl Iterator<Item = DocId>, mut found: impl FnMut(DocId)) {
        let file = Arc::clone(&self.file);
        for doc in docs {
            let pairs = file.pairs_of(doc);
            if pairs.first().is_none_or(|pair| !self.is_alive(pair[1])) {
                continue;
            }
            let none = || Arc::new(BitSet::new(file.counts().rows));
            let dead = Arc::make_mut(self.dead.get_or_insert_with(none));
            pairs.iter().for_each(|pair| dead.insert(pair[1]));
            self.dead_documents += 1;
            found(doc);
        }
    }

    /// Documents that have rows that count, ascending, each with its rows.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (DocId, &[[u32; 2]])> {
        self.file
            .by_doc()
            .chunk_by(|a, b| a[0] == b[0])
            .filter(|pairs| self.is_alive(pairs[0][1]))
            .map(|pairs| (pairs[0][0], pairs))
    }
}
