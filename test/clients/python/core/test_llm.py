"""The command line `llm`, run in this process as its own tests do."""

import json
import pathlib

import pytest
from click.testing import CliRunner
from questions import FOUR_MODELS, HELLO, PERSON, RESULT, STORY, WEATHER

CLIENT = "llm"
MODELS = FOUR_MODELS

FUNCTION = f'''
def get_weather(city: str) -> str:
    """The weather of a city."""
    return "{RESULT}"
'''


@pytest.fixture
def run(url, key, model, tmp_path, monkeypatch):
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    lines = f"""
- model_id: asked
  model_name: {model}
  api_base: {url}/v1
  api_key_name: gateway
  supports_tools: true
  supports_schema: true
"""
    pathlib.Path(tmp_path, "extra-openai-models.yaml").write_text(lines)
    from llm.cli import cli

    def ask(*words):
        result = CliRunner().invoke(cli, ["-m", "asked", "--key", key, *words])
        assert result.exit_code == 0, result.output + repr(result.exception)
        return result.output

    return ask


@pytest.mark.shows("whole")
def test_whole(run):
    assert "> Say hello to Zoë." in run("--no-stream", HELLO)


@pytest.mark.shows("stream")
def test_stream(run):
    assert len(run(STORY)) > 100
    assert run("--continue", HELLO) != ""


@pytest.mark.shows("tools")
def test_tools(run):
    assert RESULT in run("--functions", FUNCTION, WEATHER)


@pytest.mark.shows("structured")
def test_schema(run):
    answer = json.loads(run("--schema", "name, born int", PERSON))
    assert list(answer) == ["name", "born"]
