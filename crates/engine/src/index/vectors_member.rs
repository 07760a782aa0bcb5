//! The `_vectors` member of documents in answers.

use serde::Serialize;
use serde_json::{Map, Value};

use super::Snapshot;
use crate::docset::DocId;

#[derive(Serialize)]
struct Shown {
    /// As 64-bit numbers: their text is that of the stored value, not the shortest that rounds.
    embeddings: Vec<Vec<f64>>,
    regenerate: bool,
}

impl Snapshot {
    /// Appends the member's value: what is stored with the document, then the vectors of every
    /// embedder.
    pub(crate) fn write_vectors(&self, doc: DocId, stored: Option<Value>, out: &mut Vec<u8>) {
        let mut member = match stored {
            Some(Value::Object(member)) => member,
            _ => Map::new(),
        };
        for name in self.settings().embedders.keys() {
            let set = self.vectors().get(name);
            let status = set.and_then(|set| set.status(doc));
            let vectors = set.map_or_else(Vec::new, |set| set.vectors(doc));
            let widened = vectors
                .into_iter()
                .map(|vector| vector.into_iter().map(f64::from).collect());
            let shown = Shown {
                embeddings: widened.collect(),
                regenerate: status.is_none_or(|status| status.regenerates),
            };
            let shown =
                serde_json::to_value(shown).expect("invariant: numbers and flags serialise");
            member.insert(name.clone(), shown);
        }
        serde_json::to_writer(out, &member).expect("invariant: a JSON value always serialises");
    }
}
