"""The request: OpenAI shapes, taken as they are (SPEC section 1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Raw

from toolnexus.errors import InvalidRequest
from toolnexus.wire.exact import plain
from toolnexus.wire.fields import OWN_FIELDS, Fields, from_body, from_values, plain_from_body

if TYPE_CHECKING:
    from toolnexus.toolkit import Toolkit


class TranslateRequest:
    """One request in OpenAI Chat Completions shape.

    `messages`, `tools` and `tool_choice` are OpenAI's, mappings or objects with `model_dump`; `toolkit` is declared
    before `tools`; `system` replaces every system message; `max_tokens` of 0 is absent; `params` holds every other Chat
    Completions field. Nothing is checked or copied here: the caller's objects are read when the request is encoded, and
    never changed (clause `call.stateless`).
    """

    __slots__ = ("_body", "_fields", "_plain", "_values", "toolkit")

    def __init__(
        self,
        messages: Any = None,
        *,
        tools: Any = None,
        toolkit: Toolkit | None = None,
        tool_choice: Any = None,
        system: str | None = None,
        max_tokens: int | None = None,
        params: Any = None,
    ) -> None:
        self._values: dict[str, Any] = {
            "messages": _kept(messages),
            "tools": _kept(tools),
            "tool_choice": tool_choice,
            "system": system,
            "max_tokens": max_tokens,
            "params": params,
        }
        self._body: bytes | None = None
        self._plain: Fields | None = None
        self._fields: Fields | None = None
        self.toolkit = toolkit

    @classmethod
    def from_json(
        cls, body: bytes | bytearray | memoryview | str, *, toolkit: Toolkit | None = None
    ) -> TranslateRequest:
        """A client's body as it came; tool schemas and arguments keep every token (clause `request.json-clean`).

        Fields that are not the request's own become its `params`; `model` is kept and not sent. Raises `InvalidRequest`
        with line and column where the body is no JSON object.
        """
        if body.__class__ is not bytes:
            body = _as_bytes(body)
        request = cls.__new__(cls)
        request.toolkit = toolkit
        request._body = body
        request._fields = None
        request._plain = plain_from_body(body)
        if request._plain is None:
            request._fields = from_body(body)
        return request

    def with_toolkit(self, toolkit: Toolkit) -> TranslateRequest:
        """The same request with a toolkit declared before its tools."""
        request = TranslateRequest.__new__(TranslateRequest)
        for name in ("_body", "_plain", "_fields", "_values"):
            if hasattr(self, name):
                setattr(request, name, getattr(self, name))
        request.toolkit = toolkit
        return request

    def fields(self) -> Fields:
        """The request split for the wire; raises `InvalidRequest` where a value cannot be sent as JSON."""
        if self._body is None:
            return from_values(**self._values)
        if self._fields is None:
            self._fields = from_body(self._body, sound=self._plain is not None)
        return self._fields

    def plain_fields(self) -> Fields:
        """`fields`, with messages and tools already decoded where the body had the plain shape."""
        return self._plain if self._plain is not None else self.fields()

    def _get(self, name: str) -> Any:
        if self._body is None:
            return self._values[name]
        raw = getattr(self.fields(), name)
        return plain(raw) if isinstance(raw, Raw) else raw

    @property
    def messages(self) -> Any:
        """The messages as given."""
        return self._get("messages")

    @property
    def tools(self) -> Any:
        """The tools as given."""
        return self._get("tools")

    @property
    def tool_choice(self) -> Any:
        """The tool choice as given."""
        return self._get("tool_choice")

    @property
    def system(self) -> Any:
        """The system prompt that overrides every other, as given."""
        return self._get("system")

    @property
    def max_tokens(self) -> Any:
        """The token limit as given."""
        return self._get("max_tokens")

    @property
    def params(self) -> Any:
        """Every other field."""
        if self._body is None:
            return self._values["params"]
        return {name: plain(raw) for name, raw in self.fields().params.items()}

    @property
    def model(self) -> str | None:
        """The model a client's body named; it is not sent (clause `call.model-verbatim`)."""
        return None if self._body is None else self.fields().model

    def __repr__(self) -> str:
        given = [name for name in OWN_FIELDS if self._get(name) is not None]
        return f"TranslateRequest({', '.join(given)}{', toolkit' if self.toolkit is not None else ''})"


def _kept(values: Any) -> Any:
    """Values as given, an iterator as the list it gives: it could be read only once."""
    return list(values) if isinstance(values, Iterator) else values


def request_of(
    messages: Any, tools: Any, toolkit: Any, tool_choice: Any, system: Any, max_tokens: Any, params: Any
) -> TranslateRequest:
    """The request of a call, given whole or by its parts."""
    if not isinstance(messages, TranslateRequest):
        return TranslateRequest(
            messages,
            tools=tools,
            toolkit=toolkit,
            tool_choice=tool_choice,
            system=system,
            max_tokens=max_tokens,
            params=params,
        )
    if any(part is not None for part in (tools, tool_choice, system, max_tokens, params)):
        raise TypeError("a TranslateRequest holds its own tools, tool_choice, system, max_tokens and params")
    return messages if toolkit is None else messages.with_toolkit(toolkit)


def _as_bytes(body: Any) -> bytes:
    if isinstance(body, str):
        # Half a surrogate pair in a Python string is written as its escape, and repaired like one in any body.
        return body.encode("utf-8", "backslashreplace") if not body.isascii() else body.encode()
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body)
    raise InvalidRequest(f"from_json takes bytes or str, got {type(body).__name__}", "")
