//! The documents of words of one segment.

use tantivy::postings::{BlockSegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;

use super::segment_view::SegmentView;
use crate::docset::DocSetBuilder;

/// Reads the documents of one word after the other.
pub(super) struct WordDocs<'s> {
    segment: &'s SegmentView,
    /// Used again: most words have few documents, and a reader takes longer to make than they do.
    postings: Option<BlockSegmentPostings>,
}

impl SegmentView {
    /// A reader of the documents of words.
    pub(super) const fn word_docs(&self) -> WordDocs<'_> {
        WordDocs {
            segment: self,
            postings: None,
        }
    }
}

impl WordDocs<'_> {
    /// Adds the living documents of a word.
    pub(super) fn add_to(
        &mut self,
        docs: &mut DocSetBuilder,
        info: &TermInfo,
    ) -> std::io::Result<()> {
        let words = self.segment.words();
        let postings = match &mut self.postings {
            Some(postings) => {
                words.reset_block_postings_from_terminfo(info, postings)?;
                postings
            }
            none => none
                .insert(words.read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?),
        };
        let doc_ids = &self.segment.doc_ids;
        while !postings.docs().is_empty() {
            let locals = postings.docs().iter();
            match self.segment.reader.alive_bitset() {
                // A damaged file may name a document that is not there.
                None => docs.insert_each(locals.filter_map(|l| doc_ids.get(*l as usize).copied())),
                Some(_) => docs.insert_each(locals.filter_map(|l| self.segment.living(*l))),
            }
            postings.advance();
        }
        Ok(())
    }
}
