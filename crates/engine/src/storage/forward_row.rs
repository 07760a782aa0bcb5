//! The words of one document in order, before they have ordinals.
//!
//! A row holds, field by field, *symbols* from which exact positions follow: a cursor starts at
//! -1; a word advances it by 1 and stands where it then points; a *hole* advances it by 1 (a stop
//! word or an over-long word was there); a *jump* advances it by 7, so that the word behind it is
//! 8 away (hard separator, next array item). Any increasing sequence of positions has exactly one
//! such form, see [`FieldSymbols::push_word`].

use std::hash::BuildHasher;
use std::sync::OnceLock;

/// Number of a dotted attribute name in order of first sight.
pub type FieldId = u16;

/// A word by its hash, or one of the two marks.
pub(crate) type Symbol = u64;

/// The cursor advances by [`JUMP_LENGTH`].
pub(crate) const JUMP: Symbol = u64::MAX;
/// The cursor advances by 1 and nothing stands there.
pub(crate) const HOLE: Symbol = u64::MAX - 1;
/// What a jump adds to the cursor.
pub(crate) const JUMP_LENGTH: u32 = 7;

/// Hash that stands for a word until its segment is written. Seeded once per process, so that
/// nobody can prepare words that collide; hashes never reach the disk.
pub(crate) fn hash_word(word: &str) -> Symbol {
    static SEED: OnceLock<foldhash::quality::RandomState> = OnceLock::new();
    let hash = SEED
        .get_or_init(foldhash::quality::RandomState::default)
        .hash_one(word);
    if hash >= HOLE { hash - 2 } else { hash }
}

/// Symbols of one document.
#[derive(Debug, Default)]
pub(crate) struct ForwardRow {
    /// Fields with at least one word, ascending, with the end of their symbols.
    pub(crate) fields: Vec<(FieldId, u32)>,
    /// Symbols of all fields, one after the other.
    pub(crate) symbols: Vec<Symbol>,
}

/// Words of one field, collected in order of position.
#[derive(Debug, Default)]
pub(crate) struct FieldSymbols {
    symbols: Vec<Symbol>,
    next: u32,
}

impl FieldSymbols {
    /// Adds a word at `position`, which must be larger than that of the word before.
    pub(crate) fn push_word(&mut self, position: u32, hash: Symbol) {
        debug_assert!(position >= self.next, "positions must grow");
        let skipped = position.saturating_sub(self.next);
        self.symbols
            .extend((0..skipped / JUMP_LENGTH).map(|_| JUMP));
        self.symbols
            .extend((0..skipped % JUMP_LENGTH).map(|_| HOLE));
        self.symbols.push(hash);
        self.next = position + 1;
    }

    /// Number of symbols.
    pub(crate) const fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Whether there is no word.
    pub(crate) fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Forgets all words, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.symbols.clear();
        self.next = 0;
    }
}

impl ForwardRow {
    /// An empty row with room for so many.
    pub(crate) fn with_capacity(n_fields: usize, n_symbols: usize) -> Self {
        Self {
            fields: Vec::with_capacity(n_fields),
            symbols: Vec::with_capacity(n_symbols),
        }
    }

    /// Adds the words of a field; fields must come in ascending order. Without words nothing is
    /// added.
    pub(crate) fn push_field(&mut self, field: FieldId, words: &FieldSymbols) {
        if words.is_empty() {
            return;
        }
        debug_assert!(self.fields.last().is_none_or(|(last, _)| *last < field));
        self.symbols.extend_from_slice(&words.symbols);
        self.fields.push((field, self.symbols.len() as u32));
    }
}
