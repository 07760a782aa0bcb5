//! Documents and settings becoming an index: postings, columns, compressed documents, vectors, one
//! commit each. Nothing here runs twice: each operation finds what the one before has left.

use serde_json::json;

use crate::films::films;
use crate::index_of_films::IndexOfFilms;
use crate::meter::Meter;

const DOCUMENTS: usize = 1500;
const MORE: usize = 300;

/// Counts them.
pub(crate) fn count(meter: &mut Meter) {
    let films = films();
    // What the first batch of a process makes for all later ones is not counted.
    IndexOfFilms::new().add(&films[..1]);
    let first = IndexOfFilms::new();
    meter.once("write.index", || first.add(&films[..DOCUMENTS]));
    let end = DOCUMENTS + MORE;
    meter.once("write.add_more", || first.add(&films[DOCUMENTS..end]));
    let merged = || first.index.compact().expect("merged");
    meter.once("write.merge", merged);
    meter.once("write.commit_one", || first.add(&films[end..=end]));
    let replaced = films[0].replace("\"title\":\"", "\"title\":\"changed ");
    meter.once("write.replace_one", || first.add(&[replaced]));
    let ids: Vec<String> = (0..50).map(|n| (1 + 6 * n).to_string()).collect();
    meter.once("write.delete", || first.delete(&ids));
    let column = json!({"filterableAttributes": ["genres", "year", "decade", "_geo", "castSize"]});
    meter.once("write.new_column", || first.change(&column));
    let words = json!({"searchableAttributes": ["title", "overview", "genres", "cast"]});
    meter.once("write.new_words", || first.change(&words));
}
