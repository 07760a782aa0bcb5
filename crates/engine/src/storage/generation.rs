//! A generation: one tantivy index with its dictionaries, built under one set of word and column
//! rules.
//!
//! ```text
//! <index>/CURRENT        name of the generation in use
//! <index>/<generation>/  meta.json, segment files, documents-<n>.zdict
//! ```
//!
//! A change that needs other words or columns builds the next generation beside the current one
//! and then replaces `CURRENT`; the old directory goes when nobody reads it any more.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tantivy::index::Index;
use tantivy::indexer::IndexWriterOptions;

use super::attribute_plugin::AttributePlugin;
use super::directory::{
    GenerationDirectory, IsStopped, OnChange, is_segment_file, replace_file, replace_or_restore,
    sync_directory,
};
use super::document_codec::{DocumentCodec, dictionary_path};
use super::document_plugin::{DocumentPlugin, SharedCodec};
use super::forward_plugin::ForwardPlugin;
use super::merge_origins::MergeOrigins;
use super::merge_policy::FewSegments;
use super::named_segments::NamedSegments;
use super::schema;
use super::sealed::{seal, unseal};
use super::writer::Writer;

/// Name of the file that names the generation in use.
pub(crate) const CURRENT: &str = "CURRENT";
/// Name of the file that names the segments of a generation.
pub(crate) const META: &str = "meta.json";
/// Smallest and largest memory of a writer that tantivy accepts.
const WRITER_BYTES: std::ops::RangeInclusive<usize> = 15_000_000..=2_000_000_000;

/// One tantivy index on disk.
pub(crate) struct Generation {
    path: PathBuf,
    index: Index,
    directory: GenerationDirectory,
    origins: MergeOrigins,
    codec: SharedCodec,
    is_obsolete: AtomicBool,
}

impl Generation {
    /// Opens the generation directory `path`, creating what is missing.
    ///
    /// # Errors
    /// When files cannot be read or written, or another process owns them.
    pub(crate) fn open(path: PathBuf) -> tantivy::Result<Self> {
        fs::create_dir_all(&path)?;
        let directory = GenerationDirectory::open(&path)?;
        let origins = MergeOrigins::default();
        let codec = SharedCodec::default();
        let index = Index::builder()
            .schema(schema::schema())
            .settings(schema::index_settings())
            .tokenizers(schema::tokenizers())
            .register_plugin(Arc::new(DocumentPlugin {
                codec: Arc::clone(&codec),
            }))
            .register_plugin(Arc::new(ForwardPlugin {
                origins: origins.clone(),
            }))
            .register_plugin(Arc::new(AttributePlugin {
                folder: path.clone(),
            }))
            .open_or_create(directory.clone())?;
        Ok(Self {
            path,
            index,
            directory,
            origins,
            codec,
            is_obsolete: AtomicBool::new(false),
        })
    }

    /// The tantivy index.
    pub(crate) const fn index(&self) -> &Index {
        &self.index
    }

    /// The directory on disk.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Says who knows whether the batch that writes is to stop.
    pub(crate) fn watch_stop(&self, is_stopped: IsStopped) {
        self.directory.watch_stop(is_stopped);
    }

    /// Says who is told when a commit or a merge has changed which files are in use.
    pub(crate) fn watch_changes(&self, on_change: OnChange) {
        self.directory.watch_changes(on_change);
    }

    /// Counts bytes read from segments by the one who writes: their memory is given back in time.
    pub(crate) fn count_read(&self, n_bytes: usize) {
        self.directory.count_read(n_bytes);
    }

    /// Changes whenever the set of segments does.
    pub(crate) fn version(&self) -> u64 {
        self.directory.version()
    }

    /// What the segments of merges were made of.
    pub(crate) const fn merge_origins(&self) -> &MergeOrigins {
        &self.origins
    }

    /// How documents are compressed at the moment.
    pub(crate) fn codec(&self) -> Arc<DocumentCodec> {
        Arc::clone(&self.codec.read())
    }

    /// Loads dictionaries up to the given number.
    ///
    /// # Errors
    /// When a dictionary cannot be read.
    pub(crate) fn load_dictionaries(&self, n_dictionaries: u8) -> io::Result<()> {
        if self.codec.read().n_dictionaries() < n_dictionaries {
            let codec = DocumentCodec::open(&self.path, n_dictionaries)?;
            *self.codec.write() = Arc::new(codec);
        }
        Ok(())
    }

