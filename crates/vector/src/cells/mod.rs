//! Cells: rows that point in similar directions lie together, so that a search reads few of them.

/// Which cell each row of a source belongs to.
pub(crate) struct Partition {
    /// The cell of each row; empty when there are no cells.
    pub(crate) cells: Vec<u32>,
    /// Padded floats of all centres, each of length one.
    pub(crate) centres: Vec<f32>,
    n_cells: u32,
}

impl Partition {
    /// No cells: every search reads every row.
    pub(crate) fn none() -> Self {
        Self {
            cells: Vec::new(),
            centres: Vec::new(),
            n_cells: 0,
        }
    }

    /// Number of cells.
    pub(crate) fn n_cells(&self) -> u32 {
        self.n_cells
    }

    /// First row of each cell and the number of rows, for rows in the order of a file, of which the
    /// first ones belong to no cell; nothing when there are no cells.
    pub(crate) fn starts(&self, order: &[u32], strays: usize) -> Vec<u32> {
        if self.n_cells == 0 {
            return Vec::new();
        }
        let mut starts = vec![0u32; self.n_cells as usize + 1];
        for row in &order[strays..] {
            starts[self.cells[*row as usize] as usize + 1] += 1;
        }
        starts[0] = strays as u32;
        for cell in 1..starts.len() {
            starts[cell] += starts[cell - 1];
        }
        starts
    }
}
