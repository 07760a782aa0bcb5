//! Which files of segments a `meta.json` names.

use std::io;
use std::path::Path;

use serde::Deserialize;

/// The parts of `meta.json` that name files, and what we keep with a commit.
#[derive(Deserialize)]
pub(crate) struct NamedSegments {
    segments: Vec<NamedSegment>,
    /// Our own part of the commit.
    pub(crate) payload: Option<String>,
}

#[derive(Deserialize)]
struct NamedSegment {
    segment_id: String,
    deletes: Option<NamedDeletions>,
}

#[derive(Deserialize)]
struct NamedDeletions {
    opstamp: u64,
}

impl NamedSegment {
    /// Name of its files, without their endings.
    fn stem(&self) -> String {
        self.segment_id.replace('-', "")
    }

    fn deletions(&self) -> Option<String> {
        let deletes = self.deletes.as_ref()?;
        Some(format!("{}.{}.del", self.stem(), deletes.opstamp))
    }
}

impl NamedSegments {
    /// Reads the content of a `meta.json`.
    ///
    /// # Errors
    /// When it is no list of segments.
    pub(crate) fn read(meta: &[u8]) -> io::Result<Self> {
        Ok(serde_json::from_slice(meta)?)
    }

    /// Names of the files of all segments, given the endings that every segment has.
    pub(crate) fn files(&self, endings: &[&str]) -> Vec<String> {
        let of_segment = |segment: &NamedSegment| {
            let stem = segment.stem();
            let files = endings.iter().map(|ending| format!("{stem}.{ending}"));
            files.chain(segment.deletions()).collect::<Vec<_>>()
        };
        self.segments.iter().flat_map(of_segment).collect()
    }

    /// Whether a file, of whatever ending, belongs to what is named.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        let name = path.to_string_lossy();
        self.segments.iter().any(|segment| {
            if name.ends_with(".del") {
                return segment.deletions().as_deref() == Some(&*name);
            }
            name.strip_prefix(&segment.stem())
                .is_some_and(|ending| ending.starts_with('.'))
        })
    }
}
