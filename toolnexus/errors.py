"""What can go wrong with one translation, as typed errors.

Each error says whose fault it was: the caller's (`InvalidRequest`), the provider's (`ProviderError`,
`InvalidResponse`) or the network's (`TransportError`). No message holds a key, a header or part data (clause
`secrets.never-shown`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolnexus.wire.delta import Partial


class TranslateError(Exception):
    """Anything that stops a translation; the four subclasses say whose fault it was.

    `partial` holds what a broken stream had brought (clause `stream.broken`), None otherwise.
    """

    partial: Partial | None = None


class InvalidRequest(TranslateError):
    """The caller's request cannot be sent; found before any HTTP call (clause `error.invalid-request`).

    `pointer` is a JSON pointer to the value at fault, `""` for the request as a whole.
    """

    def __init__(self, message: str, pointer: str) -> None:
        super().__init__(f"{message} (at {pointer})" if pointer else message)
        self.message = message
        self.pointer = pointer

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.pointer)


class ProviderError(TranslateError):
    """The provider answered with an error (clauses `error.provider`, `error.in-200`).

    `status` is the HTTP status (of an error inside a 2xx: its own, see SPEC section 5); `type`, `message`, `param` and
    `code` are the provider's words; `request_id` and `retry_after` are copied from the reply, the latter as sent.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        type: str | None = None,
        param: str | None = None,
        code: str | int | None = None,
        request_id: str | None = None,
        retry_after: str | None = None,
        http_status: int | None = None,
    ) -> None:
        super().__init__(f"{status} {type}: {message}" if type else f"{status}: {message}")
        self.message = message
        self.status = status
        self.type = type
        self.param = param
        self.code = code
        self.request_id = request_id
        self.retry_after = retry_after
        self.http_status = status if http_status is None else http_status

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only fields survive pickling (process pools, xdist) as instance state.
        return _restore, (type(self), self.args, self.__dict__)

    @property
    def openai_status(self) -> int:
        """The HTTP status an OpenAI-compatible gateway would answer with (wire-facts D10)."""
        from toolnexus.wire.failure import openai_view

        return openai_view(self)[0]

    def to_openai(self) -> dict[str, dict[str, Any]]:
        """The error as OpenAI would word it: `{"error": {message, type, param, code}}` (wire-facts D10)."""
        from toolnexus.wire.failure import openai_view

        return {"error": openai_view(self)[1]}


class InvalidResponse(TranslateError):
    """A 2xx answer that is no answer: empty, HTML, cut, or without content (clause `error.in-200`).

    `status` is the HTTP status, `excerpt` the first characters of the body.
    """

    def __init__(self, message: str, *, status: int = 200, excerpt: str = "", request_id: str | None = None) -> None:
        super().__init__(f"{message}: {excerpt}" if excerpt else message)
        self.message = message
        self.status = status
        self.excerpt = excerpt
        self.request_id = request_id

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.args, self.__dict__)


class TransportError(TranslateError):
    """No answer came (clause `error.transport`).

    `kind` is `connect`, `timeout`, `reset` (any other broken exchange), `closed` (the client was closed) or
    `cancelled`.
    """

    def __init__(self, message: str, *, kind: str) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.args, self.__dict__)


def _restore(cls: type[TranslateError], args: tuple[Any, ...], state: dict[str, Any]) -> TranslateError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error
