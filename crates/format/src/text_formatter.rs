//! Formats one text: tags around matches, a window instead of the whole.

use std::borrow::Cow;
use std::ops::Range;

use serval_text::{Locale, Tokenizer};

use crate::crop_window::crop_window;
use crate::find_matches::{Looked, Match, MatchSpan};
use crate::format_plan::FormatOptions;
use crate::match_words::MatchWords;

/// What is inserted into formatted texts; any of them may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Markers<'a> {
    /// Before a match.
    pub pre_tag: &'a str,
    /// After a match.
    pub post_tag: &'a str,
    /// At an end where text was cut off.
    pub crop: &'a str,
}

impl Default for Markers<'_> {
    fn default() -> Self {
        Self {
            pre_tag: "<em>",
            post_tag: "</em>",
            crop: "…",
        }
    }
}

/// Bytes of tags and markers that a formatter inserts. Those of a request may be as long as its body,
/// and each is inserted as often as something matches.
pub const MAX_INSERTED_BYTES: usize = 64 << 20;

/// Formats texts for one query; keeps its memory from text to text.
///
/// It inserts at most [`MAX_INSERTED_BYTES`] of tags and markers; from then on it leaves them out, and [says
/// so](Self::is_full).
///
/// The tokeniser must have the separators and the dictionary of the index, but no stop words:
/// these are words here.
#[derive(Debug)]
pub struct TextFormatter<'a> {
    tokenizer: &'a Tokenizer,
    words: &'a MatchWords,
    markers: Markers<'a>,
    looked: Looked,
    /// Bytes that may still be inserted.
    room: usize,
    is_full: bool,
}

impl<'a> TextFormatter<'a> {
    /// A formatter for the words of one query.
    pub fn new(tokenizer: &'a Tokenizer, words: &'a MatchWords, markers: Markers<'a>) -> Self {
        Self {
            tokenizer,
            words,
            markers,
            looked: Looked::default(),
            room: MAX_INSERTED_BYTES,
            is_full: false,
        }
    }

    /// Whether tags or markers had to be left out because there were too many bytes of them.
    pub const fn is_full(&self) -> bool {
        self.is_full
    }

    /// The text with its matches tagged and cropped to a window, as `options` ask.
    pub fn format<'t>(
        &mut self,
        text: &'t str,
        locales: &[Locale],
        options: FormatOptions,
    ) -> Cow<'t, str> {
        self.format_found(text, locales, options).0
    }

    /// The same, and where the query matches in the whole text if that was looked for.
    pub(crate) fn format_found<'t>(
        &mut self,
        text: &'t str,
        locales: &[Locale],
        options: FormatOptions,
    ) -> (Cow<'t, str>, Option<Vec<Match>>) {
        let crop = options.crop.filter(|&crop| crop > 0);
        if crop.is_none() && (!options.highlight || self.words.is_empty()) {
            return (Cow::Borrowed(text), None);
        }
        let flat = self
            .looked
            .look_through(text, self.tokenizer, locales, self.words);
        let matches = self.looked.matches(self.words);
        let window = match crop {
            Some(crop) => crop_window(&mut self.looked, flat.as_ref(), &matches, crop),
            None => 0..text.len(),
        };
        let marked: &[Match] = if options.highlight { &matches } else { &[] };
        let formatted = self.render(text, window, marked);
        (formatted, Some(matches))
    }

    /// Where the query matches in the whole text, in order.
    pub fn match_spans(&mut self, text: &str, locales: &[Locale]) -> Vec<MatchSpan> {
        self.looked
            .look_through(text, self.tokenizer, locales, self.words);
        let matches = self.looked.matches(self.words);
        matches.iter().map(Match::span).collect()
    }

    fn insert(&mut self, marker: &str, out: &mut String) {
        match self.room.checked_sub(marker.len()) {
            Some(room) => {
                self.room = room;
                out.push_str(marker);
            }
            None => self.is_full = true,
        }
    }

    fn render<'t>(
        &mut self,
        text: &'t str,
        window: Range<usize>,
        matches: &[Match],
    ) -> Cow<'t, str> {
        let cut_start = window.start > 0;
        let cut_end = window.end < text.len();
        if matches.is_empty() && !cut_start && !cut_end {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(window.len() + 32);
        if cut_start {
            self.insert(self.markers.crop, &mut out);
        }
        let mut at = window.start;
        // Of a sequence that the window cuts through, what is left is tagged.
        let inside = matches
            .iter()
            .filter(|found| found.byte_start < window.end && window.start < found.byte_end);
        for found in inside {
            let mark_start = found.byte_start.max(window.start);
            let mark_end = found.mark_end.min(window.end);
            let byte_end = found.byte_end.min(window.end);
            out.push_str(&text[at..mark_start]);
            self.insert(self.markers.pre_tag, &mut out);
            out.push_str(&text[mark_start..mark_end]);
            self.insert(self.markers.post_tag, &mut out);
            out.push_str(&text[mark_end..byte_end]);
            at = byte_end;
        }
        out.push_str(&text[at..window.end]);
        if cut_end {
            self.insert(self.markers.crop, &mut out);
        }
        Cow::Owned(out)
    }
}
