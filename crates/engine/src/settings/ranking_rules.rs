//! The names of ranking rules as users write them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Ascending or descending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Smallest first.
    Asc,
    /// Largest first.
    Desc,
}

impl Direction {
    /// `asc` or `desc`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asc => "asc",
            Self::Desc => "desc",
        }
    }
}

/// One entry of the `rankingRules` setting.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum RankingRuleSetting {
    /// More query words first.
    Words,
    /// Fewer typos first.
    Typo,
    /// Query words closer together first.
    Proximity,
    /// [`Self::AttributeRank`] directly followed by [`Self::WordPosition`].
    Attribute,
    /// Matches in more important attributes first.
    AttributeRank,
    /// Matches at the positions the query gives them first.
    WordPosition,
    /// Stands for the `sort` list of the search.
    Sort,
    /// Exact matches first.
    Exactness,
    /// The values of an attribute, ascending or descending.
    Custom(String, Direction),
}

/// A text that is no ranking rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRankingRule(pub String);

impl fmt::Display for UnknownRankingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` ranking rule is invalid. Valid ranking rules are words, typo, sort, proximity, \
             attribute, exactness and custom ranking rules.",
            self.0
        )
    }
}

impl std::error::Error for UnknownRankingRule {}

impl FromStr for RankingRuleSetting {
    type Err = UnknownRankingRule;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "words" => Self::Words,
            "typo" => Self::Typo,
            "proximity" => Self::Proximity,
            "attribute" => Self::Attribute,
            "attributeRank" => Self::AttributeRank,
            "wordPosition" | "wordsPosition" => Self::WordPosition,
            "sort" => Self::Sort,
            "exactness" => Self::Exactness,
            other => custom(other).ok_or_else(|| UnknownRankingRule(other.to_owned()))?,
        })
    }
}

fn custom(text: &str) -> Option<RankingRuleSetting> {
    let called = |name: &str| {
        text.strip_prefix(name)?
            .strip_prefix('(')?
            .strip_suffix(')')
    };
    let (attribute, direction) = if let Some(attribute) = text.strip_suffix(":asc") {
        (attribute, Direction::Asc)
    } else if let Some(attribute) = text.strip_suffix(":desc") {
        (attribute, Direction::Desc)
    } else if let Some(attribute) = called("asc") {
        (attribute, Direction::Asc)
    } else {
        (called("desc")?, Direction::Desc)
    };
    Some(RankingRuleSetting::Custom(attribute.to_owned(), direction))
}

impl TryFrom<String> for RankingRuleSetting {
    type Error = UnknownRankingRule;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<RankingRuleSetting> for String {
    fn from(rule: RankingRuleSetting) -> Self {
        match rule {
            RankingRuleSetting::Words => "words".into(),
            RankingRuleSetting::Typo => "typo".into(),
            RankingRuleSetting::Proximity => "proximity".into(),
            RankingRuleSetting::Attribute => "attribute".into(),
            RankingRuleSetting::AttributeRank => "attributeRank".into(),
            RankingRuleSetting::WordPosition => "wordPosition".into(),
            RankingRuleSetting::Sort => "sort".into(),
            RankingRuleSetting::Exactness => "exactness".into(),
            RankingRuleSetting::Custom(attribute, direction) => {
                format!("{attribute}:{}", direction.as_str())
            }
        }
    }
}
