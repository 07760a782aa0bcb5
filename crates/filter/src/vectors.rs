//! `_vectors`, `_vectors.embedder` and `_vectors.embedder.scope`, then `EXISTS`.

use crate::error::{Fault, VECTOR_SCOPES};
use crate::lexer::{Stop, is_word_character};
use crate::parser::{Parser, negated};
use crate::{Filter, VectorScope, Word};

const KEYWORD: &str = "_vectors";

impl Parser<'_> {
    /// A vector filter at `start`; `None` when the text is a field name that only looks like one.
    pub(crate) fn vectors(&self, start: usize) -> Result<Option<(Filter, usize)>, Stop> {
        let Some(end) = self.lexer.skip(start, KEYWORD) else {
            return Ok(None);
        };
        let keyword = self.lexer.word(start..end);
        let (embedder, scope, at) = match self.lexer.skip_some_space(end) {
            Some(after) => (None, VectorScope::Any, after),
            None => match self.lexer.skip(end, ".") {
                Some(after) => self.embedder_and_scope(after)?,
                None => return Ok(None),
            },
        };
        let filter = Filter::Vectors {
            keyword,
            embedder,
            scope,
        };
        if let Some(end) = self.lexer.skip(at, "EXISTS") {
            return Ok(Some((filter, end)));
        }
        let not = self
            .lexer
            .skip_word(at, "NOT")
            .and_then(|at| self.lexer.skip_some_space(at));
        match not.and_then(|at| self.lexer.skip(at, "EXISTS")) {
            Some(end) => Ok(Some((negated(filter), end))),
            None => Err(self.lexer.stop(Fault::VectorsOperation, at)),
        }
    }

    /// What follows `_vectors.`, up to the operation.
    fn embedder_and_scope(&self, at: usize) -> Result<(Option<Word>, VectorScope, usize), Stop> {
        if self.lexer.rest(at).starts_with(' ') {
            return Err(Stop::last(Fault::VectorsEmbedderMissing, at..at + 1));
        }
        let (embedder, at) = self.required_part(at, Fault::VectorsEmbedderInvalid)?;
        let (scope, at) = self.scope(at)?;
        if let Some(after) = self.lexer.skip(at, ".") {
            return Err(self.extra_part(&scope, at, after));
        }
        match self.lexer.skip_some_space(at) {
            Some(after) => Ok((Some(embedder), scope, after)),
            None => Err(self.lexer.stop(Fault::VectorsLeftover, at)),
        }
    }

    fn scope(&self, at: usize) -> Result<(VectorScope, usize), Stop> {
        if let Some(after) = self.lexer.skip(at, ".fragments") {
            let Some(name_at) = self.lexer.skip(after, ".") else {
                return Err(self.lexer.stop(Fault::VectorsFragmentMissing, after));
            };
            let (name, end) = self.required_part(name_at, Fault::VectorsFragmentInvalid)?;
            return Ok((VectorScope::Fragment(name), end));
        }
        let scopes = [
            (".userProvided", VectorScope::UserProvided),
            (".documentTemplate", VectorScope::DocumentTemplate),
            (".regenerate", VectorScope::Regenerate),
        ];
        let named = scopes
            .into_iter()
            .find_map(|(text, scope)| self.lexer.skip(at, text).map(|after| (scope, after)));
        Ok(named.unwrap_or((VectorScope::Any, at)))
    }

    /// The error about a part that is one too many or no scope. `point` is the place of its point.
    fn extra_part(&self, scope: &VectorScope, point: usize, after: usize) -> Stop {
        let previous = match scope {
            VectorScope::Any => None,
            VectorScope::Fragment(_) => Some(VECTOR_SCOPES[0]),
            VectorScope::UserProvided => Some(VECTOR_SCOPES[1]),
            VectorScope::DocumentTemplate => Some(VECTOR_SCOPES[2]),
            VectorScope::Regenerate => Some(VECTOR_SCOPES[3]),
        };
        let (found, range) = match self.part(after) {
            Ok(Some((word, _))) => (word.text().to_owned(), word.range()),
            _ => (".".to_owned(), point..after),
        };
        Stop::last(Fault::VectorsScope { previous, found }, range)
    }

    fn required_part(&self, at: usize, fault: Fault) -> Result<(Word, usize), Stop> {
        match self.part(at) {
            Ok(Some(read)) => Ok(read),
            Err(stop) if matches!(stop.fault, Fault::MissingClosing(_)) => {
                Err(self.lexer.stop(Fault::VectorsQuotes, at))
            }
            _ => Err(self.lexer.stop(fault, at)),
        }
    }

    /// A part between points, quoted or not; `None` when there is nothing.
    fn part(&self, at: usize) -> Result<Option<(Word, usize)>, Stop> {
        if let Some(read) = self.lexer.quoted(at)? {
            return Ok(Some(read));
        }
        let rest = self.lexer.rest(at);
        let n_bytes = rest
            .find(|c| c == '.' || !is_word_character(c))
            .unwrap_or(rest.len());
        Ok((n_bytes > 0).then(|| (self.lexer.word(at..at + n_bytes), at + n_bytes)))
    }
}
