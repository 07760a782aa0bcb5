//! Paths of entries: which are written, which are believed.

use std::path::PathBuf;

use crate::error::ExtractError;

/// Longest path that is read, in bytes.
pub(crate) const MAX_PATH_BYTES: usize = 4096;
/// Most names in a path: folders are made for all but the last, and counted with no entry.
const MAX_NAMES: usize = 32;
/// Longest path that a message shows, in bytes.
const MAX_SHOWN_BYTES: usize = 200;

/// An entry that is not extracted.
pub(crate) fn refused(path: &[u8], reason: &'static str) -> ExtractError {
    let shown = String::from_utf8_lossy(&path[..path.len().min(MAX_SHOWN_BYTES)]);
    ExtractError::Refused {
        path: shown.escape_debug().to_string(),
        reason,
    }
}

/// The path below the folder of extraction that an entry may be written to. Empty for the folder
/// itself.
///
/// # Errors
/// When the path leaves the folder, is absolute, leads too deep, or would mean something else on
/// another system.
pub(crate) fn checked_path(bytes: &[u8]) -> Result<PathBuf, ExtractError> {
    let refuse = |reason| Err(refused(bytes, reason));
    let Ok(text) = std::str::from_utf8(bytes) else {
        return refuse("is not UTF-8");
    };
    if text.starts_with('/') {
        return refuse("is absolute");
    }
    let mut path = PathBuf::new();
    let mut n_names = 0;
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => return refuse("leads out of its folder"),
            part if part.contains(['\\', ':', '\0']) => return refuse("has an odd character"),
            part if part.len() > 255 => return refuse("has a name that is too long"),
            part => {
                n_names += 1;
                if n_names > MAX_NAMES {
                    return refuse("leads too deep");
                }
                path.push(part);
            }
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

    #[test]
    fn paths_through_more_folders_than_any_of_ours_are_refused() {
        assert!(checked_path("a/".repeat(MAX_NAMES).as_bytes()).is_ok());
        assert!(checked_path("a/".repeat(MAX_NAMES + 1).as_bytes()).is_err());
    }

    #[test]
    fn messages_show_the_start_of_a_long_path() {
        let message = refused("a".repeat(60_000).as_bytes(), "is a link").to_string();
        assert!(message.len() < 400, "{} bytes", message.len());
    }
}
