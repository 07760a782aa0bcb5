//! The documents: one film in six of the demo, each with a place and a vector made from its number.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Map, Value, json};

const FILMS: &str = "../../demo/movies.ndjson.gz";
const ONE_IN: usize = 6;
/// Numbers of a vector.
const DIMENSIONS: u64 = 16;

/// The films, one a line.
pub(crate) fn films() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILMS);
    let mut text = String::new();
    File::open(path)
        .and_then(|file| GzDecoder::new(file).read_to_string(&mut text))
        .expect("the demo is readable");
    text.lines().step_by(ONE_IN).map(completed).collect()
}

fn completed(line: &str) -> String {
    let mut film: Map<String, Value> = serde_json::from_str(line).expect("a film");
    let number = film["id"].as_u64().expect("a number");
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (lat, lng) = (mixed % 160, (mixed >> 20) % 340);
    film.insert(
        "_geo".to_owned(),
        json!({"lat": lat as f64 - 80.0, "lng": lng as f64 - 170.0}),
    );
    let vector: Vec<f64> = (0..DIMENSIONS)
        .map(|at| (mixed.rotate_left(4 * at as u32) % 1000) as f64 / 1000.0)
        .collect();
    film.insert("_vectors".to_owned(), json!({"plain": vector}));
    Value::Object(film).to_string()
}
