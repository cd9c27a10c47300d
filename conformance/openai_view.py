"""An expected error as an OpenAI-compatible gateway shows it: kind and status, nothing of the provider's own words.

A gateway's caller sees an HTTP status, not what broke behind it. So everything that went wrong after the provider was
reached is `provider`, and only its status is compared, as wire-facts D10 maps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from conformance.tree import Json, Number

#: The provider's word → the status that goes out (D10).
_BY_TYPE: Final[Mapping[str, int]] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "conflict_error": 409,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "overloaded_error": 503,
    "timeout_error": 504,
}

#: The provider's status → the statuses that may go out, where they are not the same one.
_BY_STATUS: Final[Mapping[int, tuple[int, ...]]] = {402: (402, 429), 529: (503,)}

#: What a gateway says of a provider that gave no answer.
_BROKEN: Final = (500, 502, 503, 504)


def expected(error: dict[str, Json], got: dict[str, Json]) -> dict[str, Json]:
    """What of an expected error a gateway can show; of one that broke a begun stream there is no status."""
    if error["kind"] == "invalid-request":
        return {"kind": "invalid-request"}
    shown: dict[str, Json] = {"kind": "provider"}
    if got.get("status") is not None:
        statuses = _statuses(error)
        if statuses:
            shown["status"] = {"$any_of": [Number(status) for status in statuses]}
        if "retry_after" in error:
            shown["retry_after"] = error["retry_after"]
    return shown


def _statuses(error: dict[str, Json]) -> list[int]:
    if error["kind"] != "provider":
        return list(_BROKEN)
    if not isinstance(status := error.get("status"), Number):
        return []
    code = int(status)
    by_type = _BY_TYPE.get(str(error.get("type")))
    # A provider that answers with a redirection has not answered.
    by_status = _BROKEN if code < 400 else _BY_STATUS.get(code, (code,))
    return sorted({*by_status, *([] if by_type is None else [by_type])})
