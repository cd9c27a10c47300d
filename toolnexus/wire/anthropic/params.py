"""The other Chat Completions fields as Anthropic's (SPEC section 2, "Params"; wire-facts D1, D6).

Each field has one reader in a table; a field without one is named and dropped. Number tokens are sent as they were
written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from msgspec import Raw

from toolnexus.errors import InvalidRequest
from toolnexus.wire.anthropic import schema
from toolnexus.wire.exact import decode_fields, plain
from toolnexus.wire.fields import Fields
from toolnexus.wire.log import Log

DEFAULT_MAX_TOKENS = 4096

_HANDLED_ELSEWHERE = frozenset(
    {"max_completion_tokens", "reasoning_effort", "parallel_tool_calls", "functions", "function_call", "stream_options"}
)
_EMAIL_OR_PHONE = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+|\+?[\d\s().-]{7,}")


def max_tokens(fields: Fields, log: Log) -> int:
    """The token limit to send: `max_completion_tokens`, else `max_tokens`, else 4096 (`anthropic.max-tokens`)."""
    given = fields.max_tokens
    if not fields.params and isinstance(given, int) and given > 0:
        return given
    newer = _limit(fields.params.get("max_completion_tokens"), fields.place("max_completion_tokens"))
    place = fields.places.get("max_tokens", "/max_tokens")
    older = _limit(fields.max_tokens, place)
    if newer and older and newer != older:
        log.warn("param-dropped", place, "max_completion_tokens was sent in its place")
    return newer or older or DEFAULT_MAX_TOKENS


def _limit(raw: Raw | int | None, place: str) -> int:
    if raw is None:
        return 0
    value = plain(raw) if isinstance(raw, Raw) else raw
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidRequest("a token limit is a whole number of at least 0", place)
    return value


class Params:
    """The params of one request, read into `body`, the keys that are sent."""

    __slots__ = ("_fields", "_log", "_sampling", "body", "output_format", "user_id")

    def __init__(self, fields: Fields, log: Log, *, sampling: bool = True) -> None:
        self._fields = fields
        self._log = log
        self._sampling = sampling
        self.body: dict[str, Any] = {}
        self.output_format: dict[str, Any] | None = None
        self.user_id: str | None = None
        for name, raw in fields.params.items():
            if name not in _HANDLED_ELSEWHERE:
                _READERS.get(name, Params._no_place)(self, name, raw)

    def drop(self, name: str, message: str, below: str = "") -> None:
        """Names a param that is not sent."""
        self._log.warn("param-dropped", self._fields.place(name) + below, message)

    def _refuse(self, name: str, message: str, below: str = "") -> InvalidRequest:
        return InvalidRequest(message, self._fields.place(name) + below)

    # -- readers -------------------------------------------------------------------------------------------------------

    def _no_place(self, name: str, raw: Raw) -> None:
        value = plain(raw)
        self._check_type(name, value)
        if name in _NO_OPS and _same(value, _NO_OPS[name]):
            return
        if value in ({}, [], ""):
            return
        self.drop(name, "the provider has no such parameter")

    def _check_type(self, name: str, value: Any) -> None:
        kinds = _TYPES.get(name)
        if kinds is not None and (not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)):
            raise self._refuse(name, f"{name} is of another type at OpenAI")

    def _stream(self, name: str, raw: Raw) -> None:
        # Whether to stream is decided by the method that is called; a true one in `translate` was refused before.
        self._check_type(name, plain(raw))

    def _stop(self, name: str, raw: Raw) -> None:
        value = plain(raw)
        words = [value] if isinstance(value, str) else value
        if not isinstance(words, list):
            raise self._refuse(name, "stop is a string or a list of strings")
        kept = []
        for index, word in enumerate(words):
            if not isinstance(word, str):
                raise self._refuse(name, "a stop sequence is no string", f"/{index}")
            if word.strip():
                kept.append(word)
            else:
                self.drop(name, "a blank stop sequence is refused", f"/{index}" if isinstance(value, list) else "")
        if kept:
            self.body["stop_sequences"] = kept

    def _temperature(self, name: str, raw: Raw) -> None:
        value = self._number(name, raw)
        if not self._sampling:
            self.drop(name, "this model or version takes no sampling parameters")
            return
        if value < 0:
            raise self._refuse(name, "temperature is at least 0")
        if value > 1:
            self._log.warn("param-clamped", self._fields.place(name), "the provider's range ends at 1")
        self.body[name] = 1 if value > 1 else raw

    def _top_p(self, name: str, raw: Raw) -> None:
        value = self._number(name, raw)
        if not self._sampling:
            self.drop(name, "this model or version takes no sampling parameters")
            return
        if not 0 <= value <= 1:
            raise self._refuse(name, "top_p is between 0 and 1")
        self.body[name] = raw

    def _number(self, name: str, raw: Raw) -> float:
        value = plain(raw)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._refuse(name, f"{name} is no number")
        return value

    def _user(self, name: str, raw: Raw) -> None:
        value = plain(raw)
        if not isinstance(value, str):
            raise self._refuse(name, f"{name} is no string")
        if not value:
            return
        if name == "user" and "safety_identifier" in self._fields.params:
            if value != plain(self._fields.params["safety_identifier"]):
                self.drop(name, "safety_identifier was sent in its place")
        elif len(value) > 256:
            self.drop(name, "the provider takes at most 256 characters")
        elif _EMAIL_OR_PHONE.fullmatch(value.strip()):
            self.drop(name, "the provider forbids e-mail addresses and phone numbers here")
        else:
            self.user_id = value

    def _service_tier(self, name: str, raw: Raw) -> None:
        value = plain(raw)
        self._check_type(name, value)
        if value == "default":
            self.body[name] = "standard_only"
        elif value != "auto":
            self.drop(name, "the provider has no such service tier")

    def _one_choice(self, name: str, raw: Raw) -> None:
        value = plain(raw)
        if isinstance(value, bool) or value != 1:
            raise self._refuse(name, "the provider gives exactly one choice")

    def _no_audio(self, name: str, raw: Raw) -> None:
        value = plain(raw)
        if name == "audio" and value:
            raise self._refuse(name, "the provider answers in text only")
        if name == "modalities":
            if not isinstance(value, list):
                raise self._refuse(name, "modalities is no list")
            if any(item != "text" for item in value):
                raise self._refuse(name, "the provider answers in text only")

    def _response_format(self, name: str, raw: Raw) -> None:
        value = plain(raw)
        kind = value.get("type") if isinstance(value, dict) else None
        if kind == "text":
            return
        if kind == "json_object":
            raise self._refuse(name, "the provider has no JSON mode without a schema; use json_schema")
        if kind != "json_schema":
            raise self._refuse(name, "response_format is none that OpenAI knows")
        below = "/json_schema"
        if not isinstance(value.get("json_schema"), dict):
            raise self._refuse(name, "json_schema is no object", below)
        keys = decode_fields(decode_fields(raw)["json_schema"])
        reason = schema.unfit(value["json_schema"].get("schema"))
        if reason:
            raise self._refuse(name, f"the provider cannot hold an answer to this schema: {reason}", f"{below}/schema")
        if value["json_schema"].get("description"):
            self.drop(name, "the provider has no place for the schema's description", f"{below}/description")
        self.output_format = {"type": "json_schema", "schema": keys["schema"]}


_Reader = Callable[[Params, str, Raw], None]

_READERS: dict[str, _Reader] = {
    "stop": Params._stop,
    "stream": Params._stream,
    "temperature": Params._temperature,
    "top_p": Params._top_p,
    "user": Params._user,
    "safety_identifier": Params._user,
    "service_tier": Params._service_tier,
    "n": Params._one_choice,
    "audio": Params._no_audio,
    "modalities": Params._no_audio,
    "response_format": Params._response_format,
}

# What OpenAI's own fields hold (A2); a value of another kind is the caller's mistake, whatever becomes of the field.
_NUMBER = (int, float)
_TYPES: dict[str, tuple[type, ...]] = {
    "frequency_penalty": _NUMBER,
    "presence_penalty": _NUMBER,
    "seed": (int,),
    "top_logprobs": (int,),
    "logprobs": (bool,),
    "store": (bool,),
    "stream": (bool,),
    "logit_bias": (dict,),
    "metadata": (dict,),
    "prediction": (dict,),
    "web_search_options": (dict,),
    "prompt_cache_key": (str,),
    "service_tier": (str,),
    "verbosity": (str,),
}

# Values that ask for nothing the provider would not do anyway: dropped in silence (clause `anthropic.params`).
_NO_OPS: dict[str, Any] = {
    "frequency_penalty": 0,
    "presence_penalty": 0,
    "store": False,
    "logprobs": False,
    "top_logprobs": 0,
    "verbosity": "medium",
}


def _same(value: Any, no_op: Any) -> bool:
    """Equal as JSON: false is no zero, but 0.0 is one."""
    return bool(value == no_op) and isinstance(value, bool) == isinstance(no_op, bool)
