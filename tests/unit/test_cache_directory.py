from __future__ import annotations

from pathlib import Path

import pytest
from headrace.world.cache import default_cache_dir


@pytest.mark.parametrize(
    ("env", "where"),
    [
        ({"HEADRACE_CACHE": "/big/disk", "XDG_CACHE_HOME": "/x", "HOME": "/home/me"}, "/big/disk"),
        ({"XDG_CACHE_HOME": "/x", "HOME": "/home/me"}, "/x/headrace"),
        ({"XDG_CACHE_HOME": "", "HOME": "/home/me"}, "/home/me/.cache/headrace"),
        ({"HOME": "/home/me"}, "/home/me/.cache/headrace"),
    ],
)
def test_the_cache_is_where_the_user_wants_it(env: dict[str, str], where: str) -> None:
    assert default_cache_dir(env) == Path(where)
