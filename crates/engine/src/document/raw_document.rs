//! The top level of a document: its keys and the text of their values, not parsed further.
//!
//! Values keep the exact text they came with, so numbers and nested key order survive.

use std::borrow::Cow;
use std::fmt;

use rustc_hash::FxHashMap;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::member_scan;

/// Keys that most documents have no more of.
pub(super) const FEW_KEYS: usize = 16;

/// From this many keys on, duplicates are looked for with a table.
const MANY_KEYS: usize = 24;

/// The text of one JSON value, which was checked to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JsonText<'a>(&'a str);

/// A key and its value.
pub(crate) type Member<'a> = (Cow<'a, str>, JsonText<'a>);

/// Keys in the order of the text, each once.
#[derive(Debug, Default, Clone)]
pub(crate) struct RawDocument<'a> {
    entries: Vec<Member<'a>>,
    /// The text that [`Self::write`] would write, if it was read and not made.
    source: Option<&'a str>,
}

impl<'a> JsonText<'a> {
    /// A text that is known to be JSON.
    pub(super) const fn new_checked(text: &'a str) -> Self {
        Self(text)
    }

    /// The text.
    pub(crate) const fn get(self) -> &'a str {
        self.0
    }
}

impl<'a> From<&'a RawValue> for JsonText<'a> {
    fn from(value: &'a RawValue) -> Self {
        Self(value.get())
    }
}

impl AsRef<str> for JsonText<'_> {
    fn as_ref(&self) -> &str {
        self.0
    }
}

/// A key, borrowed unless it holds escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawDocument<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DocumentVisitor;
        impl<'de> Visitor<'de> for DocumentVisitor {
            type Value = RawDocument<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::with_capacity(FEW_KEYS);
                while let Some(Key(key)) = map.next_key()? {
                    let value: &RawValue = map.next_value()?;
                    entries.push((key, value.into()));
                }
                Ok(RawDocument::with_last(entries))
            }
        }
        deserializer.deserialize_map(DocumentVisitor)
    }
}

/// Of keys that occur several times keeps the place of the first and the value of the last.
fn last_wins(mut entries: Vec<Member<'_>>) -> Vec<Member<'_>> {
    if entries.len() < MANY_KEYS {
        let mut index = 1;
        while index < entries.len() {
            match (0..index).find(|before| entries[*before].0 == entries[index].0) {
                Some(before) => {
                    entries[before].1 = entries[index].1;
                    entries.remove(index);
                }
                None => index += 1,
            }
        }
        return entries;
    }
    let mut places: FxHashMap<Cow<'_, str>, usize> = FxHashMap::default();
    let mut kept: Vec<Member<'_>> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        match places.get(&key) {
            Some(place) => kept[*place].1 = value,
            None => {
                places.insert(key.clone(), kept.len());
                kept.push((key, value));
            }
        }
    }
    kept
}

impl<'a> RawDocument<'a> {
    /// Reads one JSON object.
    ///
    /// # Errors
    /// When the text is no JSON object.
    pub(crate) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        match member_scan::members(text) {
            Some(members) => {
                let n_members = members.len();
                let mut document = Self::with_last(members);
                document.source = (document.entries.len() == n_members).then_some(text);
                Ok(document)
            }
            None => Self::read_with_serde(text),
        }
    }

    pub(super) fn read_with_serde(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// A document with these members, of which the last with a key counts.
    pub(super) fn with_last(members: Vec<Member<'a>>) -> Self {
        Self {
            entries: last_wins(members),
            source: None,
        }
    }

    /// Keys and values, in order.
    pub(crate) fn entries(&self) -> &[Member<'a>] {
        &self.entries
    }

    /// The same, taken.
    pub(crate) fn into_entries(self) -> Vec<Member<'a>> {
        self.entries
    }

    /// Puts the entries in order of what `order` says of their keys.
    pub(crate) fn sort_by_cached_key<K: Ord>(&mut self, order: impl Fn(&str) -> K) {
        self.source = None;
        self.entries.sort_by_cached_key(|(key, _)| order(key));
    }

    /// The text of a key's value.
    pub(crate) fn get(&self, key: &str) -> Option<JsonText<'a>> {
        self.entries
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| *value)
    }

    /// Sets the value of a key, which comes last if it is new, or takes the key away.
    pub(crate) fn set(&mut self, key: &'a str, value: Option<JsonText<'a>>) {
        self.source = None;
        let Some(value) = value else {
            return self.entries.retain(|(name, _)| name != key);
        };
        match self.entries.iter_mut().find(|(name, _)| name == key) {
            Some(entry) => entry.1 = value,
            None => self.entries.push((Cow::Borrowed(key), value)),
        }
    }

    /// Puts the values of `newer` over those of this document, key by key; new keys come last.
    pub(crate) fn merge(&mut self, newer: RawDocument<'a>) {
        self.source = None;
        self.entries.extend(newer.entries);
        self.entries = last_wins(std::mem::take(&mut self.entries));
    }

    /// The document as compact JSON, keys in the order of the entries.
    pub(crate) fn to_json(&self) -> Cow<'a, str> {
        if let Some(source) = self.source {
            return source.into();
        }
        let values = self
            .entries
            .iter()
            .map(|(key, value)| key.len() + value.get().len());
        let mut out = Vec::with_capacity(2 + values.sum::<usize>() + 4 * self.entries.len());
        self.write(&mut out);
        String::from_utf8(out)
            .expect("invariant: keys and values are text")
            .into()
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (index, (key, value)) in self.entries.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write_string(key, out);
            out.push(b':');
            out.extend_from_slice(value.get().as_bytes());
        }
        out.push(b'}');
    }
}

/// Appends a string as JSON.
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    let plain = text
        .bytes()
        .all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
    if plain {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else if let Ok(quoted) = serde_json::to_string(text) {
        out.extend_from_slice(quoted.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> String {
        let document = RawDocument::parse(text).expect("valid");
        let mut written = Vec::new();
        document.write(&mut written);
        let written = String::from_utf8(written).expect("UTF-8");
        assert_eq!(document.to_json(), written);
        written
    }

    #[test]
    fn of_repeated_keys_the_last_value_stands_at_the_first_place() {
        assert_eq!(rewritten(r#"{"a":1,"b":2,"a":3}"#), r#"{"a":3,"b":2}"#);
        let many: Vec<String> = (0..30).map(|n| format!("\"k{}\":{n}", n % 28)).collect();
        let expected: Vec<String> = (0..28)
            .map(|n| format!("\"k{n}\":{}", if n < 2 { n + 28 } else { n }))
            .collect();
        assert_eq!(
            rewritten(&format!("{{{}}}", many.join(","))),
            format!("{{{}}}", expected.join(","))
        );
    }

    #[test]
    fn values_keep_their_text() {
        let text = r#"{"n":1.0e+3,"o":{"z":1,"a":"\u00e9"},"q\"":null}"#;
        assert_eq!(rewritten(text), text);
    }

    #[test]
    fn merging_replaces_top_level_values_whole() {
        let mut old = RawDocument::parse(r#"{"id":1,"a":{"x":1},"b":2}"#).expect("valid");
        old.merge(RawDocument::parse(r#"{"c":3,"a":{"y":2}}"#).expect("valid"));
        assert_eq!(old.to_json(), r#"{"id":1,"a":{"y":2},"b":2,"c":3}"#);
    }
}
