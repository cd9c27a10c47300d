"""The loopback provider."""

from __future__ import annotations

import errno
import http.client
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from conformance.faults import PortFault
from conformance.stub import MARKER, Stub


@pytest.fixture(scope="module")
def stub() -> Iterator[Stub]:
    with Stub() as running:
        yield running


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False, verify=False, timeout=5) as opened:
        yield opened


def replies(*reply: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"expect": {}, "reply": each} for each in reply]


def test_a_call_finds_its_case_by_the_key_in_any_header(stub: Stub, client: httpx.Client, make_case: Any) -> None:
    one, two = make_case(exchanges=replies({"text": "one"})), make_case(exchanges=replies({"text": "two"}))
    with stub.script(one) as first, stub.script(two) as second:
        assert client.post(f"{stub.url}/b", headers={"authorization": f"Bearer {second.key}"}).text == "two"
        assert client.post(f"{stub.url}/a", headers={"x-odd": first.key}).text == "one"
    assert [call.path for call in first.calls] == ["/a"]
    assert [call.path for call in second.calls] == ["/b"]


def test_a_call_is_recorded_as_it_came(stub: Stub, client: httpx.Client, make_case: Any) -> None:
    with stub.script(make_case(exchanges=replies({"status": 201, "json": 1}))) as script:
        headers = [("x-api-key", script.key), ("X-Twice", "a"), ("x-twice", "b"), ("under_score", "c")]
        reply = client.post(f"{stub.url}//v1/messages?a=%20b", content=b"\xff\x00", headers=headers)
    (call,) = script.calls
    assert reply.status_code == 201
    assert (call.method, call.path, call.body) == ("POST", "//v1/messages?a=%20b", b"\xff\x00")
    assert call.header["x-twice"] == "a, b"
    assert call.header["under_score"] == "c"


def test_a_chunked_request_is_read(stub: Stub, client: httpx.Client, make_case: Any) -> None:
    with stub.script(make_case(exchanges=replies({"json": 1}))) as script:
        client.post(stub.url, content=iter([b"ab", b"c"]), headers={"x-api-key": script.key})
    assert script.calls[0].body == b"abc"


def test_replies_come_in_turn_and_then_the_marker(stub: Stub, client: httpx.Client, make_case: Any) -> None:
    with stub.script(make_case(exchanges=replies({"status": 500}, {"text": "ok"}))) as script:
        got = [client.post(stub.url, headers={"x-api-key": script.key}) for _ in range(3)]
    assert [reply.status_code for reply in got] == [500, 200, 422]
    assert got[2].headers[MARKER] == "unscripted"
    assert len(script.calls) == 3


def test_a_repeated_case_begins_anew(stub: Stub, client: httpx.Client, make_case: Any) -> None:
    with stub.script(make_case(repeat=2, exchanges=replies({"text": "a"}, {"text": "b"}))) as script:
        got = [client.post(stub.url, headers={"x-api-key": script.key}).text for _ in range(4)]
    assert got == ["a", "b", "a", "b"]


def test_an_alarm_is_a_stray_call(stub: Stub, client: httpx.Client, make_case: Any) -> None:
    with stub.script(make_case()) as script:
        client.post(f"{stub.url}/_alarm", headers={"x-api-key": script.key})
        client.post(f"{stub.url}/_alarm")
    assert [call.path for call in script.strays] == ["/_alarm", "/_alarm"]
    assert script.calls == []


def test_a_call_without_a_key_is_blamed_on_the_only_case(client: httpx.Client, make_case: Any) -> None:
    with Stub() as alone:
        with alone.script(make_case()) as script:
            assert client.post(f"{alone.url}/x").status_code == 422
        assert [call.path for call in script.strays] == ["/x"]
        with alone.script(make_case()) as one, alone.script(make_case()) as two:
            client.post(f"{alone.url}/y")
        assert one.strays == two.strays == []
        assert [call.path for call in alone.unclaimed] == ["/y"]


def test_a_key_is_gone_with_its_case(client: httpx.Client, make_case: Any) -> None:
    with Stub() as alone:
        with alone.script(make_case()) as script:
            pass
        assert client.post(alone.url, headers={"x-api-key": script.key}).headers[MARKER] == "unscripted"
        assert [(case, call.method) for case, call in alone.late] == [(script.case.id, "POST")]
        assert alone.unclaimed == []


def test_events_and_chunks_arrive_whole(stub: Stub, client: httpx.Client, make_case: Any) -> None:
    with stub.script(make_case(exchanges=replies({"sse": [{"data": "a"}, {"data": "b"}]}))) as script:
        reply = client.post(stub.url, headers={"x-api-key": script.key})
    assert reply.headers["transfer-encoding"] == "chunked"
    assert reply.text == "data: a\n\ndata: b\n\n"


