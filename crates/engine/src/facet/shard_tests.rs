//! Conditions on the shard of a document.

use std::collections::BTreeMap;

use serde_json::json;

use super::filter_docs;
use crate::docset::DocId;
use crate::request::{FilterFeatures, SearchError, check_features};
use crate::testing::TestIndex;

/// What a filter selects of two documents, of kind 0 and 1, on a server that holds `north` but not
/// `south`.
fn filtered(filter: &str) -> Result<Vec<DocId>, SearchError> {
    let index = TestIndex::new(
        json!({"filterableAttributes": ["kind"]}),
        &[json!({"id": 0, "kind": 0}), json!({"id": 1, "kind": 1})],
    );
    let features = FilterFeatures {
        network: true,
        shards: BTreeMap::from([("north".to_owned(), true), ("south".to_owned(), false)]),
        ..FilterFeatures::default()
    };
    let filter = serval_filter::parse(filter).unwrap().unwrap();
    let docs = filter_docs(
        &index.snapshot(),
        None,
        &filter,
        &features,
        "invalid_search_filter",
    )?;
    Ok(docs.iter().collect())
}

#[test]
fn the_documents_of_a_server_are_in_each_shard_that_names_it() {
    assert_eq!(filtered("_shard = north"), Ok(vec![0, 1]));
    assert_eq!(filtered("_shard = south"), Ok(vec![]));
    assert_eq!(filtered("_shard != south"), Ok(vec![0, 1]));
    assert_eq!(filtered("NOT _shard = north"), Ok(vec![]));
    assert_eq!(filtered("_shard IN [south, north]"), Ok(vec![0, 1]));
    assert_eq!(filtered("_shard NOT IN [south]"), Ok(vec![0, 1]));
    assert_eq!(filtered("_shard EXISTS"), Ok(vec![0, 1]));
    assert_eq!(filtered("_shard = north AND kind = 1"), Ok(vec![1]));
}

#[test]
fn an_unknown_shard_and_an_operator_that_orders_shards_are_refused_where_they_stand() {
    let message = |filter: &str| filtered(filter).expect_err("a refusal").message;
    assert_eq!(
        message("kind = 1 OR _shard = 'east'"),
        "Shard `east` does not exist\n23:27 kind = 1 OR _shard = 'east'"
    );
    assert_eq!(
        message("_shard > north"),
        "Operator `>` is not allowed for `_shard`.\n1:7 _shard > north"
    );
}

#[test]
fn a_condition_on_shards_needs_the_network() {
    let filter = serval_filter::parse("_shard = north").unwrap().unwrap();
    let error = check_features(&filter, &FilterFeatures::default()).unwrap_err();
    assert_eq!(error.code, "feature_not_enabled");
    assert!(
        error.message.starts_with(
            "using a shard filter requires enabling the `network` experimental feature."
        )
    );
}
