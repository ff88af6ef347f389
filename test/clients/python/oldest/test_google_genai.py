"""The tests of `core`, with the oldest version."""

from core.test_google_genai import *  # noqa: F403
