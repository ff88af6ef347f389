import asyncio

import pytest
from google.adk.agents import LlmAgent
from google.adk.models.google_llm import Gemini
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.genai import Client, types
from questions import FOUR_MODELS, PERSON, RESULT, STORY, WEATHER, Person

CLIENT = "google-adk"
MODELS = FOUR_MODELS


class OursGemini(Gemini):
    """As its documents show it: a model with another client."""

    client: object = None

    @property
    def api_client(self):
        return self.client


def lite(url, key, model):
    return LiteLlm(model=f"openai/{model}", api_base=f"{url}/v1", api_key=key)


def gemini(url, key, model):
    client = Client(api_key=key, http_options={"base_url": url})
    return OursGemini(model=model.removeprefix("google/"), client=client)


def get_weather(city: str) -> str:
    """The weather of a city."""
    return RESULT


@pytest.fixture(params=[lite, gemini])
def ask(request, url, key, model):
    def run(text, streaming=False, **options):
        async def events():
            agent = LlmAgent(name="assistant", model=request.param(url, key, model), **options)
            runner = InMemoryRunner(agent, app_name="tests")
            session = await runner.session_service.create_session(app_name="tests", user_id="user")
            from google.adk.agents.run_config import RunConfig, StreamingMode

            return [
                event
                async for event in runner.run_async(
                    user_id="user",
                    session_id=session.id,
                    new_message=types.UserContent(text),
                    run_config=RunConfig(streaming_mode=StreamingMode.SSE if streaming else StreamingMode.NONE),
                )
            ]

        return asyncio.run(events())

    return run


def said(event):
    return "".join(part.text or "" for part in event.content.parts) if event.content else ""


@pytest.mark.shows("whole")
@pytest.mark.shows("tools")
def test_tools(ask):
    assert RESULT in said(ask(WEATHER, tools=[get_weather])[-1])


@pytest.mark.shows("stream")
def test_stream(ask):
    events = ask(STORY, streaming=True)
    assert len([event for event in events if event.partial]) > 5


@pytest.mark.shows("structured")
def test_structured(ask):
    assert Person.model_validate_json(said(ask(PERSON, output_schema=Person)[-1]))
