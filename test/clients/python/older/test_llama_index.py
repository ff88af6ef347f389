import pytest
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike
from questions import FOUR_MODELS, HELLO, STORY, WEATHER

CLIENT = "llama-index-core"
MODELS = FOUR_MODELS


@pytest.fixture
def llm(url, key, model):
    return OpenAILike(
        model=model, api_base=f"{url}/v1", api_key=key, is_chat_model=True, is_function_calling_model=True
    )


@pytest.mark.shows("whole")
def test_whole(llm):
    assert "> Say hello to Zoë." in llm.chat([ChatMessage(HELLO)]).message.content


@pytest.mark.shows("stream")
def test_stream(llm):
    chunks = list(llm.stream_chat([ChatMessage(STORY)]))
    assert len(chunks) > 5


@pytest.mark.shows("tools")
def test_tools(llm):
    def get_weather(city: str) -> str:
        """The weather of a city."""
        return city

    answer = llm.predict_and_call([FunctionTool.from_defaults(get_weather)], WEATHER)
    assert str(answer) == "Paris"
