//! Answers as a script takes them: JSON in units of one or two bytes instead of UTF-8.
//!
//! A script keeps text of at most 255 characters in one byte each, and all text in which another
//! character stands in two. An answer of which a few do is written with escapes for these: it takes
//! half the memory then, and is parsed in half the time.
//!
//! # Cost
//! A look at each byte, 32 at a time where they are ASCII.

use std::borrow::Cow;

/// JSON in the units of a script.
#[derive(Debug, PartialEq, Eq)]
pub enum AnswerText {
    /// A byte for each character.
    Latin1(Vec<u8>),
    /// UTF-16.
    Utf16(Vec<u16>),
}

/// Bytes that are looked at together.
const BLOCK: usize = 32;
/// Text with more than one escape in so many bytes is not worth escaping.
const BYTES_OF_ESCAPE: usize = 16;

impl AnswerText {
    /// The same JSON. What is not UTF-8 is replaced.
    #[must_use]
    pub fn of(json: Vec<u8>) -> Self {
        if json.is_ascii() {
            return Self::Latin1(json);
        }
        let text = match str::from_utf8(&json) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(&json),
        };
        match latin1(&text) {
            Some(bytes) => Self::Latin1(bytes),
            None => Self::Utf16(text.encode_utf16().collect()),
        }
    }
}

/// The JSON with escapes for what is not Latin-1: beyond ASCII there are strings only. `None` if
/// there are too many.
fn latin1(json: &str) -> Option<Vec<u8>> {
    let most = json.len() / BYTES_OF_ESCAPE;
    let mut out = Vec::with_capacity(json.len() + json.len() / 8);
    let mut n_escapes = 0;
    let mut rest = json;
    loop {
        let (ascii, wide) = rest.split_at(ascii_len(rest.as_bytes()));
        out.extend_from_slice(ascii.as_bytes());
        let Some(c) = wide.chars().next() else {
            return Some(out);
        };
        match u8::try_from(c) {
            Ok(byte) => out.push(byte),
            Err(_) => {
                n_escapes += 1;
                if n_escapes > most {
                    return None;
                }
                for unit in c.encode_utf16(&mut [0; 2]) {
                    escape(*unit, &mut out);
                }
            }
        }
        rest = &wide[c.len_utf8()..];
    }
}

fn escape(unit: u16, out: &mut Vec<u8>) {
    let digit = |shift: u32| b"0123456789abcdef"[usize::from(unit >> shift & 15)];
    out.extend_from_slice(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]);
}

/// Bytes before the first one that is not ASCII.
fn ascii_len(bytes: &[u8]) -> usize {
    let is_ascii = |block: &&[u8]| block.iter().fold(0, |all, byte| all | byte) < 0x80;
    let whole = bytes.chunks_exact(BLOCK).take_while(is_ascii).count() * BLOCK;
    let rest = bytes[whole..].iter().position(|byte| !byte.is_ascii());
    whole + rest.unwrap_or(bytes.len() - whole)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn read(text: &AnswerText) -> Value {
        let json: String = match text {
            AnswerText::Latin1(bytes) => bytes.iter().map(|byte| char::from(*byte)).collect(),
            AnswerText::Utf16(units) => String::from_utf16(units).expect("it was text"),
        };
        serde_json::from_str(&json).expect("it is JSON")
    }

    proptest! {
        #[test]
        fn a_script_reads_what_was_written(
            texts in proptest::collection::vec(
                prop_oneof!["[a-z \"\\\\\n]{0,90}", "[é-ü a-z]{0,9}", "[’–a-z]{0,9}", any::<String>()],
                0..9,
            ),
        ) {
            let value = Value::from(texts);
            prop_assert_eq!(read(&AnswerText::of(value.to_string().into_bytes())), value);
        }
    }

    #[test]
    fn a_text_with_few_other_characters_takes_a_byte_for_each() {
        let mostly_ascii = format!("\"{} ’ é 🍕\"", "plain ".repeat(20));
        let AnswerText::Latin1(bytes) = AnswerText::of(mostly_ascii.into_bytes()) else {
            panic!("it takes two");
        };
        assert!(bytes.ends_with(b" \\u2019 \xe9 \\ud83c\\udf55\""));
        let russian = AnswerText::of("\"Преступление и наказание\"".into());
        assert!(matches!(russian, AnswerText::Utf16(_)));
    }
}
