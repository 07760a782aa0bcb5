//! Checks of one JSON string, number or word inside a document.
//!
//! Every function takes the document and the place where the value starts, and returns the place
//! after it. They accept exactly what `serde_json` decodes: no control byte in a string, known
//! escapes, paired surrogates, finite numbers. UTF-8 is checked once a document, not here.

/// Why scanning stopped before the end of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The bytes seen so far may be the start of a document.
    Incomplete,
    /// No continuation makes this a document.
    Refused,
}

/// A string that was checked, from its opening quote.
pub(crate) struct ScannedString {
    /// Place after the closing quote.
    pub(crate) end: usize,
    /// Whether it holds a backslash.
    pub(crate) escaped: bool,
}

/// Checks the string whose opening quote is at `start`.
pub(crate) fn string(bytes: &[u8], start: usize) -> Result<ScannedString, Stop> {
    let mut at = start + 1;
    let mut escaped = false;
    loop {
        at += plain_run(&bytes[at..]);
        match bytes.get(at) {
            None => return Err(Stop::Incomplete),
            Some(b'"') => {
                return Ok(ScannedString {
                    end: at + 1,
                    escaped,
                });
            }
            Some(b'\\') => {
                escaped = true;
                at = escape(bytes, at + 1)?;
            }
            Some(_) => return Err(Stop::Refused),
        }
    }
}

/// Number of leading bytes that are neither a quote, a backslash nor a control byte.
fn plain_run(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(word) = bytes.get(at..at + 8) {
        let word = u64::from_le_bytes(word.try_into().expect("invariant: eight bytes"));
        let found = special_bytes(word);
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let tail = bytes[at..]
        .iter()
        .position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'));
    at + tail.unwrap_or(bytes.len() - at)
}

/// The high bit of the first special byte is set, and none before it; later bits may be wrong,
/// because a borrow runs upwards only.
fn special_bytes(word: u64) -> u64 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let quote = word ^ (LOW * b'"' as u64);
    let backslash = word ^ (LOW * b'\\' as u64);
    let below = word.wrapping_sub(LOW * 0x20) & !word;
    let zero = |word: u64| word.wrapping_sub(LOW) & !word;
    (zero(quote) | zero(backslash) | below) & HIGH
}

/// Checks the escape whose backslash is just before `at`.
fn escape(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    match bytes.get(at).ok_or(Stop::Incomplete)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(at + 1),
        b'u' => match hex4(bytes, at + 1)? {
            0xd800..0xdc00 => low_surrogate(bytes, at + 5),
            0xdc00..0xe000 => Err(Stop::Refused),
            _ => Ok(at + 5),
        },
        _ => Err(Stop::Refused),
    }
}

fn low_surrogate(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    for (i, wanted) in (*b"\\u").into_iter().enumerate() {
        if *bytes.get(at + i).ok_or(Stop::Incomplete)? != wanted {
            return Err(Stop::Refused);
        }
    }
    match hex4(bytes, at + 2)? {
        0xdc00..0xe000 => Ok(at + 6),
        _ => Err(Stop::Refused),
    }
}

fn hex4(bytes: &[u8], at: usize) -> Result<u32, Stop> {
    let mut code = 0;
    for i in at..at + 4 {
        let digit = char::from(*bytes.get(i).ok_or(Stop::Incomplete)?).to_digit(16);
        code = code * 16 + digit.ok_or(Stop::Refused)?;
    }
    Ok(code)
}

/// Longest number without exponent that cannot overflow a double.
const SAFE_LENGTH: usize = 300;

/// Checks the number at `start`. A document never ends with a number, so the end of the bytes is
/// [`Stop::Incomplete`].
pub(crate) fn number(bytes: &[u8], start: usize) -> Result<usize, Stop> {
    let mut at = start + usize::from(bytes[start] == b'-');
    match bytes.get(at).ok_or(Stop::Incomplete)? {
        b'0' => at += 1,
        _ => at = digits(bytes, at)?,
    }
    if peek(bytes, at)? == b'.' {
        at = digits(bytes, at + 1)?;
    }
    let mut exponent = false;
    if matches!(peek(bytes, at)?, b'e' | b'E') {
        exponent = true;
        let sign = matches!(peek(bytes, at + 1)?, b'+' | b'-');
        at = digits(bytes, at + 1 + usize::from(sign))?;
    }
    let checked = !exponent && at - start < SAFE_LENGTH;
    if peek(bytes, at)?.is_ascii_digit() || !(checked || is_finite(&bytes[start..at])) {
        return Err(Stop::Refused);
    }
    Ok(at)
}

