//! Small files that carry a checksum: their content, then a line with its CRC-32.
//!
//! ```text
//! content, "\n#crc32:", eight hexadecimal digits, "\n"
//! ```
//!
//! # Invariants
//! 1. Content is given out only after its checksum was compared.
//!
//! # Cost
//! One pass over the content, which is read whole anyway.

use std::io;

const LABEL: &[u8] = b"\n#crc32:";
/// Bytes behind the content.
const SEAL_LEN: usize = LABEL.len() + 8 + 1;

/// The content with its checksum behind it.
pub(crate) fn seal(content: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(content.len() + SEAL_LEN);
    sealed.extend_from_slice(content);
    sealed.extend_from_slice(&seal_of(content));
    sealed
}

/// The content, without the checksum that follows it.
///
/// # Errors
/// `InvalidData` when the checksum is missing or another one.
pub(crate) fn unseal(mut sealed: Vec<u8>) -> io::Result<Vec<u8>> {
    let damaged = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let len = sealed
        .len()
        .checked_sub(SEAL_LEN)
        .ok_or_else(|| damaged("it is too short for its checksum"))?;
    if sealed[len..] != seal_of(&sealed[..len]) {
        return Err(damaged("its content does not have its checksum"));
    }
    sealed.truncate(len);
    Ok(sealed)
}

fn seal_of(content: &[u8]) -> Vec<u8> {
    let mut seal = LABEL.to_vec();
    seal.extend_from_slice(format!("{:08x}\n", crc32fast::hash(content)).as_bytes());
    seal
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// What was sealed comes back, and no single changed byte goes unseen.
        #[test]
        fn a_changed_byte_is_seen(
            content in proptest::collection::vec(any::<u8>(), 0..200),
            place in any::<prop::sample::Index>(),
            change in 1..=u8::MAX,
        ) {
            let mut sealed = seal(&content);
            prop_assert_eq!(unseal(sealed.clone()).ok(), Some(content));
            let place = place.index(sealed.len());
            sealed[place] ^= change;
            prop_assert!(unseal(sealed.clone()).is_err());
            sealed.truncate(place);
            prop_assert!(unseal(sealed).is_err());
        }
    }
}
