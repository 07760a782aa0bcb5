//! The written answer of a search, and how it is given to the next one who asks the same.

use std::sync::Arc;
use std::time::Instant;

use serval_format::MatchWords;

use super::IndexView;
use super::execute::{answer_by_rules, sort_criteria};
use super::response::ResponseWriter;
use crate::index::{FoundPage, Snapshot, WrittenAnswer};
use crate::ranking::RankedHit;
use crate::request::{SearchError, SearchRequest};
use crate::rules::AppliedRules;

/// An answer, and what may be remembered of it.
pub(super) struct Answer {
    pub(super) written: WrittenAnswer,
    /// Whether all but its time and its own number follows from the request and the snapshot.
    pub(super) is_repeatable: bool,
    /// What it shows, and what is marked in that.
    pub(super) hits: Vec<RankedHit>,
    pub(super) words: Arc<MatchWords>,
}

/// Answers a search with the JSON of its response, and with the documents that rules pin in the
/// index of that uid. `text` is the request as it was sent: [`recall`] gives the answer to those who
/// send it again, or else this writes the same page.
///
/// # Errors
/// The request asks for what the settings do not allow, or a document cannot be read.
pub fn search_remembering(
    view: &IndexView,
    index_uid: &str,
    (text, request): (&str, &SearchRequest),
    rules: Option<&AppliedRules<'_>>,
) -> Result<Vec<u8>, SearchError> {
    let snapshot = view.snapshot();
    if rules.is_none()
        && let Some(page) = snapshot.page_of(text)
    {
        let written = written_again(view, request, &page)?;
        snapshot.remember_answer(text, &written);
        return Ok(written.json);
    }
    let answer = answer_by_rules(view, index_uid, request, rules)?;
    if answer.is_repeatable {
        snapshot.remember_answer(text, &answer.written);
        // What rules said of the hits is not kept.
        if !request.show_ranking_score && !request.show_ranking_score_details {
            let hits = answer.hits.iter().map(|hit| hit.doc);
            let page = FoundPage::new(&answer.written, hits, answer.words);
            snapshot.remember_page(text, page, &answer.written);
        }
    }
    Ok(answer.written.json)
}

/// The answer to a request of this text, if it was given of this snapshot before and is still
/// remembered. It takes no look at any file, so that any thread may ask. Rules must not apply.
#[must_use]
pub fn recall(snapshot: &Snapshot, text: &str) -> Option<Vec<u8>> {
    Some(snapshot.answer_to(text)?.again())
}

/// The answer that shows a page which the same request found in the same snapshot.
fn written_again(
    view: &IndexView,
    request: &SearchRequest,
    page: &FoundPage,
) -> Result<WrittenAnswer, SearchError> {
    let started = Instant::now();
    SearchError::if_stopped(&request.stop)?;
    let hits = page.hits().iter().map(|doc| RankedHit {
        doc: *doc,
        details: Vec::new(),
    });
    let hits: Vec<RankedHit> = hits.collect();
    let sort = sort_criteria(request)?;
    let words = || Arc::clone(page.words());
    let mut writer = ResponseWriter::new(view, request, &sort, hits.len(), words);
    writer.hits(&hits)?;
    Ok(page.finish(writer.out, started.elapsed().as_millis()))
}
