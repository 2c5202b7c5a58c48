"""What holds for every test."""

from __future__ import annotations

from hypothesis import settings

# A busy machine is slow now and then; that says nothing about the code under test.
settings.register_profile("house", deadline=None)
settings.load_profile("house")
