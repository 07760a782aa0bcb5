//! What an index knows about itself; commits with the documents, in tantivy's commit payload.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tantivy::time::OffsetDateTime;
use tantivy::time::format_description::well_known::Rfc3339;

use super::IndexError;
use crate::batch::OperationResult;
use crate::document::FieldIds;
use crate::settings::IndexSettings;
use crate::vectors::VectorFiles;

/// Version of everything this crate writes, files and payload. It goes up with every change that
/// older files do not fit; `indexing::upgrade_index` leads to it from any version before.
/// Stored documents, their dictionaries and vectors, and the payload stay readable over versions.
///
/// Version 1 kept each document by itself, in the document store of tantivy.
pub const FORMAT_VERSION: u32 = 2;

/// What an index knows about itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexMeta {
    /// Version of the files.
    pub format_version: u32,
    /// The primary key, once declared or inferred.
    pub primary_key: Option<String>,
    /// Attribute names in order of first sight.
    pub fields: Arc<FieldIds>,
    /// The settings.
    pub settings: Arc<IndexSettings>,
    /// For each top-level field the number of documents that have it; none with 0.
    pub field_distribution: Arc<BTreeMap<String, u64>>,
    /// The batch that was committed last.
    pub last_batch: Option<LastBatch>,
    /// Time of creation, RFC 3339.
    pub created_at: String,
    /// Time of the last successful change, RFC 3339.
    pub updated_at: String,
    /// Number of compression dictionaries.
    pub n_dictionaries: u8,
    /// Files of vectors.
    #[serde(default, skip_serializing_if = "VectorFiles::is_empty")]
    pub vectors: VectorFiles,
}

/// The batch that was committed last. When a batch needed several commits, the results known at
/// the last one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastBatch {
    /// Number of the batch.
    pub uid: u64,
    /// Results of its operations, in order.
    pub results: Vec<OperationResult>,
}

impl IndexMeta {
    /// A new index.
    pub(crate) fn new(primary_key: Option<String>, settings: IndexSettings, now: String) -> Self {
        let mut fields = FieldIds::default();
        if let Some(name) = &primary_key {
            fields.insert(name);
        }
        Self {
            format_version: FORMAT_VERSION,
            primary_key,
            fields: Arc::new(fields),
            settings: Arc::new(settings),
            field_distribution: Arc::default(),
            last_batch: None,
            created_at: now.clone(),
            updated_at: now,
            n_dictionaries: 0,
            vectors: VectorFiles::default(),
        }
    }

    /// Refuses files of another format.
    pub(crate) fn check_version(&self) -> Result<(), IndexError> {
        if self.format_version == FORMAT_VERSION {
            return Ok(());
        }
        Err(IndexError::Version {
            found: self.format_version,
            expected: FORMAT_VERSION,
        })
    }

    /// Whether an upgrade leads from the format of these files to the present one.
    #[must_use]
    pub fn is_outdated(&self) -> bool {
        self.format_version < FORMAT_VERSION
    }
}

/// The present as RFC 3339 text in UTC.
pub(crate) fn now() -> String {
    OffsetDateTime::now_utc()
        .format(&Rfc3339)
        .unwrap_or_default()
}
