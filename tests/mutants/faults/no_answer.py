"""Faults in telling a failure from an answer."""

from __future__ import annotations

import json
import re
from typing import Any

from conformance.tree import NotJson, read
from tests.mutants.exchange import Ask, Received, Sent
from tests.mutants.failed import error_object, is_error, is_provider, last_text, succeed
from tests.mutants.mutant import (
    answer,
    error,
    exchange,
    received,
)
from tests.mutants.walk import (
    content,
    message,
    objects,
)

Tree = dict[str, Any]


# -- which failure ----------------------------------------------------------------------------------------------------


@received()
def reads_answers_under_an_error_status(received: Received, ask: Ask) -> Received:
    """A body that looks like an answer is one, whatever the status."""
    tree = received.tree
    if received.status < 400 or not isinstance(tree, dict) or not (list(content(tree)) or message(tree)):
        return received
    return Received(200, received.headers, received.body)


@exchange
def follows_redirects(post: Any, sent: Sent, ask: Ask) -> Received:
    """A redirect is followed, and the key goes with it."""
    got = post(sent)
    if 300 <= got.status < 400 and got.header("location"):
        return post(Sent(sent.url.split("/v1")[0] + str(got.header("location")), sent.headers, sent.body))
    return got


@answer()
def takes_redirects_for_answers(answer: Tree, ask: Ask) -> None:
    """A 3xx is no failure: it gives an empty success."""
    if "error" in answer and ask.last and 300 <= ask.last.status < 400:
        succeed(answer, ask)


@error()
def reads_errors_by_content_type(error: Tree, ask: Ask) -> None:
    """An error is read as JSON only where the header says so."""
    if is_provider(error) and ask.last and "json" not in (ask.last.header("content-type") or ""):
        error.update(message="error", type=None, code=None)


@error()
def stumbles_over_odd_error_bodies(error: Tree, ask: Ask) -> None:
    """An error status whose JSON holds no readable error is an invalid response."""
    last = ask.last
    if not is_provider(error) or last is None or not is_error(last) or last.tree is None:
        return
    text = last.tree.get("error") if isinstance(last.tree, dict) else None
    if not isinstance(error_object(ask).get("message"), str) and not isinstance(text, str):
        error["kind"] = "invalid-response"


@error()
def stumbles_over_no_json(error: Tree, ask: Ask) -> None:
    """An error status whose body is no JSON is an invalid response."""
    if is_provider(error) and ask.last and ask.last.tree is None:
        error["kind"] = "invalid-response"


@error()
def stumbles_over_details(error: Tree, ask: Ask) -> None:
    """An error with more in it than the documented keys is not read."""
    if is_provider(error) and error_object(ask).keys() - {"type", "message", "param", "code", "status"}:
        error.update(message="error", type=None)


@error()
def reads_errors_of_its_own_vendor_only(error: Tree, ask: Ask) -> None:
    """An error in the other vendor's envelope is not read."""
    tree = ask.last.tree if ask.last else None
    if is_provider(error) and isinstance(tree, dict) and ask.style == "anthropic" and tree.get("type") != "error":
        error.update(message="error", type=None, code=None)


@answer()
def answers_nothing_for_the_callers_fault(answer: Tree, ask: Ask) -> None:
    """A 400 gives an empty success."""
    if answer.get("error", {}).get("status") == 400:
        succeed(answer, ask)


@error()
def blames_the_caller_for_400s(error: Tree) -> None:
    """A provider's 400 or 404 is reported as an invalid request."""
    if error.get("status") in (400, 404, 413, 422):
        error["kind"] = "invalid-request"


@error()
def reports_statuses_as_transport_errors(error: Tree) -> None:
    """A 502, 503 or 504 is reported as a network failure."""
    if is_provider(error) and error["status"] in (502, 503, 504):
        error["kind"] = "transport"


# -- 2xx that are no answers ------------------------------------------------------------------------------------------


def _in_200(answer: Tree, ask: Ask) -> bool:
    return (
        "error" in answer and ask.last is not None and ask.last.status < 300 and answer["error"]["kind"] != "transport"
    )


