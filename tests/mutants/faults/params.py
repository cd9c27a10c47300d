"""Faults in params. Anthropic style."""

from __future__ import annotations

import json
import re
from typing import Any

from conformance.tree import Number
from tests.mutants.exchange import Ask
from tests.mutants.mutant import (
    body,
    request,
)
from tests.mutants.walk import (
    OWN_FIELDS,
    as_double,
    given,
    holder,
)

Tree = dict[str, Any]


@body("anthropic")
def sends_stop_as_stop(body: Tree) -> None:
    """stop is sent under OpenAI's name."""
    body["stop"] = body.pop("stop_sequences")


@body("anthropic")
def loses_stop(body: Tree) -> None:
    """stop is not sent."""
    body.pop("stop_sequences", None)


@request("anthropic")
def takes_stop_only_as_a_list(request: Tree) -> None:
    """stop as a string is lost."""
    if isinstance(given(request)["stop"], str):
        holder(request, "stop").pop("stop")


@body("anthropic")
def strips_stop(body: Tree) -> None:
    """Stop sequences are stripped."""
    body["stop_sequences"] = [text.strip() for text in body["stop_sequences"]]


@body("anthropic")
def sends_blank_stops(body: Tree, ask: Ask) -> None:
    """Blank stop entries are sent, which the provider refuses."""
    stop = given(ask.request)["stop"]
    if stop is not None:
        body["stop_sequences"] = [stop] if isinstance(stop, str) else stop


@body("anthropic")
def sends_an_empty_stop_list(body: Tree, ask: Ask) -> None:
    """Where every stop entry is blank an empty list is sent."""
    if given(ask.request)["stop"]:
        body.setdefault("stop_sequences", [])


@body("anthropic")
def sends_temperature_unclamped(body: Tree, ask: Ask) -> None:
    """A temperature above 1 is sent as it is."""
    if "temperature" in body:
        body["temperature"] = given(ask.request)["temperature"]


@body("anthropic")
def halves_temperature(body: Tree, ask: Ask) -> None:
    """OpenAI's scale of 0 to 2 is mapped to 0 to 1."""
    value = float(given(ask.request)["temperature"])
    if "temperature" in body and value not in (0, 1):
        body["temperature"] = Number(repr(value / 2))


@request("anthropic")
def drops_zero_temperature(request: Tree) -> None:
    """A temperature or top_p that a language takes for false is not sent."""
    for key in ("temperature", "top_p"):
        if float(given(request).get(key) or 1) == 0:
            holder(request, key).pop(key)


@body("anthropic")
def drops_top_p_beside_temperature(body: Tree) -> None:
    """top_p is never sent beside a temperature."""
    if "temperature" in body:
        del body["top_p"]


@body("anthropic")
def loses_top_p(body: Tree) -> None:
    """top_p alone is not sent."""
    if "temperature" not in body:
        body.pop("top_p", None)


@body("anthropic")
def writes_numbers_of_params_anew(body: Tree) -> None:
    """Numbers of params are written as the language prints them."""
    for key in ("temperature", "top_p"):
        if key in body:
            body[key] = as_double(body[key])


@request("anthropic")
def clamps_what_is_out_of_range(request: Tree) -> None:
    """A negative temperature or a top_p out of range is moved instead of an error."""
    for key in ("temperature", "top_p"):
        value = given(request).get(key)
        if isinstance(value, Number) and (float(value) < 0 or (key == "top_p" and float(value) > 1)):
            holder(request, key)[key] = Number("0" if float(value) < 0 else "1")


@request("anthropic")
def asks_for_one_choice(request: Tree) -> None:
    """n above 1 is read as 1 instead of an error."""
    if isinstance(given(request)["n"], Number):
        holder(request, "n").pop("n")


@request("anthropic")
def forgets_audio_output(request: Tree) -> None:
    """A request for spoken answers gets a text instead of an error."""
    for key in ("audio", "modalities"):
        holder(request, key).pop(key, None)


@request("anthropic")
def reads_stream_as_false(request: Tree) -> None:
    """stream: true is ignored instead of an error."""
    if given(request)["stream"] is True:
        holder(request, "stream").pop("stream")


