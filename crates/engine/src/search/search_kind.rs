//! Which kind of search a request asks for.

use crate::ranking::VectorRule;
use crate::request::{Hybrid, SearchError, SearchRequest, SearchSource};
use crate::vectors::Embedder;

/// The kinds of search.
pub(super) enum SearchKind {
    /// By words, or everything.
    Keyword,
    /// By vectors only.
    Semantic(VectorRule),
    /// By both; without a vector, by words in the end.
    Hybrid {
        rule: Option<VectorRule>,
        ratio: f64,
    },
}

impl SearchKind {
    /// The kind of a request.
    ///
    /// # Errors
    /// An embedder that is none, or a vector that it could not have made or that is missing.
    pub(super) fn of(
        source: &dyn SearchSource,
        request: &SearchRequest,
    ) -> Result<Self, SearchError> {
        let Some(hybrid) = wanted(request) else {
            return Ok(Self::Keyword);
        };
        let (embedder, rule) = embedder_and_rule(source, request, hybrid)?;
        let text = request.q.as_deref().unwrap_or("");
        if hybrid.semantic_ratio < 1.0 && !text.trim().is_empty() {
            let ratio = f64::from(hybrid.semantic_ratio);
            return Ok(Self::Hybrid { rule, ratio });
        }
        rule.map(Self::Semantic)
            .ok_or_else(|| without_vector(&embedder, text))
    }
}

/// What a request says of vectors, if they are to take part: it has something to compare.
fn wanted(request: &SearchRequest) -> Option<&Hybrid> {
    let is_blank = request.q.as_deref().unwrap_or("").trim().is_empty();
    let has_vector = request.vector.is_some() || request.media.is_some();
    let hybrid = request.hybrid.as_ref()?;
    (hybrid.semantic_ratio != 0.0 && (has_vector || !is_blank)).then_some(hybrid)
}

/// Whether vectors take part in what a request selects; its vector need not be there.
///
/// # Errors
/// An embedder that is none, or a vector that it could not have made.
pub(super) fn is_by_vectors(
    source: &dyn SearchSource,
    request: &SearchRequest,
) -> Result<bool, SearchError> {
    let Some(hybrid) = wanted(request) else {
        return Ok(false);
    };
    embedder_and_rule(source, request, hybrid)?;
    Ok(true)
}

fn embedder_and_rule(
    source: &dyn SearchSource,
    request: &SearchRequest,
    hybrid: &Hybrid,
) -> Result<(Embedder, Option<VectorRule>), SearchError> {
    let embedder = embedder(source, &hybrid.embedder, "invalid_search_embedder")?;
    let vector = request.vector.as_ref();
    let rule = vector
        .map(|vector| rule_of(source, &embedder, vector))
        .transpose()?;
    Ok((embedder, rule))
}

/// The embedder of that name.
///
/// # Errors
/// There is none; `code` is the one of the parameter that names it.
pub(super) fn embedder(
    source: &dyn SearchSource,
    name: &str,
    code: &'static str,
) -> Result<Embedder, SearchError> {
    Embedder::of(source.settings(), name)
        .ok_or_else(|| SearchError::new(code, format!("Cannot find embedder with name `{name}`.")))
}

fn rule_of(
    source: &dyn SearchSource,
    embedder: &Embedder,
    vector: &[f32],
) -> Result<VectorRule, SearchError> {
    let set = source.vectors(&embedder.name);
    let stored = || set.as_ref()?.dimensions();
    let found = vector.len();
    match embedder.dimensions.or_else(stored) {
        Some(expected) if expected != found => Err(SearchError::new(
            "invalid_vector_dimensions",
            format!("Invalid vector dimensions: expected: `{expected}`, found: `{found}`."),
        )),
        _ if !vector.iter().all(|value| value.is_finite()) => Err(SearchError::new(
            "invalid_search_vector",
            "Invalid value at `.vector`: expected numbers of 32 bits",
        )),
        _ => Ok(VectorRule {
            set,
            query: vector.to_vec(),
            distribution: embedder.distribution,
            n_wanted: 0,
        }),
    }
}

/// That a search by vectors alone has none. Vectors of texts are made before a search comes here.
fn without_vector(embedder: &Embedder, text: &str) -> SearchError {
    let reason = if embedder.is_user_provided() {
        format!(
            "user error: attempt to embed the following text in a configuration where embeddings \
             must be user provided:\n  - `{text}`"
        )
    } else {
        format!(
            "no vector came for the query with embedder `{}`",
            embedder.name
        )
    };
    SearchError::new(
        "vector_embedding_error",
        format!("Error while generating embeddings: {reason}"),
    )
}
