//! The other indexes that searches look into, found by the folder that they are open in.

use std::sync::Arc;

use serval_engine::facet::foreign_index;
use serval_engine::index::IndexError;
use serval_engine::request::{ForeignIndexes, SearchRequest};

use crate::open_indexes::OPEN;

/// The indexes that requests of one sender name, each as it is now; `None` if no request follows
/// foreign keys. One that was closed meanwhile is as if it were not there.
///
/// # Errors
/// One that rested cannot be opened again.
pub(crate) fn foreign_of<'r>(
    requests: impl IntoIterator<Item = &'r SearchRequest>,
) -> Result<Option<Arc<ForeignIndexes>>, IndexError> {
    let mut found: Option<ForeignIndexes> = None;
    for request in requests {
        let Some(places) = request
            .foreign
            .as_ref()
            .filter(|_| request.features.foreign)
        else {
            continue;
        };
        let found = found.get_or_insert_default();
        for (uid, place) in places {
            if found.contains_key(uid) {
                continue;
            }
            if let Some(open) = OPEN.find(&place.folder) {
                let (shown, features) = (place.filter.as_ref(), &request.features);
                let index = foreign_index(open.wake()?.index.snapshot(), shown, features);
                found.insert(uid.clone(), index);
            }
        }
    }
    Ok(found.map(Arc::new))
}
