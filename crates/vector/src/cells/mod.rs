//! Cells: rows that point in similar directions lie together, so that a search reads few of them.
//!
//! # How cells are found
//! A sample of the rows is grouped around a few centres (see [`kmeans`]), every row goes to the
//! nearest, and the rows of each group are grouped again, into cells. In the end every row goes to
//! the nearest cell of the nearest few groups.
//!
//! # Cost
//! Time grows with rows times the square root of their number; memory is a sample of at most
//! [`SAMPLE_BYTES`], the centres, and a few bytes a row.

mod assign;
mod kmeans;
mod rows;

use crate::VectorError;
use crate::file_writer::RowSource;
use crate::shape::Encoding;

use assign::Nearest;
use kmeans::cluster;
use rows::Rows;

/// Bytes of floats that are held to find centres.
const SAMPLE_BYTES: usize = 64 << 20;
/// Rows sampled for each centre.
const SAMPLE_ROWS: usize = 128;
/// Groups whose cells are compared with a row.
const NEAR_GROUPS: usize = 4;

/// Which cell each row of a source belongs to.
pub(crate) struct Partition {
    /// The cell of each row; empty when there are no cells.
    pub(crate) cells: Vec<u32>,
    /// Padded floats of all centres, each of length one.
    pub(crate) centres: Vec<f32>,
    n_cells: u32,
}

/// Fewer rows than this are searched one by one.
fn least_rows(encoding: Encoding) -> u32 {
    match encoding {
        Encoding::F32 => 16_384,
        // Bits are compared many times as fast.
        Encoding::Binary => 262_144,
    }
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

    /// Cells for many rows, none for few.
    pub(crate) fn of(source: &dyn RowSource) -> Result<Self, VectorError> {
        if source.len() < least_rows(source.shape().encoding) {
            return Ok(Self::none());
        }
        let n_cells = 4.0 * f64::from(source.len()).sqrt();
        let rows = Rows::new(source);
        let floats = source.shape().floats();
        let n_groups = n_cells.sqrt() as usize;
        let groups = cluster(
            &rows.sample(None, sample_rows(n_groups, floats)),
            floats,
            n_groups,
        );
        let members = members_of(&rows, &groups)?;
        let rows_of_cell = f64::from(source.len()) / n_cells;
        let mut centres = Vec::new();
        let mut first_cells = vec![0];
        for members in &members {
            stop_if_asked(source)?;
            let n = ((members.len() as f64 / rows_of_cell).round() as usize).max(1);
            let sample = rows.sample(Some(members), sample_rows(n, floats));
            centres.extend(cluster(&sample, floats, n));
            first_cells.push(centres.len() / floats);
        }
        let nearest = Nearest::new(&groups, &centres, &first_cells, floats);
        let cells = rows.map(|row| nearest.cell(row, NEAR_GROUPS))?;
        Ok(Self {
            n_cells: (centres.len() / floats) as u32,
            cells,
            centres,
        })
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

/// The rows of each group.
fn members_of(rows: &Rows<'_>, groups: &[f32]) -> Result<Vec<Vec<u32>>, VectorError> {
    let floats = rows.floats();
    let nearest = Nearest::new(groups, &[], &[], floats);
    let mut members = vec![Vec::new(); groups.len() / floats];
    for (row, group) in rows.map(|row| nearest.group(row))?.into_iter().enumerate() {
        members[group as usize].push(row as u32);
    }
    Ok(members)
}

fn sample_rows(n_centres: usize, floats: usize) -> usize {
    (n_centres * SAMPLE_ROWS).min(SAMPLE_BYTES / (floats * 4))
}

/// An error when the owner of the rows wants no more of them.
fn stop_if_asked(source: &dyn RowSource) -> Result<(), VectorError> {
    match source.is_stopped() {
        true => Err(VectorError::Stopped),
        false => Ok(()),
    }
}
