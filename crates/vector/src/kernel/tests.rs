use proptest::prelude::*;

use super::{CODE_LANES, FLOAT_LANES, available};

fn rows<T: Clone + std::fmt::Debug>(
    lanes: usize,
    value: impl Strategy<Value = T> + Clone,
    query: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = (Vec<T>, Vec<T>)> {
    (1usize..5, 0usize..4).prop_flat_map(move |(width, n)| {
        let width = width * lanes;
        (
            prop::collection::vec(query.clone(), width),
            prop::collection::vec(value.clone(), width * n),
        )
    })
}

proptest! {
    #[test]
    fn dot_products_of_floats_agree((query, rows) in rows(FLOAT_LANES, -1f32..1.0, -1f32..1.0)) {
        let n = rows.len() / query.len();
        for kernels in available() {
            let mut out = vec![0f32; n];
            (kernels.dot_rows)(&query, &rows, &mut out);
            for (row, out) in rows.chunks(query.len()).zip(&out) {
                let exact: f64 = query.iter().zip(row).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                prop_assert!((exact - f64::from(*out)).abs() < 1e-4);
                prop_assert_eq!((kernels.dot)(&query, row), *out);
            }
        }
    }

    #[test]
    fn dot_products_of_codes_agree(
        (query, rows) in rows(CODE_LANES, any::<i8>(), -127i8..=127)
    ) {
        let n = rows.len() / query.len();
        let exact: Vec<i32> = rows
            .chunks(query.len())
            .map(|row| row.iter().zip(&query).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum())
            .collect();
        for kernels in available() {
            let mut out = vec![0i32; n];
            (kernels.dot_codes)(&query, &rows, &mut out);
            prop_assert_eq!(&out, &exact);
        }
    }

    #[test]
    fn hamming_distances_agree((query, rows) in rows(3, any::<u64>(), any::<u64>())) {
        let n = rows.len() / query.len();
        let exact: Vec<u32> = rows
            .chunks(query.len())
            .map(|row| row.iter().zip(&query).map(|(a, b)| (a ^ b).count_ones()).sum())
            .collect();
        for kernels in available() {
            let mut out = vec![0u32; n];
            (kernels.hamming)(&query, &rows, &mut out);
            prop_assert_eq!(&out, &exact);
        }
    }
}

#[test]
fn extreme_codes_do_not_overflow() {
    let query = vec![-127i8; 4096];
    for kernels in available() {
        for value in [i8::MIN, -127, 127] {
            let mut out = [0i32];
            (kernels.dot_codes)(&query, &vec![value; 4096], &mut out);
            assert_eq!(out[0], 4096 * -127 * i32::from(value));
        }
    }
}
