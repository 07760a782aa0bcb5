//! Writes a vector file in one pass, section by section, and syncs it.
//!
//! Memory: the order of the rows and 12 bytes of notes for each.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use uuid::Uuid;

use crate::VectorError;
use crate::cells::Partition;
use crate::code::{Note, encode};
use crate::error::at;
use crate::layout::{Counts, HEADER_BYTES, Header, N_SECTIONS, Section};
use crate::manifest::{FILE_ENDING, FileEntry};
use crate::shape::{DocId, Encoding, VectorShape};

/// Rows that a file is made of; those of one document in the order of its vectors.
pub(crate) trait RowSource {
    /// What the rows look like.
    fn shape(&self) -> VectorShape;
    /// Their number.
    fn len(&self) -> u32;
    /// The document of a row.
    fn doc(&self, row: u32) -> DocId;
    /// The bytes of a row, aligned to 8.
    fn row(&self, row: u32) -> &[u8];

    /// Whether whoever asked for the file does not want it any more.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Whether a row has no direction.
    fn is_stray(&self, row: u32) -> bool {
        let floats = || bytemuck::cast_slice::<u8, f32>(self.row(row));
        self.shape().encoding == Encoding::F32 && floats().iter().all(|value| *value == 0.0)
    }
}

/// Writes a file of these rows. `kills` are the documents whose vectors in older files no longer
/// count, ascending. The file is synced, its name in the directory is not.
pub(crate) fn write_file(
    directory: &Path,
    source: &dyn RowSource,
    kills: &[DocId],
    partition: &Partition,
) -> Result<FileEntry, VectorError> {
    let name = format!("{}{FILE_ENDING}", Uuid::new_v4().simple());
    let path = directory.join(&name);
    let order = Order::of(source, partition);
    let written = write_content(&path, source, &order, kills, partition);
    let (bytes, checksum) = written.map_err(|error| {
        // Nobody knows the name yet; what cannot be removed is collected with unnamed files.
        let _ = std::fs::remove_file(&path);
        at(&path)(error)
    })?;
    Ok(FileEntry {
        name,
        bytes,
        checksum,
    })
}

/// Where each row of the source goes.
struct Order {
    /// Rows of the source, as they come in the file: strays, then cell by cell, by document.
    rows: Vec<u32>,
    strays: u32,
    documents: u32,
    /// First row of each cell and the number of rows, if there are cells.
    cell_starts: Vec<u32>,
}

impl Order {
    fn of(source: &dyn RowSource, partition: &Partition) -> Self {
        let place = |row: &u32| {
            // Rows without a direction lie before cell 0.
            let cell = match source.is_stray(*row) {
                true => 0,
                false => partition
                    .cells
                    .get(*row as usize)
                    .map_or(1, |cell| cell + 1),
            };
            (cell, source.doc(*row), *row)
        };
        let mut rows: Vec<u32> = (0..source.len()).collect();
        rows.sort_by_cached_key(place);
        let mut docs: Vec<DocId> = rows.iter().map(|row| source.doc(*row)).collect();
        docs.sort_unstable();
        docs.dedup();
        let strays = rows.iter().take_while(|row| source.is_stray(**row)).count();
        Self {
            strays: strays as u32,
            documents: docs.len() as u32,
            cell_starts: partition.starts(&rows, strays),
            rows,
        }
    }
}

fn write_content(
    path: &Path,
    source: &dyn RowSource,
    order: &Order,
    kills: &[DocId],
    partition: &Partition,
) -> std::io::Result<(u64, u32)> {
    let mut header = Header {
        shape: source.shape(),
        counts: Counts {
            rows: source.len(),
            strays: order.strays,
            documents: order.documents,
            kills: kills.len() as u32,
            cells: partition.n_cells(),
        },
        checksums: [0; N_SECTIONS],
    };
    let file = File::create_new(path)?;
    let mut out = SectionWriter {
        out: BufWriter::with_capacity(1 << 20, file),
        at: 0,
        crc: crc32fast::Hasher::new(),
    };
    out.write(&[0; HEADER_BYTES])?;
    write_rows(&mut out, &mut header, source, order)?;
    write_documents(&mut out, &mut header, source, order)?;
    out.section(&mut header, Section::Kills, |out| {
        out.write(bytemuck::cast_slice(kills))
    })?;
    let starts = bytemuck::cast_slice(&order.cell_starts);
    out.section(&mut header, Section::Cells, |out| out.write(starts))?;
    out.section(&mut header, Section::Centres, |out| {
        out.write(bytemuck::cast_slice(&partition.centres))
    })?;
    let head = header.to_bytes();
    let mut file = out
        .out
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&head)?;
    file.sync_all()?;
    Ok((out.at, crc32fast::hash(&head)))
}

fn write_rows(
    out: &mut SectionWriter,
    header: &mut Header,
    source: &dyn RowSource,
    order: &Order,
) -> std::io::Result<()> {
    let all = |out: &mut SectionWriter| {
        order
            .rows
            .iter()
            .try_for_each(|row| out.write(source.row(*row)))
    };
    if source.shape().encoding == Encoding::Binary {
        out.section(header, Section::Floats, |_| Ok(()))?;
        out.section(header, Section::Codes, all)?;
        return out.section(header, Section::Notes, |_| Ok(()));
    }
    out.section(header, Section::Floats, all)?;
    let mut notes: Vec<Note> = Vec::with_capacity(order.rows.len());
    let mut codes = vec![0i8; source.shape().code_bytes()];
    out.section(header, Section::Codes, |out| {
        order.rows.iter().try_for_each(|row| {
            notes.push(encode(bytemuck::cast_slice(source.row(*row)), &mut codes));
            out.write(bytemuck::cast_slice(&codes))
        })
    })?;
    out.section(header, Section::Notes, |out| {
        out.write(bytemuck::cast_slice(&notes))
    })
}

fn write_documents(
    out: &mut SectionWriter,
    header: &mut Header,
    source: &dyn RowSource,
    order: &Order,
) -> std::io::Result<()> {
    let docs: Vec<DocId> = order.rows.iter().map(|row| source.doc(*row)).collect();
    out.section(header, Section::Docs, |out| {
        out.write(bytemuck::cast_slice(&docs))
    })?;
    // The vectors of a document keep the order of the source, wherever they lie.
    let placed = order.rows.iter().zip(0..);
    let mut places: Vec<[u32; 3]> = placed
        .map(|(row, at)| [source.doc(*row), *row, at])
        .collect();
    places.sort_unstable();
    let pairs: Vec<[u32; 2]> = places.iter().map(|[doc, _, at]| [*doc, *at]).collect();
    out.section(header, Section::ByDoc, |out| {
        out.write(bytemuck::cast_slice(&pairs))
    })
}

/// Counts and sums up what is written.
struct SectionWriter {
    out: BufWriter<File>,
    at: u64,
    crc: crc32fast::Hasher,
}

impl SectionWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.at += bytes.len() as u64;
        self.crc.update(bytes);
        self.out.write_all(bytes)
    }

    /// Writes one section where the header says that it starts.
    fn section(
        &mut self,
        header: &mut Header,
        section: Section,
        content: impl FnOnce(&mut Self) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let (starts, _) = header.offsets();
        let gap = starts[section as usize] - self.at;
        self.write(&[0; HEADER_BYTES][..gap as usize])?;
        self.crc = crc32fast::Hasher::new();
        content(self)?;
        header.checksums[section as usize] = self.crc.clone().finalize();
        Ok(())
    }
}
