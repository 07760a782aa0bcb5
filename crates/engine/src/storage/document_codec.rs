//! Compresses blocks of documents: zstd with a dictionary trained on the index's own documents.
//!
//! A stored block is one byte naming its dictionary (0 for none, n for `documents-<n>.zdict`),
//! then a zstd frame without its four magic bytes. A block of a kilobyte or two takes about half of
//! what it would without the dictionary.
//!
//! # Invariants
//! 1. A dictionary file is on disk, synced, before the first commit that uses it.
//! 2. Dictionaries are never changed or removed while their generation lives.

use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::sealed::unseal;
use parking_lot::Mutex;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{self, CParameter};

/// Fast; the next levels save three percent, those that save ten take five times as long.
const LEVEL: i32 = 1;
/// Bytes of a trained dictionary at the most.
const DICTIONARY_BYTES: usize = 64 << 10;
/// Documents below which training is not tried.
pub(crate) const MIN_SAMPLES: usize = 128;
/// Documents of a training set at the most.
pub(crate) const MAX_SAMPLES: usize = 2000;
/// Bytes of a training set at the most.
pub(crate) const MAX_SAMPLE_BYTES: usize = 1 << 20;
/// Largest block that is decompressed, a guard against damaged sizes.
const MAX_BLOCK_BYTES: u64 = 4 << 30;
/// No frame of zstd holds more bytes for one of its own: 128 KiB of it take four at the least.
const MAX_RATIO: u64 = (128 << 10) / 3;
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Bytes that the header of a frame has at the most, with those magic ones.
const MAX_HEADER_BYTES: usize = 18;
/// Idle decompressors kept per dictionary.
const MAX_IDLE: usize = 16;

/// The dictionaries of a generation and how to read values with them.
#[derive(Clone, Default)]
pub(crate) struct DocumentCodec {
    plain: Arc<DecompressorPool>,
    dictionaries: Vec<Arc<Dictionary>>,
}

struct Dictionary {
    bytes: Vec<u8>,
    pool: DecompressorPool,
}

#[derive(Default)]
struct DecompressorPool(Mutex<Vec<Decompressor<'static>>>);

impl DecompressorPool {
    /// Appends what a frame holds, of so many bytes, to `out`.
    fn decompress(
        &self,
        frame: &[u8],
        size: usize,
        dictionary: &[u8],
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let idle = self.0.lock().pop();
        let mut decompressor = match idle {
            Some(decompressor) => decompressor,
            None => Decompressor::with_dictionary(dictionary)?,
        };
        out.reserve(size);
        let mut behind = Cursor::new(std::mem::take(out));
        behind.set_position(behind.get_ref().len() as u64);
        let decompressed = decompressor.decompress_to_buffer(frame, &mut behind);
        *out = behind.into_inner();
        decompressed?;
        let mut idle = self.0.lock();
        if idle.len() < MAX_IDLE {
            idle.push(decompressor);
        }
        Ok(())
    }
}

fn corrupt(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("a block of documents is damaged: {what}"),
    )
}

/// Where the dictionary with this number, from 1, lies in a generation directory.
pub(crate) fn dictionary_path(directory: &Path, number: usize) -> PathBuf {
    directory.join(format!("documents-{number}.zdict"))
}

/// The bytes of a dictionary file.
///
/// # Errors
/// When it cannot be read, or is damaged.
pub(crate) fn read_dictionary(path: &Path) -> io::Result<Vec<u8>> {
    unseal(std::fs::read(path)?)
}

impl DocumentCodec {
    /// Reads the first `n_dictionaries` dictionaries of a generation directory.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub(crate) fn open(directory: &Path, n_dictionaries: u8) -> io::Result<Self> {
        let mut codec = Self::default();
        for number in 1..=usize::from(n_dictionaries) {
            codec.push(read_dictionary(&dictionary_path(directory, number))?);
        }
        Ok(codec)
    }

    /// Adds a dictionary, which gets the next number.
    pub(crate) fn push(&mut self, bytes: Vec<u8>) {
        self.dictionaries.push(Arc::new(Dictionary {
            bytes,
            pool: DecompressorPool::default(),
        }));
    }

    /// Number of dictionaries.
    pub(crate) fn n_dictionaries(&self) -> u8 {
        self.dictionaries.len() as u8
    }

    /// The bytes of each dictionary, in order of number.
    pub(crate) fn dictionaries(&self) -> impl Iterator<Item = &[u8]> {
        self.dictionaries
            .iter()
            .map(|dictionary| dictionary.bytes.as_slice())
    }

    /// An encoder that uses the dictionary with this number; 0 for none.
    ///
    /// # Errors
    /// When there is no such dictionary, or zstd refuses it or runs out of memory.
    pub(crate) fn encoder(&self, dictionary: u8) -> io::Result<BlockEncoder> {
        let mut compressor = match usize::from(dictionary).checked_sub(1) {
            Some(index) => Compressor::with_dictionary(LEVEL, &self.dictionary(index)?.bytes)?,
            None => Compressor::new(LEVEL)?,
        };
        compressor.set_parameter(CParameter::DictIdFlag(false))?;
        compressor.set_parameter(CParameter::ChecksumFlag(false))?;
        Ok(BlockEncoder {
            dictionary,
            compressor,
            frame: Vec::new(),
        })
    }

    fn dictionary(&self, index: usize) -> io::Result<&Dictionary> {
        let dictionary = self.dictionaries.get(index);
        Ok(dictionary.ok_or_else(|| corrupt("its dictionary is not known"))?)
    }

    /// The bytes of a stored block.
    ///
    /// # Errors
    /// When the block is damaged or names an unknown dictionary.
    pub(crate) fn decode(&self, block: &[u8]) -> io::Result<Vec<u8>> {
        let mut decoded = Vec::new();
        self.decode_behind(block, &mut decoded)?;
        Ok(decoded)
    }

    /// How many bytes a stored block says that it has; 0 if it is damaged.
    pub(crate) fn len_of(block: &[u8]) -> usize {
        let frame = block.get(1..).unwrap_or_default();
        let mut header = [0; MAX_HEADER_BYTES];
        let end = MAX_HEADER_BYTES.min(MAGIC.len() + frame.len());
        header[..MAGIC.len()].copy_from_slice(&MAGIC);
        header[MAGIC.len()..end].copy_from_slice(&frame[..end - MAGIC.len()]);
        let size = zstd_safe::get_frame_content_size(&header[..end]);
        size.ok().flatten().map_or(0, |size| size as usize)
    }

    /// Appends the bytes of a stored block to `out`.
    ///
    /// # Errors
    /// Those of [`DocumentCodec::decode`]; what was in `out` stays.
    pub(crate) fn decode_behind(&self, block: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        let (number, rest) = block.split_first().ok_or_else(|| corrupt("it is empty"))?;
        let mut frame = Vec::with_capacity(rest.len() + MAGIC.len());
        frame.extend_from_slice(&MAGIC);
        frame.extend_from_slice(rest);
        let size = zstd_safe::get_frame_content_size(&frame)
            .ok()
            .flatten()
            .filter(|size| *size <= MAX_BLOCK_BYTES.min(frame.len() as u64 * MAX_RATIO))
            .ok_or_else(|| corrupt("its size is not known"))? as usize;
        match usize::from(*number).checked_sub(1) {
            None => self.plain.decompress(&frame, size, &[], out),
            Some(index) => {
                let dictionary = self.dictionary(index)?;
                let pool = &dictionary.pool;
                pool.decompress(&frame, size, &dictionary.bytes, out)
            }
        }
    }
}

