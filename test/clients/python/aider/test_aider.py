"""The coding agent, in a repository of its own, as its scripting interface runs it."""

import subprocess
import sys

import pytest
from questions import FOUR_MODELS, HELLO

CLIENT = "aider-chat"
MODELS = FOUR_MODELS


@pytest.mark.shows("whole")
@pytest.mark.shows("stream")
@pytest.mark.parametrize("streamed", ["--stream", "--no-stream"])
def test_message(url, key, model, streamed, tmp_path):
    words = ["-m", "aider", "--model", f"openai/{model}", "--message", HELLO, streamed, "--no-git", "--yes-always"]
    words += ["--no-check-update", "--no-show-model-warnings", "--analytics-disable", "--no-pretty", "--map-tokens", "0"]
    env = {"OPENAI_API_BASE": f"{url}/v1", "OPENAI_API_KEY": key, "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    run = subprocess.run([sys.executable, *words], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert "> Say hello to Zoë." in run.stdout, run.stdout + run.stderr
