"""HTTP endpoints as tools: declared, and turned into requests that nothing here sends."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from toolnexus.toolkit import ToolError, create_toolkit, http_tool
from toolnexus.toolkit.errors import ConfigError
from toolnexus.toolkit.http import from_dict

SCHEMA = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}


def test_an_endpoint_is_declared_with_its_schema() -> None:
    endpoint = http_tool("get_user", "https://h/users/{id}", description="Gets.", input_schema=SCHEMA)
    tool = endpoint.declaration()
    assert (tool.name, tool.description, tool.source) == ("get_user", "Gets.", "http")
    assert tool.origin == ("GET", "https://h/users/{id}")
    assert tool.input_schema == SCHEMA


def test_without_a_schema_placeholders_and_query_are_strings() -> None:
    tool = http_tool("x", "https://h/{a}/{b}/{a}?k=${TOKEN}", query=["q"]).declaration()
    assert tool.input_schema == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "q": {"type": "string"}},
        "required": ["a", "b"],
    }


def test_arguments_go_where_they_belong() -> None:
    endpoint = http_tool("x", "https://h/{a}", method="post", query=["q", "none"], headers={"X-Key": "${KEY}"})
    request = endpoint.request({"a": "b/c d", "q": [1, 2], "none": None, "rest": {"é": 1.5}}, {"KEY": "k"})
    assert request.method == "POST"
    assert request.url == "https://h/b%2Fc%20d?q=1&q=2"
    assert request.headers == {"X-Key": "k", "content-type": "application/json"}
    assert request.body == '{"rest":{"é":1.5}}'.encode()


def test_a_method_without_a_body_puts_the_rest_into_the_query() -> None:
    request = http_tool("x", "https://h/p?fixed=1").request({"a": True, "b": "x&y", "c": None})
    assert request.url == "https://h/p?fixed=1&a=true&b=x%26y"
    assert request.body is None
    assert "content-type" not in request.headers


@pytest.mark.parametrize(
    ("mode", "arguments", "media", "body"),
    [
        ("json", {"a": 1}, "application/json", b'{"a":1}'),
        ("form", {"a": 1, "b": ["x y", "z"]}, "application/x-www-form-urlencoded", b"a=1&b=x%20y&b=z"),
        ("raw", {"body": "text é"}, "text/plain; charset=utf-8", "text é".encode()),
        ("json", {}, None, None),
        ("raw", {}, None, None),
    ],
)
def test_bodies_have_three_forms(mode: Any, arguments: dict[str, Any], media: str | None, body: bytes | None) -> None:
    request = http_tool("x", "https://h", method="PUT", body=mode).request(arguments)
    assert (request.headers.get("content-type"), request.body) == (media, body)


def test_a_configured_content_type_stays() -> None:
    request = http_tool("x", "https://h", method="POST", headers={"Content-Type": "application/vnd.x+json"}).request(
        {"a": 1}
    )
    assert request.headers == {"Content-Type": "application/vnd.x+json"}


def test_what_a_model_says_is_never_looked_up_in_the_environment() -> None:
    endpoint = http_tool("x", "https://${HOST}/{a}", query=["q"])
    request = endpoint.request({"a": "${KEY}", "q": "${KEY}"}, {"HOST": "h", "KEY": "secret"})
    parts = urlsplit(request.url)
    assert (parts.netloc, parts.path, parse_qsl(parts.query)) == ("h", "/%24%7BKEY%7D", [("q", "${KEY}")])


@pytest.mark.parametrize(("arguments", "key"), [({}, "a"), ({"a": None}, "a"), ({"a": 1, "c": 1}, "b")])
def test_a_placeholder_without_an_argument_is_an_error(arguments: dict[str, Any], key: str) -> None:
    with pytest.raises(ToolError, match=f"no argument for {{{key}}}"):
        http_tool("x", "https://h/{a}" if key == "a" else "https://h/{a}/{b}").request(arguments)


def test_an_unset_variable_is_an_error_only_when_a_request_is_made() -> None:
    endpoint = http_tool("x", "https://h", headers={"A": "${NOT_SET_ANYWHERE}"})
    assert endpoint.declaration().name == "x"
    with pytest.raises(ConfigError, match="NOT_SET_ANYWHERE is not set"):
        endpoint.request({})


def test_no_repr_shows_a_header_or_a_url() -> None:
    endpoint = http_tool("x", "https://h/?key=s3cret", headers={"Authorization": "Bearer s3cret"})
    assert "s3cret" not in repr(endpoint)
    assert "s3cret" not in repr(endpoint.request({}))


def test_the_published_form_is_read() -> None:
    tool = from_dict({"name": "x", "url": "https://h/{id}", "method": "DELETE", "inputSchema": SCHEMA, "query": ["q"]})
    assert (tool.method, tool.input_schema, tool.places["q"]) == ("DELETE", SCHEMA, ("query", "q"))


@pytest.mark.parametrize("given", [{"name": "x"}, {"url": "https://h"}, {"name": "x", "url": 5}])
def test_a_tool_without_name_or_url_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match="needs a name and a url"):
        from_dict(given)


def test_an_unknown_body_is_refused() -> None:
    with pytest.raises(ToolError, match="body is json, form or raw"):
        http_tool("x", "https://h", body="xml")  # type: ignore[arg-type]


def test_toolkits_take_endpoints_and_objects() -> None:
    kit = create_toolkit(http_tools=[http_tool("a", "https://h"), {"name": "b", "url": "https://h"}], builtins=False)
    assert kit.names() == ("a", "b")
    assert {tool.source for tool in kit} == {"http"}
    assert json.loads(bytes(kit.declarations("openai")[0]))["function"]["name"] == "a"
    with pytest.raises(ToolError, match="made by http_tool"):
        create_toolkit(http_tools=["https://h"])  # type: ignore[list-item]
