//! The special fields that say where a document is: `_geo` and `_geojson`.

use super::DocumentError;
use super::geo::{self, GEO};
use super::geojson::{self, GEOJSON};
use super::raw_document::RawDocument;
use crate::geometry::Shape;

/// Which of the fields the settings ask for; the others hold whatever they like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaceFields {
    /// `_geo` can be filtered or sorted by.
    pub(crate) geo: bool,
    /// `_geojson` can be filtered by.
    pub(crate) geojson: bool,
}

impl PlaceFields {
    /// Latitude and longitude, if asked for and present.
    ///
    /// # Errors
    /// When the field is asked for and wrong.
    pub(crate) fn point(
        self,
        document: &RawDocument<'_>,
        external_id: &str,
    ) -> Result<Option<[f64; 2]>, DocumentError> {
        let value = document.get(GEO).filter(|_| self.geo);
        value.map_or(Ok(None), |value| geo::parse(value, external_id))
    }

    /// The shape, if asked for and present.
    ///
    /// # Errors
    /// When the field is asked for and wrong.
    pub(crate) fn shape(self, document: &RawDocument<'_>) -> Result<Option<Shape>, DocumentError> {
        let value = document.get(GEOJSON).filter(|_| self.geojson);
        value.map_or(Ok(None), geojson::parse)
    }

    /// Reads both.
    ///
    /// # Errors
    /// When a field is asked for and wrong.
    pub(crate) fn check(
        self,
        document: &RawDocument<'_>,
        external_id: &str,
    ) -> Result<(), DocumentError> {
        self.point(document, external_id)?;
        self.shape(document).map(drop)
    }
}
