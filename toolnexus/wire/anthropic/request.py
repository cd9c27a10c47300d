"""One request as the body of `POST /v1/messages` (SPEC section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolnexus.errors import InvalidRequest
from toolnexus.wire.anthropic import choice, marks, system
from toolnexus.wire.anthropic.models import FORCED_CHOICE, PREFILL, SAMPLING, TEMPERATURE_WITH_TOP_P, Model
from toolnexus.wire.anthropic.params import Params, max_tokens
from toolnexus.wire.anthropic.thinking import Effort
from toolnexus.wire.anthropic.tools import Tools
from toolnexus.wire.anthropic.turns import History
from toolnexus.wire.exact import encode as encode_json
from toolnexus.wire.exact import plain
from toolnexus.wire.exchange import NO_CUSTOM_TOOLS, ProviderRequest
from toolnexus.wire.fields import Fields
from toolnexus.wire.log import Log

if TYPE_CHECKING:
    from toolnexus.config import ClientConfig
    from toolnexus.request import TranslateRequest

# The version that has no sampling parameters at all (B1, B8 33).
_VERSION_WITHOUT_SAMPLING = "2026-10-21"
_PARAMS_SENT = ("stop_sequences", "temperature", "top_p", "thinking", "output_config", "metadata", "service_tier")


def encode(request: TranslateRequest, config: ClientConfig, stream: bool) -> ProviderRequest:
    """The provider request for one translation. Raises `InvalidRequest` for whatever cannot be sent."""
    fields = request.plain_fields()
    log = Log(list(fields.warnings))
    history = History(fields, log)
    if not history.turns:
        raise InvalidRequest("nothing is left to send: a request needs a message with content", "/messages")
    model = config.capabilities
    tools = _tools(request, fields, log)
    chosen = _choice(fields, tools, log) if fields.params or fields.tool_choice is not None else None
    limit = max_tokens(fields, log)
    if model.refuses:
        _refuse_lost_guarantees(model, chosen, fields, history)
    if history.turns[-1].role == "assistant":
        history.trim_prefill()
    params, effort = _params(fields, config, model, history, limit, chosen, log) if fields.params else (None, None)

    system_marks: list[marks.Mark] = []
    prompt = system.choose(history.system, fields.system, config.system_prompt, log, system_marks)
    if tools.marks or system_marks or history.marks:
        marks.keep_last_four([*tools.marks, *system_marks, *history.marks], log)
    if history.has_calls and not tools.by_name:
        log.warn("history-without-tools", "/tools", "the history calls tools, and none is declared")

    body: dict[str, Any] = {"model": config.model, "max_tokens": limit}
    if prompt is not None:
        body["system"] = prompt
    body["messages"] = history.turns
    if tools.by_name:
        body["tools"] = list(tools.by_name.values())
    if chosen is not None:
        body["tool_choice"] = chosen
    if stream:
        body["stream"] = True
    elif fields.params:
        fields.refuse_stream()
    if params is not None:
        _add_params(body, params, effort)
    custom = frozenset(tools.custom) if tools.custom else NO_CUSTOM_TOOLS
    return ProviderRequest("POST", config.url, config.request_headers, encode_json(body), tuple(log.warnings), custom)


def _params(
    fields: Fields,
    config: ClientConfig,
    model: Model,
    history: History,
    limit: int,
    chosen: choice.Choice | None,
    log: Log,
) -> tuple[Params, Effort | None]:
    sampling = SAMPLING not in model.refuses and config.anthropic_version != _VERSION_WITHOUT_SAMPLING
    params = Params(fields, log, sampling=sampling)
    forced = chosen is not None and chosen["type"] in ("any", "tool")
    effort = Effort(fields, model, history, limit, forced, log) if "reasoning_effort" in fields.params else None
    if "temperature" in params.body or "top_p" in params.body:
        _settle_sampling(model, params, effort)
    return params, effort


def _tools(request: TranslateRequest, fields: Fields, log: Log) -> Tools:
    tools = Tools(log)
    if request.toolkit is not None:
        tools.add_toolkit(request.toolkit)
    if fields.plain is not None:
        tools.add_specs(fields.plain.tools or [])
    elif fields.tools is not None:
        tools.add_tools(fields.tools)
    if "functions" in fields.params:
        tools.add_functions(fields.params["functions"], fields.place("functions"))
    return tools


def _choice(fields: Fields, tools: Tools, log: Log) -> choice.Choice | None:
    raw, place = fields.tool_choice, "/tool_choice"
    if raw is None and "function_call" in fields.params:
        raw, place = fields.params["function_call"], fields.place("function_call")
    parallel = True
    if "parallel_tool_calls" in fields.params:
        value = plain(fields.params["parallel_tool_calls"])
        if not isinstance(value, bool):
            raise InvalidRequest("parallel_tool_calls is no boolean", fields.place("parallel_tool_calls"))
        parallel = value
    if raw is None and parallel:
        return None
    return choice.choose(raw, place, tools, log, parallel=parallel)


def _refuse_lost_guarantees(model: Model, chosen: choice.Choice | None, fields: Fields, history: History) -> None:
    """A forced call or a prefill that the model refuses is a guarantee lost, not a detail (`anthropic.models`)."""
    if FORCED_CHOICE in model.refuses and chosen is not None and chosen["type"] in ("any", "tool"):
        place = "/tool_choice" if fields.tool_choice is not None else fields.place("function_call")
        raise InvalidRequest("this model cannot be forced to call a tool", place)
    if PREFILL in model.refuses and history.ends_with_assistant:
        place = f"/messages/{history.last_origin}"
        raise InvalidRequest("this model takes no final assistant turn to continue", place)


def _settle_sampling(model: Model, params: Params, effort: Effort | None) -> None:
    if TEMPERATURE_WITH_TOP_P in model.refuses and "temperature" in params.body and "top_p" in params.body:
        del params.body["top_p"]
        params.drop("top_p", "this model takes temperature or top_p, not both")
    if effort is not None:
        effort.settle_sampling(model, params)


def _add_params(body: dict[str, Any], params: Params, effort: Effort | None) -> None:
    """Adds what the params became, in the body's own order, whatever the caller's was (SPEC section 2, "Body")."""
    output: dict[str, Any] = {}
    if effort is not None and effort.effort is not None:
        output["effort"] = effort.effort
    if params.output_format is not None:
        output["format"] = params.output_format
    found = {
        **params.body,
        "thinking": effort.thinking if effort is not None else None,
        "output_config": output or None,
        "metadata": {"user_id": params.user_id} if params.user_id is not None else None,
    }
    for name in _PARAMS_SENT:
        if found.get(name) is not None:
            body[name] = found[name]
