//! Prints what an index costs and finds: time to build, size, recall, latency on one thread.
//!
//! ```text
//! cargo run --release -p serval-vector --example recall -- [vectors] [dimensions] [file]
//! ```
//!
//! The file holds 32-bit floats, row by row; without one, vectors are generated. The last 500 of
//! the rows are the queries.

#![allow(clippy::print_stdout, reason = "this is what it is for")]

#[path = "../benches/mixture/mod.rs"]
mod mixture;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use mixture::Mixture;
use serval_vector::{DocFilter, DocId, Encoding, VectorIndex, VectorShape};

const QUERIES: usize = 500;
const WANTED: usize = 10;
const ADDED: u32 = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let n = arguments.first().map_or(Ok(100_000), |n| n.parse())?;
    let dimensions = arguments.get(1).map_or(Ok(384), |n| n.parse())?;
    let mut vectors = match arguments.get(2) {
        Some(path) => read(Path::new(path), n + QUERIES, dimensions)?,
        None => {
            let mut mixture = Mixture::new(dimensions);
            (0..n + QUERIES).map(|_| mixture.vector()).collect()
        }
    };
    let queries = vectors.split_off(vectors.len().saturating_sub(QUERIES));
    for encoding in [Encoding::F32, Encoding::Binary] {
        println!("{encoding:?}: {} vectors of {dimensions}", vectors.len());
        let directory = tempfile::tempdir()?;
        let index = build(directory.path(), encoding, &vectors)?;
        for every in [1, 4, 10, 100, 1000] {
            measure(&index, &queries, every)?;
        }
        add(&index, directory.path(), &vectors)?;
    }
    Ok(())
}

fn read(path: &Path, n: usize, dimensions: usize) -> Result<Vec<Vec<f32>>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let float = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let rows = bytes.chunks_exact(dimensions * 4).take(n);
    Ok(rows
        .map(|row| row.chunks_exact(4).map(float).collect())
        .collect())
}

fn build(
    directory: &Path,
    encoding: Encoding,
    vectors: &[Vec<f32>],
) -> Result<VectorIndex, Box<dyn Error>> {
    let shape = VectorShape {
        dimensions: vectors.first().map_or(1, Vec::len) as u32,
        encoding,
    };
    let start = Instant::now();
    let mut update = VectorIndex::empty(shape)?.update(directory);
    for (doc, vector) in (0..).zip(vectors) {
        update.put(doc, &[vector])?;
    }
    let index = update.finish()?;
    let built = start.elapsed();
    let start = Instant::now();
    VectorIndex::open(directory, &index.manifest())?;
    let bytes: u64 = index.manifest().files.iter().map(|file| file.bytes).sum();
    let opened = start.elapsed();
    println!(
        "  built in {built:.2?}, opened in {opened:.2?}, {} MB",
        bytes >> 20
    );
    Ok(index)
}

fn measure(index: &VectorIndex, queries: &[Vec<f32>], every: DocId) -> Result<(), Box<dyn Error>> {
    let docs = index.documents().into_iter();
    let allowed: Vec<DocId> = docs.filter(|doc| doc % every == 0).collect();
    let allowed = allowed.as_slice();
    let filter: Option<&dyn DocFilter> = (every > 1).then_some(&allowed);
    let (mut fast, mut slow, mut found, mut wanted) = (Vec::new(), Vec::new(), 0, 0);
    for query in queries {
        let start = Instant::now();
        let exact = index.search_exact(query, WANTED, filter)?;
        slow.push(start.elapsed());
        let start = Instant::now();
        let answer = index.search(query, WANTED, filter)?;
        fast.push(start.elapsed());
        let bar = exact.last().map_or(0.0, |neighbor| neighbor.similarity);
        wanted += exact.len();
        found += answer
            .iter()
            .filter(|neighbor| neighbor.similarity >= bar)
            .count();
    }
    println!(
        "  1 of {every:<4} allowed: recall {:.4}, p50 {:.0?}, p99 {:.0?}, exact p50 {:.0?}",
        found as f64 / wanted.max(1) as f64,
        share(&mut fast, 0.5),
        share(&mut fast, 0.99),
        share(&mut slow, 0.5),
    );
    Ok(())
}

fn share(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    times[(times.len() as f64 * share) as usize]
}

/// Replaces some documents, together and one by one.
fn add(index: &VectorIndex, directory: &Path, vectors: &[Vec<f32>]) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let mut update = index.update(directory);
    for (doc, vector) in (0..ADDED).zip(vectors) {
        update.put(doc, &[vector])?;
    }
    let mut index = update.finish()?;
    println!("  {ADDED} replaced in {:.0?}", start.elapsed());
    let start = Instant::now();
    for (doc, vector) in (0..ADDED).zip(vectors).step_by(10) {
        let mut update = index.update(directory);
        update.put(doc, &[vector])?;
        index = update.finish()?;
    }
    println!("  one replaced in {:.1?}", start.elapsed() / (ADDED / 10));
    Ok(())
}
