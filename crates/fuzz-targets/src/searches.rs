//! Whatever the settings, documents and parameters, a search finds what the description of the rules
//! says: the documents in their order, their scores and counts, page by page.

use serde_json::{Value, json};
use serval_engine::docset::DocSet;
use serval_engine::fuzzing::{Expectation, Question, same_values};
use serval_engine::index::{Index, IndexOptions, SearchMemory};
use serval_engine::request::SearchRequest;
use serval_engine::search::{IndexView, QueryConfigs, search};

use crate::folder::temporary_folder;
use crate::search_case::{Asked, SearchCase};

/// More than the documents of a case.
const EVERYTHING: usize = 100;

/// Makes an index of the bytes and asks it.
pub fn searches(bytes: &[u8]) {
    let case = SearchCase::new(bytes);
    let ever: Vec<&Value> = case.before.iter().chain(&case.replaced).collect();
    let known = |name: &str| {
        let path = name.split('.');
        let mut values = ever.iter().map(|document| {
            path.clone()
                .try_fold(*document, |value, part| value.get(part))
        });
        values.any(|value| value.is_some())
    };
    let Some(expectation) = Expectation::new(&case.settings, &case.documents, &known) else {
        return;
    };
    let folder = temporary_folder();
    let index = make_index(&case, &folder.path().join("index"));
    let view = IndexView::new(index.snapshot(), &QueryConfigs::default());
    for asked in &case.questions {
        if let Some(found) = found(&view, &asked.everything()) {
            check(&case, &expectation, asked, &found);
            check_page(&view, &case, asked, &found);
        }
    }
}

fn make_index(case: &SearchCase, path: &std::path::Path) -> Index {
    let options = IndexOptions {
        indexing_memory_bytes: 15_000_000,
        indexing_threads: 1,
        search_memory: SearchMemory::exactly(1 << 20),
    };
    let index = Index::create(path, Some("id"), options).expect("an index is made");
    let lines = |documents: &[Value]| -> String {
        documents
            .iter()
            .map(|document| format!("{document}\n"))
            .collect()
    };
    let add = |documents: &[Value]| {
        json!({
            "type": "documentAdditionOrUpdate", "method": "replace", "payload": {"inline": lines(documents)},
        })
    };
    let ids: Vec<String> = case.deleted.iter().map(ToString::to_string).collect();
    let mut batches =
        vec![json!([{"type": "settingsUpdate", "settings": case.settings}, add(&case.before)])];
    if !case.replaced.is_empty() {
        batches.push(json!([add(&case.replaced)]));
    }
    if !ids.is_empty() {
        batches.push(json!([{"type": "documentDeletion", "ids": ids}]));
    }
    for (uid, mut operations) in batches.into_iter().enumerate() {
        for operation in operations.as_array_mut().into_iter().flatten() {
            operation["taskUid"] = json!(uid);
        }
        let batch = json!({"batchUid": uid, "operations": operations});
        let batch = serde_json::from_value(batch).expect("a batch");
        index
            .apply_batch(&batch, &|_, _| Ok(DocSet::empty()))
            .expect("a batch is applied");
    }
    index
}

/// What a search answered; `None` when it was refused for what the request says.
fn found(view: &IndexView, request: &Value) -> Option<Value> {
    let request: SearchRequest = serde_json::from_value(request.clone()).expect("a request");
    match search(view, &request) {
        Ok(answer) => Some(serde_json::from_slice(&answer).expect("answers are JSON")),
        Err(error) => {
            assert!(error.code.starts_with("invalid_search"), "{error:?}");
            None
        }
    }
}

