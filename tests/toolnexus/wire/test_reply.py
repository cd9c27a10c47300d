"""Replies read exactly: odd numbers, odd Unicode and depth never crash and never look like an answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import pytest

from toolnexus import ClientConfig, InvalidResponse, ProviderError, TranslateResult, decode

ANTHROPIC = ClientConfig("http://127.0.0.1", "anthropic", "claude-x", api_key="sk-very-secret-0123456789")
OPENAI = ClientConfig("http://127.0.0.1", "openai", "gpt-x", api_key="sk-very-secret-0123456789")
BOTH = pytest.mark.parametrize("config", [ANTHROPIC, OPENAI], ids=["anthropic", "openai"])
NUMBERS = ["1e400", "-1e400", "7" * 5000, "-5", "1.5", "1.10", "true", '"12"', '"' + "7" * 5000 + '"', "null", "{}"]

TEXT = {
    "anthropic": '{"content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","x":@,'
    '"usage":{"input_tokens":@,"output_tokens":2}}',
    "openai": '{"choices":[{"message":{"content":"hi","x":@},"finish_reason":"stop"}],"created":@,'
    '"usage":{"prompt_tokens":@,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":@}}}',
}


def read(body: str, config: ClientConfig) -> TranslateResult:
    return decode(200, [], body.encode("utf-8", "surrogatepass"), config)


@BOTH
@pytest.mark.parametrize("number", NUMBERS, ids=[n[:8] for n in NUMBERS])
def test_odd_numbers_change_no_answer_and_no_count_is_negative(number: str, config: ClientConfig) -> None:
    result = read(TEXT[config.style].replace("@", number), config)
    assert (result.text, result.finish_reason, result.warnings) == ("hi", "stop", ())
    assert result.usage.completion_tokens == 2
    assert result.usage.prompt_tokens == (12 if number == '"12"' else 0)
    assert result.usage.total_tokens == result.usage.prompt_tokens + 2
    assert result.usage.cached_tokens >= 0
    assert isinstance(result.raw, dict)
    assert result.to_message()["content"] == "hi"


@BOTH
@pytest.mark.parametrize("number", NUMBERS, ids=[n[:8] for n in NUMBERS])
@pytest.mark.parametrize("status", [200, 400])
def test_odd_numbers_in_an_error_leave_it_an_error(status: int, number: str, config: ClientConfig) -> None:
    body = '{"type":"error","error":{"type":"invalid_request_error","message":"no","code":@,"param":@,"x":@}}'
    with pytest.raises(ProviderError) as error:
        decode(status, [], body.replace("@", number).encode(), config)
    assert error.value.status == 400
    assert error.value.message == "no"
    assert json.dumps(error.value.to_openai())


@pytest.fixture(params=["as it is", "raised"])
def frames(request: pytest.FixtureRequest) -> Iterator[None]:
    """Python's recursion limit, which a program that uses the translator may have raised."""
    before = sys.getrecursionlimit()
    if request.param == "raised":
        sys.setrecursionlimit(max(before, 10_000))
    yield
    sys.setrecursionlimit(before)


@BOTH
@pytest.mark.usefixtures("frames")
@pytest.mark.parametrize("levels", [10, 400, 5_000, 200_000])
def test_depth_in_a_reply_is_carried_or_an_invalid_response(levels: int, config: ClientConfig) -> None:
    deep = "[" * levels + "]" * levels
    body = {
        "anthropic": '{"content":[{"type":"tool_use","id":"a","name":"f","input":{"x":@}}],"y":@}',
        "openai": '{"choices":[{"message":{"y":@,"tool_calls":'
        '[{"id":"a","function":{"name":"f","arguments":{"x":@}}}]}}]}',
    }[config.style]
    if levels < 500:
        assert read(body.replace("@", deep), config).tool_calls[0].arguments == '{"x":' + deep + "}"
    else:
        with pytest.raises(InvalidResponse):
            read(body.replace("@", deep), config)


