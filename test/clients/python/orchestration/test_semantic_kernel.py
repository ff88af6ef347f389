import asyncio

import pytest
from openai import AsyncOpenAI
from questions import FOUR_MODELS, HELLO, RESULT, STORY, WEATHER
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import kernel_function

CLIENT = "semantic-kernel"
MODELS = FOUR_MODELS


class Weather:
    @kernel_function(description="The weather of a city.")
    def get_weather(self, city: str) -> str:
        return RESULT


@pytest.fixture
def make(url, key, model):
    def agent(**options):
        client = AsyncOpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
        service = OpenAIChatCompletion(ai_model_id=model, async_client=client)
        return ChatCompletionAgent(service=service, name="Assistant", **options)

    return agent


@pytest.mark.shows("whole")
def test_whole(make):
    assert "> Say hello to Zoë." in str(asyncio.run(make().get_response(HELLO)))


@pytest.mark.shows("tools")
def test_tools(make):
    assert RESULT in str(asyncio.run(make(plugins=[Weather()]).get_response(WEATHER)))


@pytest.mark.shows("stream")
def test_stream(make):
    async def ask():
        return [str(part.message) async for part in make().invoke_stream(STORY)]

    assert len(asyncio.run(ask())) > 5
