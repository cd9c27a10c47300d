"""`${VARIABLE}` in configuration, and keeping what it stood for out of every message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .errors import ConfigError

_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH", re.IGNORECASE)
_SHORTEST_SECRET = 4  # shorter values stand in too many words to be cut out of a message


def expand(text: str, environment: Mapping[str, str]) -> str:
    """`text` with each `${NAME}` and `${NAME:-default}` replaced from the environment.

    Raises `ConfigError` for a variable that is not set: an empty token would only fail later and elsewhere.
    """

    def value(match: re.Match[str]) -> str:
        name, default = match.groups()
        found = environment.get(name, default)
        if found is None:
            raise ConfigError(f"environment variable {name} is not set")
        return found

    return _VARIABLE.sub(value, text)


def expand_all(values: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Every value of a mapping expanded."""
    return {key: expand(value, environment) for key, value in values.items()}


def secrets_of(environment: Mapping[str, str]) -> list[str]:
    """The values of variables that are named like secrets: a server inherits them, and may print them."""
    return [value for name, value in environment.items() if _SECRET_NAME.search(name)]


def secrets_in(url: str) -> tuple[str, str]:
    """What a URL holds besides scheme, host and path: its query and its userinfo."""
    base, _, query = url.partition("?")
    return query, base.partition("//")[2].partition("/")[0].rpartition("@")[0]


def scrub(message: str, secrets: Iterable[str]) -> str:
    """`message` with every secret, and every word of one, replaced by `***` (clause secrets.never-shown)."""
    words = {word for secret in secrets for word in (secret, *re.split(r"[\s&?=;,:]+", secret))}
    for word in sorted(words, key=len, reverse=True):
        if len(word) >= _SHORTEST_SECRET:
            message = message.replace(word, "***")
    return message
