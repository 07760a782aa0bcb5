//! Escapes inside quotes.
//!
//! `\b \f \n \r \t \' \" \\ \/`, `\xHH`, `\uHHHH`, `\u{H...}` and octal `\ooo` (up to `\377`).

use std::borrow::Cow;
use std::str::Chars;

/// Why an escape cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EscapeFault {
    /// The text ends inside an escape.
    Incomplete,
    /// The digits are not a number.
    Number,
    /// No such escape, or no such character.
    Character,
}

/// The text with its escapes read.
pub(crate) fn unescape(text: &str) -> Result<Cow<'_, str>, EscapeFault> {
    if !text.contains('\\') {
        return Ok(Cow::Borrowed(text));
    }
    let mut unescaped = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        unescaped.push(if c == '\\' { escape(&mut chars)? } else { c });
    }
    Ok(Cow::Owned(unescaped))
}

fn escape(chars: &mut Chars<'_>) -> Result<char, EscapeFault> {
    match chars.next().ok_or(EscapeFault::Incomplete)? {
        'b' => Ok('\u{8}'),
        'f' => Ok('\u{c}'),
        'n' => Ok('\n'),
        'r' => Ok('\r'),
        't' => Ok('\t'),
        c @ ('\'' | '"' | '\\' | '/') => Ok(c),
        'x' => character(&digits(chars, 2)?, 16),
        'u' => unicode(chars),
        c @ '0'..='7' => octal(c, chars),
        _ => Err(EscapeFault::Character),
    }
}

fn unicode(chars: &mut Chars<'_>) -> Result<char, EscapeFault> {
    let Some((code, rest)) = chars
        .as_str()
        .strip_prefix('{')
        .map(|rest| rest.split_once('}').ok_or(EscapeFault::Incomplete))
        .transpose()?
    else {
        return character(&digits(chars, 4)?, 16);
    };
    *chars = rest.chars();
    character(code, 16)
}

fn digits(chars: &mut Chars<'_>, n_digits: usize) -> Result<String, EscapeFault> {
    let digits: String = chars.by_ref().take(n_digits).collect();
    if digits.chars().count() < n_digits {
        return Err(EscapeFault::Incomplete);
    }
    Ok(digits)
}

/// One to three digits, as many as stay below 256.
fn octal(first: char, chars: &mut Chars<'_>) -> Result<char, EscapeFault> {
    let max_digits = if first <= '3' { 3 } else { 2 };
    let mut code = String::from(first);
    while code.len() < max_digits
        && let Some(digit @ '0'..='7') = chars.clone().next()
    {
        code.push(digit);
        chars.next();
    }
    character(&code, 8)
}

fn character(code: &str, radix: u32) -> Result<char, EscapeFault> {
    if !code.chars().all(|c| c.is_digit(radix)) {
        return Err(EscapeFault::Number);
    }
    let code = u32::from_str_radix(code, radix).map_err(|_| EscapeFault::Number)?;
    char::from_u32(code).ok_or(EscapeFault::Character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_escape_is_read() {
        let read = unescape(r#"\b\f\n\r\t\'\"\\\/\x41\u0042\u{1F43B}\101\47z\7"#);
        assert_eq!(read.as_deref(), Ok("\u{8}\u{c}\n\r\t'\"\\/AB🐻A'z\u{7}"));
    }

    #[test]
    fn a_bad_escape_is_told_apart() {
        for (text, fault) in [
            (r"\x", EscapeFault::Incomplete),
            (r"\u00", EscapeFault::Incomplete),
            (r"\u{41", EscapeFault::Incomplete),
            (r"\xzz", EscapeFault::Number),
            (r"\u{}", EscapeFault::Number),
            (r"\u+041", EscapeFault::Number),
            (r"\q", EscapeFault::Character),
            (r"\ud800", EscapeFault::Character),
            (r"\8", EscapeFault::Character),
        ] {
            assert_eq!(unescape(text), Err(fault), "{text}");
        }
    }
}
