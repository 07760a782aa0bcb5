//! Keeps a forward index beside every tantivy segment: the words of each document in order.
//!
//! While a segment is being filled, words are known by their hash only; when it is written, its
//! dictionary is streamed once and every hash becomes an ordinal. A merge streams the old
//! dictionaries beside the new one and copies rows of living documents with ordinals replaced.
//!
//! # Invariants
//! 1. The rows stand in the order of the segment's documents.
//! 2. Every ordinal in a row is a word of the same segment's `words` dictionary.
//!
//! # Cost
//! Eight bytes of memory per word until the segment is written; a hash-table look-up per word to
//! resolve; an array look-up per word to merge.

use std::any::Any;
use std::io;

use rustc_hash::FxHashMap;
use tantivy::directory::{CompositeFile, TerminatingWrite};
use tantivy::index::{Segment, SegmentComponent, SegmentReader};
use tantivy::indexer::DocIdMapping;
use tantivy::plugin::{PluginMergeContext, PluginWriter, PluginWriterContext, SegmentPlugin};
use tantivy::schema::Schema;
use tantivy::schema::document::ErasedDocument;
use tantivy::termdict::TermDictionary;
use tantivy::{DocId as LocalId, TantivyError};

use super::forward_file::{ForwardFileWriter, hole_of, jump_of};
use super::forward_reader::ForwardReader;
use super::forward_row::{FieldId, HOLE, JUMP, Symbol, hash_word};
use super::indexed_document::IndexedDocument;
use super::merge_origins::MergeOrigins;
use super::schema::Fields;
use super::symbol_list::SymbolList;
use super::varint;

/// File extension of the forward index.
pub(crate) const EXTENSION: &str = "fwd";

/// The component of a segment that holds the forward index.
pub(crate) fn component() -> SegmentComponent {
    SegmentComponent::Custom(EXTENSION.to_owned())
}

/// Registers the forward index with tantivy.
pub(crate) struct ForwardPlugin {
    /// Hears of every merge.
    pub(crate) origins: MergeOrigins,
}

impl SegmentPlugin for ForwardPlugin {
    fn extensions(&self) -> &[&str] {
        &[EXTENSION]
    }

    fn create_writer(&self, _: &PluginWriterContext) -> tantivy::Result<Box<dyn PluginWriter>> {
        Ok(Box::new(ForwardWriter::default()))
    }

    fn merge(&self, context: PluginMergeContext) -> tantivy::Result<()> {
        let sources = context.readers.iter().map(SegmentReader::segment_id);
        self.origins.note(context.target_segment.id(), sources);
        merge(context.readers, context.target_segment)
    }
}

/// Collects rows until the segment is written.
#[derive(Default)]
struct ForwardWriter {
    /// Per document: varint number of fields, then field and number of symbols of each.
    headers: Vec<u8>,
    symbols: SymbolList,
    n_docs: usize,
}

impl PluginWriter for ForwardWriter {
    fn add_document(
        &mut self,
        _: LocalId,
        document: &dyn ErasedDocument,
        _: &Schema,
    ) -> tantivy::Result<()> {
        let row = &IndexedDocument::given(document)?.forward;
        varint::put(&mut self.headers, row.fields.len() as u64);
        let mut start = 0;
        for (field, end) in &row.fields {
            varint::put(&mut self.headers, u64::from(*field));
            varint::put(&mut self.headers, u64::from(end - start));
            start = *end;
        }
        self.symbols.extend(&row.symbols);
        self.n_docs += 1;
        Ok(())
    }

    fn serialize(
        self: Box<Self>,
        segment: &Segment,
        order: Option<&DocIdMapping>,
    ) -> tantivy::Result<()> {
        if order.is_some() {
            return Err(internal(
                "the forward index does not support sorted segments",
            ));
        }
        let Self {
            headers,
            symbols,
            n_docs,
        } = *self;
        let mut symbols = symbols.into_symbols();
        let dictionary = open_dictionary(segment)?;
        let (ordinals, n_terms) = ordinals_by_hash(&dictionary)?;
        let mut file = ForwardFileWriter::new(segment.open_write(component())?, n_terms);
        let mut at = 0;
        let mut fields: Vec<(FieldId, u32)> = Vec::new();
        let mut resolved: Vec<u64> = Vec::new();
        for _ in 0..n_docs {
            fields.clear();
            resolved.clear();
            let mut n_symbols = 0;
            for _ in 0..varint::get(&headers, &mut at) {
                let field = varint::get(&headers, &mut at) as FieldId;
                let len = varint::get(&headers, &mut at) as u32;
                n_symbols += len as usize;
                fields.push((field, len));
            }
            for symbol in symbols.by_ref().take(n_symbols) {
                resolved.push(match symbol {
                    HOLE => hole_of(n_terms),
                    JUMP => jump_of(n_terms),
                    hash => u64::from(*ordinals.get(&hash).ok_or_else(|| {
                        internal("a word of a document is not in the dictionary")
                    })?),
                });
            }
            file.push_row(fields.iter().copied(), resolved.iter().copied())?;
        }
        file.finish()?.terminate()?;
        Ok(())
    }

