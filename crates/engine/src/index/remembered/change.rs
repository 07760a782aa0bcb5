//! What differs between two snapshots: documents, and the words they held or hold.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::change_log::{Change, MAX_DOCS, TouchedWords};
use crate::docset::DocSet;
use crate::index::SegmentView;
use crate::index::snapshot::Snapshot;

/// Words of documents that are looked at, so that a commit is not late by it.
const MAX_SYMBOLS: usize = 16_384;

/// Where documents that changed come from.
pub(in crate::index) struct Sources {
    /// Documents that came, went or have other content.
    pub(in crate::index) changed: DocSet,
    /// Slots of the segments that they came with.
    pub(in crate::index) written: Vec<usize>,
}

/// What changed from `older` to `newer`.
pub(in crate::index) fn change_between(
    older: &Snapshot,
    newer: &Snapshot,
    sources: Sources,
) -> Change {
    let words = (sources.changed.len() <= MAX_DOCS)
        .then(|| touched_words(older, newer, &sources))
        // What cannot be read is as good as unknown.
        .and_then(|words| words.ok().flatten());
    Change {
        docs: sources.changed,
        words,
    }
}

fn touched_words(
    older: &Snapshot,
    newer: &Snapshot,
    sources: &Sources,
) -> io::Result<Option<TouchedWords>> {
    let Some(before) = words_of(older, &sources.changed)? else {
        return Ok(None);
    };
    let mut after = BTreeSet::new();
    for slot in &sources.written {
        let Some(segment) = &newer.0.slots[*slot] else {
            continue;
        };
        let terms = segment.words().terms();
        if after.len() + terms.num_terms() > MAX_SYMBOLS {
            return Ok(None);
        }
        let mut words = terms.stream()?;
        while words.advance() {
            after.extend(text_of(words.key()));
        }
    }
    let gone = before.iter().filter(|word| !newer.contains_word(word));
    let come = after
        .difference(&before)
        .filter(|word| !older.contains_word(word));
    Ok(Some(TouchedWords {
        vocabulary: gone.chain(come).cloned().collect(),
        all: before.union(&after).cloned().collect(),
    }))
}

/// The words of some documents; `None` when they are too many.
fn words_of(snapshot: &Snapshot, docs: &DocSet) -> io::Result<Option<BTreeSet<Box<str>>>> {
    let mut ordinals: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut n_symbols = 0;
    for doc in docs {
        let Some((slot, local)) = snapshot.0.map.get(doc) else {
            continue;
        };
        let Some(segment) = &snapshot.0.slots[slot as usize] else {
            continue;
        };
        let ordinals = ordinals.entry(slot).or_default();
        for field in segment.forward().row(local).field_rows() {
            n_symbols += field.len;
            if n_symbols > MAX_SYMBOLS {
                return Ok(None);
            }
            let n_terms = u64::from(segment.forward().n_terms());
            let symbols = (0..field.len).map(|at| field.symbol(at));
            ordinals.extend(symbols.filter(|symbol| *symbol < n_terms).map(|s| s as u32));
        }
    }
    let mut words = BTreeSet::new();
    for (slot, ordinals) in ordinals {
        if let Some(segment) = &snapshot.0.slots[slot as usize] {
            add_words(segment, &ordinals, &mut words)?;
        }
    }
    Ok(Some(words))
}

fn add_words(
    segment: &SegmentView,
    ordinals: &BTreeSet<u32>,
    words: &mut BTreeSet<Box<str>>,
) -> io::Result<()> {
    let mut key = Vec::new();
    for ordinal in ordinals {
        if segment
            .words()
            .terms()
            .ord_to_term(u64::from(*ordinal), &mut key)?
        {
            words.extend(text_of(&key));
        }
    }
    Ok(())
}

fn text_of(key: &[u8]) -> Option<Box<str>> {
    std::str::from_utf8(key).ok().map(Box::from)
}