/// Compresses blocks on one thread.
pub(crate) struct BlockEncoder {
    dictionary: u8,
    compressor: Compressor<'static>,
    frame: Vec<u8>,
}

impl BlockEncoder {
    /// Number of the dictionary that it uses.
    pub(crate) const fn dictionary(&self) -> u8 {
        self.dictionary
    }

    /// What to store for a block.
    ///
    /// # Errors
    /// When zstd runs out of memory.
    pub(crate) fn encode(&mut self, block: &[u8]) -> io::Result<&[u8]> {
        self.frame.clear();
        self.frame.reserve(zstd_safe::compress_bound(block.len()));
        self.compressor.compress_to_buffer(block, &mut self.frame)?;
        // The last byte of the magic number makes room for the number of the dictionary.
        let start = MAGIC.len() - 1;
        self.frame[start] = self.dictionary;
        Ok(&self.frame[start..])
    }
}

/// Trains a dictionary on documents that stand one after the other in `samples`; `None` when there
/// are too few or they have too little in common.
pub(crate) fn train(samples: &[u8], lengths: &[usize]) -> Option<Vec<u8>> {
    if lengths.len() < MIN_SAMPLES {
        return None;
    }
    zstd::dict::from_continuous(samples, lengths, DICTIONARY_BYTES.min(samples.len() / 8)).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn document(number: usize) -> String {
        format!(
            r#"{{"id":{number},"title":"Title number {number}","kind":"a common kind of text"}}"#
        )
    }

    fn trained() -> DocumentCodec {
        let documents: Vec<String> = (0..2000).map(document).collect();
        let lengths: Vec<usize> = documents.iter().map(String::len).collect();
        let mut codec = DocumentCodec::default();
        codec.push(train(documents.concat().as_bytes(), &lengths).expect("enough samples"));
        codec
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Any bytes come back, with a dictionary and without.
        #[test]
        fn blocks_survive_compression(document in proptest::collection::vec(any::<u8>(), 0..3000)) {
            for codec in [DocumentCodec::default(), trained()] {
                let mut encoder = codec.encoder(codec.n_dictionaries()).expect("encoder");
                let stored = encoder.encode(&document).expect("encode");
                prop_assert_eq!(codec.decode(stored).expect("decode"), document.clone());
                prop_assert_eq!(DocumentCodec::len_of(stored), document.len());
            }
        }
    }

    #[test]
    fn blocks_written_before_a_dictionary_stay_readable() {
        let codec = trained();
        let mut encoder = DocumentCodec::default().encoder(0).expect("encoder");
        let old = encoder.encode(b"old").expect("encode");
        assert_eq!(codec.decode(old).expect("decode"), b"old");
    }

    #[test]
    fn a_dictionary_makes_small_documents_smaller() {
        let size = |codec: &DocumentCodec| {
            let document = document(77_777);
            let mut encoder = codec.encoder(codec.n_dictionaries()).expect("encoder");
            encoder.encode(document.as_bytes()).expect("encode").len()
        };
        assert!(size(&trained()) < size(&DocumentCodec::default()));
    }

    #[test]
    fn damaged_blocks_are_refused() {
        let codec = DocumentCodec::default();
        assert!(codec.decode(b"").is_err());
        assert!(codec.decode(b"\x00abc").is_err());
        assert!(codec.decode(b"\x07\x20\x00\x01\x00\x00").is_err());
        assert!(codec.encoder(1).is_err());
        assert_eq!(
            [b"".as_slice(), b"\x00", b"\x00abc"].map(DocumentCodec::len_of),
            [0; 3]
        );
    }
}
