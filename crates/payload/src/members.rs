//! Finds and drops repeated keys in one object of the output.
//!
//! Small objects compare their keys pair by pair, large ones go through a hash map, so an object
//! of n members costs O(n) whatever it holds.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Most members that are compared pair by pair.
const PAIRWISE: usize = 24;

/// One key and its value, as places in the output. The value runs up to the next member.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// Place of the opening quote of the key.
    pub(crate) start: usize,
    /// Length of the key, both quotes included.
    pub(crate) key_len: usize,
    /// Whether the key holds a backslash.
    pub(crate) escaped: bool,
}

impl Member {
    fn key<'o>(&self, out: &'o [u8]) -> Cow<'o, [u8]> {
        let quoted = &out[self.start..self.start + self.key_len];
        if self.escaped
            && let Ok(decoded) = serde_json::from_slice::<String>(quoted)
        {
            return Cow::Owned(decoded.into_bytes());
        }
        Cow::Borrowed(&quoted[1..quoted.len() - 1])
    }
}

/// Whether two members have the same key.
pub(crate) fn has_repeated_key(out: &[u8], members: &[Member]) -> bool {
    if members.len() <= PAIRWISE && members.iter().all(|member| !member.escaped) {
        return has_repeated_plain_key(out, members);
    }
    let keys: HashMap<_, _> = members.iter().map(|member| (member.key(out), ())).collect();
    keys.len() < members.len()
}

fn has_repeated_plain_key(out: &[u8], members: &[Member]) -> bool {
    let bytes = |member: &Member| &out[member.start..member.start + member.key_len];
    members.iter().enumerate().any(|(i, late)| {
        members[..i]
            .iter()
            .any(|early| late.key_len == early.key_len && bytes(late) == bytes(early))
    })
}

/// Rewrites the members, which are the tail of `out`, so that each key appears once: at its first
/// place, with its last value.
pub(crate) fn keep_last_values(out: &mut Vec<u8>, members: &[Member]) {
    let mut places: HashMap<Cow<'_, [u8]>, usize> = HashMap::new();
    let mut kept: Vec<Range<usize>> = Vec::new();
    for (i, member) in members.iter().enumerate() {
        let end = members.get(i + 1).map_or(out.len(), |next| next.start - 1);
        let place = *places.entry(member.key(out)).or_insert(kept.len());
        if place == kept.len() {
            kept.push(member.start..end);
        } else {
            kept[place] = member.start..end;
        }
    }
    let parts: Vec<&[u8]> = kept.into_iter().map(|range| &out[range]).collect();
    let rewritten = parts.join(&b',');
    if let Some(first) = members.first() {
        out.truncate(first.start);
        out.extend_from_slice(&rewritten);
    }
}
