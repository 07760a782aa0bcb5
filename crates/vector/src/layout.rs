//! Where things lie in a vector file: a header of counts and checksums, from which every offset
//! follows. No offset is read from a file, so none can point outside of it.
//!
//! The bytes are drawn in `docs/formats/vectors.md`.

use crate::shape::{Encoding, VectorShape};

/// Bytes of the header.
pub(crate) const HEADER_BYTES: usize = 256;
/// Number of sections.
pub(crate) const N_SECTIONS: usize = 8;
const MAGIC: &[u8; 8] = b"SVVECTOR";
const VERSION: u32 = 1;
/// Sections start at multiples of this.
const ALIGNMENT: u64 = 64;

/// The parts of a file, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// Per row: padded floats; nothing for binary vectors.
    Floats,
    /// Per row: padded 8-bit codes, or bits.
    Codes,
    /// Per row: scale, error and inverse length; nothing for binary vectors.
    Notes,
    /// Per row: its document.
    Docs,
    /// Pairs of document and row, by document, then in the order of its vectors.
    ByDoc,
    /// Documents whose vectors in older files no longer count, ascending.
    Kills,
    /// First row of each cell, and the number of rows; nothing without cells.
    Cells,
    /// Per cell: padded floats of its centre, of length one.
    Centres,
}

/// How many of each thing a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) rows: u32,
    /// Rows without a direction; they lie first, before the first cell.
    pub(crate) strays: u32,
    pub(crate) documents: u32,
    pub(crate) kills: u32,
    pub(crate) cells: u32,
}

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) shape: VectorShape,
    pub(crate) counts: Counts,
    /// CRC-32 of each section.
    pub(crate) checksums: [u32; N_SECTIONS],
}

impl Header {
    /// The header as bytes, its own checksum last.
    pub(crate) fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let encoding = match self.shape.encoding {
            Encoding::F32 => 0,
            Encoding::Binary => 1,
        };
        let Counts {
            rows,
            strays,
            documents,
            kills,
            cells,
        } = self.counts;
        let mut bytes = [0u8; HEADER_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        let numbers = [VERSION, encoding, self.shape.dimensions]
            .into_iter()
            .chain([rows, strays, documents, kills, cells])
            .chain(self.checksums);
        for (number, place) in numbers.zip(bytes[8..].chunks_exact_mut(4)) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let (content, place) = bytes.split_at_mut(HEADER_BYTES - 4);
        place.copy_from_slice(&crc32fast::hash(content).to_le_bytes());
        bytes
    }

    /// Reads a header; the error says what is wrong with it.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, &'static str> {
        let bytes = bytes.get(..HEADER_BYTES).ok_or("it is too short")?;
        let (content, checksum) = bytes.split_at(HEADER_BYTES - 4);
        if &content[..8] != MAGIC {
            return Err("it is no vector file");
        }
        if crc32fast::hash(content).to_le_bytes() != checksum {
            return Err("its header does not have its checksum");
        }
        let mut numbers = content[8..]
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let mut next = || numbers.next().unwrap_or_default();
        if next() != VERSION {
            return Err("it has a version that this program does not know");
        }
        let encoding = match next() {
            0 => Encoding::F32,
            1 => Encoding::Binary,
            _ => return Err("it has an unknown encoding"),
        };
        let shape = VectorShape {
            dimensions: next(),
            encoding,
        };
        let counts = Counts {
            rows: next(),
            strays: next(),
            documents: next(),
            kills: next(),
            cells: next(),
        };
        let checksums = std::array::from_fn(|_| next());
        let fits =
            shape.is_valid() && counts.strays <= counts.rows && counts.documents <= counts.rows;
        fits.then_some(Self {
            shape,
            counts,
            checksums,
        })
        .ok_or("its counts contradict each other")
    }

    /// Bytes of a section.
    pub(crate) fn section_bytes(&self, section: Section) -> u64 {
        let Counts {
            rows, kills, cells, ..
        } = self.counts;
        let binary = self.shape.encoding == Encoding::Binary;
        let (n, bytes) = match section {
            Section::Floats if binary => (0, 0),
            Section::Floats => (rows, self.shape.row_bytes()),
            Section::Codes => (rows, self.shape.code_bytes()),
            Section::Notes if binary => (0, 0),
            Section::Notes => (rows, 12),
            Section::Docs => (rows, 4),
            Section::ByDoc => (rows, 8),
            Section::Kills => (kills, 4),
            Section::Cells if cells == 0 => (0, 0),
            Section::Cells => return (u64::from(cells) + 1) * 4,
            Section::Centres => (cells, self.shape.floats() * 4),
        };
        u64::from(n) * bytes as u64
    }

    /// Where every section starts, and the length of the file. Cannot overflow: counts have 32
    /// bits and rows at most 2^18 bytes.
    pub(crate) fn offsets(&self) -> ([u64; N_SECTIONS], u64) {
        let mut at = HEADER_BYTES as u64;
        let starts = SECTIONS.map(|section| {
            let start = at.next_multiple_of(ALIGNMENT);
            at = start + self.section_bytes(section);
            start
        });
        (starts, at)
    }
}

/// All sections, in their order.
pub(crate) const SECTIONS: [Section; N_SECTIONS] = [
    Section::Floats,
    Section::Codes,
    Section::Notes,
    Section::Docs,
    Section::ByDoc,
    Section::Kills,
    Section::Cells,
    Section::Centres,
];
