"""LangChain's standard suite of integrations (`langchain-tests`), for each of its integrations with models of four vendors."""

import os

import pytest
from langchain_anthropic import ChatAnthropic
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests
from questions import FOUR_MODELS

URL = os.environ["GATEWAY_URL"]
KEY = os.environ["GATEWAY_KEY"]

OPENAI = {"base_url": f"{URL}/v1", "api_key": KEY, "max_retries": 0}
ANTHROPIC = {"base_url": URL, "api_key": KEY, "max_retries": 0, "max_tokens": 4000}
GOOGLE = {"base_url": URL, "google_api_key": KEY}

# The client, its class, its settings, and how it writes a model's name.
CHAT = {**OPENAI, "use_responses_api": False, "stream_usage": True}
RESPONSES = {**OPENAI, "use_responses_api": True, "store": False}
SUITES = {
    "Chat": ("langchain-openai", ChatOpenAI, CHAT, ""),
    "Responses": ("langchain-openai", ChatOpenAI, RESPONSES, ""),
    "Messages": ("langchain-anthropic", ChatAnthropic, ANTHROPIC, "anthropic/"),
    "Contents": ("langchain-google-genai", ChatGoogleGenerativeAI, GOOGLE, "google/"),
}


class Suite(ChatModelIntegrationTests):
    """What the gateway's models have in common."""

    pytestmark = pytest.mark.refused

    @pytest.mark.xfail(reason="A simulated model fills in a name of its own.", strict=True)
    def test_unicode_tool_call_integration(self, model):
        super().test_unicode_tool_call_integration(model)


def suite(name, model):
    client, integration, settings, prefix = SUITES[name]
    members = {
        "CLIENT": client,
        "VENDOR": model.split("/")[0],
        "chat_model_class": property(lambda self: integration),
        "chat_model_params": property(lambda self: {"model": model.removeprefix(prefix), **settings}),
    }
    return type(f"Test{name}{model.split('/')[0].title()}", (Suite,), members)


for _name in SUITES:
    for _model in FOUR_MODELS:
        _suite = suite(_name, _model)
        globals()[_suite.__name__] = _suite
del _suite, Suite
