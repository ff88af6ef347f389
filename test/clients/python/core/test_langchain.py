import pytest
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI
from questions import FOUR_MODELS, HELLO, PERSON, RESULT, STORY, WEATHER, Person

CLIENTS = {
    "openai_chat": "langchain-openai",
    "openai_responses": "langchain-openai",
    "anthropic": "langchain-anthropic",
    "google": "langchain-google-genai",
}
MODELS = FOUR_MODELS


def openai_chat(url, key, model, **options):
    return ChatOpenAI(model=model, base_url=f"{url}/v1", api_key=key, use_responses_api=False, **options)


def openai_responses(url, key, model, **options):
    return ChatOpenAI(
        model=model, base_url=f"{url}/v1", api_key=key, use_responses_api=True, store=False, **options
    )


def anthropic(url, key, model, **options):
    return ChatAnthropic(model=model, base_url=url, api_key=key, max_tokens=4000, **options)


def google(url, key, model, **options):
    name = model.removeprefix("google/")
    return ChatGoogleGenerativeAI(model=name, base_url=url, google_api_key=key, **options)


@pytest.fixture(params=CLIENTS)
def make(request, url, key, model):
    return lambda **options: globals()[request.param](url, key, model, **options)


@tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return RESULT


@pytest.mark.shows("whole")
def test_invoke(make):
    answer = make().invoke(HELLO)
    assert "> Say hello to Zoë." in answer.text
    assert answer.usage_metadata["input_tokens"] > 0


@pytest.mark.shows("stream")
def test_stream(make):
    chunks = list(make().stream(STORY))
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    assert len(chunks) > 5
    assert whole.text == make().invoke(STORY).text


@pytest.mark.shows("tools")
def test_tools(make):
    model = make().bind_tools([get_weather])
    messages = [HumanMessage(WEATHER)]
    answer = model.invoke(messages)
    [call] = answer.tool_calls
    messages += [answer, ToolMessage(RESULT, tool_call_id=call["id"])]
    assert RESULT in model.invoke(messages).text


@pytest.mark.shows("structured")
def test_structured(make):
    assert isinstance(make().with_structured_output(Person).invoke(PERSON), Person)
