//! Any text becomes tokens that lie one after the other in it.

use serval_text::{Tokenizer, TokenizerOptions};

/// Cuts a text with the default options, and with words of its first line as options.
pub fn tokens(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
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
        check(&tokenizer, rest);
    }
}

fn check(tokenizer: &Tokenizer, text: &str) {
    let mut end = 0;
    for token in tokenizer.tokens(text, &[]) {
        assert!(token.byte_start >= end && token.byte_end >= token.byte_start);
        assert!(text.is_char_boundary(token.byte_start) && text.is_char_boundary(token.byte_end));
        end = token.byte_end;
        for n in 0..=token.text.len() {
            let prefix = token.original_prefix(n);
            assert!(token.byte_start + prefix <= text.len());
        }
    }
    assert!(end <= text.len());
}
