//! Measures the conversion of one file. `cargo run --release --example payload_speed -- FILE`
//!
//! Prints megabytes a second, the best of five runs, from the file and from memory.

use std::path::Path;
use std::time::Instant;

use serval_payload::{Format, Input, to_ndjson};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: payload_speed FILE.ndjson")?;
    let bytes = std::fs::read(&path)?;
    for (name, input) in [
        ("file", Input::File(Path::new(&path))),
        ("memory", Input::Bytes(&bytes)),
    ] {
        let mut best = 0.0_f64;
        for _ in 0..5 {
            let start = Instant::now();
            let n_docs = to_ndjson(input, Format::Ndjson, &mut std::io::sink())?;
            assert!(n_docs > 0, "the file holds documents");
            best = best.max(bytes.len() as f64 / 1e6 / start.elapsed().as_secs_f64());
        }
        eprintln!("{name}: {best:.0} MB/s");
    }
    Ok(())
}
