//! Languages that a request or a setting may name.

use std::str::FromStr;

use charabia::Language;

/// A language named by its two-letter or three-letter code.
///
/// Two codes of one language are different locales to print, but the same language to cut text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Locale {
    code: &'static str,
    language: Language,
}

/// The code names no language this crate knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unsupported locale `{0}`")]
pub struct UnknownLocale(pub String);

impl Locale {
    /// The code as it was written.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// Two-letter codes, in the order in which messages list them.
    pub fn two_letter_codes() -> impl Iterator<Item = &'static str> {
        CODES
            .iter()
            .map(|(short, _, _)| *short)
            .filter(|code| !code.is_empty())
    }

    /// Three-letter codes, in the order in which messages list them.
    pub fn three_letter_codes() -> impl Iterator<Item = &'static str> {
        CODES.iter().map(|(_, long, _)| *long)
    }

    pub(crate) fn language(self) -> Language {
        self.language
    }
}

impl FromStr for Locale {
    type Err = UnknownLocale;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        CODES
            .iter()
            .find_map(|&(short, long, language)| match code {
                "" => None,
                _ if code == short => Some(Self {
                    code: short,
                    language,
                }),
                _ if code == long => Some(Self {
                    code: long,
                    language,
                }),
                _ => None,
            })
            .ok_or_else(|| UnknownLocale(code.to_owned()))
    }
}

#[rustfmt::skip]
const CODES: &[(&str, &str, Language)] = &[
    ("af", "afr", Language::Afr),
    ("ak", "aka", Language::Aka),
    ("am", "amh", Language::Amh),
    ("ar", "ara", Language::Ara),
    ("az", "aze", Language::Aze),
    ("be", "bel", Language::Bel),
    ("bn", "ben", Language::Ben),
    ("bg", "bul", Language::Bul),
    ("ca", "cat", Language::Cat),
    ("cs", "ces", Language::Ces),
    ("da", "dan", Language::Dan),
    ("de", "deu", Language::Deu),
    ("el", "ell", Language::Ell),
    ("en", "eng", Language::Eng),
    ("eo", "epo", Language::Epo),
    ("et", "est", Language::Est),
    ("fi", "fin", Language::Fin),
    ("fr", "fra", Language::Fra),
    ("gu", "guj", Language::Guj),
    ("he", "heb", Language::Heb),
    ("hi", "hin", Language::Hin),
    ("hr", "hrv", Language::Hrv),
    ("hu", "hun", Language::Hun),
    ("hy", "hye", Language::Hye),
    ("id", "ind", Language::Ind),
    ("it", "ita", Language::Ita),
    ("jv", "jav", Language::Jav),
    ("ja", "jpn", Language::Jpn),
    ("kn", "kan", Language::Kan),
    ("ka", "kat", Language::Kat),
    ("km", "khm", Language::Khm),
    ("ko", "kor", Language::Kor),
    ("la", "lat", Language::Lat),
    ("lv", "lav", Language::Lav),
    ("lt", "lit", Language::Lit),
    ("ml", "mal", Language::Mal),
    ("mr", "mar", Language::Mar),
    ("mk", "mkd", Language::Mkd),
    ("my", "mya", Language::Mya),
    ("ne", "nep", Language::Nep),
    ("nl", "nld", Language::Nld),
    ("nb", "nob", Language::Nob),
    ("or", "ori", Language::Ori),
    ("pa", "pan", Language::Pan),
    ("fa", "pes", Language::Pes),
    ("pl", "pol", Language::Pol),
    ("pt", "por", Language::Por),
    ("ro", "ron", Language::Ron),
    ("ru", "rus", Language::Rus),
    ("si", "sin", Language::Sin),
    ("sk", "slk", Language::Slk),
    ("sl", "slv", Language::Slv),
    ("sn", "sna", Language::Sna),
    ("es", "spa", Language::Spa),
    ("sr", "srp", Language::Srp),
    ("sv", "swe", Language::Swe),
    ("ta", "tam", Language::Tam),
    ("te", "tel", Language::Tel),
    ("tl", "tgl", Language::Tgl),
    ("th", "tha", Language::Tha),
    ("tk", "tuk", Language::Tuk),
    ("tr", "tur", Language::Tur),
    ("uk", "ukr", Language::Ukr),
    ("ur", "urd", Language::Urd),
    ("uz", "uzb", Language::Uzb),
    ("vi", "vie", Language::Vie),
    ("yi", "yid", Language::Yid),
    ("zh", "zho", Language::Zho),
    ("zu", "zul", Language::Zul),
    ("", "cmn", Language::Cmn),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_codes_name_the_same_language() {
        let short: Locale = "de".parse().expect("known");
        let long: Locale = "deu".parse().expect("known");
        assert_eq!(short.language(), long.language());
        assert_eq!((short.code(), long.code()), ("de", "deu"));
    }

    #[test]
    fn every_listed_code_parses_to_itself() {
        for code in Locale::two_letter_codes().chain(Locale::three_letter_codes()) {
            assert_eq!(code.parse::<Locale>().expect("listed").code(), code);
        }
        assert_eq!(Locale::two_letter_codes().count(), 69);
        assert_eq!(Locale::three_letter_codes().last(), Some("cmn"));
    }

    #[test]
    fn an_unknown_code_is_refused_with_its_name() {
        let error = "xx".parse::<Locale>().expect_err("unknown");
        assert_eq!(error.to_string(), "unsupported locale `xx`");
        assert!("".parse::<Locale>().is_err());
    }
}
