import asyncio

import anthropic
import pytest
from anthropic import Anthropic, AsyncAnthropic, beta_tool
from questions import HELLO, PERSON, RESULT, STORY, WEATHER, WEATHER_SCHEMA, Person, thinks

CLIENT = "anthropic"

TOOL = {"name": "get_weather", "description": "The weather", "input_schema": WEATHER_SCHEMA}


@pytest.fixture(scope="module")
def client(url, key):
    return Anthropic(base_url=url, api_key=key, max_retries=0)


def asks(text):
    return [{"role": "user", "content": text}]


@pytest.mark.shows("whole")
def test_message(client, model):
    answer = client.messages.create(model=model, max_tokens=2000, system="Be brief.", messages=asks(HELLO))
    assert "> Say hello to Zoë." in answer.content[-1].text
    assert answer.stop_reason == "end_turn"
    assert answer.usage.input_tokens > 0 and answer.usage.output_tokens > 0


@pytest.mark.shows("stream")
def test_stream_helper(client, model):
    whole = client.messages.create(model=model, max_tokens=2000, messages=asks(STORY))
    with client.messages.stream(model=model, max_tokens=2000, messages=asks(STORY)) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert text == final.content[-1].text == whole.content[-1].text
    assert final.usage.input_tokens == whole.usage.input_tokens
    assert final.usage.output_tokens == whole.usage.output_tokens
    assert final.stop_reason == "end_turn"


@pytest.mark.shows("stream")
def test_async(url, key, model):
    async def ask():
        async with AsyncAnthropic(base_url=url, api_key=key, max_retries=0) as client:
            async with client.messages.stream(model=model, max_tokens=2000, messages=asks(STORY)) as stream:
                return await stream.get_final_text()

    assert len(asyncio.run(ask())) > 100


@pytest.mark.shows("tools")
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("thinking", [False, True])
def test_tools(client, model, streamed, thinking):
    if thinking and not thinks(model):
        return
    messages = asks(WEATHER)
    request = dict(model=model, max_tokens=4000, messages=messages, tools=[TOOL])
    if thinking:
        request["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    if streamed:
        with client.messages.stream(**request) as stream:
            answer = stream.get_final_message()
    else:
        answer = client.messages.create(**request)
    [call] = [block for block in answer.content if block.type == "tool_use"]
    assert answer.stop_reason == "tool_use"
    assert list(call.input) == ["city"]
    messages += [
        {"role": "assistant", "content": answer.content},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": RESULT}]},
    ]
    final = client.messages.create(**request)
    assert RESULT in final.content[-1].text


@pytest.mark.shows("thinking")
@pytest.mark.parametrize("streamed", [False, True])
def test_thinking(client, model, streamed):
    """A thought goes back with the next question as it came."""
    if not thinks(model):
        return
    messages = asks("play: thinking")
    request = dict(
        model=model, max_tokens=4000, messages=messages, thinking={"type": "enabled", "budget_tokens": 1024}
    )
    if streamed:
        with client.messages.stream(**request) as stream:
            answer = stream.get_final_message()
    else:
        answer = client.messages.create(**request)
    assert answer.content[0].type == "thinking"
    assert answer.content[0].thinking != ""
    assert isinstance(answer.content[0].signature, str)
    messages += [{"role": "assistant", "content": answer.content}, *asks(HELLO)]
    assert client.messages.create(**request).stop_reason == "end_turn"


@pytest.mark.shows("tools")
def test_tool_runner(client, model):
    @beta_tool
    def get_weather(city: str) -> str:
        """The weather.

        Args:
            city: where
        """
        return RESULT

    runner = client.beta.messages.tool_runner(
        model=model, max_tokens=2000, messages=asks(WEATHER), tools=[get_weather]
    )
    assert RESULT in runner.until_done().content[-1].text


@pytest.mark.shows("structured")
def test_parse(client, model):
    answer = client.messages.parse(model=model, max_tokens=2000, messages=asks(PERSON), output_format=Person)
    assert isinstance(answer.parsed_output, Person)


def test_count_tokens(client):
    for model in ["openai/gpt-5.4", "anthropic/claude-sonnet-4-5", "google/gemini-3-flash-preview"]:
        counted = client.messages.count_tokens(model=model, messages=asks(HELLO), tools=[TOOL])
        assert counted.input_tokens > 0
        assert client.beta.messages.count_tokens(model=model, messages=asks(HELLO)).input_tokens > 0


def test_models_and_errors(client, url):
    page = client.models.list(limit=3)
    assert len(page.data) == 3 and page.has_more
    listed = [model.id for model in page]
    assert len(listed) == len(set(listed)) > 10
    with pytest.raises(anthropic.NotFoundError):
        client.messages.create(model="openai/none", max_tokens=10, messages=asks(HELLO))
    with pytest.raises(anthropic.AuthenticationError):
        Anthropic(base_url=url, api_key="gw-unknown", max_retries=0).models.list()
