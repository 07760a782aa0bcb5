"""Runs every check of the Python client against a server, and prints one line of JSON for each.

python run_checks.py URL MASTER_KEY CHAT_SERVICE
"""

import json
import sys
import traceback
from inspect import getmembers, isfunction

import client_checks
import index_checks
import setting_checks
import task_checks
from meilisearch import Client
from meilisearch.index import Index
from meilisearch.task import TaskHandler

from stage import Stage

LEFT_OFF = ("legacySearch", "disableDocumentsFetchQueue")


def own_functions(module):
    return {
        name: function
        for name, function in getmembers(module, isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


def unchecked(kind, checked):
    """The public methods of a class that no check names, and the checks of no method."""
    methods = {name for name, _ in getmembers(kind, isfunction) if not name.startswith("_")}
    return sorted(methods ^ set(checked))


def report(kind, name, error=None):
    print(json.dumps({"check": f"{kind}.{name}", "error": error}), flush=True)


def main(url, key, chat_service):
    client = Client(url, key)
    features = client.get_experimental_features()
    client.update_experimental_features({name: name not in LEFT_OFF for name in features})
    settings, along = setting_checks.all_checks()
    checks = {
        Client: {
            **own_functions(client_checks),
            **task_checks.checks_of(lambda stage: stage.client),
        },
        Index: {**own_functions(index_checks), **settings},
        TaskHandler: task_checks.checks_of(lambda stage: stage.client.task_handler),
    }
    for kind, of_kind in checks.items():
        known = [*of_kind, *along] if kind is Index else of_kind
        missing = unchecked(kind, known)
        report(kind.__name__, "every method has a check", f"not so: {missing}" if missing else None)
        for name, check in of_kind.items():
            try:
                check(Stage.prepare(client, chat_service))
                report(kind.__name__, name)
            except Exception:
                report(kind.__name__, name, traceback.format_exc())


if __name__ == "__main__":
    main(*sys.argv[1:])
