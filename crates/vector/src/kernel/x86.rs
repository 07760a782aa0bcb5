//! Kernels for x86-64: AVX2 with FMA, and AVX-512 with its byte dot product and bit count.

use std::arch::x86_64::*;

use super::Kernels;

const AVX2: Kernels = Kernels {
    // SAFETY: `add_available` offers this set only where AVX2, FMA and POPCNT were detected.
    dot: |a, b| unsafe { dot_avx2(a, b) },
    // SAFETY: as above.
    dot_rows: |query, rows, out| unsafe { dot_rows_avx2(query, rows, out) },
    // SAFETY: as above.
    dot_codes: |query, rows, out| unsafe { dot_codes_avx2(query, rows, out) },
    // SAFETY: as above.
    hamming: |query, rows, out| unsafe { hamming_popcnt(query, rows, out) },
};

const AVX512: Kernels = Kernels {
    // SAFETY: `add_available` offers this set only where all features named below were detected.
    dot: |a, b| unsafe { dot_avx512(a, b) },
    // SAFETY: as above.
    dot_rows: |query, rows, out| unsafe { dot_rows_avx512(query, rows, out) },
    // SAFETY: as above.
    dot_codes: |query, rows, out| unsafe { dot_codes_avx512(query, rows, out) },
    // SAFETY: as above.
    hamming: |query, rows, out| unsafe { hamming_avx512(query, rows, out) },
};

/// Adds the sets that this machine can run, the fastest last.
pub(super) fn add_available(found: &mut Vec<Kernels>) {
    let avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("popcnt");
    if !avx2 {
        return;
    }
    found.push(AVX2);
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vnni")
        && is_x86_feature_detected!("avx512vpopcntdq");
    if avx512 {
        found.push(AVX512);
    }
}

#[target_feature(enable = "avx2,fma")]
fn sum_avx2(sums: __m256) -> f32 {
    let quad = _mm_add_ps(
        _mm256_castps256_ps128(sums),
        _mm256_extractf128_ps::<1>(sums),
    );
    let pair = _mm_add_ps(quad, _mm_movehl_ps(quad, quad));
    _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)))
}

#[target_feature(enable = "avx2,fma")]
fn dot_avx2(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [_mm256_setzero_ps(); 2];
    for (a, b) in a.chunks_exact(16).zip(b.chunks_exact(16)) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            // SAFETY: both chunks hold 16 floats, of which 8 are read at 0 or 8.
            let (a, b) = unsafe {
                (
                    _mm256_loadu_ps(a.as_ptr().add(lane * 8)),
                    _mm256_loadu_ps(b.as_ptr().add(lane * 8)),
                )
            };
            *sum = _mm256_fmadd_ps(a, b, *sum);
        }
    }
    sum_avx2(_mm256_add_ps(sums[0], sums[1]))
}

#[target_feature(enable = "avx2,fma")]
fn dot_rows_avx2(query: &[f32], rows: &[f32], out: &mut [f32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        *out = dot_avx2(query, row);
    }
}

#[target_feature(enable = "avx2")]
fn dot_codes_avx2(query: &[i8], rows: &[i8], out: &mut [i32]) {
    let ones = _mm256_set1_epi16(1);
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        let mut sum = _mm256_setzero_si256();
        for (query, row) in query.chunks_exact(32).zip(row.chunks_exact(32)) {
            // SAFETY: both chunks hold 32 bytes.
            let (query, row) = unsafe {
                (
                    _mm256_loadu_si256(query.as_ptr().cast()),
                    _mm256_loadu_si256(row.as_ptr().cast()),
                )
            };
            // |row| * (query with the sign of row): two products make at most 2 * 128 * 127,
            // which 16 bits hold.
            let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(row), _mm256_sign_epi8(query, row));
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
        }
        let quad = _mm_add_epi32(
            _mm256_castsi256_si128(sum),
            _mm256_extracti128_si256::<1>(sum),
        );
        let pair = _mm_add_epi32(quad, _mm_shuffle_epi32::<0b00_00_11_10>(quad));
        *out = _mm_cvtsi128_si32(_mm_add_epi32(pair, _mm_shuffle_epi32::<0b01>(pair)));
    }
}

