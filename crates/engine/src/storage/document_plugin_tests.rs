//! Any documents, any merges: what is read is what was written.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tantivy::directory::{FileSlice, OwnedBytes};

use super::*;
use crate::storage::document_codec::train;
use crate::storage::document_reader::DocumentMemory;
use crate::storage::kept_blocks::{BlockPlace, MAX_KEPT_BYTES};

/// Keeps all that it is told, and says what.
#[derive(Default)]
struct AllKept(RefCell<BTreeMap<u32, Arc<[u8]>>>);

impl DocumentMemory for AllKept {
    fn kept(&self, place: BlockPlace) -> Option<Arc<[u8]>> {
        self.0.borrow().get(&place.block).cloned()
    }

    fn was_read(&self, place: BlockPlace, json: &[u8]) {
        self.0.borrow_mut().insert(place.block, json.into());
    }
}

/// A codec with a dictionary.
fn trained() -> DocumentCodec {
    let samples: Vec<String> = (0..500)
        .map(|n| format!(r#"{{"number":{n},"kind":"sample"}}"#))
        .collect();
    let lengths: Vec<usize> = samples.iter().map(String::len).collect();
    let mut codec = DocumentCodec::default();
    codec.push(train(samples.concat().as_bytes(), &lengths).expect("enough samples"));
    codec
}

fn opened(bytes: Vec<u8>) -> io::Result<DocumentReader> {
    DocumentReader::open(&FileSlice::new(Arc::new(OwnedBytes::new(bytes))))
}

fn written(documents: &[Vec<u8>], codec: &DocumentCodec, dictionary: u8) -> DocumentReader {
    let encoder = codec.encoder(dictionary).expect("the dictionary is there");
    let mut file = DocumentFileWriter::new(Vec::new(), encoder);
    for document in documents {
        file.push(document).expect("memory can be written");
    }
    opened(file.finish().expect("memory can be written")).expect("a whole file")
}

fn merged(
    parts: &[(DocumentReader, BTreeSet<u32>)],
    codec: &DocumentCodec,
    dictionary: u8,
) -> DocumentReader {
    let encoder = codec.encoder(dictionary).expect("the dictionary is there");
    let mut file = DocumentFileWriter::new(Vec::new(), encoder);
    for (part, dead) in parts {
        merge_part(part, codec, &|local| !dead.contains(&local), &mut file).expect("no damage");
    }
    opened(file.finish().expect("memory can be written")).expect("a whole file")
}

fn read(reader: &DocumentReader, codec: &DocumentCodec) -> Vec<Vec<u8>> {
    let memory = AllKept::default();
    let document = |local| {
        let document = reader.document(local, codec).expect("no damage").to_vec();
        for before in [b"before".as_slice(), b"", b"1"] {
            // The first time it is decompressed, and copied from then on.
            for memory in [&AllKept::default(), &memory] {
                let appended = appended(reader, codec, local, memory, before);
                assert_eq!(appended.as_ref(), Some(&document));
            }
        }
        for memory in [&AllKept::default(), &memory] {
            let repeated = reader.repeated(local, codec, memory);
            assert_eq!(*repeated.expect("no damage"), *document);
        }
        document
    };
    let documents: Vec<Vec<u8>> = (0..reader.n_docs()).map(document).collect();
    let n_long = documents.iter().filter(|d| d.len() + 2 > MAX_KEPT_BYTES);
    assert_eq!(memory.0.borrow().len(), n_long.count());
    documents
}

/// The document as it comes behind something else; `None` if it is damaged.
fn appended(
    reader: &DocumentReader,
    codec: &DocumentCodec,
    local: u32,
    memory: &AllKept,
    before: &[u8],
) -> Option<Vec<u8>> {
    let mut out = before.to_vec();
    let result = reader.append(local, codec, memory, &mut out);
    let document = out.split_off(before.len());
    assert_eq!(out, before);
    assert!(result.is_ok() || document.is_empty());
    result.is_ok().then_some(document)
}

/// Documents short and long, so that blocks hold many, one, and one that is larger than a block.
fn documents() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let document = prop_oneof![
        8 => proptest::collection::vec(any::<u8>(), 0..300),
        1 => proptest::collection::vec(any::<u8>(), 900..3000),
        1 => proptest::collection::vec(any::<u8>(), 4000..9000),
    ];
    proptest::collection::vec(document, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever lives is there after merges of merges, in order, whichever dictionary was used.
    #[test]
    fn living_documents_survive_merges(
        parts in proptest::collection::vec((documents(), any::<u64>(), 0..2_u8), 1..4),
    ) {
        let codec = trained();
        let mut expected = Vec::new();
        let mut readers = Vec::new();
        for (documents, mask, dictionary) in &parts {
            let reader = written(documents, &codec, *dictionary);
            prop_assert_eq!(&read(&reader, &codec), documents);
            let dead: BTreeSet<u32> = (0..documents.len() as u32)
                .filter(|local| mask & mask.rotate_left(7) & (1 << (local % 64)) != 0)
                .collect();
            let alive = documents.iter().enumerate();
            expected.extend(alive.filter(|(local, _)| !dead.contains(&(*local as u32))).map(|(_, d)| d.clone()));
            readers.push((reader, dead));
        }
        let once = merged(&readers, &codec, 1);
        prop_assert_eq!(&read(&once, &codec), &expected);
        let twice = merged(&[(once, BTreeSet::new())], &codec, 1);
        prop_assert_eq!(&read(&twice, &codec), &expected);
    }

    /// Cut or changed bytes are refused or read as something else; nothing panics.
    #[test]
    fn damage_does_no_harm(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let codec = trained();
        let mut documents: Vec<Vec<u8>> = (0..60_u8).map(|n| vec![n; usize::from(n) * 7]).collect();
        // Bytes that cannot be compressed much.
        let long = |step: usize| (0..9000_usize).map(|at| (at * at / step) as u8).collect();
        documents.extend([7, 11, 13].map(long));
        let encoder = codec.encoder(1).expect("the dictionary is there");
        let mut file = DocumentFileWriter::new(Vec::new(), encoder);
        for document in &documents {
            file.push(document).expect("memory can be written");
        }
        let mut bytes = file.finish().expect("memory can be written");
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] = byte;
        }
        if let Ok(reader) = opened(bytes) {
            for local in 0..reader.n_docs().min(100) {
                let document = reader.document(local, &codec).ok();
                let memory = AllKept::default();
                let appended = appended(&reader, &codec, local, &memory, b"before");
                assert_eq!(appended, document.map(|bytes| bytes.to_vec()));
            }
        }
    }
}

#[test]
fn small_blocks_become_full_ones_when_segments_merge() {
    let codec = DocumentCodec::default();
    let parts: Vec<_> = (0..40_u8)
        .map(|n| (written(&[vec![n; 100]], &codec, 0), BTreeSet::new()))
        .collect();
    let merged = merged(&parts, &codec, 0);
    assert_eq!(merged.n_docs(), 40);
    assert_eq!(merged.n_blocks(), 4);
}

#[test]
fn a_large_document_is_a_block_of_its_own() {
    let codec = DocumentCodec::default();
    let documents = [vec![1; 100], vec![2; BLOCK_BYTES], vec![3; 100]];
    let reader = written(&documents, &codec, 0);
    let sizes: Vec<usize> = (0..reader.n_blocks())
        .map(|block| reader.docs_of(block).len())
        .collect();
    assert_eq!(sizes, [1, 1, 1]);
}
