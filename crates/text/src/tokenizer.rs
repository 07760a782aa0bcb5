//! The tokeniser: settings compiled once, then shared by every thread.

use std::sync::Arc;

use charabia::Language;

use crate::flat_text::FlatText;
use crate::latin_cut::LatinCut;
use crate::latin_table::is_latin_text;
use crate::locale::Locale;
use crate::options::TokenizerOptions;
use crate::script_cut;
use crate::separators::Cuts;
use crate::token::Token;

/// Cuts and normalises text; cheap to clone, usable from many threads at once.
#[derive(Debug, Clone)]
pub struct Tokenizer(Arc<Rules>);

#[derive(Debug)]
struct Rules {
    cuts: Cuts,
    /// The fast path, where settings allow it.
    latin: Option<LatinCut>,
}

impl Tokenizer {
    /// Compiles the settings of an index. Without custom separators and dictionary this costs
    /// microseconds; with them, an automaton of a thousand patterns (about a millisecond).
    pub fn new(options: &TokenizerOptions) -> Self {
        let cuts = Cuts::new(options);
        let latin = LatinCut::new(&cuts);
        Self(Arc::new(Rules { cuts, latin }))
    }

    /// Calls `each` for every token in order, separators included.
    ///
    /// Token texts live only during the call. `locales` restricts which languages may be assumed;
    /// empty means any. [`Token::original_prefix`] is not exact here, see
    /// [`Tokenizer::tokenize_mapped`].
    pub fn tokenize(&self, text: &str, locales: &[Locale], mut each: impl FnMut(Token<'_>)) {
        self.run(text, locales, false, &mut each);
    }

    /// Like [`Tokenizer::tokenize`], for highlighting: slower on text with accents, but
    /// [`Token::original_prefix`] is exact.
    pub fn tokenize_mapped(&self, text: &str, locales: &[Locale], mut each: impl FnMut(Token<'_>)) {
        self.run(text, locales, true, &mut each);
    }

    /// The text as one of which parts can be cut, if it and the settings allow that.
    pub fn flat<'t>(&'t self, text: &'t str, locales: &[Locale]) -> Option<FlatText<'t>> {
        let Rules { cuts, latin } = &*self.0;
        let latin = latin
            .as_ref()
            .filter(|latin| is_flat(text, latin.is_wide(), locales))?;
        FlatText::new(text, latin, cuts)
    }

    /// The same tokens, kept, with what [`Token::original_prefix`] needs to be exact.
    pub fn tokens(&self, text: &str, locales: &[Locale]) -> Vec<Token<'static>> {
        let mut tokens = Vec::new();
        self.tokenize_mapped(text, locales, |token| tokens.push(token.into_owned()));
        tokens
    }

    fn run(&self, text: &str, locales: &[Locale], mapped: bool, each: &mut impl FnMut(Token<'_>)) {
        let Rules { cuts, latin } = &*self.0;
        match latin {
            Some(latin) if is_flat(text, latin.is_wide(), locales) => {
                latin.tokenize(text, cuts, mapped, each);
            }
            _ => script_cut::tokenize(text, cuts, locales, mapped, each),
        }
    }
}

impl Default for Tokenizer {
    fn default() -> Self {
        Self::new(&TokenizerOptions::default())
    }
}

/// True for text that needs no script detection and no language: German cuts words, Swedish keeps
/// letters that others fold.
fn is_flat(text: &str, wide: bool, locales: &[Locale]) -> bool {
    let named = |language| locales.iter().any(|locale| locale.language() == language);
    if named(Language::Deu) {
        return false;
    }
    text.is_ascii() || (wide && !named(Language::Swe) && is_latin_text(text))
}
