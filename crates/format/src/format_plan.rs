//! Which attributes of a document are highlighted and cropped, decided once per request.

use rustc_hash::FxHashMap;

use crate::selection::{Selection, is_within, retrieved_attributes};

/// What to do with one value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FormatOptions {
    /// Tag the matches.
    pub highlight: bool,
    /// Keep a window of this many words; 0 and `None` keep everything.
    pub crop: Option<usize>,
}

impl FormatOptions {
    fn merge(self, other: Self) -> Self {
        Self {
            highlight: self.highlight || other.highlight,
            crop: self.crop.or(other.crop),
        }
    }
}

/// The formatting part of a search request, and the attributes it can apply to.
#[derive(Debug, Clone, Copy)]
pub struct FormatRequest<'a> {
    /// `attributesToHighlight`; `*` means every displayed attribute.
    pub highlight: &'a [String],
    /// `attributesToCrop`: `name`, `name:length`, `*` or `*:length`.
    pub crop: &'a [String],
    /// `cropLength`: the length where none is given.
    pub crop_length: usize,
    /// `attributesToRetrieve`; `None` means all.
    pub retrieve: Option<&'a [String]>,
    /// Attributes the index shows.
    pub displayed: &'a Selection,
    /// Every attribute name of the index, nested ones dotted, in the order in which the index
    /// first saw them.
    pub fields: &'a [&'a str],
}

/// Options per attribute and the attributes that `_formatted` holds.
#[derive(Debug, Clone)]
pub struct FormatPlan {
    /// In field order: for a value, the first crop that applies wins.
    rules: Vec<(String, FormatOptions)>,
    selection: Selection,
    /// What lies below these is left as it is.
    left: Vec<String>,
}

impl FormatPlan {
    /// `None` when no attribute that exists and is displayed is to be formatted: hits then have
    /// no `_formatted`.
    pub fn new(request: &FormatRequest<'_>) -> Option<Self> {
        if request.highlight.is_empty() && request.crop.is_empty() {
            return None;
        }
        let mut options: FxHashMap<&str, FormatOptions> = FxHashMap::default();
        let known = Known::new(request);
        for attribute in request.highlight {
            known.each(attribute, |name| {
                options.entry(name).or_default().highlight = true
            });
        }
        for attribute in request.crop {
            let (attribute, length) = split_length(attribute, request.crop_length);
            known.each(attribute, |name| {
                options.entry(name).or_default().crop = Some(length)
            });
        }
        if options.is_empty() {
            return None;
        }
        let mut rules: Vec<(usize, String, FormatOptions)> = options
            .into_iter()
            .map(|(name, options)| (known.rank(name), name.to_owned(), options))
            .collect();
        rules.sort_unstable_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        let rules: Vec<_> = rules
            .into_iter()
            .map(|(_, name, options)| (name, options))
            .collect();
        let selection = formatted_attributes(request, &rules);
        Some(Self {
            rules,
            selection,
            left: Vec::new(),
        })
    }

    /// Neither highlights nor crops values that lie below an attribute: they are of other documents
    /// than the one that was found.
    pub fn leave_below(&mut self, attribute: &str) {
        self.left.push(attribute.to_owned());
    }

    /// Whether `_formatted` holds something at a path.
    pub fn reaches(&self, path: &str) -> bool {
        self.selection.reaches(path)
    }

    pub(crate) fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Options of a leaf: those of the leaf, of what it lies in, and of what lies in it, merged.
    pub(crate) fn options_for(&self, path: &str) -> FormatOptions {
        let is_below = |name: &String| path != name && is_within(path, name);
        if self.left.iter().any(is_below) {
            return FormatOptions::default();
        }
        self.rules
            .iter()
            .filter(|(name, _)| is_within(name, path) || is_within(path, name))
            .fold(FormatOptions::default(), |merged, (_, options)| {
                merged.merge(*options)
            })
    }
}

/// The formatted attributes and the retrieved ones.
fn formatted_attributes(
    request: &FormatRequest<'_>,
    rules: &[(String, FormatOptions)],
) -> Selection {
    let star = |list: &[String]| list.iter().any(|name| split_length(name, 0).0 == "*");
    let everything = request.highlight.iter().any(|name| name == "*") || star(request.crop);
    let retrieved = retrieved_attributes(request.displayed, request.retrieve);
    match (retrieved, request.displayed) {
        (Selection::All, _) => Selection::All,
        (_, Selection::All) if everything => Selection::All,
        (Selection::Only(retrieved), _) => {
            let formatted = rules.iter().map(|(name, _)| name.clone());
            Selection::Only(formatted.chain(retrieved).collect())
        }
    }
}

/// Splits `name:length` at its last colon; what is no number means the default length.
fn split_length(attribute: &str, default: usize) -> (&str, usize) {
    match attribute.rsplit_once(':') {
        Some((name, length)) => (name, length.parse().unwrap_or(default)),
        None => (attribute, default),
    }
}

/// The attributes a request can format: those of the index that are displayed.
struct Known<'a> {
    fields: &'a [&'a str],
    displayed: &'a Selection,
}

impl<'a> Known<'a> {
    fn new(request: &FormatRequest<'a>) -> Self {
        Self {
            fields: request.fields,
            displayed: request.displayed,
        }
    }

    /// Calls `apply` with each attribute that `wanted` means.
    fn each(&self, wanted: &'a str, mut apply: impl FnMut(&'a str)) {
        match (wanted, self.displayed) {
            ("*", Selection::All) => self.fields.iter().for_each(|name| apply(name)),
            ("*", Selection::Only(paths)) => {
                paths
                    .iter()
                    .filter(|path| self.exists(path))
                    .for_each(|path| apply(path));
            }
            (name, displayed) => {
                let shown = match displayed {
                    Selection::All => true,
                    Selection::Only(paths) => paths.iter().any(|path| path == name),
                };
                if shown && self.exists(name) {
                    apply(name);
                }
            }
        }
    }

    fn exists(&self, name: &str) -> bool {
        self.fields.iter().any(|field| is_within(field, name))
    }

    fn rank(&self, name: &str) -> usize {
        self.fields
            .iter()
            .position(|field| is_within(field, name))
            .unwrap_or(self.fields.len())
    }
}
