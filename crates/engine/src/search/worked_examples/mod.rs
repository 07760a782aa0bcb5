//! Small worked examples of matching and ranking, each from settings and documents to order.

mod matching;
mod ordering;

use serde_json::{Value, json};

use super::KeywordSearch;
use crate::query::{QueryConfig, Removal};
use crate::ranking::{Deadline, Timings, global_score};
use crate::settings::IndexSettings;
use crate::testing::MemoryCorpus;

/// Settings as a partial object.
fn settings(delta: Value) -> IndexSettings {
    let delta = delta.as_object().expect("settings are an object");
    IndexSettings::default()
        .apply(delta)
        .expect("valid settings")
        .0
}

struct Example {
    settings: IndexSettings,
    corpus: MemoryCorpus,
}

impl Example {
    /// One attribute `t` with the given texts.
    fn texts(delta: Value, texts: &[&str]) -> Self {
        let documents: Vec<Value> = texts.iter().map(|text| json!({"t": text})).collect();
        Self::documents(delta, &documents)
    }

    fn documents(delta: Value, documents: &[Value]) -> Self {
        let settings = settings(delta);
        Self {
            corpus: MemoryCorpus::new(settings.clone(), documents),
            settings,
        }
    }

    fn run(&self, query: &str, removal: Removal) -> Vec<(u32, f64)> {
        let config = QueryConfig::new(&self.settings);
        let search = KeywordSearch {
            text: query,
            locales: &[],
            removal,
            filter: None,
            searched: None,
            sort: &[],
            offset: 0,
            limit: 100,
            with_scores: true,
            threshold: None,
            deadline: &Deadline::never(),
            timings: &Timings::off(),
            same_value: None,
        };
        let outcome = search.run(&self.corpus, &config);
        let hits = outcome.ranking.hits.iter();
        hits.map(|hit| (hit.doc + 1, global_score(&hit.details)))
            .collect()
    }

    /// Documents in order, numbered from 1.
    fn ids(&self, query: &str) -> Vec<u32> {
        self.run(query, Removal::Last)
            .into_iter()
            .map(|(id, _)| id)
            .collect()
    }

    fn ids_with(&self, query: &str, removal: Removal) -> Vec<u32> {
        self.run(query, removal)
            .into_iter()
            .map(|(id, _)| id)
            .collect()
    }
}
