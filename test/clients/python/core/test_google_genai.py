import asyncio
import base64
import enum

import pytest
from google import genai
from google.genai import errors, types
from questions import HELLO, PERSON, RESULT, STORY, WEATHER, Person, thinks

CLIENT = "google-genai"


@pytest.fixture(scope="module")
def client(url, key):
    return genai.Client(api_key=key, http_options={"base_url": url})


def named(model):
    """Google's models by their own names, the others by their ids."""
    return model.removeprefix("google/")


def get_weather(city: str) -> dict:
    """The weather of a city."""
    return {"weather": RESULT}


class Mood(enum.Enum):
    GLAD = "glad"
    SAD = "sad"


@pytest.mark.shows("whole")
def test_generate(client, model):
    answer = client.models.generate_content(
        model=named(model), contents=HELLO, config={"system_instruction": "Be brief.", "max_output_tokens": 2000}
    )
    assert "> Say hello to Zoë." in answer.text
    assert answer.candidates[0].finish_reason == types.FinishReason.STOP
    assert answer.usage_metadata.total_token_count > 0


@pytest.mark.shows("stream")
def test_stream(client, model):
    whole = client.models.generate_content(model=named(model), contents=STORY)
    chunks = list(client.models.generate_content_stream(model=named(model), contents=STORY))
    assert "".join(chunk.text or "" for chunk in chunks) == whole.text
    assert chunks[-1].candidates[0].finish_reason == types.FinishReason.STOP


@pytest.mark.shows("stream")
def test_async(url, key, model):
    async def ask():
        # A client belongs to one event loop.
        client = genai.Client(api_key=key, http_options={"base_url": url})
        stream = await client.aio.models.generate_content_stream(model=named(model), contents=STORY)
        return [chunk.text or "" async for chunk in stream]

    assert len("".join(asyncio.run(ask()))) > 100


@pytest.mark.shows("tools")
def test_automatic_function_calling(client, model):
    chat = client.chats.create(model=named(model), config={"tools": [get_weather]})
    assert RESULT in chat.send_message(WEATHER).text
    assert chat.send_message(HELLO).text


@pytest.mark.shows("thinking")
@pytest.mark.parametrize("streamed", [False, True])
def test_signatures_over_three_turns(client, model, streamed):
    """A chat sends thoughts and calls back with their signatures."""
    config = types.GenerateContentConfig(
        tools=[get_weather], automatic_function_calling={"disable": True}
    )
    if thinks(model):
        config.thinking_config = types.ThinkingConfig(include_thoughts=True, thinking_budget=2048)
    chat = client.chats.create(model=named(model), config=config)

    def send(message):
        if not streamed:
            return chat.send_message(message).function_calls or []
        return [call for chunk in chat.send_message_stream(message) for call in chunk.function_calls or []]

    for _ in range(3):
        [call] = send(WEATHER)
        response = types.Part.from_function_response(name=call.name, response={"result": RESULT})
        response.function_response.id = call.id
        assert send(response) == []
    parts = [part for content in chat.get_history() for part in content.parts]
    signatures = [part.thought_signature for part in parts if part.thought_signature]
    # Bytes: the SDK has decoded them from base64.
    assert all(isinstance(one, bytes) and base64.b64encode(one) for one in signatures)
    if model.startswith(("anthropic/", "google/")):
        assert len(signatures) >= 3


@pytest.mark.shows("structured")
def test_schema(client, model):
    answer = client.models.generate_content(
        model=named(model),
        contents=PERSON,
        config={"response_mime_type": "application/json", "response_schema": Person},
    )
    assert isinstance(answer.parsed, Person)


@pytest.mark.shows("structured")
def test_enum(client, model):
    answer = client.models.generate_content(
        model=named(model),
        contents="How are you?",
        config={"response_mime_type": "text/x.enum", "response_schema": Mood},
    )
    assert answer.text in ("glad", "sad")
    assert answer.parsed in list(Mood)


def test_count_tokens(client):
    for model in ["openai/gpt-5.4", "anthropic/claude-sonnet-4-5", "gemini-3-flash-preview"]:
        assert client.models.count_tokens(model=model, contents=HELLO).total_tokens > 0


def test_models_and_errors(client, url):
    names = [model.name for model in client.models.list(config={"page_size": 10})]
    assert len(names) == len(set(names)) > 10
    assert "models/gemini-2.5-flash" in names
    with pytest.raises(errors.ClientError) as failure:
        client.models.generate_content(model="none", contents=HELLO)
    assert failure.value.code == 404
    stranger = genai.Client(api_key="gw-unknown", http_options={"base_url": url})
    with pytest.raises(errors.ClientError) as failure:
        stranger.models.get(model="gemini-2.5-flash")
    assert failure.value.code in (400, 401)
