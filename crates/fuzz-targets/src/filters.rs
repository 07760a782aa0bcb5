//! Any text is a filter or is refused with a message.

/// Reads a text as a filter, and as the JSON of one.
pub fn filters(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match serval_filter::parse(text) {
        Ok(filter) => {
            for filter in filter.iter() {
                assert!(filter.nodes().count() > 0);
                let _ = filter.attributes().count();
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(json) = serde_json::from_str(text) {
        let _ = serval_filter::parse_json(&json).map_err(|error| error.to_string());
    }
}
