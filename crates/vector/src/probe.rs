//! The approximate search of a part with cells: reads the nearest cells until nothing gets better.
//!
//! # When it ends
//! A search reads a number of rows in any case, and goes on as long as what it reads makes the
//! answer better: it ends when [`PATIENCE`] in a row did not. Both grow with the square root of the
//! number of rows, as the cells do. With a filter, both grow by what the filter leaves out, so that
//! as many allowed rows are read as without one.

use crate::scan::Scan;

/// Rows read in any case, in square roots of the number of rows.
const LEAST: f64 = 24.0;
/// Rows that may be read in vain, in the same measure.
const PATIENCE: f64 = 8.0;
/// For each document wanted, as many rows are read in any case.
const ROWS_PER_WANTED: f64 = 8.0;
/// Rows between two looks at what was read.
const STEP_ROWS: f64 = 256.0;

/// Collects and settles rows of the cells nearest to the query.
pub(crate) fn probe(scan: &mut Scan<'_>) {
    let file = scan.part.file();
    let starts = file.cell_starts();
    scan.collect(0..file.counts().strays);
    let effort = Effort::of(scan);
    let (mut read, mut last_look, mut last_gain) = (0.0, 0.0, 0.0);
    let mut bar = f32::NEG_INFINITY;
    for cell in nearest_first(scan) {
        let rows = starts[cell as usize]..starts[cell as usize + 1];
        read += rows.len() as f64;
        scan.collect(rows);
        if read - last_look < STEP_ROWS {
            continue;
        }
        last_look = read;
        scan.settle();
        if scan.top.bar() > bar || !scan.top.is_full() {
            bar = scan.top.bar();
            last_gain = read;
        }
        if read >= effort.least && read - last_gain >= effort.patience {
            return;
        }
    }
}

/// How many rows to read.
struct Effort {
    least: f64,
    patience: f64,
}

impl Effort {
    fn of(scan: &Scan<'_>) -> Self {
        let rows = f64::from(scan.part.file().counts().rows);
        let documents = f64::from(scan.part.n_documents());
        let allowed = scan
            .filter
            .map_or(1.0, |filter| filter.count() as f64 / documents);
        let alive = f64::from(scan.part.n_rows()) / rows;
        let share = allowed.min(1.0) * alive;
        let wanted = scan.top.k() as f64 * ROWS_PER_WANTED;
        Self {
            least: (LEAST * rows.sqrt()).max(wanted) / share,
            patience: PATIENCE * rows.sqrt() / share,
        }
    }
}

/// All cells, by how near their centres are to the query.
fn nearest_first(scan: &Scan<'_>) -> Vec<u32> {
    let file = scan.part.file();
    let n_cells = file.counts().cells;
    let mut dots = vec![0f32; n_cells as usize];
    (scan.kernels.dot_rows)(&scan.query.unit, file.centres(), &mut dots);
    let mut order: Vec<u32> = (0..n_cells).collect();
    order.sort_unstable_by(|a, b| dots[*b as usize].total_cmp(&dots[*a as usize]));
    order
}
