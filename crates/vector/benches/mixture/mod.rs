//! Vectors like embeddings: clusters, few directions in which they really differ, and some noise.

/// A source of such vectors, the same in every run.
pub(crate) struct Mixture {
    state: u64,
    dimensions: usize,
    /// What the hidden numbers of a vector mean.
    directions: Vec<Vec<f32>>,
    /// Hidden numbers of the middle of each cluster.
    clusters: Vec<Vec<f32>>,
}

const HIDDEN: usize = 64;
const CLUSTERS: usize = 300;

impl Mixture {
    /// Vectors of so many numbers.
    pub(crate) fn new(dimensions: usize) -> Self {
        let mut mixture = Self {
            state: 1,
            dimensions,
            directions: Vec::new(),
            clusters: Vec::new(),
        };
        mixture.directions = mixture.normals(HIDDEN, dimensions);
        mixture.clusters = mixture.normals(CLUSTERS, HIDDEN);
        mixture
    }

    /// The next vector.
    pub(crate) fn vector(&mut self) -> Vec<f32> {
        let cluster = self.next() as usize % CLUSTERS;
        let mut vector: Vec<f32> = (0..self.dimensions).map(|_| 0.4 * self.normal()).collect();
        for hidden in 0..HIDDEN {
            let value = self.clusters[cluster][hidden] + 0.8 * self.normal();
            let along = self.directions[hidden].iter();
            vector
                .iter_mut()
                .zip(along)
                .for_each(|(sum, part)| *sum += value * part);
        }
        vector
    }

    fn normals(&mut self, n: usize, width: usize) -> Vec<Vec<f32>> {
        (0..n)
            .map(|_| (0..width).map(|_| self.normal()).collect())
            .collect()
    }

    /// Nearly normal: a sum of evenly spread numbers.
    fn normal(&mut self) -> f32 {
        let sum: u64 = (0..6).map(|_| self.next() >> 40).sum();
        (sum as f32 / (1u64 << 24) as f32 - 3.0) * std::f32::consts::SQRT_2
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) >> 1
    }
}
