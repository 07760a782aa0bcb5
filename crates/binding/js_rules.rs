//! Dynamic search rules, made ready once for many searches.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use napi::bindgen_prelude::Result;
use napi_derive::napi;
use serval_engine::rules::{AppliedRules, RuleSet, SearchRules};

/// Rules that searches are given.
#[napi]
pub struct NativeSearchRules {
    rules: Arc<SearchRules>,
}

#[napi]
impl NativeSearchRules {
    /// Reads the active rules, given as JSON in the order of their age.
    #[napi(constructor)]
    pub fn new(rules: String) -> Result<Self> {
        let set: RuleSet = serde_json::from_str(&rules)
            .map_err(|error| napi::Error::from_reason(error.to_string()))?;
        Ok(Self {
            rules: Arc::new(SearchRules::new(set)),
        })
    }

    /// What a search keeps of them.
    pub(crate) fn handle(&self) -> Arc<SearchRules> {
        self.rules.clone()
    }
}

/// The rules at this moment.
pub(crate) fn applied(rules: &SearchRules) -> AppliedRules<'_> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    AppliedRules {
        rules,
        now_ms: since.map_or(0.0, |since| since.as_secs_f64() * 1e3),
    }
}
