//! The written answer of a search, and how it is given to the next one who asks the same.

use std::ops::Range;

use super::IndexView;
use super::execute::answer_by_rules;
use crate::index::{RepeatedAnswer, Snapshot};
use crate::request::{SearchError, SearchRequest};
use crate::rules::AppliedRules;

/// JSON, and where in it stands what differs each time.
pub(super) struct Answer {
    pub(super) json: Vec<u8>,
    /// Where the milliseconds stand that it took.
    pub(super) took: Range<usize>,
    /// Where its own number stands, behind that.
    pub(super) request_uid: Range<usize>,
    /// Whether all else follows from the request and the snapshot.
    pub(super) is_repeatable: bool,
}

impl Answer {
    fn to_repeated(&self) -> RepeatedAnswer {
        RepeatedAnswer::new(&self.json, self.took.clone(), self.request_uid.clone())
    }
}

/// Answers a search with the JSON of its response, and with the documents that rules pin in the
/// index of that uid. `text` is the request as it was sent: [`recall`] gives the answer to those who
/// send it again.
///
/// # Errors
/// The request asks for what the settings do not allow, or a document cannot be read.
pub fn search_remembering(
    view: &IndexView,
    index_uid: &str,
    (text, request): (&str, &SearchRequest),
    rules: Option<&AppliedRules<'_>>,
) -> Result<Vec<u8>, SearchError> {
    let answer = answer_by_rules(view, index_uid, request, rules)?;
    if answer.is_repeatable {
        view.snapshot().remember_answer(text, answer.to_repeated());
    }
    Ok(answer.json)
}

/// The answer to a request of this text, if it was given of this snapshot before and is still
/// remembered. It takes no look at any file, so that any thread may ask. Rules must not apply.
#[must_use]
pub fn recall(snapshot: &Snapshot, text: &str) -> Option<Vec<u8>> {
    Some(snapshot.answer_to(text)?.again())
}