@BOTH
@pytest.mark.parametrize("cut", ["\\ud800", "\\uD83D x", "\ud800", "\\udc00\\ud800"])
def test_half_a_surrogate_pair_in_a_reply_is_replaced_with_a_warning(cut: str, config: ClientConfig) -> None:
    result = read(TEXT[config.style].replace("@", "1").replace("hi", f"a{cut}é😀\\ud83d\\ude00"), config)
    assert result.text.startswith("a\ufffd")
    assert result.text.endswith("é😀😀")
    assert [w.code for w in result.warnings] == ["reply-repaired"]
    assert json.loads(json.dumps(result.raw)) == result.raw


@BOTH
def test_invalid_utf_8_in_a_reply_is_replaced_with_a_warning(config: ClientConfig) -> None:
    body = TEXT[config.style].replace("@", "1").encode().replace(b'"hi"', b'"h\xffi"')
    result = decode(200, [], body, config)
    assert result.text == "h\ufffdi"
    assert [w.code for w in result.warnings] == ["reply-repaired"]


@BOTH
def test_an_escaped_backslash_before_u_is_no_surrogate(config: ClientConfig) -> None:
    result = read(TEXT[config.style].replace("@", "1").replace("hi", "a\\\\ud800"), config)
    assert result.text == "a\\ud800"
    assert result.warnings == ()


@BOTH
@pytest.mark.parametrize(
    "body",
    [
        "",
        " ",
        "null",
        "[]",
        "5",
        '"text"',
        "<html><title>ok</title></html>",
        "{",
        '{"a":1}',
        '{"choices":[]}',
        '{"content":null}',
        '{"content":[{"type":"te',
        '{"choices":[{"message":null}]}',
        '{"choices":[{}]}',
        '{"choices":{"message":{}}}',
        '{"content":5}',
    ],
)
def test_a_2xx_that_is_no_answer_is_never_an_empty_success(body: str, config: ClientConfig) -> None:
    with pytest.raises(InvalidResponse) as error:
        read(body, config)
    assert error.value.status == 200


@BOTH
def test_raw_is_the_decoded_reply_and_is_decoded_once(config: ClientConfig) -> None:
    body = TEXT[config.style].replace("@", "1")
    result = read(body, config)
    assert result.raw == json.loads(body)
    assert result.raw is result.raw


@BOTH
@pytest.mark.parametrize("status", [429, 200])
def test_headers_may_be_a_mapping_or_pairs_in_any_case(status: int, config: ClientConfig) -> None:
    pairs = [("REQUEST-ID", "r1"), ("retry-after", "7")]
    for headers in (dict(pairs), {"Request-Id": "r1", "Retry-After": "7"}, pairs, iter(pairs)):
        with pytest.raises(ProviderError) as error:
            decode(status, headers, b'{"error":{"message":"slow down","type":"rate_limit_error"}}', config)
        assert (error.value.status, error.value.request_id, error.value.retry_after) == (429, "r1", "7")
        assert error.value.http_status == status


@BOTH
@pytest.mark.parametrize("status", [200, 401])
@pytest.mark.parametrize(
    "body",
    [
        '{"type":"error","error":{"type":"@","message":"bad key @","code":"@","param":"@"},"request_id":"@"}',
        "<html>@</html>",
        "bad key @",
        '{"error":"@"}',
    ],
)
def test_a_key_that_the_provider_echoes_is_in_no_error(body: str, status: int, config: ClientConfig) -> None:
    key = config.api_key or ""
    with pytest.raises((ProviderError, InvalidResponse)) as error:
        decode(status, [], body.replace("@", key).encode(), config)
    shown = [str(error.value), repr(error.value), repr(vars(error.value))]
    if isinstance(error.value, ProviderError):
        shown.append(repr(error.value.to_openai()))
    assert key not in "".join(shown)
    assert "[redacted]" in "".join(shown)
