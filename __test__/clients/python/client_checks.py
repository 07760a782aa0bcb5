"""A check of every method of the client itself. Each is named like its method."""

import datetime
import re

from meilisearch import Client

from stage import equal, holds, refused

RIGHTS = {"actions": ["search"], "indexes": ["*"], "expiresAt": None}
WEBHOOK = {"url": "http://127.0.0.1:9/", "headers": {"Authorization": "Bearer secret-header"}}
PIN = {"type": "pin", "position": 0}


def create_index(stage):
    task = stage.done(stage.client.create_index("created", {"primaryKey": "key"}))
    equal(task.details, {"primaryKey": "key"})


def delete_index(stage):
    stage.done(stage.client.delete_index(stage.index.uid))
    refused("index_not_found", lambda: stage.client.get_index(stage.index.uid))


def get_indexes(stage):
    found = stage.client.get_indexes({"limit": 1000})
    assert stage.index.uid in [index.uid for index in found["results"]]


def get_raw_indexes(stage):
    holds(stage.client.get_raw_indexes({"limit": 0}), results=[], limit=0)


def get_index(stage):
    holds(stage.client.get_index(stage.index.uid), primary_key="id")


def get_raw_index(stage):
    holds(stage.client.get_raw_index(stage.index.uid), uid=stage.index.uid, primaryKey="id")


def index(stage):
    equal(len(stage.client.index(stage.index.uid).search("alien")["hits"]), 2)


def multi_search(stage):
    queries = [{"indexUid": stage.index.uid, "q": q} for q in ("alien", "blade")]
    results = stage.client.multi_search(queries)["results"]
    equal([len(result["hits"]) for result in results], [2, 1])
    merged = stage.client.multi_search(queries, {"limit": 2})
    equal(len(merged["hits"]), 2)
    assert "_federation" in merged["hits"][0]


def render_template(stage):
    template = {"kind": "inlineDocumentTemplate", "inline": "A film: {{ doc.title }}"}
    subject = {"kind": "inlineDocument", "inline": {"title": "Alien"}}
    holds(stage.client.render_template(template, subject), rendered="A film: Alien")


def update_documents_by_function(stage):
    asked = {"function": "doc.title = doc.title.to_upper()", "filter": "year = 1979"}
    info = stage.client.update_documents_by_function(stage.index.uid, asked)
    stage.client.wait_for_task(info["taskUid"], 20_000, 5)
    holds(stage.index.get_document(1), title="ALIEN")


def get_all_stats(stage):
    stats = stage.client.get_all_stats(show_internal_database_sizes=True)
    holds(stats["indexes"][stage.index.uid], numberOfDocuments=3)


def health(stage):
    equal(stage.client.health(), {"status": "available"})


def is_healthy(stage):
    equal(stage.client.is_healthy(), True)
    equal(Client("http://127.0.0.1:9").is_healthy(), False)


def get_key(stage):
    key = stage.client.create_key(RIGHTS)
    holds(stage.client.get_key(key.uid), key=key.key, actions=["search"], expires_at=None)


def get_keys(stage):
    holds(stage.client.get_keys({"limit": 1}), limit=1, offset=0)


def create_key(stage):
    end = datetime.datetime(2100, 1, 1, 0, 0, 0, 500_000, datetime.timezone.utc)
    key = stage.client.create_key({**RIGHTS, "expiresAt": end.isoformat()})
    assert re.fullmatch("[0-9a-f]{64}", key.key)
    equal(key.expires_at.replace(tzinfo=datetime.timezone.utc), end)


def update_key(stage):
    key = stage.client.create_key(RIGHTS)
    holds(stage.client.update_key(key.uid, {"name": "new"}), name="new", actions=["search"])


def delete_key(stage):
    key = stage.client.create_key(RIGHTS)
    equal(stage.client.delete_key(key.uid), 204)
    refused("api_key_not_found", lambda: stage.client.get_key(key.uid))


def get_webhooks(stage):
    made = stage.client.create_webhook(WEBHOOK)
    assert made.uuid in [webhook.uuid for webhook in stage.client.get_webhooks().results]


def get_webhook(stage):
    webhook = stage.client.get_webhook(stage.client.create_webhook(WEBHOOK).uuid)
    holds(webhook, url=WEBHOOK["url"])
    assert "secret-header" not in str(webhook.headers)


def create_webhook(stage):
    assert re.fullmatch("[0-9a-f-]{36}", stage.client.create_webhook(WEBHOOK).uuid)


