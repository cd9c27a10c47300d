"""The secret scan: what must never be in a case, looked for in its text before it is written."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from conformance.cli.checks.source import walk
from conformance.tree import Json, Number

#: What credentials of well-known services look like.
FORMS: Final[Mapping[str, str]] = {
    "an Anthropic key": r"sk-ant-[A-Za-z0-9_-]{8,}",
    "an API key": r"\b(?:sk|pk|rk)[-_](?:proj-|live_|test_|or-)?[A-Za-z0-9_-]{16,}",
    "a Google key": r"\bAIza[A-Za-z0-9_-]{30,}",
    "a Google token": r"\bya29\.[A-Za-z0-9_-]{20,}",
    "an AWS key id": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "an AWS signature": r"\bX-Amz-(?:Signature|Security-Token|Credential)=",
    "a GitHub token": r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})",
    "a GitLab token": r"\bglpat-[A-Za-z0-9_-]{16,}",
    "a Hugging Face token": r"\bhf_[A-Za-z0-9]{20,}",
    "a Groq key": r"\bgsk_[A-Za-z0-9]{20,}",
    "an xAI key": r"\bxai-[A-Za-z0-9]{20,}",
    "a Slack token": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    "a JSON web token": r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "a bearer token": r"\b[Bb]earer\s+[A-Za-z0-9._~+/-]{12,}",
    "a password in a URL": r"://[^/\s:@]+:[^/\s:@]+@",
    "a signed URL": r"[?&](?:sig|signature|token|key|api[-_]key|access_token)=(?!redacted\b)[^&\s\"]{8,}",
    "an e-mail address": r"[\w.%+-]+@(?!example\.(?:com|org|net)\b)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}",
}

_COMPILED: Final = {name: re.compile(form) for name, form in FORMS.items()}
_WORD: Final = re.compile(r"[A-Za-z0-9+/_=-]{24,}")
_KINDS: Final = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))

#: Bits a character from which a long word of mixed letters and digits is taken for random. English is near 4 only in
#: long texts with spaces; identifiers of code lie below 3.7.
_RANDOM: Final = 3.8

#: The environment of whoever records: its keys, wherever they came from.
_VARIABLE: Final = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$")
_SHORTEST: Final = 8


@dataclass(frozen=True, slots=True)
class Leak:
    """One place where something looks like a secret; the secret itself is never told."""

    pointer: str
    what: str

    def __str__(self) -> str:
        return f"{self.pointer or '/'} holds {self.what}"


def scan(tree: Json, known: Iterable[str] = (), allowed: Iterable[str] = ()) -> list[Leak]:
    """Every place of a tree that holds one of the `known` secrets or what looks like one; `allowed` texts are taken
    out before."""
    secrets = [text for text in {*known, *_environment()} if len(text) >= _SHORTEST]
    harmless = [text for text in allowed if text]
    found: list[Leak] = []
    for pointer, text in [*_texts(tree), *_joined(tree)]:
        for word in harmless:
            text = text.replace(word, "")
        found += [Leak(pointer, what) for what in _looks(text, secrets)]
    return found


def _texts(tree: Json) -> Iterator[tuple[str, str]]:
    """Every text of the tree, and every key that could be one."""
    for pointer, value in walk(tree):
        if isinstance(value, str) and not isinstance(value, Number):
            yield pointer, value
        if isinstance(value, dict):
            yield from ((pointer, key) for key in value if len(key) >= _SHORTEST)


#: Keys whose texts a stream cuts in pieces.
_FRAGMENTS: Final = frozenset({"text", "partial_json", "thinking", "content", "reasoning_content", "arguments"})


def _joined(tree: Json) -> Iterator[tuple[str, str]]:
    """The texts of each stream put together again: a secret may be cut anywhere."""
    for pointer, value in walk(tree):
        if pointer.endswith("/reply/sse") and isinstance(value, list):
            pieces: dict[str, list[str]] = {}
            for inner, text in walk(value):
                key = inner.rpartition("/")[2]
                if key in _FRAGMENTS and isinstance(text, str):
                    pieces.setdefault(key, []).append(text)
            yield from ((f"{pointer} (its {key} together)", "".join(texts)) for key, texts in pieces.items())


def _looks(text: str, secrets: Iterable[str]) -> Iterator[str]:
    if any(secret in text for secret in secrets):
        yield "a secret of this recording"
        return
    named = next((name for name, form in _COMPILED.items() if form.search(text)), None)
    if named is not None:
        yield named
    elif any(_random(word) for word in _WORD.findall(text)):
        yield "a long random word"


def _random(word: str) -> bool:
    """Does a word hold small and capital letters and digits, and no pattern?"""
    counts = Counter(word)
    bits = -sum(n / len(word) * math.log2(n / len(word)) for n in counts.values())
    return all(kind.search(word) for kind in _KINDS) and bits > _RANDOM


def _environment() -> Iterator[str]:
    return (value for name, value in os.environ.items() if _VARIABLE.search(name.upper()))
