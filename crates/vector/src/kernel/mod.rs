//! The inner loops: dot products of floats and of codes, Hamming distances of bits.
//!
//! [`kernels`] picks the widest set of instructions that the machine has, once per process.
//! Every set is compared with the plain one in tests.
//!
//! # Invariants
//! 1. Rows come padded with zeros: floats to multiples of [`FLOAT_LANES`], codes to multiples of
//!    [`CODE_LANES`]; so no kernel has a tail.
//! 2. Codes of a query are in `-127..=127`; codes of rows may be anything.

#[cfg(target_arch = "aarch64")]
mod neon;
mod plain;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::LazyLock;

/// Floats of a row are padded to multiples of this.
pub(crate) const FLOAT_LANES: usize = 16;
/// Codes of a row are padded to multiples of this.
pub(crate) const CODE_LANES: usize = 64;

/// One implementation of every inner loop.
#[derive(Clone, Copy)]
pub(crate) struct Kernels {
    /// Dot product of two rows of equal length.
    pub(crate) dot: fn(&[f32], &[f32]) -> f32,
    /// Dot products of one row with rows that lie one after the other, one for each output.
    pub(crate) dot_rows: fn(&[f32], &[f32], &mut [f32]),
    /// Dot products of the codes of a query with those of rows, one for each output.
    pub(crate) dot_codes: fn(&[i8], &[i8], &mut [i32]),
    /// Numbers of bits in which a query differs from rows, one for each output.
    pub(crate) hamming: fn(&[u64], &[u64], &mut [u32]),
}

/// The fastest kernels of this machine.
pub(crate) fn kernels() -> &'static Kernels {
    static CHOSEN: LazyLock<Kernels> =
        LazyLock::new(|| available().pop().unwrap_or(plain::KERNELS));
    &CHOSEN
}

/// Every set of kernels that runs here, the plain one first, the fastest last.
fn available() -> Vec<Kernels> {
    #[allow(unused_mut, reason = "other machines add to it")]
    let mut found = vec![plain::KERNELS];
    #[cfg(target_arch = "x86_64")]
    x86::add_available(&mut found);
    #[cfg(target_arch = "aarch64")]
    found.push(neon::KERNELS);
    found
}