@answer()
def eats_errors_in_a_200(answer: Tree, ask: Ask) -> None:
    """An error body in a 200 is an empty success."""
    if _in_200(answer, ask) and is_provider(answer["error"]):
        succeed(answer, ask)


@answer()
def eats_html_as_success(answer: Tree, ask: Ask) -> None:
    """A page or text in a 200 is the answer's text."""
    if _in_200(answer, ask) and ask.last and ask.last.tree is None and ask.last.body.strip():
        succeed(answer, ask, last_text(ask))


@answer()
def eats_empty_bodies_as_success(answer: Tree, ask: Ask) -> None:
    """An empty body in a 200 is an empty success."""
    if _in_200(answer, ask) and ask.last and not ask.last.body.strip():
        succeed(answer, ask)


@answer()
def eats_json_without_an_answer(answer: Tree, ask: Ask) -> None:
    """A JSON object without an answer is an empty success."""
    if _in_200(answer, ask) and ask.last and isinstance(ask.last.tree, dict) and not is_provider(answer["error"]):
        succeed(answer, ask)


@answer()
def eats_json_that_is_no_object(answer: Tree, ask: Ask) -> None:
    """JSON that is no object is an empty success."""
    if (
        _in_200(answer, ask)
        and ask.last
        and not isinstance(ask.last.tree, dict)
        and ask.last.body.strip()[:1] in (b"n", b"[", b'"', b"7", b"t", b"f", b"0")
    ):
        succeed(answer, ask)


@error()
def reports_no_answer_as_a_provider_error(error: Tree) -> None:
    """An answer that cannot be read is reported as the provider's 502."""
    if error["kind"] == "invalid-response":
        error.update(kind="provider", status=502)


@error()
def reports_errors_in_a_200_as_no_answer(error: Tree, ask: Ask) -> None:
    """An error body in a 200 is reported as an invalid response."""
    if is_provider(error) and ask.last and ask.last.status < 300:
        error["kind"] = "invalid-response"


@error()
def gives_errors_in_a_200_their_200(error: Tree, ask: Ask) -> None:
    """An error in a 200 keeps the status 200."""
    if is_provider(error) and ask.last and ask.last.status < 300:
        error["status"] = 200


@error()
def gives_errors_in_a_200_always_502(error: Tree, ask: Ask) -> None:
    """Neither code nor type gives an error in a 200 its status."""
    if is_provider(error) and ask.last and ask.last.status < 300:
        error["status"] = 502


@error()
def gives_unknown_errors_in_a_200_500(error: Tree, ask: Ask) -> None:
    """An error in a 200 that says nothing of its kind is a 500."""
    if error.get("status") == 502 and ask.last and ask.last.status < 300:
        error["status"] = 500


@error()
def ignores_codes_in_a_200(error: Tree, ask: Ask) -> None:
    """The numeric code of an error in a 200 is not its status."""
    if (
        is_provider(error)
        and ask.last
        and ask.last.status < 300
        and isinstance(error.get("code"), int)
        and error["code"] == error["status"]
    ):
        error["status"] = 500


@error()
def takes_every_code_for_a_status(error: Tree, ask: Ask) -> None:
    """Any number or digits in an error in a 200 are its status."""
    if is_provider(error) and ask.last and ask.last.status < 300 and re.fullmatch(r"-?\d+", str(error.get("code"))):
        error["status"] = int(error["code"])


@error()
def calls_an_overload_in_a_200_529(error: Tree, ask: Ask) -> None:
    """An overload reported in a 200 is a 529."""
    if error.get("type") == "overloaded_error" and ask.last and ask.last.status < 300:
        error["status"] = 529


@received()
def takes_null_errors_for_errors(received: Received, ask: Ask) -> Received:
    """error: null beside an answer is an error."""
    tree = received.tree
    if isinstance(tree, dict) and "error" in tree and tree["error"] is None and received.status == 200:
        return received.with_body(b'{"type":"error","error":{"type":"api_error","message":"null"}}')
    return received


