//! Nodes of the query graph and the derivations by which documents can match them.

use std::ops::{BitAnd, BitOr, RangeInclusive};

/// Place of a node in [`super::QueryGraph`].
pub type NodeIdx = u16;
/// Place of a word or prefix in the list of all slots of a query.
pub type SlotIdx = u16;
/// Place of a phrase in the list of all phrases of a query.
pub type PhraseIdx = u16;

/// A set of derivation classes of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Classes(u8);

impl Classes {
    /// The word as typed, or the quoted phrase.
    pub const EXACT: Self = Self(1);
    /// Zero typos otherwise: longer words with that prefix, synonyms.
    pub const ZERO: Self = Self(2);
    /// One typo, or a split in two words.
    pub const ONE: Self = Self(4);
    /// Two typos.
    pub const TWO: Self = Self(8);
    /// Every class.
    pub const ALL: Self = Self(15);
    /// No class.
    pub const NONE: Self = Self(0);
    /// Each class alone, in order.
    pub const EACH: [Self; 4] = [Self::EXACT, Self::ZERO, Self::ONE, Self::TWO];

    /// Whether a class of `other` is in this set.
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether no class is left.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The classes a document uses with that many typos.
    #[must_use]
    pub const fn with_typos(typos: u8) -> Self {
        match typos {
            0 => Self(3),
            1 => Self::ONE,
            _ => Self::TWO,
        }
    }
}

impl BitAnd for Classes {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Classes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// One way a document can match a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// Exactly one class.
    pub class: Classes,
    /// What must be in the document.
    pub form: Form,
}

/// What a derivation looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A word.
    Word(SlotIdx),
    /// Any word with a prefix. `is_short`: so short and frequent that only words after the
    /// preceding one count as near, see the proximity rule.
    Prefix {
        /// The prefix.
        slot: SlotIdx,
        /// Short and frequent.
        is_short: bool,
    },
    /// Words next to each other: a quoted phrase, a split, a synonym.
    Phrase(PhraseIdx),
}

/// A term of the query, or two or three neighbouring ones written together.
#[derive(Clone, Debug)]
pub struct Node {
    /// Term ids covered.
    pub ids: RangeInclusive<u8>,
    /// Query position of the first word.
    pub first: u16,
    /// Query position of the last word.
    pub last: u16,
    /// The text looked for; for a phrase its words joined by spaces.
    pub text: String,
    /// Whether this is a quoted phrase.
    pub is_phrase: bool,
    /// Whether the last word stands for longer ones too.
    pub is_prefix: bool,
    /// Typos allowed.
    pub max_typos: u8,
    /// Everything that matches it.
    pub derivations: Vec<Derivation>,
}

impl Node {
    /// Number of terms covered: 1, or 2 or 3 for an n-gram.
    #[must_use]
    pub fn n_ids(&self) -> u32 {
        u32::from(self.ids.end() - self.ids.start()) + 1
    }

    /// Whether several terms are joined.
    #[must_use]
    pub fn is_ngram(&self) -> bool {
        self.n_ids() > 1
    }

    /// The largest number of typos that the classes still admit. A word without typo allowance
    /// can still be split, which counts one.
    #[must_use]
    pub fn max_typo_cost(&self, classes: Classes) -> u8 {
        if self.is_phrase {
            0
        } else if self.max_typos == 0 {
            1
        } else if self.max_typos > 1 && classes.intersects(Classes::TWO) {
            2
        } else {
            u8::from(classes.intersects(Classes::ONE))
        }
    }
}
