//! Moments as nanoseconds since 1970, and their text: RFC 3339 in UTC, and ISO 8601 durations.
//!
//! Covers the years 1677 to 2262; text outside of that is clamped when parsed.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

const NANOS_PER_SECOND: i64 = 1_000_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// A moment in UTC with nanosecond resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The current moment of the system clock; saturates outside of the covered years.
    #[must_use]
    pub fn now() -> Self {
        let nanos = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(elapsed) => i64::try_from(elapsed.as_nanos()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |n| -n),
        };
        Self(nanos)
    }

    /// Reads RFC 3339 text with any offset. `None` when it is not such a text.
    /// Fraction digits past the ninth are dropped.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let date_end = 10;
        if bytes.len() < 20 || !matches!(bytes[date_end], b'T' | b't' | b' ') {
            return None;
        }
        let (year, month, day) = parse_date(&bytes[..date_end])?;
        let hour = digits(&bytes[11..13])?;
        let minute = digits(&bytes[14..16])?;
        let second = digits(&bytes[17..19])?;
        if bytes[13] != b':' || bytes[16] != b':' || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let (fraction, rest) = parse_fraction(&bytes[19..])?;
        let offset = parse_offset(rest)?;
        let days = days_from_civil(year, month, day);
        let seconds = days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second.min(59) - offset;
        let nanos = i128::from(seconds) * i128::from(NANOS_PER_SECOND) + i128::from(fraction);
        Some(Self(
            nanos.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64,
        ))
    }
}

impl std::fmt::Display for Timestamp {
    /// `2024-01-15T14:30:12.345Z`: no trailing zeros in the fraction, none at all when it is zero.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.0.div_euclid(NANOS_PER_SECOND);
        let nanos = self.0.rem_euclid(NANOS_PER_SECOND);
        let (year, month, day) = civil_from_days(seconds.div_euclid(SECONDS_PER_DAY));
        let of_day = seconds.rem_euclid(SECONDS_PER_DAY);
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
        )?;
        if nanos != 0 {
            write!(f, ".{}", format!("{nanos:09}").trim_end_matches('0'))?;
        }
        f.write_str("Z")
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not an RFC 3339 date")))
    }
}

/// The time from `start` to `end` as `P[nD]T<seconds>[.fraction]S` with 0, 3, 6 or 9 fraction
/// digits. `None` when it is negative.
#[must_use]
pub fn duration_text(start: Timestamp, end: Timestamp) -> Option<String> {
    let nanos = end.0.checked_sub(start.0).filter(|nanos| *nanos >= 0)?;
    let (seconds, fraction) = (nanos / NANOS_PER_SECOND, nanos % NANOS_PER_SECOND);
    let (days, seconds) = (seconds / SECONDS_PER_DAY, seconds % SECONDS_PER_DAY);
    let days = if days > 0 {
        format!("{days}D")
    } else {
        String::new()
    };
    let fraction = match fraction {
        0 => String::new(),
        f if f % 1_000_000 == 0 => format!(".{:03}", f / 1_000_000),
        f if f % 1_000 == 0 => format!(".{:06}", f / 1_000),
        f => format!(".{f:09}"),
    };
    Some(format!("P{days}T{seconds}{fraction}S"))
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes.iter().try_fold(0i64, |sum, byte| {
        byte.is_ascii_digit()
            .then(|| sum * 10 + i64::from(byte - b'0'))
    })
}

fn parse_date(bytes: &[u8]) -> Option<(i64, i64, i64)> {
    let (year, month, day) = (
        digits(&bytes[0..4])?,
        digits(&bytes[5..7])?,
        digits(&bytes[8..10])?,
    );
    let valid = bytes[4] == b'-' && bytes[7] == b'-' && (1..=12).contains(&month);
    (valid && day >= 1 && day <= days_in_month(year, month)).then_some((year, month, day))
}

/// Nanoseconds of an optional `.digits`, and what follows it.
fn parse_fraction(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let Some(after_dot) = bytes.strip_prefix(b".") else {
        return Some((0, bytes));
    };
    let n_digits = after_dot
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if n_digits == 0 {
        return None;
    }
    let kept = n_digits.min(9);
    let scale = 10i64.pow(9 - kept as u32);
    Some((digits(&after_dot[..kept])? * scale, &after_dot[n_digits..]))
}

/// Seconds east of UTC of `Z` or `+hh:mm`.
fn parse_offset(bytes: &[u8]) -> Option<i64> {
    match bytes {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), rest @ ..] if rest.len() == 5 && rest[2] == b':' => {
            let (hours, minutes) = (digits(&rest[0..2])?, digits(&rest[3..5])?);
            let seconds = hours * 3600 + minutes * 60;
            (hours < 24 && minutes < 60).then_some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar. Years are counted from March, so
/// that the leap day is the last day of a year; 400 years have 146,097 days.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_moments_are_written_without_trailing_zeros() {
        assert_eq!(Timestamp(0).to_string(), "1970-01-01T00:00:00Z");
        assert_eq!(
            Timestamp(1_709_210_096_500_000_000).to_string(),
            "2024-02-29T12:34:56.5Z"
        );
        assert_eq!(Timestamp(-1).to_string(), "1969-12-31T23:59:59.999999999Z");
    }

    #[test]
    fn offsets_and_long_fractions_are_read() {
        let parse = |text| Timestamp::parse(text).map(|t| t.to_string());
        assert_eq!(
            parse("2200-01-01T00:00:00.000+02:00").unwrap(),
            "2199-12-31T22:00:00Z"
        );
        assert_eq!(
            parse("2024-02-29t12:34:56.1234567891z").unwrap(),
            "2024-02-29T12:34:56.123456789Z"
        );
        assert_eq!(parse("2023-02-29T00:00:00Z"), None);
        assert_eq!(parse("2023-02-28T00:00:00"), None);
        assert_eq!(parse("doggo"), None);
    }

    #[test]
    fn durations_drop_empty_groups_of_three_digits() {
        let text = |nanos: i64| duration_text(Timestamp(5), Timestamp(5 + nanos)).unwrap();
        assert_eq!(text(4_146_000), "PT0.004146S");
        assert_eq!(text(1_000_000_000), "PT1S");
        assert_eq!(text(86_402_500_000_000), "P1DT2.500S");
        assert_eq!(text(1), "PT0.000000001S");
        assert_eq!(duration_text(Timestamp(5), Timestamp(4)), None);
    }

    proptest! {
        /// Any moment is read back from its own text.
        #[test]
        fn text_round_trips(nanos in any::<i64>()) {
            let moment = Timestamp(nanos);
            prop_assert_eq!(Timestamp::parse(&moment.to_string()), Some(moment));
        }

        /// Any text is answered, never a panic.
        #[test]
        fn any_text_is_answered(text in "\\PC{0,40}") {
            let _ = Timestamp::parse(&text);
        }
    }
}
