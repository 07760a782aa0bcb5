//! Texts to vectors with a sentence transformer of the BERT family, read from a folder as model hubs
//! hold it. Runs on the processor; knows no network.
//!
//! A folder has `config.json`, `tokenizer.json` and the weights in `model.safetensors`, and may have
//! `1_Pooling/config.json`, `modules.json` and `sentence_bert_config.json`.
//!
//! # Invariants
//! 1. Every vector has [`Transformer::dimensions`] numbers.
//! 2. The vector of a text does not depend on the texts that it is embedded with, but for rounding.
//! 3. A folder that does not fit together is refused when it is loaded, not when a text comes.
//!
//! # Cost
//! Weights of 32 bits are read where the file is mapped, and shared with whoever maps it, too;
//! those of 16 bits become 32-bit floats in memory. Texts run in batches of some hundred tokens
//! without padding, so that memory does not grow with their number.

mod attention;
mod config;
mod encoder;
mod error;
mod folder;
mod matrix;
mod modules;
mod names;
mod pointwise;
mod pooling;
mod transformer;
mod weights;

pub use error::TransformerError;
pub use pooling::{Pooling, PoolingChoice};
pub use transformer::Transformer;
