"""An expected error as a gateway shows it."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.compare import match
from conformance.openai_view import expected
from conformance.tree import from_python


def fits(want: dict[str, Any], got: dict[str, Any]) -> bool:
    tree, found = from_python(want), from_python(got)
    assert isinstance(tree, dict)
    assert isinstance(found, dict)
    view = expected(tree, found)
    return match(view, {key: value for key, value in found.items() if key in view}) is None


def provider(status: int, **more: Any) -> dict[str, Any]:
    return {"kind": "provider", "status": status, **more}


@pytest.mark.parametrize(
    ("want", "status"),
    [
        (provider(400), 400),
        (provider(429, type="rate_limit_error", message="slow down", request_id="r"), 429),
        (provider(529, type="overloaded_error"), 503),
        (provider(529, type="api_error"), 500),
        (provider(529, type="api_error"), 503),
        (provider(402), 402),
        (provider(402), 429),
        (provider(307), 502),
        ({"kind": "provider"}, 418),
        ({"kind": "transport", "type": "reset"}, 502),
        ({"kind": "transport", "type": "timeout"}, 504),
        ({"kind": "invalid-response"}, 500),
    ],
)
def test_statuses_that_say_the_same(want: dict[str, Any], status: int) -> None:
    assert fits(want, provider(status))


@pytest.mark.parametrize(
    ("want", "status"),
    [
        (provider(529, type="overloaded_error"), 529),
        (provider(429), 503),
        (provider(400), 500),
        (provider(404, type="not_found_error"), 400),
        (provider(307), 307),
        ({"kind": "transport"}, 400),
        ({"kind": "invalid-response"}, 200),
    ],
)
def test_statuses_that_do_not(want: dict[str, Any], status: int) -> None:
    assert not fits(want, provider(status))


def test_the_kind_is_who_was_at_fault() -> None:
    assert fits({"kind": "invalid-request", "pointer": "/messages"}, {"kind": "invalid-request", "status": 400})
    assert not fits({"kind": "invalid-request"}, provider(400))
    assert not fits(provider(400), {"kind": "invalid-request", "status": 400})


def test_retry_after_is_handed_on() -> None:
    assert fits(provider(429, retry_after="17"), provider(429, retry_after="17"))
    assert not fits(provider(429, retry_after="17"), provider(429, retry_after="18"))
    assert not fits(provider(429, retry_after="17"), provider(429))


def test_an_error_in_a_begun_stream_has_no_status() -> None:
    assert fits(provider(503, retry_after="1"), {"kind": "provider"})
