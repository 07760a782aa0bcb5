//! Numbers as the texts under which they are counted: the shortest that say which number it is.
//!
//! # Cost
//! Ten nanoseconds or two for a number with at most two decimals, a hundred for others.

use std::fmt::Write;

/// Largest number of hundredths whose decimal text is the shortest one: below, no text of as few
/// digits says another number.
const MAX_HUNDREDTHS: f64 = 1e15;

/// Appends a number as `f64` shows itself.
pub(super) fn push_number(number: f64, out: &mut String) {
    let hundredths = number * 100.0;
    let is_short = hundredths.abs() < MAX_HUNDREDTHS
        && hundredths.round() / 100.0 == number
        && (number != 0.0 || number.is_sign_positive());
    if !is_short {
        // Writing to memory cannot fail.
        let _ = write!(out, "{number}");
        return;
    }
    let hundredths = hundredths.round() as i64;
    if hundredths < 0 {
        out.push('-');
    }
    push_hundredths(hundredths.unsigned_abs(), out);
}

fn push_hundredths(hundredths: u64, out: &mut String) {
    let (mut whole, rest) = (hundredths / 100, hundredths % 100);
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    while at == digits.len() || whole > 0 {
        at -= 1;
        digits[at] += (whole % 10) as u8;
        whole /= 10;
    }
    out.extend(digits[at..].iter().map(|digit| char::from(*digit)));
    let digit = |value: u64| char::from(b'0' + (value % 10) as u8);
    if rest > 0 {
        out.push('.');
        out.push(digit(rest / 10));
    }
    if rest % 10 > 0 {
        out.push(digit(rest));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<f64>().prop_filter("finite", |number| number.is_finite()),
            (any::<i32>(), 0..5_u32)
                .prop_map(|(n, power)| f64::from(n) / 10_f64.powi(power as i32)),
            any::<i64>().prop_map(|n| n as f64 / 100.0),
            (-200_000..200_000_i64).prop_map(|n| n as f64 / 100.0),
            Just(-0.0),
        ]
    }

    proptest! {
        /// Every number is written as the standard library writes it.
        #[test]
        fn numbers_are_written_as_they_show_themselves(number in number()) {
            let mut text = String::new();
            push_number(number, &mut text);
            prop_assert_eq!(text, number.to_string());
        }
    }
}
