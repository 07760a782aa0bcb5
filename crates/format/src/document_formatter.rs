//! Formats whole documents: `_formatted` and `_matchesPosition`.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use serval_text::{Locale, Tokenizer};

use crate::find_matches::{Match, MatchSpan};
use crate::format_plan::{FormatOptions, FormatPlan};
use crate::match_words::MatchWords;
use crate::selection::{Kept, Selection, write_json, write_kept, write_string};
use crate::text_formatter::{Markers, TextFormatter};

/// Formats the hits of one search.
pub struct DocumentFormatter<'a, 'l> {
    texts: TextFormatter<'a>,
    /// Languages of an attribute, by its dotted name.
    locales: &'a dyn Fn(&str) -> &'l [Locale],
    options: FxHashMap<Box<str>, FormatOptions>,
    /// Positions were asked for once, so that they will be for the next documents.
    notes_spans: bool,
    /// What was found in the texts of the document that was formatted last.
    found: VecDeque<FoundText>,
}

/// Texts that are looked at for one that was formatted before.
const MAX_LOOKS: usize = 8;

/// Where the query matches in a text.
struct FoundText {
    path: String,
    text: String,
    spans: Vec<MatchSpan>,
}

impl<'a, 'l> DocumentFormatter<'a, 'l> {
    /// A formatter for one search; `locales` gives the languages to assume in an attribute, none
    /// meaning any. For the tokeniser see [`TextFormatter`].
    pub fn new(
        tokenizer: &'a Tokenizer,
        words: &'a MatchWords,
        markers: Markers<'a>,
        locales: &'a dyn Fn(&str) -> &'l [Locale],
    ) -> Self {
        let texts = TextFormatter::new(tokenizer, words, markers);
        Self {
            texts,
            locales,
            options: FxHashMap::default(),
            notes_spans: false,
            found: VecDeque::new(),
        }
    }

    /// Whether tags or markers had to be left out because there were too many bytes of them.
    pub const fn is_full(&self) -> bool {
        self.texts.is_full()
    }

    /// Writes `_formatted` of a document: the attributes of the plan and the retrieved ones.
    ///
    /// Texts are highlighted and cropped as the plan says, each element of an array on its own.
    /// Numbers become texts, always; booleans and null stay. One formatter serves one plan.
    pub fn write_formatted(
        &mut self,
        document: &Map<String, Value>,
        plan: &FormatPlan,
        out: &mut Vec<u8>,
    ) {
        self.found.clear();
        write_kept(
            document,
            plan.selection(),
            out,
            &mut |path, leaf, out| match leaf {
                Value::String(text) => self.write_text(path, text, plan, out),
                Value::Number(number) => self.write_text(path, &number.to_string(), plan, out),
                other => write_json(other, out),
            },
        );
    }

    /// Writes `_matchesPosition` of a document: the matches in every displayed attribute, by
    /// dotted name.
    ///
    /// Positions are bytes of the original text. Values in arrays carry their indices; of several
    /// elements of one path the last that matches is given.
    pub fn write_matches_position(
        &mut self,
        document: &Map<String, Value>,
        displayed: &Selection,
        out: &mut Vec<u8>,
    ) {
        self.notes_spans = true;
        let mut found = BTreeMap::new();
        let mut walk = Walk {
            formatter: self,
            displayed,
            path: String::new(),
            found: &mut found,
        };
        walk.object(document, Kept::Partly, &mut Vec::new());
        out.push(b'{');
        for (index, (path, matches)) in found.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write_string(path, out);
            out.push(b':');
            write_matches(matches, out);
        }
        out.push(b'}');
    }

    fn write_text(&mut self, path: &str, text: &str, plan: &FormatPlan, out: &mut Vec<u8>) {
        let options = match self.options.get(path) {
            Some(options) => *options,
            None => {
                let options = plan.options_for(path);
                self.options.insert(path.into(), options);
                options
            }
        };
        let locales = (self.locales)(path);
        let (formatted, matches) = self.texts.format_found(text, locales, options);
        write_string(&formatted, out);
        if let (true, Some(matches)) = (self.notes_spans, matches) {
            self.found.push_back(FoundText {
                path: path.to_owned(),
                text: text.to_owned(),
                spans: matches.iter().map(Match::span).collect(),
            });
        }
    }

    /// Where the query matches in a text of a path, which may have been formatted before: then it
    /// is one of the next, as a document is always walked in one order.
    fn spans(&mut self, path: &str, text: &str) -> Vec<MatchSpan> {
        let mut next = self.found.iter().take(MAX_LOOKS);
        match next.position(|found| found.path == path && found.text == text) {
            Some(place) => {
                self.found.drain(..place);
                let found = self.found.pop_front();
                found.map(|found| found.spans).unwrap_or_default()
            }
            None => self.texts.match_spans(text, (self.locales)(path)),
        }
    }
}

/// The matches of one value and the array indices that lead to it.
struct ValueMatches {
    spans: Vec<MatchSpan>,
    indices: Vec<usize>,
}

fn write_matches(matches: &ValueMatches, out: &mut Vec<u8>) {
    let indices: Vec<String> = matches.indices.iter().map(usize::to_string).collect();
    let indices = match indices.is_empty() {
        true => String::new(),
        false => format!(",\"indices\":[{}]", indices.join(",")),
    };
    let spans: Vec<String> = matches
        .spans
        .iter()
        .map(|span| {
            format!(
                "{{\"start\":{},\"length\":{}{indices}}}",
                span.byte_start, span.byte_len
            )
        })
        .collect();
    out.extend_from_slice(format!("[{}]", spans.join(",")).as_bytes());
}

/// A walk over the displayed leaves of a document.
struct Walk<'w, 'a, 'l> {
    formatter: &'w mut DocumentFormatter<'a, 'l>,
    displayed: &'w Selection,
    path: String,
    found: &'w mut BTreeMap<String, ValueMatches>,
}

impl Walk<'_, '_, '_> {
    fn object(&mut self, object: &Map<String, Value>, parent: Kept, indices: &mut Vec<usize>) {
        for (key, value) in object {
            let parent_len = self.path.len();
            if parent_len > 0 {
                self.path.push('.');
            }
            self.path.push_str(key);
            let kept = match parent {
                Kept::Whole => Kept::Whole,
                _ => self.displayed.kept(&self.path),
            };
            self.value(value, kept, indices);
            self.path.truncate(parent_len);
        }
    }

    fn value(&mut self, value: &Value, kept: Kept, indices: &mut Vec<usize>) {
        match (value, kept) {
            (_, Kept::Nothing) => {}
            (Value::Object(object), _) => self.object(object, kept, indices),
            (Value::Array(array), _) => {
                for (index, element) in array.iter().enumerate() {
                    indices.push(index);
                    self.value(element, kept, indices);
                    indices.pop();
                }
            }
            (_, Kept::Partly) => {}
            (Value::String(text), Kept::Whole) => self.text(text, indices),
            (Value::Number(number), Kept::Whole) => self.text(&number.to_string(), indices),
            (Value::Bool(_) | Value::Null, Kept::Whole) => {}
        }
    }

    fn text(&mut self, text: &str, indices: &[usize]) {
        let spans = self.formatter.spans(&self.path, text);
        if !spans.is_empty() {
            let matches = ValueMatches {
                spans,
                indices: indices.to_vec(),
            };
            self.found.insert(self.path.clone(), matches);
        }
    }
}