#[target_feature(enable = "popcnt")]
fn hamming_popcnt(query: &[u64], rows: &[u64], out: &mut [u32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        *out = query
            .iter()
            .zip(row)
            .map(|(a, b)| (a ^ b).count_ones())
            .sum();
    }
}

#[target_feature(enable = "avx512f")]
fn dot_avx512(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [_mm512_setzero_ps(); 4];
    let (a_blocks, a_rest) = a.as_chunks::<64>();
    let (b_blocks, b_rest) = b.as_chunks::<64>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            // SAFETY: both blocks hold 64 floats, of which 16 are read at 0, 16, 32 or 48.
            let (a, b) = unsafe {
                (
                    _mm512_loadu_ps(a.as_ptr().add(lane * 16)),
                    _mm512_loadu_ps(b.as_ptr().add(lane * 16)),
                )
            };
            *sum = _mm512_fmadd_ps(a, b, *sum);
        }
    }
    for (a, b) in a_rest.chunks_exact(16).zip(b_rest.chunks_exact(16)) {
        // SAFETY: both chunks hold 16 floats.
        let (a, b) = unsafe { (_mm512_loadu_ps(a.as_ptr()), _mm512_loadu_ps(b.as_ptr())) };
        sums[0] = _mm512_fmadd_ps(a, b, sums[0]);
    }
    let left = _mm512_add_ps(sums[0], sums[1]);
    _mm512_reduce_add_ps(_mm512_add_ps(left, _mm512_add_ps(sums[2], sums[3])))
}

#[target_feature(enable = "avx512f")]
fn dot_rows_avx512(query: &[f32], rows: &[f32], out: &mut [f32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        *out = dot_avx512(query, row);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn dot_codes_avx512(query: &[i8], rows: &[i8], out: &mut [i32]) {
    let flip = _mm512_set1_epi8(i8::MIN);
    // The instruction multiplies unsigned with signed bytes. Rows are shifted up by 128, which
    // adds 128 times the sum of the query to every result.
    let excess = 128 * query.iter().map(|&code| i32::from(code)).sum::<i32>();
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        let mut sums = [_mm512_setzero_si512(); 2];
        for (at, (query, row)) in query.chunks_exact(64).zip(row.chunks_exact(64)).enumerate() {
            // SAFETY: both chunks hold 64 bytes.
            let (query, row) = unsafe {
                (
                    _mm512_loadu_si512(query.as_ptr().cast()),
                    _mm512_loadu_si512(row.as_ptr().cast()),
                )
            };
            let sum = &mut sums[at % 2];
            *sum = _mm512_dpbusd_epi32(*sum, _mm512_xor_si512(row, flip), query);
        }
        *out = _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1])) - excess;
    }
}

#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn hamming_avx512(query: &[u64], rows: &[u64], out: &mut [u32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        let (query_blocks, query_rest) = query.as_chunks::<8>();
        let (row_blocks, row_rest) = row.as_chunks::<8>();
        let mut sum = _mm512_setzero_si512();
        for (query, row) in query_blocks.iter().zip(row_blocks) {
            // SAFETY: both blocks hold 64 bytes.
            let (query, row) = unsafe {
                (
                    _mm512_loadu_si512(query.as_ptr().cast()),
                    _mm512_loadu_si512(row.as_ptr().cast()),
                )
            };
            sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_xor_si512(query, row)));
        }
        let rest: u32 = query_rest
            .iter()
            .zip(row_rest)
            .map(|(a, b)| (a ^ b).count_ones())
            .sum();
        *out = _mm512_reduce_add_epi64(sum) as u32 + rest;
    }
}
