//! The list of files that make up an index, kept by its owner.

use serde::{Deserialize, Serialize};

use crate::VectorError;
use crate::shape::VectorShape;

/// Names the files of an index, oldest first. It goes into the commit of the engine: files that no
/// committed manifest names do not exist for anyone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// What the vectors look like.
    #[serde(flatten)]
    pub shape: VectorShape,
    /// The files; those that come later replace what earlier ones say of a document.
    pub files: Vec<FileEntry>,
}

/// One file of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileEntry {
    /// Its name in the directory of the index.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// CRC-32 of its header, which holds those of its sections.
    pub checksum: u32,
}

impl Manifest {
    /// The manifest of an index without vectors.
    pub fn empty(shape: VectorShape) -> Self {
        Self {
            shape,
            files: Vec::new(),
        }
    }

    /// Names of the files, for whoever collects those that nobody needs any more.
    pub fn file_names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.name.as_str())
    }

    /// Refuses a shape out of bounds and names that lead out of the directory.
    pub(crate) fn check(&self) -> Result<(), VectorError> {
        if !self.shape.is_valid() {
            return Err(VectorError::Shape {
                dimensions: self.shape.dimensions,
            });
        }
        let plain = |name: &str| {
            let safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            name.strip_suffix(FILE_ENDING)
                .is_some_and(|stem| !stem.is_empty() && stem.bytes().all(safe))
        };
        match self.file_names().all(plain) {
            true => Ok(()),
            false => Err(VectorError::Manifest("a name is not that of a vector file")),
        }
    }
}

/// How names of vector files end.
pub(crate) const FILE_ENDING: &str = ".vectors";