    fn mem_usage(&self) -> usize {
        self.headers.capacity() + self.symbols.mem_usage()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

fn internal(message: &str) -> TantivyError {
    TantivyError::InternalError(message.to_owned())
}

fn open_dictionary(segment: &Segment) -> tantivy::Result<TermDictionary> {
    let terms = CompositeFile::open(&segment.open_read(SegmentComponent::Terms)?)?;
    match terms.open_read(Fields::new().words) {
        Some(file) => Ok(TermDictionary::open(file)?),
        None => Ok(TermDictionary::empty()),
    }
}

/// Ordinal of each word by its hash, and the number of words.
fn ordinals_by_hash(dictionary: &TermDictionary) -> tantivy::Result<(FxHashMap<Symbol, u32>, u32)> {
    let n_terms = u32::try_from(dictionary.num_terms())
        .map_err(|_| internal("a segment holds more words than 4 billion"))?;
    let mut ordinals = FxHashMap::with_capacity_and_hasher(n_terms as usize, Default::default());
    let mut words = dictionary.stream()?;
    let mut ordinal = 0;
    while words.advance() {
        let word = std::str::from_utf8(words.key())
            .map_err(|_| internal("a word of the dictionary is not UTF-8"))?;
        if ordinals.insert(hash_word(word), ordinal).is_some() {
            return Err(internal(
                "two words share a hash; another attempt uses another seed",
            ));
        }
        ordinal += 1;
    }
    Ok((ordinals, n_terms))
}

/// For each ordinal of an old dictionary the one in the new dictionary; `u32::MAX` for words
/// that did not survive.
fn remap(old: &TermDictionary, new: &TermDictionary) -> io::Result<Vec<u32>> {
    let mut ordinals = vec![u32::MAX; old.num_terms()];
    let (mut old_words, mut new_words) = (old.stream()?, new.stream()?);
    let mut new_ordinal = 0;
    let mut more = new_words.advance();
    let mut old_ordinal = 0;
    while old_words.advance() {
        while more && new_words.key() < old_words.key() {
            more = new_words.advance();
            new_ordinal += 1;
        }
        if more && new_words.key() == old_words.key() {
            ordinals[old_ordinal] = new_ordinal;
        }
        old_ordinal += 1;
    }
    Ok(ordinals)
}

fn merge(readers: &[SegmentReader], target: &Segment) -> tantivy::Result<()> {
    let dictionary = open_dictionary(target)?;
    let n_terms = u32::try_from(dictionary.num_terms())
        .map_err(|_| internal("a segment holds more words than 4 billion"))?;
    let mut file = ForwardFileWriter::new(target.open_write(component())?, n_terms);
    let mut symbols: Vec<u64> = Vec::new();
    for reader in readers {
        let rows = ForwardReader::open(&reader.open_read(component())?)?;
        let old = reader.inverted_index(Fields::new().words)?;
        let ordinals = remap(old.terms(), &dictionary)?;
        let (old_hole, old_jump) = (hole_of(rows.n_terms()), jump_of(rows.n_terms()));
        for local in reader.doc_ids_alive() {
            let row = rows.row(local);
            symbols.clear();
            for field in row.field_rows() {
                for index in 0..field.len {
                    let symbol = field.symbol(index);
                    symbols.push(match ordinals.get(symbol as usize).copied() {
                        Some(ordinal) if ordinal != u32::MAX => u64::from(ordinal),
                        None if symbol == old_hole => hole_of(n_terms),
                        None if symbol == old_jump => jump_of(n_terms),
                        _ => return Err(internal("a word of a living document was lost")),
                    });
                }
            }
            let lengths = row
                .field_rows()
                .map(|field| (field.field, field.len as u32));
            let lengths: Vec<_> = lengths.collect();
            file.push_row(lengths.iter().copied(), symbols.iter().copied())?;
        }
    }
    file.finish()?.terminate()?;
    Ok(())
}
