//! Compares a query with rows of one part: codes first, floats of what could be among the best.
//!
//! A scan of rows is exact: codes bound the similarity from above (see [`crate::code`]), and rows
//! are looked at from the highest bound down until no bound reaches the worst of the best.

use std::ops::Range;

use crate::code::Query;
use crate::filter::DocFilter;
use crate::kernel::{Kernels, kernels};
use crate::part::Part;
use crate::shape::Encoding;
use crate::top::Top;
use crate::vector_file::VectorFile;

/// Rows compared in one go.
const BLOCK_ROWS: u32 = 1024;
/// Candidates looked at before more are collected.
const MAX_CANDIDATES: usize = 8192;

/// A row that may be among the best, and the highest similarity that it can have.
#[derive(Clone, Copy)]
struct Candidate {
    bound: f32,
    row: u32,
}

/// A search of one part.
pub(crate) struct Scan<'a> {
    pub(crate) part: &'a Part,
    pub(crate) query: &'a Query,
    pub(crate) filter: Option<&'a dyn DocFilter>,
    pub(crate) top: &'a mut Top,
    pub(crate) kernels: &'static Kernels,
    candidates: Vec<Candidate>,
    dots: Vec<i32>,
    distances: Vec<u32>,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(
        part: &'a Part,
        query: &'a Query,
        filter: Option<&'a dyn DocFilter>,
        top: &'a mut Top,
    ) -> Self {
        Self {
            part,
            query,
            filter,
            top,
            kernels: kernels(),
            candidates: Vec::new(),
            dots: Vec::new(),
            distances: Vec::new(),
        }
    }

    fn file(&self) -> &'a VectorFile {
        self.part.file()
    }

    /// Collects what may be among the best of these rows.
    pub(crate) fn collect(&mut self, rows: Range<u32>) {
        let mut start = rows.start;
        while start < rows.end {
            let end = rows.end.min(start.saturating_add(BLOCK_ROWS));
            match self.file().shape().encoding {
                Encoding::F32 => self.collect_codes(start..end),
                Encoding::Binary => self.collect_bits(start..end),
            }
            if self.candidates.len() >= MAX_CANDIDATES {
                self.settle();
            }
            start = end;
        }
    }

    fn collect_codes(&mut self, rows: Range<u32>) {
        let (file, query) = (self.file(), self.query);
        self.dots.resize(rows.len(), 0);
        (self.kernels.dot_codes)(&query.codes, file.codes(rows.clone()), &mut self.dots);
        let notes = &file.notes()[rows.start as usize..rows.end as usize];
        let dots = std::mem::take(&mut self.dots);
        let bar = self.top.bar();
        for ((dot, note), row) in dots.iter().zip(notes).zip(rows) {
            let bound = query.highest_similarity(*dot, note);
            self.consider(bound, row, bar);
        }
        self.dots = dots;
    }

    fn collect_bits(&mut self, rows: Range<u32>) {
        let file = self.file();
        self.distances.resize(rows.len(), 0);
        (self.kernels.hamming)(
            &self.query.bits,
            file.bits(rows.clone()),
            &mut self.distances,
        );
        let distances = std::mem::take(&mut self.distances);
        let bar = self.top.bar();
        for (distance, row) in distances.iter().zip(rows) {
            self.consider(similarity_of_bits(file, *distance), row, bar);
        }
        self.distances = distances;
    }

    fn consider(&mut self, bound: f32, row: u32, bar: f32) {
        if bound < bar || !self.part.is_alive(row) {
            return;
        }
        let doc = self.file().docs()[row as usize];
        if self.filter.is_none_or(|filter| filter.contains(doc)) {
            self.candidates.push(Candidate { bound, row });
        }
    }

    /// Looks at the candidates, from the highest bound down, and puts the best into the top.
    pub(crate) fn settle(&mut self) {
        let mut candidates = std::mem::take(&mut self.candidates);
        let mut rest = candidates.as_mut_slice();
        let descending = |a: &Candidate, b: &Candidate| b.bound.total_cmp(&a.bound);
        while !rest.is_empty() {
            let n = rest.len().min(2 * self.top.k() + 64);
            if n < rest.len() {
                rest.select_nth_unstable_by(n - 1, descending);
            }
            let (next, others) = std::mem::take(&mut rest).split_at_mut(n);
            next.sort_unstable_by(descending);
            for candidate in next {
                if candidate.bound < self.top.bar() {
                    candidates.clear();
                    self.candidates = candidates;
                    return;
                }
                self.look_at(candidate);
            }
            rest = others;
        }
        candidates.clear();
        self.candidates = candidates;
    }

    fn look_at(&mut self, candidate: &Candidate) {
        let Candidate { bound, row } = *candidate;
        let file = self.file();
        let similarity = match file.shape().encoding {
            Encoding::F32 => {
                let note = &file.notes()[row as usize];
                self.query
                    .similarity(self.kernels.dot, file.floats(row), note)
            }
            Encoding::Binary => bound,
        };
        self.top.offer(file.docs()[row as usize], similarity);
    }
}

/// The share of bits that agree.
fn similarity_of_bits(file: &VectorFile, distance: u32) -> f32 {
    1.0 - distance as f32 / file.shape().dimensions as f32
}
