//! Indexes for tests: a corpus in plain maps, without files, and a real index in a folder; and a
//! slow ranking to compare the real one with.

mod memory_corpus;
mod memory_measurer;
mod naive_ranking;
mod test_index;

pub(crate) use memory_corpus::MemoryCorpus;
pub(crate) use test_index::TestIndex;
