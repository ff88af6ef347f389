"""The tests of `core`, with the oldest version."""

from core.test_openai import *  # noqa: F403
