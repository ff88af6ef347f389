import pytest
from crewai import LLM, Agent
from crewai.tools import tool
from questions import FOUR_MODELS, HELLO, PERSON, RESULT, WEATHER, Person

CLIENT = "crewai"
MODELS = FOUR_MODELS


@tool("get_weather")
def get_weather(city: str) -> str:
    """The weather of a city."""
    return RESULT


@pytest.fixture
def llm(url, key, model):
    return LLM(model=model, provider="openai", base_url=f"{url}/v1", api_key=key)


@pytest.mark.shows("whole")
def test_call(llm):
    assert "> Say hello to Zoë." in llm.call(HELLO)


@pytest.mark.shows("tools")
def test_tools(llm):
    agent = Agent(role="Assistant", goal="Answer", backstory="Brief.", llm=llm, tools=[get_weather], max_iter=3)
    assert RESULT in str(agent.kickoff(WEATHER))


@pytest.mark.shows("structured")
def test_structured(llm):
    answer = llm.call(PERSON, response_model=Person)
    assert Person.model_validate(answer if not isinstance(answer, str) else Person.model_validate_json(answer))
