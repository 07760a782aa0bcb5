//! Texts that are only looked through are formatted like those that are cut as a whole.

use proptest::prelude::*;
use serval_format::{FormatOptions, Markers, MatchWords, TextFormatter};
use serval_text::{Tokenizer, TokenizerOptions};

const WORDS: [&str; 8] = ["film", "fi", "the", "a", "ete", "noir", "x1", "..."];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "(film|Film|films|the|THE|a|été|noir|noire|x1|fi)",
        3 => "[a-zA-Z]{1,7}",
        6 => " ",
        1 => "(\\. |, |! |; )",
        1 => "[ ,.!?:\"'()=$<-]{1,3}",
        1 => "[\u{a0}…’é\u{301}½€\u{1}]{1,2}",
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Whole words, prefixes and sequences, by their places in the list.
fn words() -> impl Strategy<Value = MatchWords> {
    let place = || 0..WORDS.len();
    let added = (0..3_u8, place(), place(), 0..4_u16);
    proptest::collection::vec(added, 0..4).prop_map(|added| {
        let mut words = MatchWords::default();
        for (kind, first, second, id) in added {
            match kind {
                0 => words.add_word(WORDS[first], id..id + 1),
                1 => words.add_prefix(WORDS[first], 1 + second, id..id + 1),
                _ => words.add_sequence([WORDS[first], WORDS[second]], id..id + 2),
            }
        }
        words
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_is_formatted_alike_however_it_is_cut(
        text in text(),
        words in words(),
        crop in prop_oneof![Just(None), (1..12_usize).prop_map(Some), Just(Some(10_000))],
        highlight in any::<bool>(),
    ) {
        let anywhere = Tokenizer::default();
        // A stop word that never comes: any word could be one, so that texts are cut as a whole.
        let whole = Tokenizer::new(&TokenizerOptions {
            stop_words: vec!["quetzal".into()],
            ..TokenizerOptions::default()
        });
        prop_assert!(whole.flat(&text, &[]).is_none());
        prop_assert!(anywhere.flat(&text, &[]).is_some() || !text.is_ascii());
        let options = FormatOptions { highlight, crop };
        let mut ours = TextFormatter::new(&anywhere, &words, Markers::default());
        let mut naive = TextFormatter::new(&whole, &words, Markers::default());
        prop_assert_eq!(ours.match_spans(&text, &[]), naive.match_spans(&text, &[]));
        prop_assert_eq!(ours.format(&text, &[], options), naive.format(&text, &[], options));
    }
}
