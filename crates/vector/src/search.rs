//! The search over all parts of an index.

use crate::VectorError;
use crate::code::Query;
use crate::filter::DocFilter;
use crate::index::VectorIndex;
use crate::part::Part;
use crate::probe::probe;
use crate::scan::Scan;
use crate::shape::{DocId, Encoding};
use crate::top::{Neighbor, Top};

/// With a filter that allows at most one document in this many of a part, the rows of the allowed
/// ones are read by themselves.
const SPARSE: u64 = 16;

impl VectorIndex {
    /// The `k` documents most similar to a query, best first; equally similar ones by number.
    /// Documents that the filter does not allow, or that have no vectors, are not in it. A document
    /// with several vectors counts once, with the best of them.
    ///
    /// Approximate for large indexes: a document may be missing, but every similarity is exact.
    ///
    /// # Errors
    /// When the query has other dimensions than the index, or numbers that are not finite.
    pub fn search(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&dyn DocFilter>,
    ) -> Result<Vec<Neighbor>, VectorError> {
        self.run(query, k, filter, false)
    }

    /// Like [`VectorIndex::search`], but never misses a document; reads everything that is allowed.
    ///
    /// # Errors
    /// As for [`VectorIndex::search`].
    pub fn search_exact(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&dyn DocFilter>,
    ) -> Result<Vec<Neighbor>, VectorError> {
        self.run(query, k, filter, true)
    }

    fn run(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&dyn DocFilter>,
        exact: bool,
    ) -> Result<Vec<Neighbor>, VectorError> {
        self.check_query(query)?;
        let query = Query::new(self.shape(), query);
        // No more documents than there are, so that an absurd `k` costs nothing.
        let mut top = Top::new(k.min(self.n_documents() as usize));
        if top.k() == 0 {
            return Ok(Vec::new());
        }
        if query.is_zero && self.shape().encoding == Encoding::F32 {
            self.offer_lowest(filter, &mut top);
            return Ok(top.into_neighbors());
        }
        let mut parts: Vec<&Part> = self
            .parts()
            .iter()
            .filter(|part| part.n_rows() > 0)
            .collect();
        parts.sort_by_key(|part| std::cmp::Reverse(part.n_rows()));
        for part in parts {
            search_part(Scan::new(part, &query, filter, &mut top), exact);
        }
        Ok(top.into_neighbors())
    }

    /// A query without a direction is as similar as can be to everything.
    fn offer_lowest(&self, filter: Option<&dyn DocFilter>, top: &mut Top) {
        let allowed = |doc: &DocId| filter.is_none_or(|filter| filter.contains(*doc));
        for part in self.parts() {
            let docs = part.documents().map(|(doc, _)| doc);
            let k = top.k();
            docs.filter(allowed)
                .take(k)
                .for_each(|doc| top.offer(doc, 1.0));
        }
    }
}

fn search_part(mut scan: Scan<'_>, exact: bool) {
    let part = scan.part;
    match scan.filter {
        Some(filter) if filter.count() * SPARSE <= u64::from(part.n_documents()) => {
            collect_allowed(&mut scan, filter);
        }
        _ if exact || part.file().counts().cells == 0 => {
            scan.collect(0..part.file().counts().rows);
        }
        _ => probe(&mut scan),
    }
    scan.settle();
}

/// Collects the rows of the allowed documents by walking both ascending lists.
fn collect_allowed(scan: &mut Scan<'_>, filter: &dyn DocFilter) {
    let mut pairs = scan.part.file().by_doc();
    for doc in filter.docs() {
        let mut reach = 1;
        while pairs.get(reach).is_some_and(|pair| pair[0] < doc) {
            reach *= 2;
        }
        let within = &pairs[..pairs.len().min(reach + 1)];
        pairs = &pairs[within.partition_point(|pair| pair[0] < doc)..];
        for pair in pairs.iter().take_while(|pair| pair[0] == doc) {
            scan.collect(pair[1]..pair[1] + 1);
        }
    }
}
