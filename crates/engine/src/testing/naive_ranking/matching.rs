//! Whether a document has a word, a phrase or a node, and where.

use super::documents::{NaiveDocument, NaiveIndex};
use super::nodes::{Class, Node, Way};
use crate::settings::ProximityPrecision;

/// One word, or the places of a phrase with `None` for holes.
pub(super) type Words = Vec<Option<String>>;

/// An index looked at through a search that may be restricted to some attributes.
pub(crate) struct Lens<'i> {
    pub(super) index: &'i NaiveIndex,
    /// Names of the attributes; `None` for all.
    pub(super) searched: Option<Vec<String>>,
}

/// A word in a document.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub attribute: String,
    pub position: u32,
}

/// The least distance from `first` on to `second` in one attribute; 1 whatever it is if only
/// attributes are told apart.
pub(super) fn pair_distance(
    document: &NaiveDocument,
    first: &str,
    second: &str,
    by_attribute: bool,
) -> Option<u32> {
    let mut least = None;
    for words in document.words.values() {
        for (p, a) in words {
            for (q, b) in words {
                if a != first || b != second {
                    continue;
                }
                let distance = if by_attribute {
                    Some(1)
                } else {
                    q.checked_sub(*p)
                };
                if let Some(distance) = distance.filter(|distance| *distance > 0) {
                    least = Some(least.map_or(distance, |least: u32| least.min(distance)));
                }
            }
        }
    }
    least
}

impl Lens<'_> {
    pub(super) fn by_attribute(&self) -> bool {
        self.index.settings.proximity_precision == ProximityPrecision::ByAttribute
    }

    pub(super) fn is_searched(&self, attribute: &str) -> bool {
        let list = self.searched.as_ref();
        list.is_none_or(|list| list.iter().any(|name| name == attribute))
    }

    fn has_word(&self, doc: usize, word: &str, tolerant_only: bool) -> bool {
        self.spots(doc, word).iter().any(|spot| {
            self.is_searched(&spot.attribute)
                && (!tolerant_only || self.index.is_tolerant(&spot.attribute, word))
        })
    }

    /// Every word there, then every pair of each window of three.
    pub(super) fn has_phrase(&self, doc: usize, words: &Words) -> bool {
        if !words
            .iter()
            .flatten()
            .all(|word| self.has_word(doc, word, false))
        {
            return false;
        }
        let document = &self.index.documents[doc];
        let by_attribute = self.by_attribute();
        words.windows(words.len().min(3)).all(|window| {
            let placed = || {
                window
                    .iter()
                    .enumerate()
                    .filter_map(|(i, w)| Some((i, w.as_ref()?)))
            };
            placed().all(|(i, a)| {
                placed().filter(|(j, _)| i < *j).all(|(j, b)| {
                    let distance = pair_distance(document, a, b, by_attribute);
                    distance.is_some_and(|distance| distance <= (j - i) as u32)
                })
            })
        })
    }

    pub(super) fn has_way(&self, doc: usize, way: &Way) -> bool {
        if way.is_phrase {
            return self.has_phrase(doc, &way.words);
        }
        let mut words = way.words.iter().flatten();
        words.all(|word| self.has_word(doc, word, way.tolerant_only))
    }

    pub(super) fn has_node(&self, doc: usize, node: &Node, classes: &[Class]) -> bool {
        let mut ways = node.ways.iter().filter(|way| classes.contains(&way.class));
        ways.any(|way| self.has_way(doc, way))
    }

    /// Where a document has a word, in all attributes.
    pub(super) fn spots(&self, doc: usize, word: &str) -> Vec<Spot> {
        let attributes = self.index.documents[doc].words.iter();
        attributes
            .flat_map(|(attribute, words)| {
                words
                    .iter()
                    .filter(|(_, other)| other == word)
                    .map(|(position, _)| Spot {
                        attribute: attribute.clone(),
                        position: *position,
                    })
            })
            .collect()
    }

    /// Where the first word of an allowed way is.
    pub(super) fn starts(&self, doc: usize, node: &Node, classes: &[Class]) -> Vec<Spot> {
        let ways = node.ways.iter().filter(|way| classes.contains(&way.class));
        ways.filter(|way| !way.is_phrase || self.has_phrase(doc, &way.words))
            .filter_map(|way| way.words.iter().flatten().next())
            .flat_map(|word| self.spots(doc, word))
            .collect()
    }
}
