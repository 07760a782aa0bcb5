//! Paths of entries: which are written, which are believed.

use std::path::PathBuf;

use crate::error::ExtractError;

/// Longest path that is read, in bytes.
pub(crate) const MAX_PATH_BYTES: usize = 4096;
/// Longest path that a message shows, in bytes.
const MAX_SHOWN_BYTES: usize = 200;

/// The path below the folder of extraction that an entry may be written to. Empty for the folder
/// itself.
///
/// # Errors
/// When the path leaves the folder, is absolute, or would mean something else on another system.
pub(crate) fn checked_path(bytes: &[u8]) -> Result<PathBuf, ExtractError> {
    let refuse = |reason| {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_SHOWN_BYTES)]);
        Err(ExtractError::Refused {
            path: shown.escape_debug().to_string(),
            reason,
        })
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return refuse("is not UTF-8");
    };
    if text.starts_with('/') {
        return refuse("is absolute");
    }
    let mut path = PathBuf::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => return refuse("leads out of its folder"),
            part if part.contains(['\\', ':', '\0']) => return refuse("has an odd character"),
            part if part.len() > 255 => return refuse("has a name that is too long"),
            part => path.push(part),
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_paths_are_kept_and_simplified() {
        for (given, kept) in [
            ("a/b.txt", "a/b.txt"),
            ("./a//b/", "a/b"),
            ("...", "..."),
            ("./", ""),
            ("..a/b..", "..a/b.."),
        ] {
            assert_eq!(
                checked_path(given.as_bytes()).expect("kept"),
                PathBuf::from(kept)
            );
        }
    }

    #[test]
    fn paths_that_lead_out_of_the_folder_are_refused() {
        for given in [
            "../a",
            "a/../../b",
            "/etc/passwd",
            "a/..",
            "..\\a",
            "C:/a",
            "a\0b",
        ] {
            let refused = checked_path(given.as_bytes());
            assert!(
                matches!(refused, Err(ExtractError::Refused { .. })),
                "{given}"
            );
        }
        assert!(checked_path(b"a\xff").is_err());
    }
}
