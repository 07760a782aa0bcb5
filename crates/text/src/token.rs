//! One token: what it is, its normalised text, and where it stood.

use std::borrow::Cow;

/// Longest word, in bytes of its normalised text, that is indexed or searched for.
pub const MAX_WORD_BYTES: usize = 250;

/// How strongly a separator parts its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SeparatorKind {
    /// Neighbours stay in one context: positions grow by 1.
    Soft,
    /// Neighbours belong to different phrases: positions grow by 8.
    Hard,
}

/// What a token stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A searchable word.
    Word,
    /// A word that settings exclude from the index; it still takes a position.
    StopWord,
    /// Anything between words.
    Separator(SeparatorKind),
}

/// A piece of the text. Tokens come in order, do not overlap and cover the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'t> {
    /// Word, stop word or separator.
    pub kind: TokenKind,
    /// Normalised text; may be empty when the original was only control characters.
    pub text: Cow<'t, str>,
    /// First byte of the token in the original text.
    pub byte_start: usize,
    /// Byte after the token in the original text.
    pub byte_end: usize,
    /// Per original character: its byte length and the byte length it became. `None` when the
    /// text was not asked for with a map, or when every byte stayed one byte.
    pub(crate) char_map: Option<Vec<(u8, u8)>>,
}

impl Token<'_> {
    /// True for words and stop words: the tokens that take a position.
    pub fn is_word_like(&self) -> bool {
        !matches!(self.kind, TokenKind::Separator(_))
    }

    /// The kind of separator, or `None` for words.
    pub fn separator_kind(&self) -> Option<SeparatorKind> {
        match self.kind {
            TokenKind::Separator(kind) => Some(kind),
            TokenKind::Word | TokenKind::StopWord => None,
        }
    }

    /// The text as it stands in the index: without surrounding white space, which only words
    /// around a no-break space have.
    pub fn indexed_text(&self) -> &str {
        let is_whole = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
        let bytes = self.text.as_bytes();
        // As nearly all begin and end: without decoding characters.
        if is_whole(bytes.first()) && is_whole(bytes.last()) {
            return &self.text;
        }
        self.text.trim()
    }

    /// Bytes of the original that the first `normalized_bytes` bytes of [`Token::text`] stand for.
    ///
    /// Always ends between two characters; a character that is only partly covered counts. Marks
    /// that vanish right after the last covered character are left out. Exact for tokens made by
    /// [`Tokenizer::tokens`](crate::Tokenizer::tokens) and
    /// [`Tokenizer::tokenize_mapped`](crate::Tokenizer::tokenize_mapped); others carry no map and
    /// are measured as if normalising had kept every length.
    pub fn original_prefix(&self, normalized_bytes: usize) -> usize {
        let original_len = self.byte_end - self.byte_start;
        let Some(map) = &self.char_map else {
            let mut end = normalized_bytes.min(self.text.len());
            while !self.text.is_char_boundary(end) {
                end += 1;
            }
            return end.min(original_len);
        };
        let mut covered = 0;
        let mut original = 0;
        for &(from, to) in map {
            if covered >= normalized_bytes {
                break;
            }
            covered += usize::from(to);
            original += usize::from(from);
        }
        original.min(original_len)
    }

    /// The same token with its own copy of the text.
    pub fn into_owned(self) -> Token<'static> {
        Token {
            text: Cow::Owned(self.text.into_owned()),
            ..self
        }
    }
}

/// True when a word has only digits (of any script) and ASCII punctuation, as `disableOnNumbers`
/// and the segmenter understand a number.
pub fn is_numeric_word(word: &str) -> bool {
    word.chars()
        .all(|c| c.is_numeric() || c.is_ascii_punctuation())
}
