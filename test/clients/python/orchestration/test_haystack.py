import pytest
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import Tool
from haystack.utils import Secret
from questions import FOUR_MODELS, HELLO, RESULT, STORY, WEATHER, WEATHER_SCHEMA

CLIENT = "haystack-ai"
MODELS = FOUR_MODELS


@pytest.fixture
def make(url, key, model):
    return lambda **options: OpenAIChatGenerator(
        model=model, api_base_url=f"{url}/v1", api_key=Secret.from_token(key), max_retries=0, **options
    )


@pytest.mark.shows("whole")
def test_whole(make):
    [reply] = make().run([ChatMessage.from_user(HELLO)])["replies"]
    assert "> Say hello to Zoë." in reply.text


@pytest.mark.shows("stream")
def test_stream(make):
    chunks = []
    [reply] = make(streaming_callback=chunks.append).run([ChatMessage.from_user(STORY)])["replies"]
    assert len(chunks) > 5
    assert "".join(chunk.content for chunk in chunks) == reply.text


@pytest.mark.shows("tools")
def test_tools(make):
    tool = Tool(name="get_weather", description="The weather", parameters=WEATHER_SCHEMA, function=lambda city: RESULT)
    messages = [ChatMessage.from_user(WEATHER)]
    [reply] = make(tools=[tool]).run(messages)["replies"]
    [call] = reply.tool_calls
    messages += [reply, ChatMessage.from_tool(RESULT, origin=call)]
    [final] = make(tools=[tool]).run(messages)["replies"]
    assert RESULT in final.text
