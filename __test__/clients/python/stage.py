"""What every check works with: the client, an index of three films of its own, and small helpers."""

from dataclasses import dataclass
from itertools import count

from meilisearch import Client
from meilisearch.errors import MeilisearchApiError
from meilisearch.index import Index

FILMS = [
    {"id": 1, "title": "Alien", "genre": "horror", "year": 1979},
    {"id": 2, "title": "Aliens", "genre": "action", "year": 1986},
    {"id": 3, "title": "Blade Runner", "genre": "drama", "year": 1982},
]
NEW_FILM = {"id": 9, "title": "Solaris"}

_numbers = count(1)


@dataclass
class Stage:
    """The client of a server with every experimental feature on, and an index of the check alone."""

    client: Client
    index: Index
    chat_service: str

    @classmethod
    def prepare(cls, client: Client, chat_service: str) -> "Stage":
        index = client.index(f"films-{next(_numbers)}")
        index.update_settings(
            {"filterableAttributes": ["genre", "year", "id"], "sortableAttributes": ["year"]}
        )
        stage = cls(client, index, chat_service)
        stage.done(index.add_documents(FILMS, "id"))
        return stage

    def done(self, info):
        """Waits for a task, and returns it; fails unless it succeeded."""
        task = self.client.wait_for_task(info.task_uid, 20_000, 5)
        assert task.status == "succeeded", task.error
        return task

    def ids(self):
        """The ids of all stored documents."""
        return [document.id for document in self.index.get_documents().results]

    def store(self, info):
        """Waits for a write, and returns the ids of all documents after it."""
        self.done(info)
        return self.ids()


def equal(found, wanted):
    assert found == wanted, f"{found!r} is not {wanted!r}"


def holds(found, **wanted):
    """Whether an object, or a dict, has these attributes with these values."""
    for name, value in wanted.items():
        got = found[name] if isinstance(found, dict) else getattr(found, name)
        assert got == value, f"{name}: {got!r} is not {value!r}"


def refused(code, call):
    """Whether the server refuses a call with a code."""
    try:
        call()
    except MeilisearchApiError as error:
        equal(error.code, code)
        return
    raise AssertionError(f"was not refused with {code}")
