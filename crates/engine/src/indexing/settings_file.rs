//! Files of settings: what is too long to be handed over with a batch waits for it in a file.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use crate::batch::OperationError;

use super::batch_session::Failure;

/// The settings that a file holds.
pub(super) fn read_settings(path: &Path) -> Result<Map<String, Value>, Failure> {
    let settings = serde_json::from_slice(&fs::read(path)?).map_err(|error| {
        let message = format!("the file of the settings cannot be read: {error}");
        OperationError::new("internal", message)
    })?;
    Ok(settings)
}
