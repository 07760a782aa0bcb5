//! A door to readers of files for the fuzz targets in `fuzz/`; in no other build.

use crate::layout::{HEADER_BYTES, Header, SECTIONS};
use crate::manifest::{FileEntry, Manifest};

/// The file with its checksums made right, and a manifest that names it; `None` when its header
/// says of other lengths than it has.
#[must_use]
pub fn with_checksums(bytes: &[u8]) -> Option<(Manifest, Vec<u8>)> {
    let mut file = bytes.to_vec();
    let content = HEADER_BYTES - 4;
    seal(&mut file, content)?;
    let mut header = Header::from_bytes(&file).ok()?;
    let (starts, end) = header.offsets();
    if end > 1 << 20 {
        return None;
    }
    file.resize(end as usize, 0);
    let mut gap = HEADER_BYTES;
    for section in SECTIONS {
        let start = starts[section as usize] as usize;
        let end = start + header.section_bytes(section) as usize;
        file[gap..start].fill(0);
        header.checksums[section as usize] = crc32fast::hash(&file[start..end]);
        gap = end;
    }
    file[..HEADER_BYTES].copy_from_slice(&header.to_bytes());
    let entry = FileEntry {
        name: "a.vectors".to_owned(),
        bytes: end,
        checksum: crc32fast::hash(&file[..HEADER_BYTES]),
    };
    let manifest = Manifest {
        shape: header.shape,
        files: vec![entry],
    };
    Some((manifest, file))
}

fn seal(file: &mut [u8], content: usize) -> Option<()> {
    let (header, _) = file.split_at_checked(content)?;
    let checksum = crc32fast::hash(header).to_le_bytes();
    file.get_mut(content..content + 4)?
        .copy_from_slice(&checksum);
    Some(())
}
