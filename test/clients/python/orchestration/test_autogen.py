import asyncio

import pytest
from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import ModelFamily, UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from questions import FOUR_MODELS, PERSON, RESULT, STORY, WEATHER, Person

CLIENT = "autogen-ext"
MODELS = FOUR_MODELS

INFO = {
    "vision": True,
    "function_calling": True,
    "json_output": True,
    "family": ModelFamily.UNKNOWN,
    "structured_output": True,
}


@pytest.fixture
def make(url, key, model):
    return lambda: OpenAIChatCompletionClient(model=model, base_url=f"{url}/v1", api_key=key, model_info=INFO)


def get_weather(city: str) -> str:
    """The weather of a city."""
    return RESULT


@pytest.mark.shows("whole")
@pytest.mark.shows("tools")
def test_agent(make):
    agent = AssistantAgent("assistant", make(), tools=[get_weather], reflect_on_tool_use=True)
    assert RESULT in asyncio.run(agent.run(task=WEATHER)).messages[-1].content


@pytest.mark.shows("stream")
def test_stream(make):
    async def ask():
        stream = make().create_stream([UserMessage(content=STORY, source="user")])
        return [part async for part in stream]

    parts = asyncio.run(ask())
    assert len(parts) > 5
    assert parts[-1].content == "".join(parts[:-1])


@pytest.mark.shows("structured")
def test_structured(make):
    result = asyncio.run(make().create([UserMessage(content=PERSON, source="user")], json_output=Person))
    assert Person.model_validate_json(result.content)
