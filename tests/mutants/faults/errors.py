"""Faults in reading what a provider says of a failure: status, type, message, ids, waits."""

from __future__ import annotations

import re
from typing import Any

from tests.mutants.exchange import Ask
from tests.mutants.failed import error_object, is_error, is_provider, last_text
from tests.mutants.mutant import (
    error,
)

Tree = dict[str, Any]


# -- statuses and words -----------------------------------------------------------------------------------------------


@error()
def gives_every_failure_500(error: Tree) -> None:
    """A client's fault is reported as a server's: every 4xx is a 500."""
    if is_provider(error) and 400 <= error["status"] < 500:
        error["status"] = 500


@error()
def gives_every_server_fault_502(error: Tree) -> None:
    """Every 5xx is a 502."""
    if is_provider(error) and error["status"] >= 500:
        error["status"] = 502


@error()
def gives_an_overload_503(error: Tree) -> None:
    """A 529 becomes the 503 that OpenAI would send."""
    if error.get("status") == 529:
        error["status"] = 503


@error()
def lets_the_body_code_win(error: Tree, ask: Ask) -> None:
    """A number in the error's body beats the HTTP status."""
    if is_provider(error) and ask.last and is_error(ask.last) and isinstance(error.get("code"), int):
        error["status"] = error["code"]


@error()
def lets_the_type_win(error: Tree, ask: Ask) -> None:
    """The error's type decides about the status, not the HTTP status."""
    statuses = {"rate_limit_error": 429, "overloaded_error": 529, "api_error": 500, "invalid_request_error": 400}
    if is_provider(error) and ask.last and is_error(ask.last):
        error["status"] = statuses.get(error["type"], error["status"])


@error()
def loses_the_type(error: Tree) -> None:
    """The provider's type is lost."""
    error.pop("type", None)


@error()
def names_types_in_openai_words(error: Tree) -> None:
    """The provider's type is replaced by OpenAI's word for it."""
    if is_provider(error):
        words = {"overloaded_error": "server_error", "api_error": "server_error", "rate_limit_error": "requests"}
        error["type"] = words.get(error["type"], error["type"])


@error()
def invents_a_type(error: Tree) -> None:
    """An error without a type gets one."""
    if is_provider(error) and not error.get("type"):
        error["type"] = "api_error"


@error()
def knows_the_vendors_types_only(error: Tree) -> None:
    """A type that is not the vendor's own becomes api_error."""
    known = re.compile(
        r"(invalid_request|authentication|billing|permission|not_found|conflict|rate_limit|api|overloaded|timeout)_error|request_too_large|requests|server_error|insufficient_quota|tokens"
    )
    if is_provider(error) and error.get("type") and not known.fullmatch(error["type"]):
        error["type"] = "api_error"


@error()
def makes_types_of_codes(error: Tree) -> None:
    """A code stands in for a type that is null or missing."""
    if is_provider(error) and not error.get("type") and error.get("code") is not None:
        error["type"] = str(error["code"])


@error()
def loses_param_and_code(error: Tree) -> None:
    """param and code are lost."""
    error.pop("param", None)
    error.pop("code", None)


@error()
def gives_codes_as_text(error: Tree) -> None:
    """A code that is a number comes back as text."""
    if isinstance(error.get("code"), int):
        error["code"] = str(error["code"])


@error()
def gives_codes_as_numbers(error: Tree) -> None:
    """A code of digits comes back as a number."""
    if isinstance(error.get("code"), str) and error["code"].isdigit():
        error["code"] = int(error["code"])


@error()
def fills_param_and_code(error: Tree) -> None:
    """A missing code is filled with the type."""
    if is_provider(error) and error.get("code") is None:
        error["code"] = error.get("type") or "error"


@error("anthropic")
def prefixes_messages(error: Tree) -> None:
    """The message of an Anthropic error is prefixed by its status."""
    if is_provider(error) and error.get("message"):
        error["message"] = f"Error code: {error['status']} - {error['message']}"