@received()
def takes_answers_only_with_200(received: Received, ask: Ask) -> Received:
    """Another 2xx than 200 is an error."""
    return Received(500, received.headers, received.body) if 200 < received.status < 300 else received


@received()
def reads_answers_by_content_type(received: Received, ask: Ask) -> Received:
    """An answer is read as JSON only where the header says so."""
    plain = (received.header("content-type") or "").lower() == "application/json"
    return received if plain or received.status >= 300 else received.with_body(b"<html>")


@received("anthropic")
def takes_empty_content_for_no_answer(received: Received, ask: Ask) -> Received:
    """An empty list of content is no answer."""
    tree = received.tree
    empty = isinstance(tree, dict) and tree.get("content") == []
    return received.with_body(b"{}") if empty else received


@received("openai")
def takes_empty_messages_for_no_answer(received: Received, ask: Ask) -> Received:
    """A message without content, calls and refusal is no answer."""
    tree = received.tree
    if not isinstance(tree, dict) or not isinstance(tree.get("choices"), list) or not tree["choices"]:
        return received
    own = message(tree)
    said = any(
        own.get(key) for key in ("content", "tool_calls", "refusal", "function_call", "reasoning_content", "reasoning")
    )
    return (
        received
        if said or not isinstance(tree["choices"][0], dict) or not isinstance(tree["choices"][0].get("message"), dict)
        else received.with_body(b"{}")
    )


@received()
def repairs_truncated_json(received: Received, ask: Ask) -> Received:
    """JSON that breaks off is completed by guessing."""
    if received.tree is not None or not received.body.startswith(b"{"):
        return received
    for close in ("}", '"}]}', '"}}]}', "]}", '"}', "}}]}", '":""}]}', '":"","text":""}]}'):
        try:
            read(received.body.decode("utf-8", "replace") + close)
        except NotJson:
            continue
        return received.with_body(received.body + close.encode())
    return received


@received()
def reads_json_loosely(received: Received, ask: Ask) -> Received:
    """What stands around the first object of a body is ignored."""
    if received.tree is not None or received.status >= 300:
        return received
    text = received.body.decode("utf-8", "replace")
    try:
        value, _ = json.JSONDecoder().raw_decode(text[text.index("{") :])
    except ValueError:
        return received
    return received.with_body(json.dumps(value).encode())


@received()
def reads_the_other_vendors_answer(received: Received, ask: Ask) -> Received:
    """An answer in the other vendor's shape is read as well."""
    tree = received.tree
    if not isinstance(tree, dict) or received.status >= 300:
        return received
    if ask.style == "anthropic" and "choices" in tree and "content" not in tree:
        return received.with_tree({**tree, "content": [{"type": "text", "text": message(tree).get("content")}]})
    if ask.style == "openai" and isinstance(tree.get("content"), list) and "choices" not in tree:
        texts = "".join(str(block.get("text", "")) for block in objects(tree["content"]))
        return received.with_tree({**tree, "choices": [{"message": {"role": "assistant", "content": texts}}]})
    return received


@received()
def keeps_invalid_bytes_out(received: Received, ask: Ask) -> Received:
    """Bytes that are no UTF-8 are cut out without a word."""
    try:
        received.body.decode()
    except UnicodeDecodeError:
        return received.with_body(received.body.decode("utf-8", "ignore").encode())
    return received


@received()
def decodes_piece_by_piece(received: Received, ask: Ask) -> Received:
    """A body is decoded in pieces that cut through letters."""
    pieces = [received.body[start : start + 5] for start in range(0, len(received.body), 5)]
    return received.with_body("".join(piece.decode("utf-8", "replace") for piece in pieces).encode())


@received()
def takes_errors_beside_answers_for_errors(received: Received, ask: Ask) -> Received:
    """An error beside an answer makes it a failure."""
    tree = received.tree
    if received.status >= 300 or not isinstance(tree, dict) or "error" not in tree:
        return received
    return received.with_tree({key: value for key, value in tree.items() if key not in ("content", "choices", "usage")})
