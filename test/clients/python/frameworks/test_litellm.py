import asyncio
import json

import litellm
import pytest
from questions import FOUR_MODELS, HELLO, PERSON, RESULT, STORY, WEATHER, WEATHER_SCHEMA, Person

CLIENT = "litellm"
MODELS = FOUR_MODELS

TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": WEATHER_SCHEMA}}

# By its prefix it chooses the format: chat-completions, responses, messages and generateContent.
PREFIXES = ["openai", "openai/responses", "anthropic", "gemini"]


@pytest.fixture(params=PREFIXES)
def ask(request, url, key, model):
    name = model.removeprefix("google/") if request.param == "gemini" else model
    base = {"anthropic": url, "gemini": f"{url}/v1beta"}.get(request.param, f"{url}/v1")
    settings = dict(model=f"{request.param}/{name}", api_base=base, api_key=key, num_retries=0)

    def complete(messages, **options):
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        return litellm.completion(messages=messages, **settings, **options)

    complete.settings = settings
    return complete


@pytest.mark.shows("whole")
def test_whole(ask):
    answer = ask(HELLO)
    assert "> Say hello to Zoë." in answer.choices[0].message.content
    assert answer.usage.prompt_tokens > 0


@pytest.mark.shows("stream")
def test_stream(ask):
    chunks = list(ask(STORY, stream=True))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == ask(STORY).choices[0].message.content
    assert len(chunks) > 5


@pytest.mark.shows("stream")
def test_async(ask):
    async def run():
        messages = [{"role": "user", "content": STORY}]
        stream = await litellm.acompletion(messages=messages, stream=True, **ask.settings)
        return [chunk async for chunk in stream]

    assert len(asyncio.run(run())) > 5


@pytest.mark.shows("tools")
@pytest.mark.parametrize("streamed", [False, True])
def test_tools(ask, streamed):
    messages = [{"role": "user", "content": WEATHER}]
    if streamed:
        chunks = list(ask(messages, tools=[TOOL], stream=True))
        answer = litellm.stream_chunk_builder(chunks, messages=messages)
    else:
        answer = ask(messages, tools=[TOOL])
    message = answer.choices[0].message
    [call] = message.tool_calls
    messages += [message.model_dump(), {"role": "tool", "tool_call_id": call.id, "content": RESULT}]
    assert RESULT in ask(messages, tools=[TOOL]).choices[0].message.content


@pytest.mark.shows("structured")
def test_structured(ask):
    answer = ask(PERSON, response_format=Person)
    text = answer.choices[0].message.content
    if ask.settings["model"].startswith(("gemini/openai/", "gemini/deepseek/")):
        # Of these it believes that they take no schema, and describes it in the prompt, which no simulated model reads.
        assert isinstance(json.loads(text), dict)
    else:
        assert Person.model_validate_json(text)
