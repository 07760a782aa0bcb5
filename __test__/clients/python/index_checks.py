"""A check of every method of an index, settings apart. Each is named like its method."""

import json

from stage import FILMS, NEW_FILM, equal, holds, refused

CSV = b"id:number;title:string;year:number\n9;Solaris;1972\n"


def delete(stage):
    stage.done(stage.index.delete())
    refused("index_not_found", stage.index.fetch_info)


def update(stage):
    stage.done(stage.client.create_index("to-update"))
    stage.done(stage.client.index("to-update").update("key"))
    equal(stage.client.index("to-update").get_primary_key(), "key")


def fetch_info(stage):
    info = stage.index.fetch_info()
    holds(info, uid=stage.index.uid, primary_key="id")
    assert info.created_at.year >= 2024


def get_primary_key(stage):
    equal(stage.index.get_primary_key(), "id")


def create(stage):
    info = stage.index.create(stage.client.config, "made-by-class", {"primaryKey": "key"})
    holds(stage.done(info), type="indexCreation", details={"primaryKey": "key"})


def get_tasks(stage):
    tasks = stage.index.get_tasks({"limit": 10}).results
    equal([task.type for task in tasks], ["documentAdditionOrUpdate", "settingsUpdate"])


def get_task(stage):
    last = stage.index.get_tasks({"limit": 1}).results[0]
    holds(stage.index.get_task(last.uid), uid=last.uid, index_uid=stage.index.uid)


def wait_for_task(stage):
    info = stage.index.add_documents([NEW_FILM])
    holds(stage.index.wait_for_task(info.task_uid), status="succeeded")


def get_stats(stage):
    stats = stage.index.get_stats(show_internal_database_sizes=True, size_format="human")
    holds(stats, number_of_documents=3, is_indexing=False)
    equal(stats.field_distribution.title, 3)


def search(stage):
    asked = {
        "filter": "year > 1980",
        "facets": ["genre"],
        "sort": ["year:desc"],
        "attributesToHighlight": ["title"],
        "showRankingScore": True,
    }
    found = stage.index.search("alien", asked)
    equal([hit["_formatted"]["title"] for hit in found["hits"]], ["<em>Alien</em>s"])
    equal(found["facetDistribution"], {"genre": {"action": 1}})
    equal(stage.index.search("", {"page": 2, "hitsPerPage": 2})["totalPages"], 2)
    refused("invalid_search_filter", lambda: stage.index.search("", {"filter": "title = x"}))


def facet_search(stage):
    found = stage.index.facet_search("genre", "hor", {"filter": "year < 1980"})
    equal(found["facetHits"], [{"value": "horror", "count": 1}])


def get_document(stage):
    holds(stage.index.get_document(3, {"fields": ["title"]}), title="Blade Runner")
    refused("document_not_found", lambda: stage.index.get_document("none"))


def get_documents(stage):
    found = stage.index.get_documents({"filter": "year < 1983", "fields": ["id"], "limit": 1})
    holds(found, total=2, limit=1, offset=0)
    equal([dict(document) for document in found.results], [{"id": 1}])


def get_similar_documents(stage):
    stage.done(stage.index.delete_all_documents())
    stage.index.update_embedders({"e": {"source": "userProvided", "dimensions": 2}})
    vectors = [[1, 0], [0.9, 0.1], [0, 1]]
    films = [{**film, "_vectors": {"e": vector}} for film, vector in zip(FILMS, vectors)]
    stage.done(stage.index.add_documents(films))
    found = stage.index.get_similar_documents({"id": 1, "embedder": "e", "limit": 1})
    equal([hit["id"] for hit in found["hits"]], [2])
    hybrid = {"embedder": "e", "semanticRatio": 1}
    found = stage.index.search("", {"vector": [0, 1], "hybrid": hybrid, "limit": 1})
    equal([hit["id"] for hit in found["hits"]], [3])


def add_documents(stage):
    equal(stage.store(stage.index.add_documents([NEW_FILM])), [1, 2, 3, 9])
    info = stage.index.add_documents([{"id": 10}], skip_creation=True, metadata="why")
    holds(stage.done(info), custom_metadata="why")
    equal(stage.ids(), [1, 2, 3, 9])


def add_documents_in_batches(stage):
    infos = stage.index.add_documents_in_batches([{"id": id} for id in (7, 8, 9)], 2)
    equal(len(infos), 2)
    for info in infos:
        stage.done(info)
    equal(stage.ids(), [1, 2, 3, 7, 8, 9])


def add_documents_json(stage):
    equal(stage.store(stage.index.add_documents_json(json.dumps([NEW_FILM]).encode())), [1, 2, 3, 9])


def add_documents_csv(stage):
    equal(stage.store(stage.index.add_documents_csv(CSV, csv_delimiter=";")), [1, 2, 3, 9])
    holds(stage.index.get_document(9), year=1972)


def add_documents_ndjson(stage):
    lines = b'{"id":8}\n{"id":9}\n'
    equal(stage.store(stage.index.add_documents_ndjson(lines)), [1, 2, 3, 8, 9])


def add_documents_raw(stage):
    raw = stage.index.add_documents_raw(CSV, "id", "text/csv", ";")
    equal(stage.store(raw), [1, 2, 3, 9])


def _changed(stage, info):
    """Whether a partial update changed the year of the first film, and left its title."""
    stage.done(info)
    holds(stage.index.get_document(1), title="Alien", year=2000)


CHANGE = {"id": 1, "year": 2000}
CHANGE_CSV = b"id:number,year:number\n1,2000\n"


def update_documents(stage):
    _changed(stage, stage.index.update_documents([CHANGE]))


def update_documents_ndjson(stage):
    _changed(stage, stage.index.update_documents_ndjson(json.dumps(CHANGE).encode()))


def update_documents_json(stage):
    _changed(stage, stage.index.update_documents_json(json.dumps([CHANGE]).encode()))


def update_documents_csv(stage):
    _changed(stage, stage.index.update_documents_csv(CHANGE_CSV))


def update_documents_raw(stage):
    _changed(stage, stage.index.update_documents_raw(CHANGE_CSV, "id", "text/csv"))


def update_documents_in_batches(stage):
    for info in stage.index.update_documents_in_batches([{"id": 2, "year": 1}, CHANGE], 1):
        stage.done(info)
    _changed(stage, info)


def delete_document(stage):
    equal(stage.store(stage.index.delete_document(2)), [1, 3])


def delete_documents(stage):
    equal(stage.store(stage.index.delete_documents([1, 2])), [3])
    equal(stage.store(stage.index.delete_documents(filter="year = 1982")), [])


def delete_all_documents(stage):
    equal(stage.store(stage.index.delete_all_documents()), [])


def get_fields(stage):
    fields = stage.index.get_fields(filter={"sortable": True})
    equal([field["name"] for field in fields.results], ["year"])


def compact(stage):
    holds(stage.done(stage.index.compact()), type="indexCompaction")
