//! Reads what a model's folder says about it.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokenizers::{Tokenizer, TruncationParams};

use crate::TransformerError;
use crate::config::{Config, ConfigFile, Refusal};
use crate::modules::{Module, PoolingConfig, Steps};
use crate::pooling::Pooling;

/// `sentence_bert_config.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

/// The folder of a model.
pub(crate) struct Folder<'a>(pub(crate) &'a Path);

impl Folder<'_> {
    /// `config.json`, checked as far as the model relies on it.
    pub(crate) fn config(&self) -> Result<Config, TransformerError> {
        let path = self.0.join("config.json");
        let file: ConfigFile = parse(&path, &read(&path)?)?;
        file.config().map_err(|refusal| match refusal {
            Refusal::Unsupported(what, found, expected) => TransformerError::Unsupported {
                what,
                found,
                expected,
            },
            Refusal::Contradiction(reason) => format(&path, reason),
        })
    }

    /// The tokenizer, set to cut texts at the longest that the model takes, and not to pad them.
    pub(crate) fn tokenizer(&self, config: &Config) -> Result<Tokenizer, TransformerError> {
        let path = self.0.join("tokenizer.json");
        let refused = |error: tokenizers::Error| format(&path, error);
        let mut tokenizer = Tokenizer::from_bytes(read(&path)?).map_err(refused)?;
        let sentences: SentenceConfig = self.optional("sentence_bert_config.json")?;
        let longest = config.max_tokens();
        let max_length = sentences
            .max_seq_length
            .unwrap_or(longest)
            .clamp(3, longest);
        let cut = TruncationParams {
            max_length,
            ..Default::default()
        };
        tokenizer.with_truncation(Some(cut)).map_err(refused)?;
        tokenizer.with_padding(None);
        Ok(tokenizer)
    }

    /// What becomes of the vectors of tokens. Refuses models that do more than pooling and scaling.
    pub(crate) fn steps(&self) -> Result<Steps, TransformerError> {
        let modules: Vec<Module> = self.optional("modules.json")?;
        Steps::of(modules).map_err(|found| TransformerError::Unsupported {
            what: "module",
            found,
            expected: "a transformer, pooling and normalising",
        })
    }

    /// How the model pools: as `1_Pooling/config.json` says, the mean without it.
    pub(crate) fn pooling(&self, folder: &str) -> Result<Pooling, TransformerError> {
        let path = self.0.join(folder).join("config.json");
        if !path.exists() {
            return Ok(Pooling::Mean);
        }
        let config: PoolingConfig = parse(&path, &read(&path)?)?;
        config
            .pooling()
            .ok_or_else(|| TransformerError::Unsupported {
                what: "pooling",
                found: path.display().to_string(),
                expected: "one of mean, mean by root of length, max, first and last token",
            })
    }

    /// The content of a file that need not be there.
    fn optional<T: DeserializeOwned + Default>(&self, name: &str) -> Result<T, TransformerError> {
        let path = self.0.join(name);
        match path.exists() {
            true => parse(&path, &read(&path)?),
            false => Ok(T::default()),
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, TransformerError> {
    fs::read(path).map_err(|source| TransformerError::Io {
        path: path.to_owned(),
        source,
    })
}

fn parse<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T, TransformerError> {
    serde_json::from_slice(bytes).map_err(|error| format(path, error))
}

fn format(path: &Path, reason: impl ToString) -> TransformerError {
    TransformerError::Format {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}
