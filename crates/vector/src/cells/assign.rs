//! Which centre is nearest to a row.

use std::cell::RefCell;

use crate::kernel::kernels;

/// Centres of groups and, if they are known already, of the cells of each group.
pub(super) struct Nearest<'a> {
    groups: &'a [f32],
    centres: &'a [f32],
    /// The first cell of each group, and the number of cells.
    first_cells: &'a [usize],
    floats: usize,
    dots: RefCell<Vec<f32>>,
}

impl<'a> Nearest<'a> {
    pub(super) fn new(
        groups: &'a [f32],
        centres: &'a [f32],
        first_cells: &'a [usize],
        floats: usize,
    ) -> Self {
        Self {
            groups,
            centres,
            first_cells,
            floats,
            dots: RefCell::default(),
        }
    }

    /// The nearest group.
    pub(super) fn group(&self, row: &[f32]) -> u32 {
        let mut dots = self.dots.borrow_mut();
        dots.resize(self.groups.len() / self.floats, 0.0);
        (kernels().dot_rows)(row, self.groups, &mut dots);
        nearest(&dots) as u32
    }

    /// The nearest cell of the `n` nearest groups.
    pub(super) fn cell(&self, row: &[f32], n: usize) -> u32 {
        let mut dots = self.dots.borrow_mut();
        dots.resize(self.groups.len() / self.floats, 0.0);
        (kernels().dot_rows)(row, self.groups, &mut dots);
        let mut groups: Vec<usize> = (0..dots.len()).collect();
        let n = n.min(groups.len());
        groups.select_nth_unstable_by(n - 1, |a, b| dots[*b].total_cmp(&dots[*a]));
        let mut best = (f32::NEG_INFINITY, 0);
        for group in &groups[..n] {
            let cells = self.first_cells[*group]..self.first_cells[*group + 1];
            dots.resize(cells.len(), 0.0);
            let centres = &self.centres[cells.start * self.floats..cells.end * self.floats];
            (kernels().dot_rows)(row, centres, &mut dots);
            let cell = nearest(&dots);
            if dots[cell] > best.0 {
                best = (dots[cell], cells.start + cell);
            }
        }
        best.1 as u32
    }
}

/// The place of the largest number, the first of equal ones; 0 when there is none.
pub(super) fn nearest(dots: &[f32]) -> usize {
    let mut best = (f32::NEG_INFINITY, 0);
    for (at, dot) in dots.iter().enumerate() {
        if *dot > best.0 {
            best = (*dot, at);
        }
    }
    best.1
}
