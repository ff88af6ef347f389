import anthropic
import instructor
import openai
import pytest
from google import genai
from questions import FOUR_MODELS, PERSON, Person

CLIENT = "instructor"
MODELS = FOUR_MODELS


def openai_tools(url, key):
    return instructor.from_openai(openai.OpenAI(base_url=f"{url}/v1", api_key=key), mode=instructor.Mode.TOOLS)


def openai_schema(url, key):
    return instructor.from_openai(
        openai.OpenAI(base_url=f"{url}/v1", api_key=key), mode=instructor.Mode.JSON_SCHEMA
    )


def openai_responses(url, key):
    return instructor.from_openai(
        openai.OpenAI(base_url=f"{url}/v1", api_key=key), mode=instructor.Mode.RESPONSES_TOOLS
    )


def anthropic_tools(url, key):
    return instructor.from_anthropic(anthropic.Anthropic(base_url=url, api_key=key))


def google(url, key):
    return instructor.from_genai(genai.Client(api_key=key, http_options={"base_url": url}))


@pytest.mark.shows("whole")
@pytest.mark.shows("tools")
@pytest.mark.shows("structured")
@pytest.mark.parametrize("make", [openai_tools, openai_schema, openai_responses, anthropic_tools, google])
def test_create(url, key, model, make):
    name = model.removeprefix("google/") if make is google else model
    extra = {"max_tokens": 2000} if make is anthropic_tools else {}
    person = make(url, key).create(
        model=name, response_model=Person, messages=[{"role": "user", "content": PERSON}], max_retries=1, **extra
    )
    assert isinstance(person, Person)


@pytest.mark.shows("stream")
def test_partial(url, key, model):
    parts = openai_tools(url, key).create_partial(
        model=model, response_model=Person, messages=[{"role": "user", "content": PERSON}], max_retries=1
    )
    assert list(parts)[-1].name
