//! The documents that have a phrase, of those that hold its words: looking for it reads them all.

use std::sync::Arc;

use super::change_log::ChangeLog;
use super::sized_cache::HeapSize;
use super::{PHRASES_PARTS, Recalled};
use crate::docset::DocSet;
use crate::index::Snapshot;

/// So few documents are looked at again; all sets are kept in tests, which have few.
const FEW_DOCS: usize = if cfg!(test) { 1 } else { 64 };
/// What a set takes with its key and its place.
const ENTRY_BYTES: usize = 256;

/// Documents that have a phrase. However few they are, they were looked for among many.
pub(super) struct PhraseDocs(Arc<DocSet>);

impl HeapSize for PhraseDocs {
    fn heap_size(&self) -> usize {
        self.0.heap_bytes() + ENTRY_BYTES
    }
}

impl Snapshot {
    /// Those of the living documents `docs`, which are all that hold the words of a phrase, that
    /// have it; `among` says which ones of some have.
    pub(crate) fn phrase_docs(
        &self,
        phrase: &[Option<String>],
        docs: &DocSet,
        among: &dyn Fn(&DocSet) -> DocSet,
    ) -> Arc<DocSet> {
        if docs.len() < FEW_DOCS {
            return Arc::new(among(docs));
        }
        let (remembered, now) = self.remembered();
        let phrases = &remembered.phrases;
        // No word holds U+0000, and none is empty like a hole.
        let words: Vec<&str> = phrase.iter().map(|w| w.as_deref().unwrap_or("")).collect();
        let key = words.join("\0");
        // A document decides only as long as it holds all words.
        let is_touched = |log: &ChangeLog, since| {
            let mut words = phrase.iter().flatten();
            words.all(|word| log.is_word_touched(word, since))
        };
        let found = match remembered.recall(phrases, &key, now, is_touched) {
            Recalled::Same(kept) => return Arc::clone(&kept.0),
            Recalled::Before(kept, changed) => {
                let again = among(&docs.and(&changed));
                kept.0.and_not(&changed).or(&again)
            }
            Recalled::Nothing => among(docs),
        };
        let found = PhraseDocs(Arc::new(found));
        let kept = remembered.keep((phrases, PHRASES_PARTS), &key, found, now);
        Arc::clone(&kept.0)
    }
}
