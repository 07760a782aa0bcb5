//! Compression of answers.

use std::io::Read;

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use proptest::prelude::*;
use serval_payload::{Encoding, compress};

/// What whoever reads the encoding finds.
fn unpacked(packed: &[u8], encoding: Encoding) -> Vec<u8> {
    let mut whole = Vec::new();
    let read = match encoding {
        Encoding::Zstd => return zstd::decode_all(packed).expect("zstd"),
        Encoding::Gzip => MultiGzDecoder::new(packed).read_to_end(&mut whole),
        Encoding::Deflate => ZlibDecoder::new(packed).read_to_end(&mut whole),
    };
    read.expect("a whole stream");
    whole
}

fn encodings() -> impl Strategy<Value = Encoding> {
    prop_oneof![
        Just(Encoding::Zstd),
        Just(Encoding::Gzip),
        Just(Encoding::Deflate)
    ]
}

/// Bytes that compress well, badly, or not at all.
fn answers() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..3_000),
        prop::collection::vec(0..4_u8, 0..40_000),
        (0..2_000_usize).prop_map(|n| b"{\"title\":\"film\"},".repeat(n)),
    ]
}

proptest! {
    /// One thread compresses many answers, one after the other, in any encodings.
    #[test]
    fn answers_one_after_the_other_can_be_read(
        answers in prop::collection::vec((answers(), encodings()), 1..6),
    ) {
        for (answer, encoding) in answers {
            let packed = compress(&answer, encoding).expect("memory");
            prop_assert_eq!(unpacked(&packed, encoding), answer);
        }
    }
}

#[test]
fn encodings_are_known_by_their_names() {
    let names = ["zstd", "gzip", "deflate", "br", "identity", ""];
    assert_eq!(
        names.map(Encoding::of_name),
        [
            Some(Encoding::Zstd),
            Some(Encoding::Gzip),
            Some(Encoding::Deflate),
            None,
            None,
            None
        ]
    );
}

#[test]
fn json_takes_less_than_half() {
    let answer = b"{\"id\":1,\"title\":\"a film of the year\",\"genres\":[\"Drama\"]},".repeat(300);
    for encoding in [Encoding::Zstd, Encoding::Gzip, Encoding::Deflate] {
        assert!(compress(&answer, encoding).expect("memory").len() < answer.len() / 2);
    }
}
