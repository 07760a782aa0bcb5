//! What can go wrong.

use std::path::PathBuf;

/// Why a model could not be loaded, or a text not be embedded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransformerError {
    /// A file of the folder is missing or cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file of the folder does not hold what it should.
    #[error("cannot use {}: {reason}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The folder holds a model of a kind that is not known here.
    #[error("unsupported {what} `{found}`, expected {expected}")]
    Unsupported {
        /// What of the model.
        what: &'static str,
        /// What the folder says.
        found: String,
        /// What would work.
        expected: &'static str,
    },
    /// The tokenizer refused a text.
    #[error("cannot split a text into tokens: {0}")]
    Tokenize(String),
    /// The tokenizer made a token that the model has no row for.
    #[error("the tokenizer made token {token}, but the model knows {known} only")]
    Token {
        /// The number of the token.
        token: u32,
        /// How many tokens the model knows.
        known: usize,
    },
    /// Whoever asked does not want the vectors any more.
    #[error("embedding was stopped")]
    Stopped,
}
