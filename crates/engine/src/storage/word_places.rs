//! Where the words of a segment stand at best: for each, the attributes that have it, and how near to
//! the start it comes there. A search of a frequent word knows from this which documents no other can
//! come before, without having looked at all.
//!
//! ```text
//! section   u32 magic, varint kinds; per kind: varint attributes, then of each a varint difference
//!           of its number and a varint place; at the end u16 kind per word
//! ```
//!
//! The section stands behind the shapes of a forward index. Files without one are good as well.
//!
//! # Invariants
//! No document of the segment has a word at a better place than its kind says. What deleted documents
//! had counts until a merge.
//!
//! # Cost
//! Two bytes per word, and a look at them for each word of each document that is written. Segments
//! whose kinds differ too much, as where attributes have names out of the documents, have no section:
//! it would grow with the square of their number.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::forward_row::{FieldId, JUMP_LENGTH};
use super::varint;

const MAGIC: u32 = u32::from_le_bytes(*b"SVWP");

/// How near to the start of an attribute a word stands: [`ALONE`], or a position up to
/// [`FARTHEST`], plus one.
pub(crate) type Place = u8;

/// An attribute has no other word.
pub(crate) const ALONE: Place = 0;
/// Positions from this one on are not told apart.
const FARTHEST: u32 = 16;

/// Attributes of all kinds together, and ways from kind to kind, that are kept; some 16 bytes each.
const MOST_PLACES: usize = if cfg!(test) { 1 << 12 } else { 1 << 18 };

/// The place of a word that has others beside it.
const fn place_of(position: u32) -> Place {
    let position = if position < FARTHEST {
        position
    } else {
        FARTHEST
    };
    position as Place + 1
}

/// The least position of a word at a place.
pub(crate) const fn position_of(place: Place) -> u16 {
    place.saturating_sub(1) as u16
}

/// Attributes in ascending order, each with the best place.
type Kind = Vec<(FieldId, Place)>;

/// Gathers the places of the words of a segment that is being written.
pub(crate) struct PlacesBuilder {
    /// By word, the number of its kind; that of no attributes is 0.
    of_words: Vec<u16>,
    kinds: Vec<Kind>,
    numbers: FxHashMap<Kind, u16>,
    /// What becomes of a kind when a place is added.
    with_place: FxHashMap<(u16, FieldId, Place), u16>,
    n_places: usize,
    is_full: bool,
}

impl PlacesBuilder {
    /// For so many words.
    pub(crate) fn new(n_words: u32) -> Self {
        Self {
            of_words: vec![0; n_words as usize],
            kinds: vec![Kind::new()],
            numbers: std::iter::once((Kind::new(), 0)).collect(),
            with_place: FxHashMap::default(),
            n_places: 0,
            is_full: false,
        }
    }

    /// Adds an attribute of a document by its symbols: words, `jump`, or others that hold no word.
    pub(crate) fn add_field(
        &mut self,
        field: FieldId,
        symbols: impl Iterator<Item = u64> + Clone,
        jump: u64,
    ) {
        if self.is_full {
            return;
        }
        let n_words = self.of_words.len() as u64;
        let mut words = symbols.clone().filter(|symbol| *symbol < n_words);
        let is_alone = words.next().is_some() && words.next().is_none();
        let mut position = 0;
        for symbol in symbols {
            if symbol < n_words {
                let place = if is_alone { ALONE } else { place_of(position) };
                self.add(symbol as usize, field, place);
            }
            position += if symbol == jump { JUMP_LENGTH } else { 1 };
        }
    }

    #[inline]
    fn add(&mut self, word: usize, field: FieldId, place: Place) {
        let number = self.of_words[word];
        let mut known = self.kinds[usize::from(number)].iter();
        if known.any(|(of, best)| *of == field && *best <= place) {
            return;
        }
        let key = (number, field, place);
        let better = self.with_place.get(&key).copied();
        match better.or_else(|| self.number_with(key)) {
            Some(better) => self.of_words[word] = better,
            None => self.is_full = true,
        }
    }

    /// The number of a kind that has one more place; `None` when there are too many.
    fn number_with(&mut self, key: (u16, FieldId, Place)) -> Option<u16> {
        let (number, field, place) = key;
        let mut kind = self.kinds[usize::from(number)].clone();
        match kind.binary_search_by_key(&field, |(of, _)| *of) {
            Ok(at) => kind[at].1 = place,
            Err(at) => kind.insert(at, (field, place)),
        }
        let better = match self.numbers.get(&kind) {
            Some(better) => *better,
            None => {
                let better = u16::try_from(self.kinds.len()).ok()?;
                self.n_places += kind.len();
                self.numbers.insert(kind.clone(), better);
                self.kinds.push(kind);
                better
            }
        };
        self.with_place.insert(key, better);
        (self.n_places + self.with_place.len() <= MOST_PLACES).then_some(better)
    }

    /// Appends the section, if there is one.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        if self.is_full {
            return;
        }
        out.extend_from_slice(&MAGIC.to_le_bytes());
        varint::put(out, self.kinds.len() as u64);
        for kind in &self.kinds {
            varint::put(out, kind.len() as u64);
            let mut last = 0;
            for (field, place) in kind {
                varint::put(out, u64::from(field - last));
                varint::put(out, u64::from(*place));
                last = *field;
            }
        }
        let numbers = self.of_words.iter();
        numbers.for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
    }
}

