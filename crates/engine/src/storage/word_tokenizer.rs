//! The tantivy tokenizer of the `words` field: cuts a prepared string at `\0` and nothing else.
//!
//! Words arrive normalised and distinct; normalisation drops U+0000, so it cannot occur inside one.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// What stands between two words of a prepared string.
pub(crate) const WORD_SEPARATOR: char = '\0';

/// Cuts at [`WORD_SEPARATOR`]; every piece that is not empty is a token.
#[derive(Clone, Default)]
pub(crate) struct WordTokenizer {
    token: Token,
}

/// Tokens of one prepared string.
pub(crate) struct WordStream<'a> {
    rest: std::str::Split<'a, char>,
    token: &'a mut Token,
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        // Positions are not kept, but a reset token has one that cannot be added to.
        self.token.position = 0;
        WordStream {
            rest: text.split(WORD_SEPARATOR),
            token: &mut self.token,
        }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(word) = self.rest.find(|word| !word.is_empty()) else {
            return false;
        };
        self.token.text.clear();
        self.token.text.push_str(word);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
