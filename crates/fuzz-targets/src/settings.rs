//! Any JSON object is a change of settings or is refused with a code and a message, and settings
//! that were taken say of themselves what they are.

use serde_json::{Map, Value};
use serval_engine::settings::IndexSettings;

/// Applies two changes, one a line, to the default settings.
pub fn settings(bytes: &[u8]) {
    let mut current = IndexSettings::default();
    for line in bytes.splitn(2, |byte| *byte == b'\n') {
        let Ok(change) = serde_json::from_slice::<Map<String, Value>>(line) else {
            continue;
        };
        match current.apply(&change) {
            Ok((next, _)) => {
                let (same, _) = next.apply(&change).expect("what was taken is taken again");
                assert_eq!(same, next, "the same change changes nothing more");
                current = next;
            }
            Err(error) => assert!(!error.to_string().is_empty() && !error.code().is_empty()),
        }
    }
    let stored = serde_json::to_vec(&current).expect("settings are JSON");
    let read: IndexSettings = serde_json::from_slice(&stored).expect("settings are read back");
    assert_eq!(read, current);
}
