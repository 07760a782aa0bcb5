//! The languages of attributes.

use serval_text::Locale;

use crate::settings::{AttributePattern, IndexSettings};

/// Languages by attribute, from the settings or, for all attributes, from a request.
#[derive(Clone, Debug, Default)]
pub struct FieldLocales {
    requested: Option<Vec<Locale>>,
    rules: Vec<(Vec<String>, Vec<Locale>)>,
}

impl FieldLocales {
    /// The languages that the request gives, else those of the settings.
    #[must_use]
    pub fn new(settings: &IndexSettings, requested: Option<&[String]>) -> Self {
        let parse = |codes: &[String]| -> Vec<Locale> {
            codes.iter().filter_map(|code| code.parse().ok()).collect()
        };
        let rules = settings.localized_attributes.iter().flatten();
        Self {
            requested: requested.map(parse),
            rules: rules
                .map(|rule| (rule.attribute_patterns.clone(), parse(&rule.locales)))
                .collect(),
        }
    }

    /// Languages to assume in an attribute; none means any. The first rule that matches decides.
    #[must_use]
    pub fn of(&self, attribute: &str) -> &[Locale] {
        if let Some(locales) = &self.requested {
            return locales;
        }
        let matches = |patterns: &[String]| {
            patterns
                .iter()
                .any(|pattern| AttributePattern::parse(pattern).matches(attribute))
        };
        let rule = self.rules.iter().find(|(patterns, _)| matches(patterns));
        rule.map_or(&[], |(_, locales)| locales)
    }
}