@error("openai")
def prefixes_openai_messages(error: Tree) -> None:
    """The message of an OpenAI error is prefixed by its type."""
    if is_provider(error) and error.get("message"):
        error["message"] = f"{error.get('type')}: {error['message']}"


@error()
def gives_the_body_as_the_message(error: Tree, ask: Ask) -> None:
    """The message is the JSON of the error, not its sentence."""
    if is_provider(error) and error_object(ask).get("message"):
        error["message"] = last_text(ask)


@error()
def keeps_tags_in_messages(error: Tree, ask: Ask) -> None:
    """The message of a page is the page, tags and all."""
    if is_provider(error) and "<" in last_text(ask) and not error_object(ask):
        error["message"] = last_text(ask)


@error()
def joins_lines_of_messages(error: Tree) -> None:
    """Line ends of a message become spaces."""
    if is_provider(error):
        error["message"] = " ".join(error["message"].split())


@error()
def cuts_tags_of_every_message(error: Tree) -> None:
    """What looks like a tag is cut from every message."""
    if is_provider(error):
        error["message"] = re.sub(r"<[^>]*>", "", error["message"])


@error()
def loses_plain_messages(error: Tree, ask: Ask) -> None:
    """A body that is no JSON gives no message."""
    if is_provider(error) and ask.last and ask.last.tree is None:
        error["message"] = "provider error"


@error()
def loses_string_errors(error: Tree, ask: Ask) -> None:
    """An error that is a string gives no message."""
    tree = ask.last.tree if ask.last else None
    if is_provider(error) and isinstance(tree, dict) and isinstance(tree.get("error"), str):
        error["message"] = "unknown error"


@error()
def opens_no_lists(error: Tree, ask: Ask) -> None:
    """A list around the error is not opened."""
    if is_provider(error) and ask.last and isinstance(ask.last.tree, list) and ask.last.tree:
        error.update(message="error", code=None, type=None, status=502 if ask.last.status < 300 else error["status"])


# -- ids and waits ----------------------------------------------------------------------------------------------------


@error()
def loses_the_request_id(error: Tree) -> None:
    """The request id is lost."""
    error.pop("request_id", None)


@error()
def reads_request_ids_from_headers_only(error: Tree, ask: Ask) -> None:
    """A request id in the body is not read."""
    if ask.last and not (ask.last.header("request-id") or ask.last.header("x-request-id")):
        error.pop("request_id", None)


@error()
def reads_request_ids_from_the_body_first(error: Tree, ask: Ask) -> None:
    """A request id in the body beats the header's."""
    tree = ask.last.tree if ask.last else None
    if isinstance(tree, dict) and isinstance(tree.get("request_id"), str):
        error["request_id"] = tree["request_id"]


@error()
def invents_request_ids(error: Tree) -> None:
    """Without a request id one is made up."""
    if is_provider(error) and not error.get("request_id"):
        error["request_id"] = "unknown"


@error()
def loses_retry_after(error: Tree) -> None:
    """Retry-After is lost."""
    error.pop("retry_after", None)


@error()
def parses_retry_after(error: Tree) -> None:
    """Retry-After is handed on as a number, and lost where it is none."""
    if error.get("retry_after") is not None:
        text = error["retry_after"].strip()
        error["retry_after"] = str(int(text)) if text.isascii() and text.isdigit() and text != "0" else None


@error()
def caps_retry_after(error: Tree) -> None:
    """A Retry-After of more than an hour is handed on as an hour."""
    if str(error.get("retry_after")).isdigit() and int(error["retry_after"]) > 3600:
        error["retry_after"] = "3600"


@error()
def invents_retry_after(error: Tree) -> None:
    """A 429 without Retry-After gets one."""
    if error.get("status") == 429 and error.get("retry_after") is None:
        error["retry_after"] = "1"


@error()
def hands_retry_after_on_for_429_only(error: Tree) -> None:
    """Retry-After beside another status than 429 is lost."""
    if error.get("status") != 429:
        error.pop("retry_after", None)