@request("anthropic")
def takes_json_object_for_text(request: Tree) -> None:
    """response_format json_object is ignored instead of an error."""
    if given(request)["response_format"]["type"] == "json_object":
        holder(request, "response_format").pop("response_format")


@request("anthropic")
def takes_any_response_schema(request: Tree) -> None:
    """A response schema that is missing or refused is dropped with its format instead of an error."""
    found = given(request)["response_format"]
    if found["type"] == "json_schema":
        schema = found.get("json_schema", {}).get("schema")
        if (
            not isinstance(schema, dict)
            or schema.get("additionalProperties") is not False
            or "oneOf" in json.dumps(schema)
            or "minimum" in json.dumps(schema)
        ):
            holder(request, "response_format").pop("response_format")


@body("anthropic")
def sends_the_whole_json_schema(body: Tree, ask: Ask) -> None:
    """response_format is sent with OpenAI's wrapper."""
    if "output_config" in body:
        body["output_config"]["format"] = given(ask.request)["response_format"]


@body("anthropic")
def loses_response_format(body: Tree) -> None:
    """A json_schema format is not sent."""
    body["output_config"].pop("format", None)
    if not body["output_config"]:
        del body["output_config"]


@body("anthropic")
def sends_response_format_as_a_tool(body: Tree) -> None:
    """A json_schema format becomes a tool that must be called."""
    schema = body["output_config"].pop("format")["schema"]
    body["tools"] = [{"name": "json", "input_schema": schema}]
    body["tool_choice"] = {"type": "tool", "name": "json"}


@body("anthropic")
def sends_format_text(body: Tree, ask: Ask) -> None:
    """response_format text is sent."""
    if given(ask.request)["response_format"] == {"type": "text"}:
        body["output_config"] = {"format": {"type": "text"}}


@body("anthropic")
def loses_user(body: Tree) -> None:
    """user is not sent."""
    body.pop("metadata", None)


@body("anthropic")
def sends_personal_users(body: Tree, ask: Ask) -> None:
    """A user that names a person is sent."""
    params = given(ask.request)
    if params.get("user") and "safety_identifier" not in params:
        body["metadata"] = {"user_id": params["user"]}


@body("anthropic")
def lets_user_beat_safety_identifier(body: Tree, ask: Ask) -> None:
    """user beats safety_identifier."""
    params = given(ask.request)
    if params.get("safety_identifier") and params.get("user"):
        body["metadata"] = {"user_id": params["user"]}


@body("anthropic")
def ignores_safety_identifier(body: Tree, ask: Ask) -> None:
    """safety_identifier is not sent."""
    if "safety_identifier" in given(ask.request):
        body.pop("metadata", None)


@body("anthropic")
def pours_metadata(body: Tree, ask: Ask) -> None:
    """metadata is poured into the provider's metadata."""
    found = given(ask.request)["metadata"]
    if found:
        body["metadata"] = {**body.get("metadata", {}), **found}


@body("anthropic")
def sends_service_tier_as_asked(body: Tree, ask: Ask) -> None:
    """service_tier is sent in OpenAI's words."""
    body["service_tier"] = given(ask.request)["service_tier"]


@body("anthropic")
def sends_auto_tier(body: Tree, ask: Ask) -> None:
    """service_tier auto is sent."""
    if given(ask.request)["service_tier"] == "auto":
        body["service_tier"] = "auto"


@body("anthropic")
def loses_service_tier(body: Tree) -> None:
    """service_tier default is not sent."""
    body.pop("service_tier", None)


@body("anthropic")
def sends_unknown_params(body: Tree, ask: Ask) -> None:
    """Params without a place at the provider are sent all the same."""
    known = (
        "seed",
        "logit_bias",
        "frequency_penalty",
        "presence_penalty",
        "prediction",
        "store",
        "logprobs",
        "top_logprobs",
        "top_k",
        "verbosity",
    )
    for key, value in given(ask.request).items():
        if key in known and value:
            body[key] = value


