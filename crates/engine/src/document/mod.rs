//! Documents as JSON: their field names, primary key, special fields and the walk over values.

mod error;
mod field_ids;
pub(crate) mod flatten;
pub(crate) mod geo;
pub(crate) mod geojson;
mod member_scan;
pub(crate) mod places;
mod primary_key;
pub(crate) mod raw_document;
pub(crate) mod successors;

pub use crate::storage::FieldId;
pub use error::DocumentError;
pub use field_ids::FieldIds;
pub use primary_key::PrimaryKey;
