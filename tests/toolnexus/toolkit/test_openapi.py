"""OpenAPI documents as tools."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pytest_httpserver import HTTPServer

from toolnexus.toolkit import create_toolkit, from_openapi
from toolnexus.toolkit.errors import ConfigError

DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "servers": [{"url": "https://{region}.h/v1/", "variables": {"region": {"default": "eu"}}}],
    "paths": {
        "/pets": {
            "get": {
                "operationId": "list pets",
                "summary": "Lists pets.",
                "description": "All of them.",
                "parameters": [
                    {
                        "name": "limit",
                        "in": "query",
                        "description": "How many.",
                        "schema": {"type": "integer", "example": 5},
                    },
                    {"$ref": "#/components/parameters/Trace"},
                    {"name": "Accept", "in": "header", "schema": {"type": "string"}},
                    {"name": "session", "in": "cookie", "schema": {"type": "string"}},
                    {"name": "filter", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}},
                ],
            },
            "post": {
                "requestBody": {
                    "required": True,
                    "content": {"application/json; charset=utf-8": {"schema": {"$ref": "#/components/schemas/Pet"}}},
                }
            },
        },
        "/pets/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "put": {
                "operationId": "put_pet",
                "parameters": [{"name": "id", "in": "query", "schema": {"type": "boolean"}}],
                "requestBody": {
                    "content": {"application/json": {"schema": {"type": "array", "items": {"type": "number"}}}}
                },
            },
            "patch": {
                "operationId": "patch_pet",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": {"n": {}}}}
                    },
                },
            },
        },
        "/note": {
            "servers": [{"url": "http://other/"}],
            "post": {
                "operationId": "note",
                "requestBody": {
                    "required": True,
                    "description": "Words.",
                    "content": {"text/plain": {"schema": {"type": "string"}}},
                },
            },
        },
    },
    "components": {
        "parameters": {"Trace": {"name": "X-Trace", "in": "header", "required": True, "schema": {"type": "string"}}},
        "schemas": {
            "Pet": {
                "type": "object",
                "required": ["id", "name"],
                "x-internal": True,
                "properties": {
                    "id": {"type": "integer", "readOnly": True},
                    "name": {"type": "string", "nullable": True, "description": "Its name."},
                    "age": {
                        "type": "number",
                        "minimum": 0,
                        "exclusiveMinimum": True,
                        "maximum": 9,
                        "exclusiveMaximum": False,
                    },
                    "example": {"type": "string", "example": "x"},
                    "parent": {"$ref": "#/components/schemas/Parent"},
                },
            },
            "Parent": {
                "type": "object",
                "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Parent"}}},
            },
        },
    },
}


def tool(name: str, document: dict[str, Any] = DOCUMENT, **more: Any) -> Any:
    [found] = [item for item in from_openapi(document, **more) if item.name == name]
    return found


def test_each_operation_is_a_tool() -> None:
    tools = from_openapi(DOCUMENT)
    assert [(item.name, item.method, item.url) for item in tools] == [
        ("list_pets", "GET", "https://eu.h/v1/pets"),
        ("post_pets", "POST", "https://eu.h/v1/pets"),
        ("put_pet", "PUT", "https://eu.h/v1/pets/{id}"),
        ("patch_pet", "PATCH", "https://eu.h/v1/pets/{id}"),
        ("note", "POST", "http://other/note"),
    ]
    for item in tools:
        Draft202012Validator.check_schema(item.declaration().input_schema)
    assert create_toolkit(http_tools=tools, builtins=False).faults("anthropic") == ()


def test_parameters_become_properties_and_find_their_places() -> None:
    listing = tool("list_pets")
    assert listing.description == "Lists pets.\n\nAll of them."
    assert listing.input_schema == {
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "examples": [5], "description": "How many."},
            "X-Trace": {"type": "string"},
            "session": {"type": "string"},
            "filter": {"type": "object"},
        },
        "required": ["X-Trace"],
    }
    request = listing.request({"limit": 3, "X-Trace": "t", "session": "a b", "filter": {"a": 1}})
    assert request.url == "https://eu.h/v1/pets?limit=3&filter=%7B%22a%22%3A1%7D"
    assert request.headers == {"X-Trace": "t", "cookie": "session=a%20b"}


def test_the_properties_of_an_object_body_stand_beside_the_parameters() -> None:
    schema = tool("post_pets").input_schema
    assert schema["properties"] == {
        "name": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "Its name."},
        "age": {"type": "number", "exclusiveMinimum": 0, "maximum": 9},
        "example": {"type": "string", "examples": ["x"]},
        "parent": {"$ref": "#/$defs/Parent"},
    }
    assert schema["required"] == ["name"]
    assert "x-internal" not in json.dumps(schema)
    validator = Draft202012Validator(schema)
    assert validator.is_valid({"name": None, "age": 1, "parent": {"children": [{"children": []}]}})
    assert not validator.is_valid({"name": "x", "age": 0})
    assert not validator.is_valid({"name": "x", "parent": {"children": [{"children": [1]}]}})
    request = tool("post_pets").request({"name": "Rex", "age": 2})
    assert (request.body, request.headers) == (b'{"name":"Rex","age":2}', {"content-type": "application/json"})


def test_any_other_body_is_one_property() -> None:
    put = tool("put_pet")
    assert put.input_schema["properties"] == {
        "id": {"type": "string"},
        "query_id": {"type": "boolean"},
        "body": {"type": "array", "items": {"type": "number"}},
    }
    assert put.input_schema["required"] == ["id"]
    request = put.request({"id": "7", "query_id": True, "body": [1, 2.5]})
    assert (request.url, request.body) == ("https://eu.h/v1/pets/7?id=true", b"[1,2.5]")
    assert put.request({"id": "7"}).body is None
    note = tool("note")
    assert note.input_schema["properties"] == {"body": {"type": "string", "description": "Words."}}
    assert note.request({"body": "hello"}).body == b"hello"


def test_a_body_that_may_be_left_out_or_clashes_with_a_parameter_stays_one_property() -> None:
    optional = changed("paths /pets post requestBody required", False)
    assert list(tool("post_pets", optional).input_schema["properties"]) == ["body"]
    assert "required" not in tool("post_pets", optional).input_schema
    clash = changed("paths /pets post parameters", [{"name": "name", "in": "query", "schema": {"type": "integer"}}])
    schema = tool("post_pets", clash).input_schema
    assert (list(schema["properties"]), schema["required"]) == (["name", "body"], ["body"])
    assert schema["properties"]["body"] == {"$ref": "#/$defs/Pet"}
    request = tool("post_pets", clash).request({"name": 1, "body": {"name": "Rex"}})
    assert (request.url, request.body) == ("https://eu.h/v1/pets?name=1", b'{"name":"Rex"}')


def test_forms_are_written_as_forms() -> None:
    request = tool("patch_pet").request({"id": "7", "n": "a b"})
    assert (request.body, request.headers["content-type"]) == (b"n=a%20b", "application/x-www-form-urlencoded")


def test_base_url_headers_and_choice() -> None:
    [note] = from_openapi(DOCUMENT, base_url="http://h/api/", headers={"A": "b"}, only=["note"])
    assert (note.url, note.request({"body": "x"}).headers["A"]) == ("http://h/api/note", "b")
    assert len(from_openapi(DOCUMENT, only={"note": False})) == 4


def test_documents_come_from_objects_files_and_urls(tmp_path: Path, httpserver: HTTPServer) -> None:
    names = [item.name for item in from_openapi(DOCUMENT)]
    path = tmp_path / "api.json"
    path.write_text(json.dumps(DOCUMENT))
    assert [item.name for item in from_openapi(path)] == names
    yaml = tmp_path / "api.yaml"
    yaml.write_text("openapi: 3.1.0\npaths:\n  /x:\n    get:\n      operationId: x\n      description: 2026-01-02\n")
    assert from_openapi(str(yaml), base_url="http://h")[0].description == "2026-01-02"
    httpserver.expect_request("/api.json").respond_with_json(DOCUMENT)
    assert [item.name for item in from_openapi(httpserver.url_for("/api.json"))] == names
    with pytest.raises(ConfigError, match="HTTP 500"):
        from_openapi(httpserver.url_for("/gone"))


def changed(pointer: str, value: Any) -> dict[str, Any]:
    document = copy.deepcopy(DOCUMENT)
    *path, last = pointer.split(" ")
    place = document
    for key in path:
        place = place[key]
    place[last] = value
    return document


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"swagger": "2.0"}, "no OpenAPI document of version 3"),
        ({"openapi": 3}, "no OpenAPI document of version 3"),
        (changed("servers", [{"url": "/v1"}]), "operation 'list_pets': the document names no absolute server"),
        (
            changed("components parameters", {}),
            "operation 'list_pets': reference #/components/parameters/Trace leads nowhere",
        ),
        (
            changed("paths /pets post requestBody content", {"image/png": {}}),
            "operation 'post_pets': no body of a known kind, but image/png",
        ),
        (changed("components schemas Pet", {"$ref": "other.json#/Pet"}), "reference other.json#/Pet leads out"),
        (changed("components parameters Trace", {"$ref": "#/components/parameters/Trace"}), "leads in a circle"),
        (changed("components parameters Trace in", "body"), "parameter 'X-Trace' is in no place known"),
        (changed("components parameters Trace", {}), "a parameter has no name"),
    ],
    ids=range(9),
)
def test_what_cannot_be_declared_names_its_operation(document: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words.replace("(", r"\(")):
        from_openapi(document)


def test_operations_of_one_name_get_numbers() -> None:
    document = {"openapi": "3.1.0", "paths": {f"/{n}": {"get": {"operationId": "same"}} for n in range(3)}}
    assert [item.name for item in from_openapi(document, base_url="http://h")] == ["same", "same_2", "same_3"]


def test_the_document_is_not_changed() -> None:
    before = copy.deepcopy(DOCUMENT)
    from_openapi(DOCUMENT)
    assert before == DOCUMENT


@pytest.mark.parametrize("text", ["[]", "a: b: c", "{", "- x"])
def test_a_file_that_is_no_document_says_so(tmp_path: Path, text: str) -> None:
    path = tmp_path / "api.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError):
        from_openapi(path)
