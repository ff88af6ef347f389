"""The conformance suite `llm-comply`, in all four formats."""

import pathlib

import llm_comply
import pytest
from llm_comply.config import ComplianceConfig
from llm_comply.result import TestStatus
from llm_comply.runner import TestRunner
from llm_comply.schema import SpecLoader
from llm_comply.tests import get_tests

CLIENT = "llm-comply"

BEARER = {}
ANTHROPIC = {
    "auth_header": "x-api-key",
    "use_bearer_prefix": False,
    "extra_headers": {"anthropic-version": "2023-06-01"},
}
GOOGLE = {"auth_header": "x-goog-api-key", "use_bearer_prefix": False}

# What its command line takes for each format: options, the path below the gateway, and the document to compare with.
FORMATS = {
    "openai-chat": (BEARER, "/v1", "openai_chat.json"),
    "open-responses": (BEARER, "/v1", "openresponses.json"),
    "anthropic": (ANTHROPIC, "/v1", "anthropic.json"),
    "google-genai": (GOOGLE, "", None),
}

# Tests that fail at the vendors too, because their own answers lack fields that the documents require. These answers pass
# byte for byte.
FAIL_AT_THE_VENDOR = {
    # DeepSeek's have no `refusal`.
    ("openai-chat", "deepseek/deepseek-v4-flash"): {
        "chat-basic-response",
        "chat-system-prompt",
        "chat-multi-turn",
        "chat-tool-calling",
        "chat-image-input",
    },
    # Claude's have no `citations` in a text without any, no `container`, and no `server_tool_use` in `usage`.
    ("anthropic", "anthropic/claude-sonnet-4-5"): {
        "anth-basic-response",
        "anth-system-prompt",
        "anth-multi-turn",
        "anth-tool-calling",
        "anth-image-input",
        "anth-thinking-display",
    },
}


@pytest.mark.shows("whole")
@pytest.mark.shows("stream")
@pytest.mark.shows("tools")
@pytest.mark.refused
@pytest.mark.parametrize("form", FORMATS)
def test_complies(url, key, form, model):
    options, path, document = FORMATS[form]
    name = model.removeprefix("google/") if form == "google-genai" else model
    config = ComplianceConfig(base_url=url + path, api_key=key, model=name, **options)
    specs = pathlib.Path(llm_comply.__file__).parent / "specs"
    spec = SpecLoader(document and str(specs / document))
    results = TestRunner(config, get_tests(form), spec).run_all().results
    failed = {one.id: one.errors for one in results if one.status == TestStatus.FAILED}
    expected = FAIL_AT_THE_VENDOR.get((form, model), set())
    assert {test: errors for test, errors in failed.items() if test not in expected} == {}
    assert expected - failed.keys() == set()
    assert len([one for one in results if one.status == TestStatus.PASSED]) > 2
