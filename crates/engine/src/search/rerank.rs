//! The hits of a finished answer in an order that somebody else gives them.
//!
//! Answers are asked for with the places of pinned hits told as `pinned`; those stay where they are.

use serde_json::Value;
use serde_json::value::RawValue;

use super::raw_members::members;
use crate::request::SearchError;

/// What of a hit is not the document.
const ABOUT_THE_HIT: [&str; 4] = [
    "_formatted",
    "_matchesPosition",
    "_rankingScore",
    "_rankingScoreDetails",
];

/// The documents of the hits that are not pinned, each as JSON.
///
/// # Errors
/// The answer is none.
pub fn unpinned_documents(answer: &[u8]) -> Result<Vec<String>, SearchError> {
    let answer = Answer::read(answer)?;
    let unpinned = answer.unpinned();
    let documents = unpinned.map(|at| {
        let members = members(answer.hits[at]).into_iter();
        let shown = members.filter(|(name, _)| !ABOUT_THE_HIT.contains(&name.as_str()));
        let texts: Vec<String> = shown.map(|(name, value)| member(&name, value)).collect();
        format!("{{{}}}", texts.join(","))
    });
    Ok(documents.collect())
}

/// The answer with the hits that are not pinned in a new order, given by their places among them.
/// Hits that the order does not name come last, as they were.
///
/// # Errors
/// The answer is none.
pub fn reordered(answer: &[u8], order: &[usize]) -> Result<Vec<u8>, SearchError> {
    let answer = Answer::read(answer)?;
    let mut left: Vec<Option<usize>> = answer.unpinned().map(Some).collect();
    let mut sorted = Vec::with_capacity(left.len());
    for place in order {
        sorted.extend(left.get_mut(*place).and_then(Option::take));
    }
    sorted.extend(left.into_iter().flatten());
    let mut sorted = sorted.into_iter();
    let hits = (0..answer.hits.len()).filter_map(|place| {
        let at = if answer.pinned.contains(&place) {
            Some(place)
        } else {
            sorted.next()
        };
        Some(answer.hits[at?].get())
    });
    let hits: Vec<&str> = hits.collect();
    let mut out = format!("{{\"hits\":[{}]", hits.join(","));
    for (name, value) in answer.rest {
        out.push(',');
        out.push_str(&member(&name, value));
    }
    out.push('}');
    Ok(out.into_bytes())
}

fn member(name: &str, value: &RawValue) -> String {
    format!("{}:{}", Value::from(name), value.get())
}

struct Answer<'a> {
    hits: Vec<&'a RawValue>,
    /// Places of pinned hits.
    pinned: Vec<usize>,
    rest: Vec<(String, &'a RawValue)>,
}

impl<'a> Answer<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, SearchError> {
        let unreadable = |error: serde_json::Error| SearchError::new("internal", error.to_string());
        let object: &RawValue = serde_json::from_slice(bytes).map_err(unreadable)?;
        let mut hits = Vec::new();
        let mut pinned = Vec::new();
        let mut rest = Vec::new();
        for (name, value) in members(object) {
            match name.as_str() {
                "hits" => hits = serde_json::from_str(value.get()).map_err(unreadable)?,
                "pinned" => pinned = serde_json::from_str(value.get()).map_err(unreadable)?,
                _ => rest.push((name, value)),
            }
        }
        Ok(Self { hits, pinned, rest })
    }

    fn unpinned(&self) -> impl Iterator<Item = usize> {
        (0..self.hits.len()).filter(|place| !self.pinned.contains(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r#"{"hits":[{"id":1},{"id":2,"n":12345678901234567890,"_rankingScore":1},{"id":3},{"id":4}],"query":"x","pinned":[1]}"#;

    #[test]
    fn documents_are_told_without_what_is_said_of_the_hits() {
        let documents = unpinned_documents(ANSWER.as_bytes()).expect("an answer");
        assert_eq!(documents, [r#"{"id":1}"#, r#"{"id":3}"#, r#"{"id":4}"#]);
        let all = r#"{"hits":[{"id":2,"n":12345678901234567890,"_rankingScore":1}]}"#;
        let documents = unpinned_documents(all.as_bytes()).expect("an answer");
        assert_eq!(documents, [r#"{"id":2,"n":12345678901234567890}"#]);
    }

    #[test]
    fn pinned_hits_stay_where_they_are() {
        let ordered = |order: &[usize]| {
            let bytes = reordered(ANSWER.as_bytes(), order).expect("an answer");
            let answer: Value = serde_json::from_slice(&bytes).expect("JSON");
            assert_eq!(answer["query"], "x");
            assert_eq!(answer.get("pinned"), None);
            let hits = answer["hits"].as_array().expect("hits").clone();
            hits.iter()
                .map(|hit| hit["id"].as_u64())
                .collect::<Vec<_>>()
        };
        assert_eq!(ordered(&[2, 0, 1]), [4, 2, 1, 3].map(Some));
        assert_eq!(ordered(&[1, 1, 7]), [3, 2, 1, 4].map(Some));
        assert_eq!(ordered(&[]), [1, 2, 3, 4].map(Some));
    }
}
