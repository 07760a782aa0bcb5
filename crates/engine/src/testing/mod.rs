//! Indexes for tests: a corpus in plain maps, without files, and a real index in a folder; and slow
//! evaluations to compare the real ones with, which fuzz targets use, too.

#[cfg(test)]
mod memory_corpus;
#[cfg(test)]
mod memory_measurer;
pub(crate) mod naive_facets;
pub(crate) mod naive_ranking;
#[cfg(test)]
mod test_index;

#[cfg(test)]
pub(crate) use memory_corpus::MemoryCorpus;
#[cfg(test)]
pub(crate) use test_index::TestIndex;
