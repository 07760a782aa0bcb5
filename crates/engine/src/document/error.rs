//! Why documents are refused. One bad document fails the whole operation it belongs to.

/// Names of fields are numbered with 16 bits, the last number meaning none.
pub(crate) const MAX_FIELDS: usize = 65_535;

/// Why an operation on documents failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The primary key field is missing; carries its name and the document as JSON.
    #[error("Document doesn't have a `{primary_key}` attribute: `{document}`.")]
    MissingId {
        /// Name of the primary key.
        primary_key: String,
        /// The document.
        document: String,
    },
    /// The primary key's value is no identifier; carries it as JSON.
    #[error(
        "Document identifier `{0}` is invalid. A document identifier can be of type integer or \
         string, only composed of alphanumeric characters (a-z A-Z 0-9), hyphens (-) and \
         underscores (_), and can not be more than 511 bytes."
    )]
    InvalidId(String),
    /// A nested primary key leads to several values.
    #[error("Document have too many matching `{primary_key}` attribute: `{document}`.")]
    TooManyIds {
        /// Name of the primary key.
        primary_key: String,
        /// The document.
        document: String,
    },
    /// No field name ends with `id`.
    #[error(
        "The primary key inference failed as the engine did not find any field ending with `id` \
         in its name. Please specify the primary key manually using the `primaryKey` query \
         parameter."
    )]
    NoPrimaryKeyCandidate,
    /// Several field names end with `id`.
    #[error(
        "The primary key inference failed as the engine found {count} fields ending with `id` in \
         their names: '{first}' and '{second}'. Please specify the primary key manually using the \
         `primaryKey` query parameter."
    )]
    SeveralPrimaryKeyCandidates {
        /// How many there are.
        count: usize,
        /// The first one by name.
        first: String,
        /// The second one.
        second: String,
    },
    /// The index has another primary key.
    #[error("Index already has a primary key: `{0}`.")]
    PrimaryKeyExists(String),
    /// More distinct field names than can be numbered.
    #[error("A document cannot contain more than 65,535 fields.")]
    TooManyFields,
    /// `_geo` is not what it should be; the message is complete.
    #[error("{0}")]
    InvalidGeo(String),
    /// `_geojson` is no GeoJSON object; the message is complete.
    #[error("{0}")]
    InvalidGeojson(String),
    /// `_geojson` cannot be read, as when it is nested too deep.
    #[error("Malformed geojson: {0}")]
    MalformedGeojson(String),
    /// A line of the payload is no JSON object.
    #[error("{0}")]
    Malformed(String),
}

impl DocumentError {
    /// The stable code of the interface.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::MissingId { .. } => "missing_document_id",
            Self::InvalidId(_) | Self::TooManyIds { .. } => "invalid_document_id",
            Self::NoPrimaryKeyCandidate => "index_primary_key_no_candidate_found",
            Self::SeveralPrimaryKeyCandidates { .. } => {
                "index_primary_key_multiple_candidates_found"
            }
            Self::PrimaryKeyExists(_) => "index_primary_key_already_exists",
            Self::TooManyFields => "max_fields_limit_exceeded",
            Self::InvalidGeo(_) | Self::InvalidGeojson(_) => "invalid_document_geo_field",
            Self::MalformedGeojson(_) => "invalid_document_geojson_field",
            Self::Malformed(_) => "malformed_payload",
        }
    }
}
