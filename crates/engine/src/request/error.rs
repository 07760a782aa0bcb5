//! Why a search was refused.

use crate::index::IndexError;
use crate::ranking::Stop;

/// A refusal with the stable code of the interface and its message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SearchError {
    /// Code of the interface.
    pub code: &'static str,
    /// What went wrong, for people.
    pub message: String,
    /// Whether the message speaks of the index, so that its name should lead it.
    pub names_index: bool,
}

impl SearchError {
    /// A refusal that does not depend on the index.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            names_index: false,
        }
    }

    /// `aborted` once a stop was asked for: what was found by then is not whole.
    ///
    /// # Errors
    /// That one.
    pub fn if_stopped(stop: &Stop) -> Result<(), Self> {
        if stop.is_stopped() {
            return Err(Self::new("aborted", "The search was aborted."));
        }
        Ok(())
    }

    /// A refusal because of what the index is or has.
    pub fn of_index(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            names_index: true,
        }
    }
}

impl From<IndexError> for SearchError {
    fn from(error: IndexError) -> Self {
        Self::of_index(error.code(), error.to_string())
    }
}
