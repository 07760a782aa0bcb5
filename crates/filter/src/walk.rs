//! Walks over the nodes and words of a filter.

use crate::{Filter, Operator, VectorScope, Word};

impl Filter {
    /// Every node, a parent before its parts, parts in order, the inside of `_foreign` included.
    pub fn nodes(&self) -> impl Iterator<Item = &Filter> {
        let mut stack = vec![self];
        std::iter::from_fn(move || {
            let node = stack.pop()?;
            match node {
                Filter::Or(parts) | Filter::And(parts) => stack.extend(parts.iter().rev()),
                Filter::Not(inner) | Filter::Foreign { filter: inner, .. } => stack.push(inner),
                _ => {}
            }
            Some(node)
        })
    }

    /// Every attribute of this index that the filter reads, in order, repeated as it is. The
    /// inside of `_foreign` is about another index and left out; geographic and vector filters
    /// name no attribute.
    pub fn attributes(&self) -> impl Iterator<Item = &Word> {
        let mut stack = vec![self];
        std::iter::from_fn(move || {
            loop {
                match stack.pop()? {
                    Filter::Or(parts) | Filter::And(parts) => stack.extend(parts.iter().rev()),
                    Filter::Not(inner) => stack.push(inner),
                    Filter::Condition { attribute, .. } | Filter::Foreign { attribute, .. } => {
                        return Some(attribute);
                    }
                    _ => {}
                }
            }
        })
    }

    /// The first `CONTAINS` keyword: the operator is behind a feature toggle.
    pub fn contains_keyword(&self) -> Option<&Word> {
        self.nodes().find_map(|node| match node {
            Filter::Condition {
                operator: Operator::Contains { keyword, .. },
                ..
            } => Some(keyword),
            _ => None,
        })
    }

    /// The first `_vectors` keyword.
    pub fn vectors_keyword(&self) -> Option<&Word> {
        self.nodes().find_map(|node| match node {
            Filter::Vectors { keyword, .. } => Some(keyword),
            _ => None,
        })
    }

    /// The first `_foreign` keyword.
    pub fn foreign_keyword(&self) -> Option<&Word> {
        self.nodes().find_map(|node| match node {
            Filter::Foreign { keyword, .. } => Some(keyword),
            _ => None,
        })
    }

    /// Calls `each` for every word, in the order of the canonical text.
    pub(crate) fn for_each_word(&mut self, each: &mut dyn FnMut(&mut Word)) {
        match self {
            Filter::Or(parts) | Filter::And(parts) => {
                parts.iter_mut().for_each(|part| part.for_each_word(each));
            }
            Filter::Not(inner) => inner.for_each_word(each),
            Filter::Condition {
                attribute,
                operator,
            } => {
                each(attribute);
                operator.for_each_word(each);
            }
            Filter::GeoRadius {
                center,
                radius,
                resolution,
            } => {
                center.iter_mut().for_each(&mut *each);
                each(radius);
                resolution.iter_mut().for_each(each);
            }
            Filter::GeoBoundingBox {
                top_right,
                bottom_left,
            } => {
                top_right.iter_mut().chain(bottom_left).for_each(each);
            }
            Filter::GeoPolygon { points } => points.iter_mut().flatten().for_each(each),
            Filter::Vectors {
                keyword,
                embedder,
                scope,
            } => {
                each(keyword);
                embedder.iter_mut().for_each(&mut *each);
                if let VectorScope::Fragment(name) = scope {
                    each(name);
                }
            }
            Filter::Foreign {
                keyword,
                attribute,
                filter,
            } => {
                each(keyword);
                each(attribute);
                filter.for_each_word(each);
            }
        }
    }
}

impl Operator {
    fn for_each_word(&mut self, each: &mut dyn FnMut(&mut Word)) {
        match self {
            Operator::Equal(value)
            | Operator::NotEqual(value)
            | Operator::Greater(value)
            | Operator::GreaterOrEqual(value)
            | Operator::Less(value)
            | Operator::LessOrEqual(value) => each(value),
            Operator::Between { from, to } => {
                each(from);
                each(to);
            }
            Operator::In(values) => values.iter_mut().for_each(each),
            Operator::Exists | Operator::IsNull | Operator::IsEmpty => {}
            Operator::Contains { keyword, value } | Operator::StartsWith { keyword, value } => {
                each(keyword);
                each(value);
            }
        }
    }
}
