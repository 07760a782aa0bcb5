//! Nearest neighbours, and an update of one vector. `search` chooses itself whether to compare every
//! vector, as `search_exact` does; among so few it does.

use serval_vector::{Encoding, VectorIndex, VectorShape};

use crate::meter::Meter;

const DIMENSIONS: usize = 64;
const VECTORS: u32 = 12_000;
const CLUSTERS: u64 = 40;
const QUERIES: u32 = 10;
const NEIGHBORS: usize = 10;

/// Counts them.
pub(crate) fn count(meter: &mut Meter) {
    for (encoding, searched) in [
        (Encoding::F32, ["vectors.exact", "vectors.search"]),
        (Encoding::Binary, ["vectors.binary_exact", "vectors.binary"]),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let index = filled(folder.path(), encoding);
        let queries: Vec<Vec<f32>> = (0..QUERIES).map(|query| vector(VECTORS + query)).collect();
        let [exact, chosen] = searched;
        meter.repeat(exact, || {
            for query in &queries {
                assert!(
                    !index
                        .search_exact(query, NEIGHBORS, None)
                        .expect("neighbours")
                        .is_empty()
                );
            }
        });
        meter.repeat(chosen, || {
            for query in &queries {
                assert!(
                    !index
                        .search(query, NEIGHBORS, None)
                        .expect("neighbours")
                        .is_empty()
                );
            }
        });
        if encoding == Encoding::F32 {
            meter.repeat("vectors.update_one", || {
                let mut update = index.update(folder.path());
                update.put(7, &[&queries[0]]).expect("a vector");
                update.finish().expect("an index")
            });
        }
    }
}

fn filled(folder: &std::path::Path, encoding: Encoding) -> VectorIndex {
    let dimensions = DIMENSIONS as u32;
    let empty = VectorIndex::empty(VectorShape {
        dimensions,
        encoding,
    });
    let mut update = empty.expect("a shape").update(folder);
    for doc in 0..VECTORS {
        update.put(doc, &[vector(doc)]).expect("a vector");
    }
    update.finish().expect("an index")
}

/// The vector of a number: near to the middle of a cluster.
fn vector(number: u32) -> Vec<f32> {
    let cluster = u64::from(number) % CLUSTERS;
    (0..DIMENSIONS as u64)
        .map(|at| {
            let middle = spread(cluster << 32 | at);
            middle + 0.4 * spread(u64::from(number) << 16 | at | 1 << 60)
        })
        .collect()
}

/// A number between -1 and 1 that looks like chance.
fn spread(seed: u64) -> f32 {
    let mixed = (seed ^ seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 40) as f32 / (1u64 << 23) as f32 - 1.0
}
