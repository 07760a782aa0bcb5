//! Any text is a filter or is refused with a message.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
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
});