@body("anthropic")
def sends_every_null_param(body: Tree, ask: Ask) -> None:
    """Null params are sent as null."""
    for key, value in given(ask.request).items():
        if value is None and key in ("stop", "temperature", "top_p", "user"):
            body[{"stop": "stop_sequences", "user": "metadata"}.get(key, key)] = None


@request("anthropic")
def reads_params_at_the_top_only(request: Tree) -> None:
    """What stands in params means nothing, save the effort and the limits."""
    for key in ("temperature", "top_p", "stop", "user", "service_tier"):
        request["params"].pop(key, None)


@request("anthropic")
def reads_nothing_at_the_top(request: Tree) -> None:
    """The top-level fields of a client's body are lost."""
    for key in [key for key in request if key not in OWN_FIELDS]:
        del request[key]


@request("anthropic")
def drops_misplaced_fields(request: Tree) -> None:
    """Fields of the request inside params are ignored instead of an error."""
    for key in ("messages", "tools", "tool_choice", "system", "model"):
        request["params"].pop(key, None)


@request("anthropic")
def ignores_params_of_a_wrong_type(request: Tree) -> None:
    """A parameter of a wrong type is ignored instead of an error."""
    fits = {
        "temperature": Number,
        "top_p": Number,
        "n": Number,
        "max_completion_tokens": Number,
        "user": str,
        "stream": bool,
        "seed": Number,
        "reasoning_effort": str,
        "stop": (str, list),
        "response_format": dict,
        "parallel_tool_calls": bool,
        "service_tier": str,
        "metadata": dict,
    }
    for key, kind in fits.items():
        value = given(request).get(key)
        if value is not None and (not isinstance(value, kind) or (kind is str and isinstance(value, Number))):
            holder(request, key).pop(key)


@body("anthropic")
def sends_the_model_of_the_body(body: Tree, ask: Ask) -> None:
    """The model that a client's body names is asked, not the configured one."""
    body["model"] = ask.request["model"]


@body()
def lowers_the_model(body: Tree) -> None:
    """The model id is sent in lower case and without its prefix."""
    body["model"] = re.sub(r"^.*/", "", body["model"].lower())


@body()
def dates_the_model(body: Tree) -> None:
    """A model id with a dot or a colon in it is rewritten to the vendor's own form."""
    body["model"] = re.sub(r"[:@ ].*$", "", body["model"]).strip()


@body("anthropic")
def names_models_by_their_row(body: Tree) -> None:
    """A model found in the table is sent under the row's name."""
    found = re.search(r"claude-(opus|sonnet|haiku|fable|mythos)-(\d+)(?:[-.](\d{1,2})(?!\d))?", body["model"])
    if found:
        body["model"] = "-".join(part for part in ("claude", *found.groups()) if part)


@body()
def trims_the_model(body: Tree) -> None:
    """Letters outside ASCII and spaces are taken out of the model id."""
    body["model"] = "".join(c for c in body["model"] if c.isascii() and not c.isspace())


@body("anthropic")
def sends_nulls(body: Tree) -> None:
    """What is absent from a request with a stop is sent as null."""
    if "stop_sequences" in body:
        body.setdefault("temperature", None)


@body("anthropic")
def sends_stream_false(body: Tree) -> None:
    """stream: false is sent with tools."""
    if "tools" in body and len(body["tools"]) > 1:
        body["stream"] = False


@body()
def resolves_aliases(body: Tree) -> None:
    """A model id that says latest is replaced by a dated one."""
    body["model"] = body["model"].replace("-latest", "-2025-01-01")


@body("anthropic")
def maps_other_vendors_models(body: Tree) -> None:
    """Another vendor's model id is replaced by one of the provider's."""
    body["model"] = re.sub(r"^gpt-.*", "claude-sonnet-4-5", body["model"])


@body("anthropic")
def falls_back_from_unknown_versions(body: Tree) -> None:
    """A version that the table does not know is replaced by its newest."""
    body["model"] = re.sub(r"(claude-opus)-[7-9](-\d)?$", r"\1-5-5", body["model"])
