import dspy
import pytest
from questions import FOUR_MODELS, PERSON, Person

CLIENT = "dspy"
MODELS = FOUR_MODELS


@pytest.fixture(params=["chat", "responses"])
def lm(request, url, key, model):
    return dspy.LM(f"openai/{model}", api_base=f"{url}/v1", api_key=key, model_type=request.param, cache=False)


@pytest.mark.shows("whole")
def test_call(lm):
    [answer] = lm("Say hello to Zoë.")
    text = answer["text"] if isinstance(answer, dict) else answer
    assert "> Say hello to Zoë." in text


@pytest.mark.shows("structured")
def test_structured(lm):
    [answer] = lm(PERSON, response_format=Person)
    assert Person.model_validate_json(answer["text"] if isinstance(answer, dict) else answer)
