//! All vectors of one embedder: layers of files, of which the newest that knows a document counts.
//!
//! # Invariants
//! 1. Each document with an entry lives in exactly one layer.
//! 2. Layers at least halve in size from the oldest to the newest, so that there are few, and a
//!    vector is copied a logarithmic number of times in its life.
//! 3. A set never changes; the next one shares the files that stay.
//!
//! # Cost
//! A search measures every allowed document.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::distance::Probe;
use super::layer_file::{Entry, LayerFile, RowFormat};
use super::layer_writer::LayerWriter;
use crate::docset::{DocId, DocSet};

/// All vectors of one embedder at one commit.
#[derive(Clone, Default)]
pub struct VectorSet {
    layers: Vec<Layer>,
    /// Documents that have vectors.
    embedded: DocSet,
    /// Documents whose vectors the user gave.
    provided: DocSet,
    /// Documents whose vectors are made again when the text changes.
    regenerated: DocSet,
    n_vectors: u64,
}

#[derive(Clone)]
struct Layer {
    file: Arc<LayerFile>,
    /// Documents that no newer layer touches.
    living: DocSet,
}

/// A document near a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The document.
    pub doc: DocId,
    /// From 0, the same direction, to 1, the opposite one.
    pub distance: f32,
}

impl Eq for Neighbour {}

impl Ord for Neighbour {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_distance = self.distance.total_cmp(&other.distance);
        by_distance.then_with(|| self.doc.cmp(&other.doc))
    }
}

impl PartialOrd for Neighbour {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl VectorSet {
    /// Opens the files of a set, oldest first, sharing those that `older` has open.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn open(
        directory: &Path,
        names: &[String],
        older: Option<&Arc<Self>>,
    ) -> io::Result<Arc<Self>> {
        let shared = |name: &String| {
            let layers = older.into_iter().flat_map(|older| &older.layers);
            let same =
                |file: &LayerFile| file.name() == name && file.path().parent() == Some(directory);
            layers
                .map(|layer| &layer.file)
                .find(|file| same(file))
                .cloned()
        };
        if let Some(older) = older
            && older.layers.len() == names.len()
            && names.iter().zip(&older.layers).all(|(name, layer)| {
                shared(name).is_some_and(|file| Arc::ptr_eq(&file, &layer.file))
            })
        {
            return Ok(Arc::clone(older));
        }
        let open = |name: &String| match shared(name) {
            Some(file) => Ok(file),
            None => LayerFile::open(directory.join(name)).map(Arc::new),
        };
        let files = names.iter().map(open).collect::<io::Result<_>>()?;
        Ok(Arc::new(Self::of_files(files)))
    }

    fn of_files(files: Vec<Arc<LayerFile>>) -> Self {
        let mut covered = DocSet::empty();
        let mut set = Self::default();
        let (mut embedded, mut provided, mut regenerated) = (Vec::new(), Vec::new(), Vec::new());
        for file in files.into_iter().rev() {
            let mut living = Vec::new();
            for entry in file.entries().filter(|entry| !covered.contains(entry.doc)) {
                living.push(entry.doc);
                set.n_vectors += u64::from(entry.n_rows);
                if entry.n_rows > 0 {
                    embedded.push(entry.doc);
                }
                if entry.is_provided() {
                    provided.push(entry.doc);
                }
                if entry.regenerates() {
                    regenerated.push(entry.doc);
                }
            }
            covered = covered.or(file.touched());
            let living = DocSet::from_sorted(living);
            set.layers.insert(0, Layer { file, living });
        }
        set.embedded = embedded.into_iter().collect();
        set.provided = provided.into_iter().collect();
        set.regenerated = regenerated.into_iter().collect();
        set
    }

    /// Names of the files, oldest first.
    pub(crate) fn names(&self) -> Vec<String> {
        let layers = self.layers.iter();
        layers.map(|layer| layer.file.name().to_owned()).collect()
    }

