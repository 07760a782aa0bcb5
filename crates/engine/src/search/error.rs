//! Why a search was refused.

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

    /// A refusal because of what the index is or has.
    pub fn of_index(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            names_index: true,
        }
    }
}
