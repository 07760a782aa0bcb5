//! Attribute names and patterns: `a` covers itself and its children, `*` stands for anything at
//! the start, at the end, or at both ends.

/// How a configured name selects attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributePattern<'a> {
    /// `*`
    All,
    /// `a*`
    Prefix(&'a str),
    /// `*a`
    Suffix(&'a str),
    /// `*a*`
    Contains(&'a str),
    /// `a`: the attribute and everything nested under it.
    Exact(&'a str),
}

impl<'a> AttributePattern<'a> {
    /// Reads a pattern; a `*` elsewhere than at an end is an ordinary character.
    #[must_use]
    pub fn parse(text: &'a str) -> Self {
        if text == "*" {
            return Self::All;
        }
        match (text.strip_prefix('*'), text.strip_suffix('*')) {
            (Some(rest), Some(_)) => Self::Contains(&rest[..rest.len() - 1]),
            (Some(rest), None) => Self::Suffix(rest),
            (None, Some(rest)) => Self::Prefix(rest),
            (None, None) => Self::Exact(text),
        }
    }

    /// Whether the full dotted `attribute` is selected.
    #[must_use]
    pub fn matches(self, attribute: &str) -> bool {
        match self {
            Self::All => true,
            Self::Prefix(start) => attribute.starts_with(start),
            Self::Suffix(end) => attribute.ends_with(end),
            Self::Contains(part) => attribute.contains(part),
            Self::Exact(name) => covers(name, attribute),
        }
    }
}

/// Whether `attribute` is `parent` or nested under it, segment by segment.
#[must_use]
pub fn covers(parent: &str, attribute: &str) -> bool {
    attribute
        .strip_prefix(parent)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_covers_its_children_by_whole_segments() {
        assert!(covers("author", "author"));
        assert!(covers("author", "author.name"));
        assert!(!covers("author", "authors"));
        assert!(!covers("author.name", "author"));
    }

    #[test]
    fn a_star_counts_at_the_ends_only() {
        let matches = |pattern, attribute| AttributePattern::parse(pattern).matches(attribute);
        assert!(matches("*", "anything"));
        assert!(matches("na*", "name"));
        assert!(matches("*_fr", "title_fr"));
        assert!(matches("*it*", "title"));
        assert!(!matches("t*e", "title"));
        assert!(matches("t*e", "t*e"));
    }
}
