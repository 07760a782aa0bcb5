//! What a change of the embedders does to the vectors of an index.

use std::io;
use std::path::Path;

use serde_json::value::RawValue;

use super::stage::VectorStage;
use super::staged::{StageError, Staged, StagedDocument, Upkeep};
use crate::docset::DocId;
use crate::document::PrimaryKey;
use crate::document::raw_document::{RawDocument, write_string};
use crate::index::{IndexError, IndexMeta, Snapshot};
use crate::vectors::{
    Embedder, EmbedderChange, Embedding, SetWriter, VECTORS, VectorSet, directory_in, into_io,
};

/// A change of the embedders, judged against the documents that are there.
pub(crate) struct VectorsChange {
    old: Vec<Embedder>,
    new: Vec<Embedder>,
}

impl VectorsChange {
    /// The change between the settings of a snapshot and those in `meta`.
    pub(crate) fn new(snapshot: &Snapshot, meta: &IndexMeta) -> Self {
        Self {
            old: Embedder::all(snapshot.settings()),
            new: Embedder::all(&meta.settings),
        }
    }

    /// Whether vectors stay as they are.
    pub(crate) fn is_empty(&self) -> bool {
        let is_same = |new: &Embedder| {
            self.old_of(new)
                .is_some_and(|old| old.change(new) == EmbedderChange::None)
        };
        self.old.len() == self.new.len() && self.new.iter().all(is_same)
    }

    /// Whether vectors move between documents and the files beside them.
    pub(crate) fn rewrites_documents(&self, snapshot: &Snapshot) -> bool {
        let takes = self.new.iter().any(|new| self.old_of(new).is_none());
        let gives = self
            .removed()
            .any(|old| snapshot.vectors().get(&old.name).is_some());
        gives || takes && snapshot.field_id(VECTORS).is_some()
    }

    fn old_of(&self, new: &Embedder) -> Option<&Embedder> {
        self.old.iter().find(|old| old.name == new.name)
    }

    fn removed(&self) -> impl Iterator<Item = &Embedder> {
        let is_kept = |old: &Embedder| self.new.iter().any(|new| new.name == old.name);
        self.old.iter().filter(move |old| !is_kept(old))
    }

    /// Makes the vectors of all documents as the new settings want them, in files of a generation;
    /// `meta.vectors` then names them.
    ///
    /// # Errors
    /// Vectors that do not fit, or that could not be had.
    pub(crate) fn apply(
        &self,
        snapshot: &Snapshot,
        meta: &mut IndexMeta,
        generation: &Path,
        embedding: Option<Embedding>,
    ) -> Result<(), StageError> {
        let mut files = meta.vectors.clone();
        for removed in self.removed() {
            files.embedders.remove(&removed.name);
        }
        let mut staged = Vec::new();
        for new in &self.new {
            staged.extend(self.staged(new, snapshot, generation)?);
        }
        let reads_documents = staged.iter().any(|(_, reads)| *reads);
        let staged = staged.into_iter().map(|(staged, _)| staged).collect();
        let settings = std::sync::Arc::clone(&meta.settings);
        let names = meta.fields.iter().map(|(_, name)| name);
        let mut stage = VectorStage::new(&settings, names, files, staged, embedding);
        if reads_documents {
            self.stage_documents(snapshot, meta, &mut stage)?;
        }
        meta.vectors = stage.finish()?;
        Ok(())
    }

    /// What an embedder starts from, and whether documents have to be read for it.
    fn staged(
        &self,
        new: &Embedder,
        snapshot: &Snapshot,
        generation: &Path,
    ) -> io::Result<Option<(Staged, bool)>> {
        let stored = || {
            let set = snapshot.vectors().get(&new.name);
            set.map(|set| VectorSet::clone(set)).unwrap_or_default()
        };
        let Some(old) = self.old_of(new) else {
            let empty = VectorSet::default();
            let staged = Staged::new(
                new.clone(),
                empty.clone(),
                empty,
                Upkeep::Regenerate,
                generation,
            );
            return Ok(Some((staged, true)));
        };
        let change = old.change(new);
        if change == EmbedderChange::None {
            return Ok(None);
        }
        if change == EmbedderChange::Regenerate {
            let (base, upkeep) = (VectorSet::default(), Upkeep::Regenerate);
            let staged = Staged::new(new.clone(), base, stored(), upkeep, generation);
            return Ok(Some((staged, true)));
        }
        let mut base = stored();
        if new.is_quantized && !old.is_quantized {
            base = quantized(&base, snapshot, &directory_in(generation))?;
        }
        let upkeep = Upkeep::Rerender(Box::new(old.clone()));
        let staged = Staged::new(new.clone(), base, stored(), upkeep, generation);
        Ok(Some((staged, change == EmbedderChange::Rerender)))
    }

