//! How the words begin that somebody looks for in a text: a filter that most others fail.

/// The first two bytes of some words in normal form, as rough as the upper case of a letter is
/// the lower one. What it lets pass may be one of the words; what it stops is none.
#[derive(Debug, Clone, Default)]
pub struct WordStarts {
    /// By the lower five bits of the first byte, a bit for those of the second; 0 is the end.
    seconds: [u32; 32],
}

const LOW_BITS: u8 = 31;

impl WordStarts {
    /// Expects a word.
    pub fn add_word(&mut self, word: &str) {
        if let Some((first, second)) = begin(word.as_bytes()) {
            self.seconds[first] |= 1 << second;
        }
    }

    /// Expects every word that begins like this.
    pub fn add_prefix(&mut self, prefix: &str) {
        match *prefix.as_bytes() {
            [only] => self.seconds[usize::from(only & LOW_BITS)] = u32::MAX,
            _ => self.add_word(prefix),
        }
    }

    /// Whether one of the words may begin with these bytes; 0 stands for the end.
    #[inline]
    pub(crate) fn may_begin(&self, first: u8, second: u8) -> bool {
        let (first, second) = (usize::from(first & LOW_BITS), second & LOW_BITS);
        self.seconds[first] >> second & 1 == 1
    }

    /// Whether a word in normal form, or in ASCII of any case, may be among the words.
    #[inline]
    pub fn may_hold(&self, word: &str) -> bool {
        begin(word.as_bytes()).is_some_and(|(first, second)| self.seconds[first] >> second & 1 == 1)
    }
}

#[inline]
fn begin(word: &[u8]) -> Option<(usize, u8)> {
    let (first, rest) = word.split_first()?;
    let second = rest.first().map_or(0, |second| second & LOW_BITS);
    Some((usize::from(first & LOW_BITS), second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_pass_that_were_expected_and_others_seldom() {
        let mut starts = WordStarts::default();
        starts.add_word("film");
        starts.add_word("a");
        starts.add_prefix("t");
        for word in ["film", "fish", "FILM", "a", "A", "t", "the", "two"] {
            assert!(starts.may_hold(word), "{word}");
        }
        for word in ["", "of", "f", "fun", "an", "b"] {
            assert!(!starts.may_hold(word), "{word}");
        }
    }
}