    /// Adds a dictionary: on disk first, then in memory.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn add_dictionary(&self, bytes: Vec<u8>) -> io::Result<()> {
        let mut codec = self.codec.write();
        let number = usize::from(codec.n_dictionaries()) + 1;
        replace_file(&dictionary_path(&self.path, number), &seal(&bytes))?;
        let mut next = DocumentCodec::clone(&codec);
        next.push(bytes);
        *codec = Arc::new(next);
        Ok(())
    }

    /// Opens the writer, of which there can be one at a time. Half of the memory is for segments
    /// that are built; the other half is for the plan of a batch and for merges.
    ///
    /// # Errors
    /// When another writer is open or files cannot be written.
    pub(crate) fn writer(&self, memory_bytes: usize) -> tantivy::Result<Writer> {
        let memory = (memory_bytes / 2).clamp(*WRITER_BYTES.start(), *WRITER_BYTES.end());
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(memory)
            .num_worker_threads(1)
            .num_merge_threads(1)
            .build();
        let writer = self.index.writer_with_options(options)?;
        Ok(Writer::new(writer, FewSegments::new(memory_bytes)))
    }

    /// Lets the directory be removed with the last handle on this generation.
    pub(crate) fn mark_obsolete(&self) {
        self.is_obsolete.store(true, Ordering::Release);
    }
}

impl Drop for Generation {
    fn drop(&mut self) {
        if self.is_obsolete.load(Ordering::Acquire) {
            // What cannot be removed now is removed when the index is opened the next time.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// The directory of the generation in use; `None` when there is none yet.
///
/// # Errors
/// When the pointer file cannot be read.
pub(crate) fn current(index_dir: &Path) -> io::Result<Option<PathBuf>> {
    match fs::read_to_string(index_dir.join(CURRENT)) {
        Ok(name) => Ok(Some(index_dir.join(name.trim()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes a generation the one in use, durably.
///
/// # Errors
/// When the pointer file cannot be replaced; [`current`] then tells which generation is in use.
pub(crate) fn set_current(index_dir: &Path, generation: &Path) -> io::Result<()> {
    let name = generation
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    sync_directory(generation)?;
    sync_directory(index_dir)?;
    replace_or_restore(&index_dir.join(CURRENT), name.as_bytes())
}

/// A directory name for the generation after `path`.
pub(crate) fn next(index_dir: &Path, path: Option<&Path>) -> PathBuf {
    let number: u64 = path
        .and_then(|path| path.file_name()?.to_str()?.parse().ok())
        .unwrap_or(0);
    index_dir.join(format!("{:06}", number + 1))
}

/// Whether a path is that of a generation, current or not.
pub(crate) fn is_generation(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    path.is_dir()
        && name
            .is_some_and(|name| name.len() == 6 && name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Removes what a crash left in a generation that nobody writes to.
///
/// # Errors
/// Those of [`leftovers`].
pub(crate) fn remove_leftovers(generation: &Path) -> io::Result<()> {
    for path in leftovers(generation)? {
        // What cannot be removed now is removed the next time.
        let _ = fs::remove_file(&path);
    }
    Ok(())
}

/// What a generation that nobody writes to does not need: files of segments that its commit does not
/// name, and files in the making.
///
/// # Errors
/// When the directory cannot be listed, or its commit not be read.
pub(crate) fn leftovers(generation: &Path) -> io::Result<Vec<PathBuf>> {
    let named = NamedSegments::read(&unseal(fs::read(generation.join(META))?)?)?;
    let mut leftovers = Vec::new();
    for entry in fs::read_dir(generation)? {
        let path = entry?.path();
        let name = Path::new(path.file_name().unwrap_or_default());
        if is_unfinished(name) || (is_segment_file(name) && !named.contains(name)) {
            leftovers.push(path);
        }
    }
    Ok(leftovers)
}

fn is_unfinished(name: &Path) -> bool {
    name.extension().is_some_and(|ending| ending == "new")
}

/// Removes every generation but `keep`: left over from a crash or still in use at the last exit.
///
/// # Errors
/// When the directory cannot be listed.
pub(crate) fn remove_others(index_dir: &Path, keep: &Path) -> io::Result<()> {
    for entry in fs::read_dir(index_dir)? {
        let path = entry?.path();
        if is_generation(&path) && path != keep {
            let _ = fs::remove_dir_all(&path);
        }
    }
    Ok(())
}