    fn stage_documents(
        &self,
        snapshot: &Snapshot,
        meta: &IndexMeta,
        stage: &mut VectorStage<'_>,
    ) -> Result<(), StageError> {
        let primary_key = PrimaryKey::new(meta.primary_key.as_deref().unwrap_or_default());
        let added: Vec<&str> = self
            .new
            .iter()
            .filter(|new| self.old_of(new).is_none())
            .map(|new| new.name.as_str())
            .collect();
        for doc in snapshot.documents() {
            let damaged = || IndexError::Corrupt(format!("document {doc} is no JSON"));
            let text = String::from_utf8(snapshot.document(doc)?).map_err(|_| damaged())?;
            let members = RawDocument::parse(&text).map_err(|_| damaged())?;
            let external_id = primary_key.external_id(&members).map_err(|_| damaged())?;
            let named = members.get(VECTORS).map(|vectors| vectors.get());
            let named = named
                .and_then(|text| RawDocument::parse(text).ok())
                .unwrap_or_default();
            let given = added
                .iter()
                .filter_map(|name| Some((*name, named.get(name)?, 0)));
            stage.add(&StagedDocument {
                doc,
                external_id: &external_id,
                payload: 0,
                given: given.collect(),
                is_new: false,
                members: &members,
                before: &|| Ok(Some(text.clone())),
            })?;
        }
        Ok(())
    }

    /// The `_vectors` of a stored document after the change: without what moves to files, with
    /// what moves back.
    ///
    /// # Errors
    /// When the document's own member is damaged.
    pub(crate) fn member(
        &self,
        snapshot: &Snapshot,
        doc: DocId,
        document: &RawDocument<'_>,
    ) -> Result<Option<Box<RawValue>>, IndexError> {
        let damaged = |_| IndexError::Corrupt(format!("the vectors of document {doc}"));
        let mut entries: Vec<(String, String)> = Vec::new();
        if let Some(vectors) = document.get(VECTORS) {
            let named = RawDocument::parse(vectors.get()).map_err(damaged)?;
            let own = named
                .entries()
                .iter()
                .map(|(name, value)| (name.to_string(), value.get().to_owned()));
            entries.extend(own);
        }
        entries.retain(|(name, _)| !self.new.iter().any(|new| new.name == *name));
        for removed in self.removed() {
            let Some(set) = snapshot.vectors().get(&removed.name) else {
                continue;
            };
            let Some(status) = set.status(doc) else {
                continue;
            };
            if status.is_provided || !status.regenerates {
                let value = serde_json::json!({
                    "regenerate": status.regenerates,
                    "embeddings": set.vectors(doc),
                });
                entries.push((removed.name.clone(), value.to_string()));
            }
        }
        member_of(entries).map_err(damaged)
    }
}

/// A `_vectors` member with these entries, in order of their names; `None` without any.
///
/// # Errors
/// Never, as long as the entries are JSON.
pub(crate) fn member_of<V: AsRef<str>>(
    mut entries: Vec<(String, V)>,
) -> Result<Option<Box<RawValue>>, serde_json::Error> {
    if entries.is_empty() {
        return Ok(None);
    }
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut text = vec![b'{'];
    for (at, (name, value)) in entries.iter().enumerate() {
        if at > 0 {
            text.push(b',');
        }
        write_string(name, &mut text);
        text.push(b':');
        text.extend_from_slice(value.as_ref().as_bytes());
    }
    text.push(b'}');
    RawValue::from_string(String::from_utf8_lossy(&text).into_owned()).map(Some)
}

/// The same vectors as signs.
fn quantized(set: &VectorSet, snapshot: &Snapshot, directory: &Path) -> io::Result<VectorSet> {
    let mut writer = SetWriter::new(VectorSet::default(), directory, true, set.dimensions());
    for doc in snapshot.documents() {
        if let Some(status) = set.status(doc) {
            writer
                .put(doc, &set.vectors(doc), status)
                .map_err(into_io)?;
        }
    }
    writer.finish().map_err(into_io)
}