/// The kinds of a section, and where in it those of words are.
pub(crate) struct PlaceKinds {
    kinds: Vec<Kind>,
    numbers_at: usize,
}

impl PlaceKinds {
    /// Reads a section; `None` if that is not one of so many words.
    pub(crate) fn read(section: &[u8], n_words: u32) -> Option<Self> {
        if section.first_chunk::<4>()? != &MAGIC.to_le_bytes() {
            return None;
        }
        let numbers_at = section.len().checked_sub(2 * n_words as usize)?;
        let bytes = &section[..numbers_at];
        let mut at = 4;
        let n_kinds = varint::get(bytes, &mut at);
        let mut kinds = Vec::new();
        for _ in 0..n_kinds {
            // Of a damaged section no more is read than there can be.
            let n_fields = varint::get(bytes, &mut at);
            if at >= bytes.len() && n_fields > 0 || n_fields > bytes.len() as u64 {
                return None;
            }
            let mut last: FieldId = 0;
            let fields = (0..n_fields).map(|_| {
                last = last.wrapping_add(varint::get(bytes, &mut at) as FieldId);
                (last, varint::get(bytes, &mut at) as Place)
            });
            kinds.push(fields.collect());
            if kinds.len() > usize::from(u16::MAX) + 1 {
                return None;
            }
        }
        (at == numbers_at).then_some(Self { kinds, numbers_at })
    }

    /// Puts the places of words into `best`, where they are better; false if the section does not say.
    pub(crate) fn best_of(
        &self,
        section: &[u8],
        words: Range<u32>,
        best: &mut BTreeMap<FieldId, Place>,
    ) -> bool {
        let at = |word: u32| self.numbers_at + 2 * word as usize;
        let Some(numbers) = section.get(at(words.start)..at(words.end)) else {
            return false;
        };
        let mut is_known = vec![false; self.kinds.len()];
        for number in numbers.as_chunks::<2>().0 {
            let number = usize::from(u16::from_le_bytes(*number));
            match is_known.get_mut(number) {
                Some(is_known) if *is_known => continue,
                Some(is_known) => *is_known = true,
                None => return false,
            }
            for (field, place) in &self.kinds[number] {
                let known = best.entry(*field).or_insert(*place);
                *known = (*known).min(*place);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const N_WORDS: u32 = 5;
    const JUMP: u64 = N_WORDS as u64 + 1;

    /// The place of a word at each of its positions in an attribute.
    fn places(symbols: &[u64], word: u64) -> Vec<Place> {
        let n_words = symbols.iter().filter(|s| **s < u64::from(N_WORDS)).count();
        let mut position = 0;
        let mut found = Vec::new();
        for symbol in symbols {
            if *symbol == word {
                found.push(if n_words == 1 {
                    ALONE
                } else {
                    position.min(16) as u8 + 1
                });
            }
            position += if *symbol == JUMP { 7 } else { 1 };
        }
        found
    }

    proptest! {
        /// The best places of any words are those of all attributes, after writing and reading; a section
        /// that is cut or changed is read without harm.
        #[test]
        fn best_places_are_those_of_all_attributes(
            fields in proptest::collection::vec(
                (0..4_u16, proptest::collection::vec(0..=JUMP, 0..30)),
                0..20,
            ),
            words in (0..=N_WORDS, 0..=N_WORDS),
            cut in 0_usize..100,
            changed in (0_usize..100, any::<u8>()),
        ) {
            let words = words.0.min(words.1)..words.0.max(words.1);
            let mut builder = PlacesBuilder::new(N_WORDS);
            let mut expected: BTreeMap<FieldId, Place> = BTreeMap::new();
            for (field, symbols) in &fields {
                builder.add_field(*field, symbols.iter().copied(), JUMP);
                let all = words.clone().flat_map(|word| places(symbols, u64::from(word)));
                if let Some(place) = all.min() {
                    let known = expected.entry(*field).or_insert(place);
                    *known = (*known).min(place);
                }
            }
            let mut section = Vec::new();
            builder.write(&mut section);
            let kinds = PlaceKinds::read(&section, N_WORDS).expect("a section");
            let mut best = BTreeMap::new();
            prop_assert!(kinds.best_of(&section, words.clone(), &mut best));
            prop_assert_eq!(best, expected);
            let at = changed.0 % section.len();
            section[at] ^= changed.1;
            section.truncate(section.len() - cut.min(section.len()));
            if let Some(kinds) = PlaceKinds::read(&section, N_WORDS) {
                kinds.best_of(&section, words, &mut BTreeMap::new());
            }
        }
    }

    #[test]
    fn words_in_ever_more_attributes_are_given_up_early() {
        let mut builder = PlacesBuilder::new(N_WORDS);
        for field in 0..10_000 {
            builder.add_field(field, [0_u64].into_iter(), JUMP);
        }
        assert!(builder.n_places + builder.with_place.len() < 2 * MOST_PLACES);
        let mut section = Vec::new();
        builder.write(&mut section);
        assert!(section.is_empty());
    }

    #[test]
    fn a_file_without_the_section_says_nothing() {
        assert!(PlaceKinds::read(&[], 3).is_none());
    }
}
