import asyncio

import pytest
from pydantic_ai import Agent, NativeOutput, UserError
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider
from questions import FOUR_MODELS, PERSON, RESULT, STORY, WEATHER, Person

CLIENT = "pydantic-ai-slim"
MODELS = FOUR_MODELS


def chat(url, key, model):
    return OpenAIChatModel(model, provider=OpenAIProvider(base_url=f"{url}/v1", api_key=key))


def responses(url, key, model):
    return OpenAIResponsesModel(model, provider=OpenAIProvider(base_url=f"{url}/v1", api_key=key))


def messages(url, key, model):
    # By its plain name it is recognized as Claude.
    return AnthropicModel(model.removeprefix("anthropic/"), provider=AnthropicProvider(base_url=url, api_key=key))


def contents(url, key, model):
    name = model.removeprefix("google/")
    return GoogleModel(name, provider=GoogleProvider(base_url=url, api_key=key))


@pytest.fixture(params=[chat, responses, messages, contents])
def agent(request, url, key, model):
    return lambda **options: Agent(request.param(url, key, model), instructions="Be brief.", **options)


def get_weather(city: str) -> str:
    """The weather of a city."""
    return RESULT


@pytest.mark.shows("whole")
@pytest.mark.shows("tools")
def test_run(agent):
    async def ask():
        first = await agent(tools=[get_weather]).run(WEATHER)
        second = await agent(tools=[get_weather]).run(STORY, message_history=first.all_messages())
        return first.output, second.output

    first, second = asyncio.run(ask())
    assert RESULT in first
    assert second != ""


@pytest.mark.shows("stream")
def test_stream(agent):
    async def ask():
        async with agent().run_stream(STORY) as run:
            return [text async for text in run.stream_text(delta=True, debounce_by=None)]

    deltas = asyncio.run(ask())
    assert len(deltas) > 5


@pytest.mark.shows("structured")
def test_structured(agent):
    result = asyncio.run(agent(output_type=Person).run(PERSON))
    assert isinstance(result.output, Person)


@pytest.mark.shows("structured")
def test_native_structured(agent, request):
    if "messages" in request.node.name and "claude" not in request.node.name:
        # Over Anthropic's format it asks only Claude for a schema.
        with pytest.raises(UserError, match="not supported by this model"):
            asyncio.run(agent(output_type=NativeOutput(Person)).run(PERSON))
        return
    result = asyncio.run(agent(output_type=NativeOutput(Person)).run(PERSON))
    assert isinstance(result.output, Person)
