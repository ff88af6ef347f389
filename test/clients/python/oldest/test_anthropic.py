"""The tests of `core`, with the oldest version."""

from core.test_anthropic import *  # noqa: F403