    /// The files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Arc<LayerFile>> {
        self.layers.iter().map(|layer| &layer.file)
    }

    /// Length of the vectors, once there is one.
    #[must_use]
    pub fn dimensions(&self) -> Option<usize> {
        Some(self.format()?.dimensions).filter(|n| *n > 0)
    }

    /// How the rows of the newest layer look; `None` before the first vector.
    pub(crate) fn format(&self) -> Option<RowFormat> {
        self.layers.last().map(|layer| layer.file.format())
    }

    /// Number of vectors.
    pub(crate) const fn n_vectors(&self) -> u64 {
        self.n_vectors
    }

    /// Documents that have vectors.
    pub(crate) const fn embedded(&self) -> &DocSet {
        &self.embedded
    }

    /// Documents whose vectors the user gave.
    pub(crate) const fn provided(&self) -> &DocSet {
        &self.provided
    }

    /// Documents whose vectors are made again when the text changes.
    pub(crate) const fn regenerated(&self) -> &DocSet {
        &self.regenerated
    }

    /// What is known of a document.
    pub(crate) fn entry(&self, doc: DocId) -> Option<Entry> {
        let layer = self.layer_of(doc)?;
        layer.file.entry(doc)
    }

    /// The vectors of a document.
    pub(crate) fn vectors(&self, doc: DocId) -> Vec<Vec<f32>> {
        let Some(layer) = self.layer_of(doc) else {
            return Vec::new();
        };
        let Some(entry) = layer.file.entry(doc) else {
            return Vec::new();
        };
        let format = layer.file.format();
        layer.file.rows(entry).map(|row| format.read(row)).collect()
    }

    fn layer_of(&self, doc: DocId) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.living.contains(doc))
    }

    /// The `k` allowed documents that are nearest to a query, nearest first; those equally near in
    /// order of their numbers. Of several vectors of a document the nearest one counts.
    pub(crate) fn search(&self, query: &[f32], k: usize, allowed: &DocSet) -> Vec<Neighbour> {
        let mut nearest: BinaryHeap<Neighbour> = BinaryHeap::new();
        let mut offer = |neighbour: Neighbour| {
            if nearest.len() < k {
                nearest.push(neighbour);
            } else if nearest.peek().is_some_and(|worst| neighbour < *worst) {
                nearest.pop();
                nearest.push(neighbour);
            }
        };
        for layer in self.layers.iter().filter(|_| k > 0) {
            let format = layer.file.format();
            if format.dimensions != query.len() {
                continue;
            }
            let probe = Probe::new(query, format.is_quantized);
            let mut measure = |entry: Entry| {
                let distances = layer.file.rows(entry).map(|row| probe.distance(row));
                if let Some(distance) = distances.min_by(f32::total_cmp) {
                    let doc = entry.doc;
                    offer(Neighbour { doc, distance });
                }
            };
            let wanted = layer.living.and(allowed);
            if wanted.len() * 8 < layer.living.len() {
                for doc in &wanted {
                    layer.file.entry(doc).into_iter().for_each(&mut measure);
                }
            } else {
                let entries = layer.file.entries();
                entries
                    .filter(|entry| wanted.contains(entry.doc))
                    .for_each(measure);
            }
        }
        nearest.into_sorted_vec()
    }

    /// The set with another layer on top, small layers merged into one file made by `create`.
    ///
    /// # Errors
    /// When files cannot be read or written.
    pub(crate) fn with_layer(
        &self,
        layer: LayerFile,
        mut create: impl FnMut(RowFormat) -> io::Result<LayerWriter>,
    ) -> io::Result<Self> {
        let mut files: Vec<Arc<LayerFile>> = self.files().cloned().collect();
        files.push(Arc::new(layer));
        let mut start = files.len() - 1;
        let mut weight = files[start].n_bytes();
        while start > 0 && files[start - 1].n_bytes() < 2 * weight {
            start -= 1;
            weight += files[start].n_bytes();
        }
        let stacked = Self::of_files(files);
        if start + 1 == stacked.layers.len() {
            return Ok(stacked);
        }
        let merged = stacked.merged(start, &mut create)?;
        let mut files: Vec<Arc<LayerFile>> = stacked.files().take(start).cloned().collect();
        files.push(Arc::new(merged));
        Ok(Self::of_files(files))
    }

    /// The layers from `start` on as one; without layers before it, removals are not kept.
    fn merged(
        &self,
        start: usize,
        create: &mut impl FnMut(RowFormat) -> io::Result<LayerWriter>,
    ) -> io::Result<LayerFile> {
        let format = self.format().unwrap_or(RowFormat {
            dimensions: 0,
            is_quantized: false,
        });
        let mut writer = create(format)?;
        self.copy_into(start, &mut writer, &|_| true)?;
        if start > 0 {
            for layer in &self.layers[start..] {
                layer
                    .file
                    .touched()
                    .iter()
                    .for_each(|doc| writer.remove(doc));
            }
        }
        // The newest layer is part of no commit; the others go once the next commit stands.
        if let Some(newest) = self.layers.last() {
            newest.file.mark_obsolete();
        }
        writer.finish()
    }

    /// Copies living entries of the layers from `start` on that pass a test.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn copy_into(
        &self,
        start: usize,
        writer: &mut LayerWriter,
        keeps: &dyn Fn(Entry) -> bool,
    ) -> io::Result<()> {
        for layer in &self.layers[start..] {
            let living = |entry: &Entry| layer.living.contains(entry.doc) && keeps(*entry);
            for entry in layer.file.entries().filter(living) {
                writer.copy(&layer.file, entry)?;
            }
        }
        Ok(())
    }
}