impl Asked {
    fn question(&self) -> Question<'_> {
        Question {
            text: &self.text,
            strategy: serde_json::from_value(json!(self.strategy)).expect("a strategy"),
            searched: self.searched.clone(),
            sort: self.sort.clone(),
            threshold: self.threshold,
            filter: self.filter.as_ref(),
        }
    }

    fn request(&self) -> Value {
        let mut request = json!({
            "q": self.text,
            "matchingStrategy": self.strategy,
            "attributesToRetrieve": ["id"],
        });
        if let Some(names) = &self.searched {
            request["attributesToSearchOn"] = json!(names);
        }
        if let Some((name, is_ascending)) = self.sort.first() {
            let way = if *is_ascending { "asc" } else { "desc" };
            request["sort"] = json!([format!("{name}:{way}")]);
        }
        if let Some(threshold) = self.threshold {
            request["rankingScoreThreshold"] = json!(threshold);
        }
        if let Some(filter) = &self.filter {
            request["filter"] = json!(filter.text());
        }
        if let Some(name) = self.distinct {
            request["distinct"] = json!(name);
        }
        request
    }

    fn everything(&self) -> Value {
        let mut request = self.request();
        request["limit"] = json!(EVERYTHING);
        request["showRankingScore"] = json!(true);
        request["facets"] = json!(["*"]);
        request
    }
}

fn ids(answer: &Value) -> Vec<u64> {
    let hits = answer["hits"].as_array().expect("hits").iter();
    hits.map(|hit| hit["id"].as_u64().expect("an id")).collect()
}

fn check(case: &SearchCase, expectation: &Expectation<'_>, asked: &Asked, found: &Value) {
    let about = || {
        format!(
            "{asked:?}\n{}\n{}\n{found}",
            Value::from(case.settings.clone()),
            json!(case.documents)
        )
    };
    let (hits, total) = expectation.hits(&asked.question());
    let id = |doc: usize| case.documents[doc]["id"].as_u64().expect("an id");
    let kept = match asked.distinct {
        Some(name) => one_per_value(&case.documents, &hits, name),
        None => hits,
    };
    let expected: Vec<u64> = kept.iter().map(|(doc, _)| id(*doc)).collect();
    assert_eq!(ids(found), expected, "{}", about());
    for ((_, score), hit) in kept
        .iter()
        .zip(found["hits"].as_array().into_iter().flatten())
    {
        let shown = hit["_rankingScore"].as_f64().expect("a score");
        assert!((shown - score).abs() < 1e-9, "{score}: {}", about());
    }
    if asked.distinct.is_some() {
        return;
    }
    assert_eq!(found["estimatedTotalHits"], json!(total), "{}", about());
    let docs: Vec<usize> = kept.iter().map(|(doc, _)| *doc).collect();
    for name in ["rank", "tags", "meta.note", "meta.list"] {
        let shown = &found["facetDistribution"][name];
        let expected = json!(expectation.counts(&docs, name));
        let is_none = shown.is_null() && expected == json!({});
        assert!(
            is_none || *shown == expected,
            "{name} {expected}: {}",
            about()
        );
    }
}

/// Hits without those that have a value of a better one.
fn one_per_value(documents: &[Value], hits: &[(usize, f64)], name: &str) -> Vec<(usize, f64)> {
    let mut kept: Vec<(usize, f64)> = Vec::new();
    for hit in hits {
        let mut better = kept.iter();
        if !better.any(|(doc, _)| same_values(&documents[*doc], &documents[hit.0], name)) {
            kept.push(*hit);
        }
    }
    kept
}

/// A part of the hits, without scores, is that part of all of them; and so is a page.
fn check_page(view: &IndexView, case: &SearchCase, asked: &Asked, all: &Value) {
    let about = || {
        format!(
            "{asked:?}\n{}\n{}\n{all}",
            Value::from(case.settings.clone()),
            json!(case.documents)
        )
    };
    let hits = ids(all);
    let mut request = asked.request();
    request["offset"] = json!(asked.offset);
    request["limit"] = json!(asked.limit);
    let part = found(view, &request).expect("it was answered before");
    let expected: Vec<u64> = hits
        .iter()
        .skip(asked.offset)
        .take(asked.limit)
        .copied()
        .collect();
    assert_eq!(ids(&part), expected, "{}", about());
    let mut request = asked.request();
    request["page"] = json!(1 + asked.offset);
    request["hitsPerPage"] = json!(asked.limit);
    let page = found(view, &request).expect("it was answered before");
    let start = asked.offset * asked.limit;
    let expected: Vec<u64> = hits.iter().skip(start).take(asked.limit).copied().collect();
    assert_eq!(ids(&page), expected, "{}", about());
    if asked.distinct.is_none() {
        assert_eq!(page["totalHits"], json!(hits.len()), "{}", about());
    }
}
