"""The environment a port sees: without what would lead its calls, or a real key, somewhere else."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_PROXIES = frozenset(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY"))
_ENDINGS = ("_API_KEY", "_BASE_URL")


def scrubbed(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without proxy variables, `*_API_KEY` and `*_BASE_URL`."""
    return {
        name: value
        for name, value in environ.items()
        if name.upper() not in _PROXIES and not name.upper().endswith(_ENDINGS)
    }


@contextmanager
def scrubbed_process() -> Iterator[None]:
    """This process' own environment scrubbed for a port that runs in it, and put back afterwards."""
    before = dict(os.environ)
    kept = scrubbed(before)
    removed = {name: value for name, value in before.items() if name not in kept}
    for name in removed:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(removed)
