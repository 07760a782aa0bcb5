//! Conditions that start with a field name.
//!
//! Alternatives are told apart by what follows the name. A name that nothing follows is an
//! expected operation, shown from the start of the condition.

use crate::error::Fault;
use crate::lexer::{Read, Stop};
use crate::parser::{Parser, negated};
use crate::{Filter, Operator, Word};

/// A symbol and the operator it makes of the value after it.
type Comparison = (&'static str, fn(Word) -> Operator);

/// Longer symbols first.
const COMPARISONS: [Comparison; 6] = [
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("!=", Operator::NotEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("=", Operator::Equal),
];

/// An operator, whether `NOT` came with it, and the place after it; `None` when another form may
/// still be there.
type Found = Result<Option<((Operator, bool), usize)>, Stop>;

impl Parser<'_> {
    /// A condition that starts at `at`, white space included.
    pub(crate) fn condition(&self, at: usize, depth: usize) -> Read<Filter> {
        let (attribute, after) = match self.lexer.value(at) {
            Ok(read) => read,
            Err(stop) if stop.is_final || stop.fault == Fault::ReservedKeyword => return Err(stop),
            Err(_) => return Err(self.lexer.stop(Fault::ExpectedOperation, at)),
        };
        if let Some(found) = self.plain_operator(after)? {
            return Ok(condition(attribute, found));
        }
        let start = self.lexer.skip_space(at);
        if let Some(read) = self.vectors(start)? {
            return Ok(read);
        }
        if let Some(found) = self.late_operator(after)? {
            return Ok(condition(attribute, found));
        }
        match self.lexer.skip_word(start, "_foreign") {
            Some(after) => self.foreign(start..after, depth),
            None => Err(self.lexer.stop(Fault::ExpectedOperation, at)),
        }
    }

    /// The operators that win over a vector filter.
    fn plain_operator(&self, at: usize) -> Found {
        for (symbol, operator) in COMPARISONS {
            if let Some(after) = self.lexer.skip(at, symbol) {
                let (value, end) = self.required_value(after)?;
                return Ok(Some(((operator(value), false), end)));
            }
        }
        let (is_negated, word_at) = self.optional_not(at);
        if let Some(after) = self.lexer.skip_word(word_at, "IN") {
            let (values, end) = self.in_list(self.lexer.skip_space(after))?;
            return Ok(Some(((Operator::In(values), is_negated), end)));
        }
        Ok(self.null_or_empty(at))
    }

    /// The operators that are tried after a vector filter.
    fn late_operator(&self, at: usize) -> Found {
        let (is_negated, word_at) = self.optional_not(at);
        if let Some(end) = self.lexer.skip(word_at, "EXISTS") {
            return Ok(Some(((Operator::Exists, is_negated), end)));
        }
        if let Some(end) = self.lexer.skip_word(word_at, "CONTAINS") {
            let keyword = self.lexer.word(word_at..end);
            let (value, end) = self.required_value(end)?;
            return Ok(Some((
                (Operator::Contains { keyword, value }, is_negated),
                end,
            )));
        }
        if let Some(end) = self.starts_with(word_at) {
            let keyword = self.lexer.word(word_at..end);
            let (value, end) = self.required_value(end)?;
            return Ok(Some((
                (Operator::StartsWith { keyword, value }, is_negated),
                end,
            )));
        }
        self.between(at)
    }

    /// Whether `NOT` is at a place, and the place of the word after it.
    fn optional_not(&self, at: usize) -> (bool, usize) {
        match self
            .lexer
            .skip_word(at, "NOT")
            .and_then(|at| self.lexer.skip_some_space(at))
        {
            Some(after) => (true, after),
            None => (false, at),
        }
    }

    fn null_or_empty(&self, at: usize) -> Option<((Operator, bool), usize)> {
        let after = self
            .lexer
            .skip_some_space(self.lexer.skip_word(at, "IS")?)?;
        let (is_negated, at) = self.optional_not(after);
        match self.lexer.skip(at, "NULL") {
            Some(end) => Some(((Operator::IsNull, is_negated), end)),
            None => self
                .lexer
                .skip(at, "EMPTY")
                .map(|end| ((Operator::IsEmpty, is_negated), end)),
        }
    }

    fn starts_with(&self, at: usize) -> Option<usize> {
        let after = self
            .lexer
            .skip_some_space(self.lexer.skip_word(at, "STARTS")?)?;
        self.lexer.skip_word(after, "WITH")
    }

    fn between(&self, at: usize) -> Found {
        let (from, after) = match self.lexer.value(at) {
            Ok(read) => read,
            Err(stop) if stop.is_final => return Err(stop),
            Err(_) => return Ok(None),
        };
        let keyword = self.lexer.skip(after, "TO");
        let Some(after) = keyword.and_then(|at| self.lexer.skip_some_space(at)) else {
            return Ok(None);
        };
        let (to, end) = self.required_value(after)?;
        Ok(Some(((Operator::Between { from, to }, false), end)))
    }

    fn required_value(&self, at: usize) -> Read<Word> {
        self.lexer
            .value(at)
            .map_err(|stop| Stop::last(stop.fault, stop.range))
    }

    /// The list after `IN`, from its bracket.
    fn in_list(&self, at: usize) -> Read<Vec<Word>> {
        let Some(inside) = self.lexer.skip(at, "[") else {
            return Err(self.lexer.stop(Fault::InWithoutBracket, at));
        };
        let (values, at) = self.in_values(inside)?;
        match self.lexer.skip(self.lexer.skip_space(at), "]") {
            Some(after) => Ok((values, self.lexer.skip_space(after))),
            None if self.lexer.rest(at).is_empty() => Err(self.lexer.stop(Fault::InNotClosed, at)),
            None => Err(self.lexer.stop(Fault::InBadItem, at)),
        }
    }

    /// Values up to the first thing that is not one; a comma may end them.
    fn in_values(&self, inside: usize) -> Read<Vec<Word>> {
        let mut values = Vec::new();
        let (mut at, mut next) = (inside, inside);
        loop {
            match self.lexer.value(next) {
                Ok((value, end)) => {
                    values.push(value);
                    at = end;
                }
                Err(stop) if stop.is_final => return Err(stop),
                Err(_) if values.is_empty() => return Ok((values, at)),
                Err(_) => return Ok((values, self.lexer.skip_space(next))),
            }
            match self.lexer.skip(self.lexer.skip_space(at), ",") {
                Some(after) => next = after,
                None => return Ok((values, at)),
            }
        }
    }

    /// What follows the keyword `_foreign`.
    fn foreign(&self, keyword: std::ops::Range<usize>, depth: usize) -> Read<Filter> {
        let after = keyword.end;
        let read = self.foreign_arguments(after, depth);
        let ((attribute, filter), end) = read.map_err(|stop| match stop.fault {
            Fault::Incomplete | Fault::TooManyWords => stop,
            _ => Stop::last(Fault::Foreign, stop.range),
        })?;
        let keyword = self.lexer.word(keyword);
        Ok((
            Filter::Foreign {
                keyword,
                attribute,
                filter: Box::new(filter),
            },
            end,
        ))
    }

    fn foreign_arguments(&self, at: usize, depth: usize) -> Read<(Word, Filter)> {
        let expect = |at, text| {
            self.lexer
                .skip(at, text)
                .ok_or_else(|| self.lexer.stop(Fault::Foreign, at))
        };
        let inside = expect(at, "(")?;
        let (attribute, after) = self.lexer.value(inside)?;
        let after = expect(after, ",")?;
        let (filter, end) = self.or(self.lexer.skip_space(after), depth)?;
        let end = expect(self.lexer.skip_space(end), ")")?;
        Ok(((attribute, filter), end))
    }
}

fn condition(
    attribute: Word,
    ((operator, is_negated), end): ((Operator, bool), usize),
) -> (Filter, usize) {
    let filter = Filter::Condition {
        attribute,
        operator,
    };
    (if is_negated { negated(filter) } else { filter }, end)
}