def test_wire_bytes_are_all_there_is(stub: Stub, make_case: Any) -> None:
    wire = "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 299 Odd\r\nContent-Length: 2\r\n\r\nok"
    with stub.script(make_case(exchanges=replies({"wire": wire}))) as script:
        assert raw(stub, script.key) == wire.encode()


def raw(stub: Stub, key: str) -> bytes:
    """Everything on the socket until it is closed."""
    with socket.create_connection(("127.0.0.1", int(stub.url.rsplit(":", 1)[1])), timeout=5) as connection:
        connection.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nx-api-key: {key}\r\nContent-Length: 0\r\n\r\n".encode())
        received = b""
        while piece := connection.recv(65536):
            received += piece
        return received


def test_a_reset_is_a_true_reset(stub: Stub, make_case: Any) -> None:
    with stub.script(make_case(exchanges=replies({"fault": "reset-before-reply"}))) as script:
        with pytest.raises(ConnectionResetError) as caught:
            raw(stub, script.key)
        assert caught.value.errno == errno.ECONNRESET


def test_a_body_is_closed_in_its_middle(stub: Stub, client: httpx.Client, make_case: Any) -> None:
    with stub.script(make_case(exchanges=replies({"text": "abcdef", "fault": "close-mid-body"}))) as script:
        assert raw(stub, script.key).endswith(b"\r\n\r\nabc")
    with (
        stub.script(make_case(exchanges=replies({"sse": [{"data": "a"}], "fault": "close-mid-body"}))) as script,
        pytest.raises(httpx.RemoteProtocolError),
    ):
        client.post(stub.url, headers={"x-api-key": script.key})


@pytest.mark.parametrize("body", [{}, {"text": "abcdef"}])
def test_a_stall_lasts_until_the_client_gives_up(
    stub: Stub, client: httpx.Client, make_case: Any, body: dict[str, Any]
) -> None:
    with (
        stub.script(make_case(exchanges=replies({**body, "fault": "stall"}))) as script,
        pytest.raises(httpx.ReadTimeout),
    ):
        client.post(stub.url, headers={"x-api-key": script.key}, timeout=0.1)


def test_a_stall_ends_with_its_case(stub: Stub, make_case: Any) -> None:
    with stub.script(make_case(exchanges=replies({"fault": "stall"}))) as script:
        threading.Timer(0.1, script.end).start()
        began = time.monotonic()
        assert raw(stub, script.key) == b""
        assert time.monotonic() - began < 3


def test_the_provider_refuses_what_breaks_its_rules(stub: Stub, client: httpx.Client, make_case: Any) -> None:
    exchanges = replies(*[{"provider": True, "text": "accepted"}] * 2)
    with stub.script(make_case(exchanges=exchanges)) as script:
        headers = {"x-api-key": script.key, "anthropic-version": "2023-06-01", "content-type": "application/json"}
        good = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "hi"}]}
        assert client.post(f"{stub.url}/v1/messages", json={**good, "messages": []}, headers=headers).status_code == 400
        assert client.post(f"{stub.url}/v1/messages", json=good, headers=headers).text == "accepted"


def test_a_reply_that_cannot_be_made_is_the_kits_fault(
    stub: Stub, client: httpx.Client, make_case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(reply: object) -> None:
        raise RuntimeError("no such reply")

    monkeypatch.setattr("conformance.stub.encode", broken)
    with stub.script(make_case()) as script:
        assert client.post(stub.url, headers={"x-api-key": script.key}).headers[MARKER] == "fault"
    assert script.fault == "the stub could not answer: RuntimeError: no such reply"


def test_a_port_in_use_is_said_in_one_line(stub: Stub, capfd: pytest.CaptureFixture[str]) -> None:
    taken = int(stub.url.rsplit(":", 1)[1])
    with pytest.raises(PortFault, match=f"the stub cannot listen on port {taken}"), Stub(taken):
        pass
    assert capfd.readouterr() == ("", "")


def test_it_is_quiet_whatever_comes(stub: Stub, capfd: pytest.CaptureFixture[str], make_case: Any) -> None:
    with stub.script(make_case(exchanges=replies({"fault": "reset-before-reply"}, {"wire": "x"}))) as script:
        with pytest.raises(ConnectionResetError):
            raw(stub, script.key)
        raw(stub, script.key)
    connection = http.client.HTTPConnection("127.0.0.1", int(stub.url.rsplit(":", 1)[1]), timeout=5)
    connection.request("BREW", "/pot")
    assert connection.getresponse().status == 422
    connection.close()
    assert capfd.readouterr() == ("", "")


def test_stopping_takes_no_time() -> None:
    with Stub():
        began = time.monotonic()
    assert time.monotonic() - began < 0.4
