//! Any text becomes tokens that lie one after the other in it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serval_text::{Tokenizer, TokenizerOptions};

fuzz_target!(|text: &str| {
    let (first, rest) = text.split_once('\n').unwrap_or(("", text));
    let words = || {
        first
            .split(' ')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
    };
    let options = TokenizerOptions {
        stop_words: words().take(2).collect(),
        dictionary: words().skip(2).take(2).collect(),
        separator_tokens: words().skip(4).take(2).collect(),
        ..TokenizerOptions::default()
    };
    for tokenizer in [
        Tokenizer::new(&TokenizerOptions::default()),
        Tokenizer::new(&options),
    ] {
        let mut end = 0;
        for token in tokenizer.tokens(rest, &[]) {
            assert!(token.byte_start >= end && token.byte_end >= token.byte_start);
            assert!(
                rest.is_char_boundary(token.byte_start) && rest.is_char_boundary(token.byte_end)
            );
            end = token.byte_end;
            for n in 0..=token.text.len() {
                let prefix = token.original_prefix(n);
                assert!(token.byte_start + prefix <= rest.len());
            }
        }
        assert!(end <= rest.len());
    }
});
