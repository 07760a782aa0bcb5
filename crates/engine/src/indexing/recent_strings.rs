//! The strings that attributes had in the documents before: countries, kinds and states come again and
//! again, often in the very next document.
//!
//! # Cost
//! A hash and a comparison of a string that came lately, instead of normalising and two allocations. At most
//! some 400 KiB of memory, however many attributes there are.

use std::hash::BuildHasher;
use std::rc::Rc;

use rustc_hash::FxBuildHasher;
use serval_text::normalize_facet;

use crate::storage::attribute_row::StringValue;

/// Strings that are kept at the most, each at the place that its hash gives.
const N_PLACES: usize = 1024;
/// Longer strings hardly come again.
const MAX_BYTES: usize = 128;

/// Strings of any attribute: what they are compared as does not depend on where they stand.
#[derive(Default)]
pub(super) struct RecentStrings {
    /// Empty until a string comes.
    places: Vec<Option<Rc<StringValue>>>,
}

impl RecentStrings {
    /// The value for a text; `None` if nothing is left of it.
    pub(super) fn value_of(&mut self, text: &str) -> Option<Rc<StringValue>> {
        // Its upper bits are the better ones.
        let hash = (FxBuildHasher.hash_one(text) >> 32) as u32;
        if text.len() > MAX_BYTES {
            return value_of(text, hash);
        }
        if self.places.is_empty() {
            self.places.resize(N_PLACES, None);
        }
        let place = &mut self.places[hash as usize % N_PLACES];
        match place {
            Some(value) if value.written() == text.as_bytes() => Some(Rc::clone(value)),
            _ => {
                let value = value_of(text, hash)?;
                *place = Some(Rc::clone(&value));
                Some(value)
            }
        }
    }
}

fn value_of(text: &str, hash: u32) -> Option<Rc<StringValue>> {
    let normalized = normalize_facet(text);
    (!normalized.is_empty()).then(|| Rc::new(StringValue::new(&normalized, text, hash)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_value_is_that_of_its_text_whatever_came_before(
            texts in proptest::collection::vec("[aAé ]{0,3}|[a-z]{120,140}", 0..200),
        ) {
            let mut recent = RecentStrings::default();
            for text in &texts {
                let alone = RecentStrings::default().value_of(text);
                prop_assert_eq!(recent.value_of(text), alone);
            }
        }
    }

    #[test]
    fn documents_share_a_string_that_comes_again() {
        let mut recent = RecentStrings::default();
        let [first, again] = [(); 2].map(|()| recent.value_of("Andorra").expect("a value"));
        assert!(Rc::ptr_eq(&first, &again));
        assert_eq!(
            (first.normalized(), first.written()),
            (&b"andorra"[..], &b"Andorra"[..])
        );
    }
}
