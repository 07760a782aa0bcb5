//! The documents of words of one segment.

use tantivy::DocId as LocalId;
use tantivy::postings::{BlockSegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;

use super::segment_view::SegmentView;
use crate::docset::DocSetBuilder;

/// Documents of words are marked once there is one for so many of the segment; tests have few.
const FEW_DOCS: usize = if cfg!(test) { 1 } else { 4 };

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
        let segment = self.segment;
        self.for_each_block(info, |locals| {
            add_living(segment, docs, locals.iter().copied())
        })
    }

    /// Gives the documents of a word, deleted ones included, some hundred at a time.
    fn for_each_block(
        &mut self,
        info: &TermInfo,
        mut each: impl FnMut(&[LocalId]),
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
        while !postings.docs().is_empty() {
            each(postings.docs());
            postings.advance();
        }
        Ok(())
    }
}

fn add_living(
    segment: &SegmentView,
    docs: &mut DocSetBuilder,
    locals: impl Iterator<Item = LocalId>,
) {
    let doc_ids = &segment.doc_ids;
    match segment.reader.alive_bitset() {
        // A damaged file may name a document that is not there.
        None => docs.insert_each(locals.filter_map(|l| doc_ids.get(l as usize).copied())),
        Some(_) => docs.insert_each(locals.filter_map(|l| segment.living(l))),
    }
}

/// Gathers the documents of many words of one segment.
///
/// Once they have many documents together, these are only marked: most come with several words, and what
/// is to be known of each of them is looked up once.
pub(super) struct ManyWordDocs<'s> {
    words: WordDocs<'s>,
    /// Documents of all words, those of several counted with each.
    n_documents: usize,
    /// Whether documents have one of the words, by local number; empty as long as these are few.
    marks: Vec<bool>,
}

impl<'s> ManyWordDocs<'s> {
    pub(super) const fn new(segment: &'s SegmentView) -> Self {
        Self {
            words: segment.word_docs(),
            n_documents: 0,
            marks: Vec::new(),
        }
    }

    /// Takes a word; adds its documents, or marks them.
    pub(super) fn add(&mut self, docs: &mut DocSetBuilder, info: &TermInfo) -> std::io::Result<()> {
        let max_doc = self.words.segment.max_doc() as usize;
        self.n_documents += info.doc_freq as usize;
        if self.n_documents < max_doc / FEW_DOCS {
            return self.words.add_to(docs, info);
        }
        let marks = &mut self.marks;
        if marks.is_empty() {
            marks.resize(max_doc, false);
        }
        self.words.for_each_block(info, |locals| {
            for local in locals {
                // A damaged file may name a document that is not there.
                if let Some(mark) = marks.get_mut(*local as usize) {
                    *mark = true;
                }
            }
        })
    }

    /// Adds the documents that were marked.
    pub(super) fn finish(self, docs: &mut DocSetBuilder) {
        let marked = (0..).zip(&self.marks).filter(|(_, mark)| **mark);
        add_living(self.words.segment, docs, marked.map(|(local, _)| local));
    }
}
