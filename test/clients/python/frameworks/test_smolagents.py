import pytest
from questions import FOUR_MODELS, HELLO, RESULT, STORY, WEATHER
from smolagents import LiteLLMModel, OpenAIServerModel, ToolCallingAgent, tool

CLIENT = "smolagents"
MODELS = FOUR_MODELS


@tool
def get_weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: where
    """
    return RESULT


def server(url, key, model):
    return OpenAIServerModel(model, api_base=f"{url}/v1", api_key=key)


def lite(url, key, model):
    return LiteLLMModel(f"openai/{model}", api_base=f"{url}/v1", api_key=key)


@pytest.fixture(params=[server, lite])
def llm(request, url, key, model):
    return request.param(url, key, model)


def asks(text):
    return [{"role": "user", "content": [{"type": "text", "text": text}]}]


@pytest.mark.shows("whole")
def test_generate(llm):
    assert "> Say hello to Zoë." in llm.generate(asks(HELLO)).content


@pytest.mark.shows("stream")
def test_stream(llm):
    assert len(list(llm.generate_stream(asks(STORY)))) > 5


@pytest.mark.shows("tools")
def test_tools(llm):
    """A step of the agent: the call comes back, and the tool runs."""
    agent = ToolCallingAgent(tools=[get_weather], model=llm, max_steps=1, verbosity_level=0)
    agent.run(WEATHER)
    assert any(RESULT in str(step) for step in agent.memory.get_full_steps())
