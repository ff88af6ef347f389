"""
What the tests of all Python clients share: the gateway's address, the models, and the report that vitest reads.

A module says which client it tests (`CLIENT`, the name on PyPI; or `CLIENTS`, by a parameter), and a test what it shows:
`@pytest.mark.shows("stream")`. A test that has a `model` is run with a model of every vendor.
"""

import json
import os
import urllib.request
from importlib.metadata import version

import pytest

URL = os.environ["GATEWAY_URL"]
KEY = os.environ["GATEWAY_KEY"]

# One for each of the vendors and ways of thinking.
MODELS = [
    "openai/gpt-4.1",
    "openai/gpt-5.4",
    "anthropic/claude-sonnet-4-5",
    "google/gemini-3-flash-preview",
    "deepseek/deepseek-v4-flash",
]


def pytest_configure(config):
    config.addinivalue_line("markers", "shows(capability): what the client can do, a column of the table")
    config.addinivalue_line("markers", "refused: a vendor refuses a request of this test, as it should")


def pytest_generate_tests(metafunc):
    # Suites of others are classes, and have models of their own.
    if metafunc.cls is None and "model" in metafunc.fixturenames:
        models = getattr(metafunc.module, "MODELS", MODELS)
        metafunc.parametrize("model", models)


@pytest.fixture(scope="session")
def url():
    return URL


@pytest.fixture(scope="session")
def key():
    return KEY


def _passed(method):
    request = urllib.request.Request(os.environ["RECORD_URL"], method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


@pytest.fixture
def passed():
    """Reads the requests that the vendors received in this test, each with `path`, `body` and `status`."""
    return lambda: _passed("GET")


@pytest.fixture(autouse=True)
def vendors_refuse_nothing(request):
    """A client's request is right the first time: none needs a repair."""
    _passed("DELETE")
    yield
    refused = [one for one in _passed("DELETE") if one["status"] >= 400]
    if request.node.get_closest_marker("refused") is None:
        assert refused == []


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    whole = item.stash.setdefault(PHASES, [])
    whole.append(report)
    if report.when != "teardown":
        return
    failed = [one for one in whole if one.failed]
    expected = [one for one in whole if one.skipped and hasattr(one, "wasxfail")]
    # Suites of others skip what a client says that it lacks.
    skipped = [one for one in whole if one.skipped and not hasattr(one, "wasxfail")]
    module = item.module
    params = item.callspec.params if hasattr(item, "callspec") else {}
    model = params.get("model") if item.cls is None else None
    # A module that tests several clients has a parameter for each.
    clients = getattr(module, "CLIENTS", {})
    client = next((clients[one] for one in map(str, params.values()) if one in clients), None)
    client = client or getattr(item.cls, "CLIENT", None) or module.CLIENT
    vendor = getattr(item.cls, "VENDOR", None) or (model and model.split("/")[0])
    ended = "expected-failure" if expected else "skipped" if skipped else "passed"
    line = {
        "file": item.path.name,
        "name": item.nodeid.split("::", 1)[1],
        "outcome": "failed" if failed else ended,
        "message": "\n".join(
            [str(one.longrepr) for one in failed + skipped] + [one.wasxfail for one in expected]
        )[-4000:],
        "client": client,
        "version": version(client),
        "vendor": vendor,
        "capabilities": [mark.args[0] for mark in item.iter_markers("shows")],
    }
    with open(os.environ["REPORT"], "a") as file:
        file.write(json.dumps(line) + "\n")


PHASES = pytest.StashKey()
