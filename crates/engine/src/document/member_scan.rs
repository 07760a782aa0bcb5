//! Finds the members of an object that is written as nearly all are: without white space and without
//! escapes in its own keys.
//!
//! # Invariants
//! 1. What is accepted is JSON, and its members are those that `serde_json` finds. It is asked about
//!    everything else, and says what is wrong.
//!
//! # Cost
//! One look at eight bytes of a string at a time, at each byte of anything else: about a fifth of what
//! `serde_json` takes for the texts of values.

use std::borrow::Cow;

use super::raw_document::{FEW_KEYS, JsonText, Member};

/// Containers inside each other that are looked into.
const MAX_DEPTH: usize = 32;

/// The members of an object in the order of its text, repeated keys included; `None` when it is
/// written otherwise, or is none.
pub(super) fn members(text: &str) -> Option<Vec<Member<'_>>> {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
    };
    let mut members = Vec::with_capacity(FEW_KEYS);
    scan.pass(b'{')?;
    if scan.peek()? == b'}' {
        scan.at += 1;
    } else {
        loop {
            let start = scan.at;
            scan.string()?;
            let key = text.get(start + 1..scan.at - 1)?;
            if key.contains('\\') {
                return None;
            }
            scan.pass(b':')?;
            let start = scan.at;
            scan.value(MAX_DEPTH)?;
            let value = text.get(start..scan.at)?;
            members.push((Cow::Borrowed(key), JsonText::new_checked(value)));
            if !scan.goes_on(b'}')? {
                break;
            }
        }
    }
    (scan.at == text.len()).then_some(members)
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn pass(&mut self, expected: u8) -> Option<()> {
        (self.peek()? == expected).then(|| self.at += 1)
    }

    /// Passes a comma, or what closes the container; whether it was a comma.
    fn goes_on(&mut self, close: u8) -> Option<bool> {
        let next = self.peek()?;
        self.at += 1;
        match next {
            b',' => Some(true),
            next if next == close => Some(false),
            _ => None,
        }
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' => self.container(b'}', depth.checked_sub(1)?),
            b'[' => self.container(b']', depth.checked_sub(1)?),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn container(&mut self, close: u8, depth: usize) -> Option<()> {
        self.at += 1;
        if self.peek()? == close {
            self.at += 1;
            return Some(());
        }
        loop {
            if close == b'}' {
                self.string()?;
                self.pass(b':')?;
            }
            self.value(depth)?;
            if !self.goes_on(close)? {
                return Some(());
            }
        }
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        let is_there = self.bytes[self.at..].starts_with(word);
        self.at += word.len();
        is_there.then_some(())
    }

    fn number(&mut self) -> Option<()> {
        if self.peek()? == b'-' {
            self.at += 1;
        }
        match self.peek()? {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn string(&mut self) -> Option<()> {
        self.pass(b'"')?;
        loop {
            self.at += plain_run(&self.bytes[self.at..]);
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => self.escape()?,
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        match self.bytes.get(self.at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 2,
            b'u' => {
                let digits = self.bytes.get(self.at + 2..self.at + 6)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                self.at += 6;
            }
            _ => return None,
        }
        Some(())
    }
}

/// Number of leading bytes that are neither a quote, a backslash nor a control byte.
fn plain_run(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks();
    for (index, word) in words.iter().enumerate() {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return 8 * index + special.trailing_zeros() as usize / 8;
        }
    }
    let at = 8 * words.len();
    let is_special = |byte: &u8| matches!(byte, 0..0x20 | b'"' | b'\\');
    let rest = &bytes[at..];
    at + rest.iter().position(is_special).unwrap_or(rest.len())
}

/// The high bit of the first special byte is set, and none before it; later bits may be wrong, because
/// a borrow runs upwards only.
const fn special_bytes(word: u64) -> u64 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const fn below(word: u64, limit: u8) -> u64 {
        word.wrapping_sub(LOW * limit as u64) & !word
    }
    let quote = below(word ^ (LOW * b'"' as u64), 1);
    let backslash = below(word ^ (LOW * b'\\' as u64), 1);
    (quote | backslash | below(word, 0x20)) & HIGH
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::raw_document::RawDocument;
    use super::*;

    type Found = Vec<(String, String)>;

    fn found(members: &[Member<'_>]) -> Found {
        let text = |(key, value): &Member<'_>| (key.to_string(), value.get().to_owned());
        members.iter().map(text).collect()
    }

    /// Texts of JSON's own characters, many of them nearly objects.
    fn texts() -> impl Strategy<Value = String> {
        let value = prop_oneof![
            "-?(0|[1-9][0-9]{0,2})(\\.[0-9]{0,2})?([eE][+-]?[0-9]{0,2})?",
            r#""([a-zé日 ]{0,12}|\\[nu"x\\]|\\u[0-9a-g]{4}|\u{1}|\\ud83d){0,3}""#,
            "(true|false|null|tru|\\[\\]|\\{\\}|\\[1,\\]|\\{\"a\":[1-3]\\}|\\[\\{\"b\":\\[null,\"]\"\\]\\}\\])",
            "[\\[\\]{}\",:0-9a-e \\\\]{0,6}",
        ];
        let member = ("[a-d]{1,2}|[a-d\\\\\"é]{0,9}", value);
        let members = proptest::collection::vec(member, 0..5);
        (members, "\\PC{0}| |,|\\}|x").prop_map(|(members, behind)| {
            let members = members.into_iter();
            let members: Vec<_> = members
                .map(|(key, value)| format!("\"{key}\":{value}"))
                .collect();
            format!("{{{}}}{behind}", members.join(","))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Whatever is accepted, `serde_json` accepts, too, and finds the same.
        #[test]
        fn members_are_those_that_serde_finds(text in texts()) {
            if let Some(members) = members(&text) {
                let unique = RawDocument::read_with_serde(&text);
                prop_assert!(unique.is_ok(), "{} was accepted", text);
                let scanned = RawDocument::with_last(members);
                prop_assert_eq!(found(scanned.entries()), found(unique.expect("checked").entries()));
            }
        }
    }

    #[test]
    fn what_documents_are_usually_like_is_accepted() {
        let text =
            r#"{"id":-1.5e+3,"é":"a\u00e9\"日","o":{"a\n":[true,null,{}],"b":[]},"f":false}"#;
        let expected = [
            ("id", "-1.5e+3"),
            ("é", r#""a\u00e9\"日""#),
            ("o", r#"{"a\n":[true,null,{}],"b":[]}"#),
            ("f", "false"),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(found(&members(text).expect("accepted")), expected);
        assert_eq!(members("{}").map(|members| members.len()), Some(0));
    }

    #[test]
    fn deep_nesting_is_left_to_others() {
        let nested = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(members(&nested(MAX_DEPTH)).is_some());
        assert!(members(&nested(MAX_DEPTH + 1)).is_none());
        assert!(members(&nested(100_000)).is_none());
    }
}
