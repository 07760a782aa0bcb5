//! Decompression of zstd in pieces.

use proptest::prelude::*;
use serval_payload::{Encoding, ZstdStream, compress};

fn packed(bytes: &[u8]) -> Vec<u8> {
    compress(bytes, Encoding::Zstd).expect("memory")
}

/// Everything a stream gives for input in pieces of `size` bytes, and whether it ended well.
fn unpacked(bytes: &[u8], size: usize) -> (Vec<u8>, bool) {
    let mut stream = ZstdStream::new().expect("memory");
    let mut whole = Vec::new();
    for piece in bytes.chunks(size) {
        stream.push(piece);
        loop {
            let output = stream.pull().expect("zstd");
            whole.extend_from_slice(&output);
            if output.len() < ZstdStream::MAX_OUTPUT {
                break;
            }
        }
    }
    (whole, stream.is_complete())
}

proptest! {
    /// Pieces of any size give back what was compressed, several frames in a row included.
    #[test]
    fn pieces_give_back_what_was_compressed(
        frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..5_000), 0..4),
        size in 1_usize..3_000,
    ) {
        let packed: Vec<u8> = frames.iter().flat_map(|one| packed(one)).collect();
        prop_assert_eq!(unpacked(&packed, size), (frames.concat(), true));
    }

    /// Bytes that are no zstd are refused or taken, but never do harm.
    #[test]
    fn any_bytes_are_harmless(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let mut stream = ZstdStream::new().expect("memory");
        stream.push(&bytes);
        let _ = stream.pull();
    }
}

#[test]
fn one_call_makes_little_of_a_bomb() {
    let bomb = packed(&vec![0; 64 << 20]);
    assert!(bomb.len() < 10_000);
    let mut stream = ZstdStream::new().expect("memory");
    stream.push(&bomb);
    assert_eq!(stream.pull().expect("zstd").len(), ZstdStream::MAX_OUTPUT);
    assert!(!stream.is_complete());
    assert_eq!(unpacked(&bomb, bomb.len()).0.len(), 64 << 20);
}

#[test]
fn a_broken_off_stream_is_not_complete() {
    let packed = packed(&[7; 3_000]);
    for n_bytes in 1..packed.len() {
        assert!(!unpacked(&packed[..n_bytes], 7).1, "after {n_bytes} bytes");
    }
}

#[test]
fn a_window_over_eight_mebibytes_is_refused() {
    // A frame header that names a window of 1 GiB: magic, descriptor, exponent 20.
    let mut stream = ZstdStream::new().expect("memory");
    stream.push(&[0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3, 0, 0, 0, 0, 0, 0]);
    assert!(stream.pull().is_err());
}
