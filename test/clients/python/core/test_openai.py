import asyncio
import json

import openai
import pytest
from openai import AsyncOpenAI, OpenAI
from questions import HELLO, PERSON, RESULT, STORY, WEATHER, WEATHER_SCHEMA, Person, thinks

CLIENT = "openai"

TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": WEATHER_SCHEMA, "strict": True}}
FLAT = {"type": "function", "name": "get_weather", "parameters": WEATHER_SCHEMA, "strict": True}


@pytest.fixture(scope="module")
def client(url, key):
    return OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)


def user(text):
    return {"role": "user", "content": text}


@pytest.mark.shows("whole")
def test_chat(client, model):
    answer = client.chat.completions.create(model=model, messages=[user(HELLO)], max_completion_tokens=2000)
    assert "> Say hello to Zoë." in answer.choices[0].message.content
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


@pytest.mark.shows("stream")
def test_chat_stream_helper(client, model):
    whole = client.chat.completions.create(model=model, messages=[user(STORY)])
    with client.chat.completions.stream(
        model=model, messages=[user(STORY)], stream_options={"include_usage": True}
    ) as stream:
        deltas = [event.delta for event in stream if event.type == "content.delta"]
    final = stream.get_final_completion()
    assert "".join(deltas) == final.choices[0].message.content == whole.choices[0].message.content
    assert final.usage.total_tokens > 0
    assert len(deltas) > 5


@pytest.mark.shows("stream")
def test_chat_async(url, key, model):
    async def ask():
        async with AsyncOpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0) as client:
            stream = await client.chat.completions.create(model=model, messages=[user(STORY)], stream=True)
            return [chunk async for chunk in stream]

    chunks = asyncio.run(ask())
    assert len({chunk.id for chunk in chunks}) == 1
    assert [c.choices[0].finish_reason for c in chunks if c.choices and c.choices[0].finish_reason] == ["stop"]


@pytest.mark.shows("tools")
@pytest.mark.refused
@pytest.mark.parametrize("streamed", [False, True])
def test_chat_tools(client, model, streamed):
    """Answers go back as the SDK returns them. OpenAI refuses `parsed` and `parsed_arguments`, until they are removed."""
    messages = [user(WEATHER)]
    request = dict(model=model, messages=messages, tools=[TOOL])
    if streamed:
        with client.chat.completions.stream(**request) as stream:
            stream.until_done()
        message = stream.get_final_completion().choices[0].message
    else:
        message = client.chat.completions.create(**request).choices[0].message
    [call] = message.tool_calls
    assert call.function.name == "get_weather"
    assert list(json.loads(call.function.arguments)) == ["city"]
    messages += [message, {"role": "tool", "tool_call_id": call.id, "content": RESULT}]
    final = client.chat.completions.create(model=model, messages=messages, tools=[TOOL])
    assert RESULT in final.choices[0].message.content


@pytest.mark.shows("structured")
@pytest.mark.refused
def test_chat_parse(client, model):
    answer = client.chat.completions.parse(model=model, messages=[user(PERSON)], response_format=Person)
    assert isinstance(answer.choices[0].message.parsed, Person)
    messages = [user(PERSON), answer.choices[0].message, user("And who else?")]
    again = client.chat.completions.parse(model=model, messages=messages, response_format=Person)
    assert isinstance(again.choices[0].message.parsed, Person)


@pytest.mark.shows("thinking")
def test_chat_effort(client, model):
    if not thinks(model):
        return
    answer = client.chat.completions.create(
        model=model, messages=[user("play: thinking")], reasoning_effort="low"
    )
    details = answer.usage.completion_tokens_details
    assert details.reasoning_tokens > 0


@pytest.mark.shows("whole")
def test_responses(client, model):
    answer = client.responses.create(model=model, instructions="Be brief.", input=HELLO, store=False)
    assert answer.status == "completed"
    assert answer.completed_at >= answer.created_at
    assert "> Say hello to Zoë." in answer.output_text
    assert answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens


@pytest.mark.shows("stream")
def test_responses_stream_helper(client, model):
    with client.responses.stream(model=model, input=STORY, store=False) as stream:
        events = list(stream)
        final = stream.get_final_response()
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert "".join(deltas) == final.output_text != ""
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[0].response.completed_at is None
    assert final.completed_at >= final.created_at


@pytest.mark.shows("tools")
@pytest.mark.parametrize("streamed", [False, True])
def test_responses_tools(client, model, streamed):
    messages = [user(WEATHER)]
    request = dict(model=model, input=messages, tools=[FLAT], store=False)
    if thinks(model):
        request["include"] = ["reasoning.encrypted_content"]
    if streamed:
        with client.responses.stream(**request) as stream:
            response = stream.get_final_response()
    else:
        response = client.responses.create(**request)
    [call] = [item for item in response.output if item.type == "function_call"]
    messages += response.output
    messages += [{"type": "function_call_output", "call_id": call.call_id, "output": RESULT}]
    final = client.responses.create(**request)
    assert RESULT in final.output_text


@pytest.mark.shows("structured")
def test_responses_parse(client, model):
    answer = client.responses.parse(model=model, input=PERSON, text_format=Person, store=False)
    assert isinstance(answer.output_parsed, Person)


@pytest.mark.shows("thinking")
def test_responses_reasoning(client, model):
    if not thinks(model):
        return
    answer = client.responses.create(
        model=model, input="play: thinking", reasoning={"effort": "low", "summary": "auto"}, store=False
    )
    [first, *_] = answer.output
    assert first.type == "reasoning"
    assert first.summary[0].text != ""


def test_errors_and_models(client, url):
    ids = [model.id for model in client.models.list()]
    assert "anthropic/claude-sonnet-4-5" in ids
    assert client.models.retrieve("google/gemini-2.5-flash").id == "google/gemini-2.5-flash"
    with pytest.raises(openai.NotFoundError, match="Model not supported"):
        client.chat.completions.create(model="openai/none", messages=[user(HELLO)])
    with pytest.raises(openai.AuthenticationError):
        OpenAI(base_url=f"{url}/v1", api_key="gw-unknown", max_retries=0).models.list()
