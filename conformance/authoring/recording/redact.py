"""What a recording must not show, replaced: keys, ids, e-mails, addresses, hosts and data, each always by the same.

What carries the shape of a fault stays: an id keeps everything but its random part, a picture stays a picture.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import urlsplit

from conformance.authoring.recording import blobs
from conformance.cli.checks.form import SAFE_HOST, URL, host_of
from conformance.cli.checks.source import walk
from conformance.report.redact import SECRET
from conformance.tree import Json, Number

#: Headers, settings and parts of a query whose value is a credential.
CREDENTIAL: Final = re.compile(r"auth|key|token|secret|cookie|credential|signature|^sig$", re.IGNORECASE)

#: Keys whose value names something at the provider.
IDS: Final = frozenset(
    {
        *("id", "tool_call_id", "tool_use_id", "call_id", "request_id", "response_id", "previous_response_id"),
        *("system_fingerprint", "container", "session_id", "conversation_id", "prompt_cache_key", "file_id"),
        *("request-id", "x-request-id"),
    }
)

#: Keys whose value names somebody, whatever it looks like.
PERSONS: Final = frozenset({"user", "user_id", "safety_identifier", "organization", "project"})

#: Keys whose value is data, however short.
DATA: Final = frozenset(
    {
        *("signature", "thought_signature", "encrypted_content", "encrypted_index", "encrypted_reasoning"),
        "obfuscation",
    }
)

_UUID: Final = re.compile(r"\b(?!00000000-0000-4000-)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
_EMAIL: Final = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}")
_ADDRESS: Final = re.compile(r"(?<![\d.])(?!127\.|0\.0\.0\.0|192\.0\.2\.)\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")

#: The random part of an id: letters and digits together, too long for a name.
_RANDOM: Final = re.compile(r"[A-Za-z0-9]{8,}")
_PREFIX: Final = re.compile(r"(?:[a-z]{1,10}[_-])?")
_SUFFIX: Final = re.compile(r"\.[a-z]{2,5}", re.IGNORECASE)
_SHORTEST_SECRET: Final = 6

#: An id that is longer than this when its random parts are gone is random in a way of its own.
_LONGEST_ID: Final = 32


class Redactor:
    """Replaces one recording's secrets in every tree it is given; `counts` says how many of each kind there were."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self.secrets = tuple(sorted({text for text in secrets if len(text) >= _SHORTEST_SECRET}, key=len, reverse=True))
        self.counts: Counter[str] = Counter()
        self._known: dict[str, str] = {}
        self._replaced: dict[str, str] = {}

    def learn(self, tree: Json) -> None:
        """Look for ids first, so that they are known wherever they are quoted."""
        for pointer, value in walk(tree):
            name = pointer.rpartition("/")[2].lower()
            if not isinstance(value, str) or isinstance(value, Number) or not value:
                continue
            if name in PERSONS:
                self._known[value] = self._always("person", value, _numbered(name))
            elif name in IDS:
                self._id(value)

    def tree(self, value: Json, key: str = "") -> Json:
        """The tree without what must not be shown."""
        if isinstance(value, dict):
            return {self._words(name): self.tree(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self.tree(item, key) for item in value]
        if isinstance(value, str) and not isinstance(value, Number):
            return self.data(value) if key in DATA and value else self.text(value)
        return value

    def text(self, text: str) -> str:
        """One text, whatever is in it."""
        if blobs.LONG.fullmatch(text) and not _is_word(text):
            return self.data(text)
        text = blobs.DATA_URL.sub(lambda found: found[1] + self.data(found[2]), text)
        text = self._words(text)
        for kind, form, substitute in _FORMS:
            for found in dict.fromkeys(form.findall(text)):
                text = text.replace(found, self._always(kind, found, substitute))
        return URL.sub(lambda found: self._url(found[0]), text)

    def data(self, data: str) -> str:
        """What stands for base64; the same data is always the same."""
        return self._always("data", data, lambda number: blobs.stand_in(data, number))

    def _id(self, text: str) -> None:
        """Note what an id becomes: its random parts are counted, what is around them stays."""
        if text in self._known:
            return
        shown = _UUID.sub(lambda found: self._always("id", found[0], _uuid), text)
        if shown == text:
            shown = _RANDOM.sub(lambda found: self._part(found[0]), text)
        if len(shown) > _LONGEST_ID:
            shown = f"{_PREFIX.match(text)[0]}{self._always('id', text, str)}"  # type: ignore[index]
        if shown != text:
            self._known[text] = shown

    def _part(self, part: str) -> str:
        if not any(letter.isdigit() for letter in part):
            return part
        return self._always("id", part, str)

    def _words(self, text: str) -> str:
        """The text without secrets and known ids."""
        for secret in self.secrets:
            if secret in text:
                self.counts["key"] += text.count(secret)
                text = text.replace(secret, "redacted")
        for known, shown in self._known.items():
            text = text.replace(known, shown)
        return text

    def _url(self, url: str) -> str:
        """A URL at a host that is nobody's; of its path only the suffix stays, by which pictures are known."""
        host = host_of(url)
        if SAFE_HOST.fullmatch(host):
            return url
        named = self._always("host", host, lambda number: f"host{number}.example")
        path = urlsplit(url).path
        shown = "" if path in ("", "/") else self._always("path", path, lambda number: f"{number}{_suffix(path)}")
        return f"{url.partition(':')[0]}://{named}/{shown}"

    def _always(self, kind: str, text: str, substitute: Callable[[int], str]) -> str:
        """What stands for a text: always the same, numbered within its kind."""
        place = f"{kind} {text}"
        if place not in self._replaced:
            self.counts[kind] += 1
            self._replaced[place] = substitute(self.counts[kind])
        return self._replaced[place]


def _uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix if _SUFFIX.fullmatch(PurePosixPath(path).suffix) else ""


def _numbered(name: str) -> Callable[[int], str]:
    return lambda number: f"{name}-{number}"


def _is_word(text: str) -> bool:
    """A long run of one character, or of letters alone, is a text that happens to look like base64."""
    return len(set(text)) < 8 or text.isalpha()


_FORMS: Final[tuple[tuple[str, re.Pattern[str], Callable[[int], str]], ...]] = (
    ("e-mail", _EMAIL, lambda number: f"user{number}@example.com"),
    ("id", _UUID, _uuid),
    ("address", _ADDRESS, lambda number: f"192.0.2.{number}"),
)


def credentials(headers: Iterable[tuple[str, str]]) -> list[str]:
    """The values of headers or of a query that are secrets, whole and without the scheme before them."""
    found = []
    for name, value in headers:
        if name.lower() in SECRET or CREDENTIAL.search(name):
            found += [value, value.rpartition(" ")[2]]
    return found
