"""Google's older SDK, over REST. It takes no name with a slash, so other vendors' models have aliases."""

import google.generativeai as genai
import pytest
from questions import FOUR_MODELS, HELLO, RESULT, STORY, WEATHER

CLIENT = "google-generativeai"
MODELS = FOUR_MODELS

NAMES = {
    "openai/gpt-5.4": "gpt",
    "anthropic/claude-sonnet-4-5": "claude",
    "google/gemini-3-flash-preview": "gemini-3-flash-preview",
    "deepseek/deepseek-v4-flash": "deepseek",
}


@pytest.fixture
def make(url, key, model):
    genai.configure(api_key=key, transport="rest", client_options={"api_endpoint": url})
    return lambda **options: genai.GenerativeModel(NAMES[model], **options)


@pytest.mark.shows("whole")
def test_generate(make):
    answer = make(system_instruction="Be brief.").generate_content(HELLO)
    assert "> Say hello to Zoë." in answer.text
    assert answer.usage_metadata.total_token_count > 0


@pytest.mark.shows("stream")
def test_stream(make):
    chunks = list(make().generate_content(STORY, stream=True))
    assert "".join(chunk.text for chunk in chunks) == make().generate_content(STORY).text


@pytest.mark.shows("tools")
@pytest.mark.refused
def test_tools(make):
    """It knows no signatures of thoughts. Gemini 3 refuses its calls without them, until they have a stand-in."""

    def get_weather(city: str) -> str:
        """The weather of a city."""
        return RESULT

    chat = make(tools=[get_weather]).start_chat(enable_automatic_function_calling=True)
    assert RESULT in chat.send_message(WEATHER).text


@pytest.mark.shows("structured")
def test_enum(make):
    answer = make().generate_content(
        "How are you?",
        generation_config=genai.GenerationConfig(
            response_mime_type="text/x.enum", response_schema={"type": "STRING", "enum": ["glad", "sad"]}
        ),
    )
    assert answer.text in ("glad", "sad")


def test_count(make, model):
    if model.startswith("deepseek/"):
        return
    assert make().count_tokens(HELLO).total_tokens > 0
