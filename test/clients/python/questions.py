"""What every client is asked, and what a right answer has in it."""

from pydantic import BaseModel

# A model of each vendor: what the SDKs are tested with, frameworks need not repeat.
FOUR_MODELS = [
    "openai/gpt-5.4",
    "anthropic/claude-sonnet-4-5",
    "google/gemini-3-flash-preview",
    "deepseek/deepseek-v4-flash",
]

HELLO = "Say hello to Zoë."
STORY = "Tell me a story."
WEATHER = "What is the weather in Paris?"
RESULT = "17 degrees and rain"


class Person(BaseModel):
    name: str
    born: int
    fields: list[str]


PERSON = "Who was Ada Lovelace?"

WEATHER_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def thinks(model: str) -> bool:
    return "gpt-4" not in model
