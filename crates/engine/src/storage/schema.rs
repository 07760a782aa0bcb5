//! The tantivy schema of every generation: three fields, whatever the documents look like.
//!
//! | field   | what                                          | kept as                       |
//! |---------|-----------------------------------------------|-------------------------------|
//! | `_id`   | external id                                   | postings only                 |
//! | `words` | distinct normalised words of the document     | postings only, documents only |
//! | `_seq`  | [`DocId`](crate::docset::DocId)               | column                        |
//!
//! Documents, attribute values and word positions live in files of our own
//! ([`super::document_plugin`], [`super::attribute_plugin`], [`super::forward_plugin`]); tantivy's
//! document store has two bytes for each document, which nobody reads.

use tantivy::index::IndexSettings;
use tantivy::schema::{
    Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::store::Compressor;
use tantivy::tokenizer::{RawTokenizer, TextAnalyzer, TokenizerManager};

use super::word_tokenizer::WordTokenizer;

/// Bytes of a block of the document store: many, as it is only copied.
const STORE_BLOCK_BYTES: usize = 64 << 10;
const ID_TOKENIZER: &str = "external_id";
const WORD_TOKENIZER: &str = "words";
/// Tantivy asks for this one for fields without text.
const DEFAULT_TOKENIZER: &str = "default";

/// Name of the column that holds the [`DocId`](crate::docset::DocId).
pub(crate) const SEQ: &str = "_seq";

/// Handles of the three fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) id: Field,
    pub(crate) words: Field,
    pub(crate) seq: Field,
}

impl Fields {
    /// The fields, numbered as [`schema`] declares them.
    pub(crate) const fn new() -> Self {
        Self {
            id: Field::from_field_id(0),
            words: Field::from_field_id(1),
            seq: Field::from_field_id(2),
        }
    }
}

/// The schema; the order of declaration is the numbering in [`Fields`].
pub(crate) fn schema() -> Schema {
    let postings_only = |tokenizer: &str| {
        TextOptions::default().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer(tokenizer)
                .set_fieldnorms(false)
                .set_index_option(IndexRecordOption::Basic),
        )
    };
    let mut schema = Schema::builder();
    schema.add_text_field("_id", postings_only(ID_TOKENIZER));
    schema.add_text_field("words", postings_only(WORD_TOKENIZER));
    schema.add_u64_field(SEQ, NumericOptions::default().set_fast());
    schema.build()
}

/// Tokenizers named by the schema.
pub(crate) fn tokenizers() -> TokenizerManager {
    let tokenizers = TokenizerManager::new();
    tokenizers.register(
        DEFAULT_TOKENIZER,
        TextAnalyzer::from(RawTokenizer::default()),
    );
    tokenizers.register(ID_TOKENIZER, TextAnalyzer::from(RawTokenizer::default()));
    tokenizers.register(WORD_TOKENIZER, TextAnalyzer::from(WordTokenizer::default()));
    tokenizers
}

/// Store settings: there is nothing to compress.
pub(crate) fn index_settings() -> IndexSettings {
    IndexSettings {
        docstore_compression: Compressor::None,
        docstore_compress_dedicated_thread: false,
        docstore_blocksize: STORE_BLOCK_BYTES,
        ..IndexSettings::default()
    }
}
