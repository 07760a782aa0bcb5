"""Checks of the settings: of each, that it is read, changed and reset as the client does it."""

from meilisearch.models.index import PrefixSearch, ProximityPrecision

from stage import equal, holds

RULES = ["words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness"]

# The name in the methods, a value, and what is there by default.
SIMPLE = {
    "ranking_rules": (["typo", "year:desc"], RULES),
    "distinct_attribute": ("genre", None),
    "searchable_attributes": (["title"], ["*"]),
    "displayed_attributes": (["title"], ["*"]),
    "stop_words": (["a", "the"], []),
    "synonyms": ({"film": ["movie"]}, {}),
    "filterable_attributes": (["genre"], []),
    "foreign_keys": ([{"foreignIndexUid": "people", "fieldName": "director"}], []),
    "sortable_attributes": (["title"], []),
    "facet_search_settings": (False, True),
    "dictionary": (["j. r. r."], []),
    "separator_tokens": (["|"], []),
    "non_separator_tokens": (["@"], []),
    "search_cutoff_ms": (150, None),
    "prefix_search": (PrefixSearch.DISABLED, PrefixSearch.INDEXING_TIME),
    "proximity_precision": (ProximityPrecision.BY_ATTRIBUTE, ProximityPrecision.BY_WORD),
}

# Settings that come as objects: a value, how to look at it, and the same of the default.
OBJECTS = {
    "typo_tolerance": (
        {"minWordSizeForTypos": {"oneTypo": 4}, "disableOnNumbers": True},
        lambda it: (it.min_word_size_for_typos.one_typo, it.min_word_size_for_typos.two_typos),
        (4, 9),
        (5, 9),
    ),
    "pagination_settings": ({"maxTotalHits": 7}, lambda it: it.max_total_hits, 7, 1000),
    "faceting_settings": (
        {"maxValuesPerFacet": 7, "sortFacetValuesBy": {"genre": "count"}},
        lambda it: (it.max_values_per_facet, it.sort_facet_values_by.get("genre")),
        (7, "count"),
        (100, None),
    ),
    "localized_attributes": (
        [{"attributePatterns": ["title_ja"], "locales": ["jpn"]}],
        lambda it: it and [one.locales for one in it],
        [["jpn"]],
        None,
    ),
    "embedders": (
        {"e": {"source": "userProvided", "dimensions": 2}},
        lambda it: it and {name: one.dimensions for name, one in it.embedders.items()},
        {"e": 2},
        None,
    ),
}


def _check(name, value, view, wanted, default):
    def checks(index, done):
        if name == "embedders":  # the films have no vectors of their own
            done(index.delete_all_documents())
        get, update, reset = (getattr(index, f"{verb}_{name}") for verb in ("get", "update", "reset"))
        done(update(value))
        equal(view(get()), wanted)
        done(reset())
        equal(view(get()), default)

    methods = [f"get_{name}", f"update_{name}", f"reset_{name}"]
    return {methods[0]: lambda stage: checks(stage.index, stage.done)}, methods[1:]


def _settings(stage):
    stage.done(stage.index.update_settings({"stopWords": ["of"], "searchCutoffMs": 100}))
    holds(stage.index.get_settings(), stopWords=["of"], searchCutoffMs=100)
    stage.done(stage.index.reset_settings())
    holds(stage.index.get_settings(), stopWords=[], searchCutoffMs=None, filterableAttributes=[])


def all_checks():
    """The checks by the method that reads, and the methods that are checked along with it."""
    checks = {"get_settings": _settings}
    along = ["update_settings", "reset_settings"]
    for name, (value, default) in SIMPLE.items():
        check, more = _check(name, value, lambda it: it, value, default)
        checks.update(check)
        along += more
    for name, (value, view, wanted, default) in OBJECTS.items():
        check, more = _check(name, value, view, wanted, default)
        checks.update(check)
        along += more
    return checks, along
