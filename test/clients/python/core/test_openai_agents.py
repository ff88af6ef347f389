import asyncio

import pytest
from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from questions import FOUR_MODELS, PERSON, RESULT, WEATHER, Person

CLIENT = "openai-agents"
MODELS = FOUR_MODELS

set_tracing_disabled(True)


@function_tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return RESULT


@pytest.fixture(params=[OpenAIResponsesModel, OpenAIChatCompletionsModel])
def agent(request, url, key, model):
    def make(**options):
        # A client belongs to one event loop.
        client = AsyncOpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
        return Agent(
            name="Assistant",
            instructions="Be brief.",
            model=request.param(model, client),
            model_settings=ModelSettings(store=False, include_usage=True),
            **options,
        )

    return make


@pytest.mark.shows("whole")
@pytest.mark.shows("tools")
def test_run(agent):
    result = asyncio.run(Runner.run(agent(tools=[get_weather]), WEATHER))
    assert RESULT in result.final_output


@pytest.mark.shows("stream")
def test_streamed_run(agent):
    async def ask():
        run = Runner.run_streamed(agent(tools=[get_weather]), WEATHER)
        kinds = [event.type async for event in run.stream_events()]
        return run, kinds

    run, kinds = asyncio.run(ask())
    assert RESULT in run.final_output
    assert "raw_response_event" in kinds


@pytest.mark.shows("structured")
def test_output_type(agent):
    result = asyncio.run(Runner.run(agent(output_type=Person), PERSON))
    assert isinstance(result.final_output, Person)
