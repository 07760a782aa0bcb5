//! A loaded model.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use tokenizers::{Encoding, Tokenizer};

use crate::TransformerError;
use crate::encoder::{Encoder, Tokens};
use crate::folder::Folder;
use crate::pooling::{Pooling, PoolingChoice, normalize};
use crate::weights::Weights;

/// Tokens that run through the layers at once, unless a single text has more.
const MAX_TOKENS: usize = 512;
/// Texts that a thread takes at once.
const TEXTS_AT_ONCE: usize = 16;

/// A sentence transformer in memory. Any number of threads may use it.
pub struct Transformer {
    encoder: Encoder,
    tokenizer: Tokenizer,
    pooling: Pooling,
    normalizes: bool,
}

impl Transformer {
    /// Loads the model of a folder.
    ///
    /// # Errors
    /// When a file is missing or damaged, or the model is of a kind that is not supported.
    pub fn load(folder: &Path, pooling: PoolingChoice) -> Result<Self, TransformerError> {
        let files = Folder(folder);
        let steps = files.steps()?;
        let config = files.config()?;
        let pooling = match pooling {
            PoolingChoice::UseModel => files.pooling(&steps.pooling)?,
            PoolingChoice::ForceMean => Pooling::Mean,
            PoolingChoice::ForceCls => Pooling::Cls,
        };
        let tokenizer = files.tokenizer(&config)?;
        let weights = Weights::open(folder, config.family.prefixes())?;
        Ok(Self {
            encoder: Encoder::load(&weights, config)?,
            tokenizer,
            pooling,
            normalizes: steps.normalizes,
        })
    }

    /// Numbers in a vector.
    pub fn dimensions(&self) -> usize {
        self.encoder.width()
    }

    /// One vector for each text, in order, by at most so many threads at once. Texts longer than
    /// the model takes are cut.
    ///
    /// # Errors
    /// When a text cannot be split into tokens, when the model has no row for one of them, or with
    /// [`TransformerError::Stopped`] soon after `stopped` was set.
    pub fn embed(
        &self,
        texts: &[String],
        n_threads: usize,
        stopped: &AtomicBool,
    ) -> Result<Vec<Vec<f32>>, TransformerError> {
        let parts: Vec<&[String]> = texts.chunks(TEXTS_AT_ONCE).collect();
        let n_workers = n_threads.clamp(1, parts.len().max(1));
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<Part>> = Mutex::default();
        let work = || {
            while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                let vectors = self.embed_part(part, stopped);
                let is_failure = vectors.is_err();
                let at = part.as_ptr().addr();
                let mut results = results
                    .lock()
                    .unwrap_or_else(|poisoned| poisoned.into_inner());
                results.push(Part { at, vectors });
                if is_failure {
                    // No other part is begun.
                    next.store(parts.len(), Ordering::Relaxed);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..n_workers {
                scope.spawn(work);
            }
            work();
        });
        let mut results = results
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        results.sort_by_key(|part| part.at);
        let mut vectors = Vec::with_capacity(texts.len());
        for part in results {
            vectors.extend(part.vectors?);
        }
        Ok(vectors)
    }

    fn embed_part(
        &self,
        texts: &[String],
        stopped: &AtomicBool,
    ) -> Result<Vec<Vec<f32>>, TransformerError> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut tokens = Tokens::default();
        for text in texts {
            let encoding = self.encode(text)?;
            let n_after = tokens.words.len() + encoding.len();
            if n_after > MAX_TOKENS && !tokens.texts.is_empty() {
                self.run(&tokens, stopped, &mut vectors)?;
                tokens = Tokens::default();
            }
            tokens.push(encoding.get_ids(), encoding.get_type_ids());
        }
        self.run(&tokens, stopped, &mut vectors)?;
        Ok(vectors)
    }

    fn encode(&self, text: &str) -> Result<Encoding, TransformerError> {
        self.tokenizer
            .encode_fast(text, true)
            .map_err(|error| TransformerError::Tokenize(error.to_string()))
    }

    /// Adds the vectors of texts.
    fn run(
        &self,
        tokens: &Tokens,
        stopped: &AtomicBool,
        vectors: &mut Vec<Vec<f32>>,
    ) -> Result<(), TransformerError> {
        let rows = self.encoder.forward(tokens, stopped)?;
        let width = self.encoder.width();
        for text in &tokens.texts {
            let own = &rows[text.start * width..text.end * width];
            let mut vector = self.pooling.pool(own, width);
            if self.normalizes {
                normalize(&mut vector);
            }
            vectors.push(vector);
        }
        Ok(())
    }
}

/// The vectors of some of the texts.
struct Part {
    /// Address of the first text, which puts parts in order.
    at: usize,
    vectors: Result<Vec<Vec<f32>>, TransformerError>,
}