fn digits(bytes: &[u8], start: usize) -> Result<usize, Stop> {
    let n_digits = bytes[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    match (n_digits, start + n_digits == bytes.len()) {
        (_, true) => Err(Stop::Incomplete),
        (0, false) => Err(Stop::Refused),
        (_, false) => Ok(start + n_digits),
    }
}

fn peek(bytes: &[u8], at: usize) -> Result<u8, Stop> {
    bytes.get(at).copied().ok_or(Stop::Incomplete)
}

/// Digits that a double keeps whatever they are.
const EXACT_DIGITS: usize = 15;

/// The form in which a checked number is stored, if it is another one than its own: shortest
/// decimal for everything that is no integer of 64 bits. `None` for the common case.
pub(crate) fn usual_form(number: &[u8]) -> Option<String> {
    let is_plain = number
        .iter()
        .all(|byte| byte.is_ascii_digit() || *byte == b'-');
    let is_usual = if is_plain {
        number.len() <= EXACT_DIGITS && number != b"-0"
    } else {
        let is_short =
            number.len() <= EXACT_DIGITS && !number.iter().any(|b| matches!(b, b'e' | b'E'));
        is_short && (!number.ends_with(b"0") || number.ends_with(b".0"))
    };
    if is_usual {
        return None;
    }
    let value: serde_json::Value = serde_json::from_slice(number).ok()?;
    let usual = value.to_string();
    (usual.as_bytes() != number).then_some(usual)
}

/// Asks the decoder that will read the number later, because its limit is what matters.
fn is_finite(number: &[u8]) -> bool {
    serde_json::from_slice::<f64>(number).is_ok()
}

/// Checks that `word` (`true`, `false`, `null`) is at `start`.
pub(crate) fn word(bytes: &[u8], start: usize, word: &[u8]) -> Result<usize, Stop> {
    let seen = &bytes[start..bytes.len().min(start + word.len())];
    if seen == word {
        Ok(start + word.len())
    } else if word.starts_with(seen) {
        Err(Stop::Incomplete)
    } else {
        Err(Stop::Refused)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_word_wise_scan_finds_the_same_byte_as_the_naive_one(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'"'), Just(b'\\'), Just(0x1f), 0x20..0x7fu8], 0..64)
        ) {
            let naive = bytes.iter().position(|byte| *byte < 0x20 || *byte == b'"' || *byte == b'\\');
            prop_assert_eq!(plain_run(&bytes), naive.unwrap_or(bytes.len()));
        }

        #[test]
        fn a_string_is_accepted_exactly_when_serde_json_decodes_it(
            text in r#"([a-zé\n "]|\\[\\"/bfnrtuUx]|\\u[dD][89abcdefAB][0-9a-f]{2}|\\u[0-9a-g]{4}){0,6}"#
        ) {
            let quoted = format!("\"{text}\"");
            let accepted = matches!(string(quoted.as_bytes(), 0), Ok(end) if end.end == quoted.len());
            prop_assert_eq!(accepted, serde_json::from_str::<String>(&quoted).is_ok());
        }

        #[test]
        fn a_number_is_stored_as_serde_json_writes_it(
            number in r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?"
        ) {
            let value: serde_json::Value = serde_json::from_str(&number).expect("a number");
            let stored = usual_form(number.as_bytes()).unwrap_or_else(|| number.clone());
            prop_assert_eq!(stored, value.to_string());
        }

        #[test]
        fn a_number_is_accepted_exactly_when_serde_json_decodes_it(
            text in r"-?(0|[0-9]{1,4}|[1-9]{305,312})?(\.[0-9]{0,3})?([eE][+-]?[0-9]{0,3})?"
        ) {
            prop_assume!(!text.is_empty());
            let followed = format!("{text},");
            let accepted = number(followed.as_bytes(), 0) == Ok(text.len());
            prop_assert_eq!(accepted, serde_json::from_str::<f64>(&text).is_ok());
        }
    }
}