def update_webhook(stage):
    made = stage.client.create_webhook(WEBHOOK)
    url = "http://127.0.0.1:9/new"
    holds(stage.client.update_webhook(made.uuid, {"url": url}), url=url)


def delete_webhook(stage):
    made = stage.client.create_webhook(WEBHOOK)
    equal(stage.client.delete_webhook(made.uuid), 204)
    refused("webhook_not_found", lambda: stage.client.get_webhook(made.uuid))


def _rule(stage, uid):
    selector = {"indexUid": stage.index.uid, "id": "3"}
    options = {"actions": [{"selector": selector, "action": PIN}]}
    stage.done(stage.client.update_dynamic_search_rule(uid, options))


def get_dynamic_search_rules(stage):
    _rule(stage, "listed")
    assert "listed" in [rule.uid for rule in stage.client.get_dynamic_search_rules().results]


def get_dynamic_search_rule(stage):
    _rule(stage, "read")
    holds(stage.client.get_dynamic_search_rule("read"), active=True)


def update_dynamic_search_rule(stage):
    _rule(stage, "applied")
    equal(stage.index.search("alien")["hits"][0]["id"], 3)


def delete_dynamic_search_rule(stage):
    _rule(stage, "gone")
    stage.done(stage.client.delete_dynamic_search_rule("gone"))
    gone = lambda: stage.client.get_dynamic_search_rule("gone")
    refused("dynamic_search_rule_not_found", gone)


def get_version(stage):
    assert re.match(r"\d+\.\d+\.\d+", stage.client.get_version()["pkgVersion"])


def version(stage):
    equal(stage.client.version(), stage.client.get_version())


def create_dump(stage):
    task = stage.done(stage.client.create_dump())
    assert task.details["dumpUid"]


def export(stage):
    other = stage.client.config.url
    copied = stage.index.uid
    info = stage.client.export(other, stage.client.config.api_key, "10MiB", {copied: {}})
    holds(stage.done(info), type="export")


def create_snapshot(stage):
    holds(stage.done(stage.client.create_snapshot()), type="snapshotCreation")


def swap_indexes(stage):
    stage.done(stage.client.create_index("to-swap"))
    stage.done(stage.client.swap_indexes([{"indexes": [stage.index.uid, "to-swap"]}]))
    equal(stage.client.index("to-swap").get_stats().number_of_documents, 3)


def generate_tenant_token(stage):
    key = stage.client.create_key(RIGHTS)
    end = datetime.datetime.now(tz=datetime.timezone.utc) + datetime.timedelta(hours=1)
    rules = {stage.index.uid: {"filter": "year > 1980"}}
    token = stage.client.generate_tenant_token(key.uid, rules, expires_at=end, api_key=key.key)
    tenant = Client(stage.client.config.url, token)
    equal([hit["id"] for hit in tenant.index(stage.index.uid).search("alien")["hits"]], [2])
    refused("invalid_api_key", lambda: tenant.index("films-0").search(""))


def add_or_update_networks(stage):
    remote = {"url": "http://127.0.0.1:9", "searchApiKey": "key"}
    network = stage.client.add_or_update_networks({"self": "a", "remotes": {"a": remote}})
    equal(network["self"], "a")


def get_all_networks(stage):
    assert "remotes" in stage.client.get_all_networks()


def _workspace(stage):
    settings = {"source": "openAi", "apiKey": "secret-chat-key", "baseUrl": stage.chat_service}
    return stage.client.update_chat_workspace_settings("films", settings)


def update_chat_workspace_settings(stage):
    holds(_workspace(stage), source="openAi", baseUrl=stage.chat_service)


def get_chat_workspaces(stage):
    _workspace(stage)
    equal(stage.client.get_chat_workspaces(limit=5)["results"], [{"uid": "films"}])


def get_chat_workspace_settings(stage):
    _workspace(stage)
    assert "secret-chat-key" not in str(stage.client.get_chat_workspace_settings("films"))


def create_chat_completion(stage):
    _workspace(stage)
    asked = [{"role": "user", "content": "Which film?"}]
    chunks = list(stage.client.create_chat_completion("films", asked, "any"))
    words = [choice["delta"].get("content") for chunk in chunks for choice in chunk["choices"]]
    assert "Alien" in words, chunks


def get_experimental_features(stage):
    holds(stage.client.get_experimental_features(), containsFilter=True)


def update_experimental_features(stage):
    changed = stage.client.update_experimental_features({"metrics": True})
    holds(changed, metrics=True, containsFilter=True)
