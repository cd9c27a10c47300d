"""Every rule of OpenAI's Chat Completions that can be checked on a request, as data.

Named after the section of wire-facts that states them (A2-A9). Compatible servers may be laxer: what only OpenAI
itself is known or suspected to refuse is W.
"""

# ruff: noqa: E501 - one rule a line; the providers' own sentences are not wrapped

from __future__ import annotations

from conformance.providers.violation import Rule, book

_REQUEST = (
    Rule("a1-auth", "!!", "R", "You didn't provide an API key.", "A1", 401),
    Rule("a1-content-type", "?", "W", "Unsupported content type: application/json is required.", "A1"),
    Rule("a1-json", "!!", "R", "We could not parse the JSON body of your request: {reason}", "A1"),
    Rule("a1-lone-surrogate", "?", "W", "We could not parse the JSON body of your request: {reason}", "A1"),
)

_FIELDS = (
    Rule("a2-missing", "!!", "R", "Missing required parameter: '{param}'.", "A2", code="missing_required_parameter"),
    Rule("a2-type", "!!", "R", "Invalid type for '{param}': expected {want}, but got {got} instead.", "A2", code="invalid_type"),
    Rule("a2-choice", "!!", "R", "Invalid value: {got}. Supported values are: {want}.", "A2", code="invalid_value"),
    Rule("a2-range", "!!", "R", "Invalid '{param}': expected a value {want}, but got {got} instead.", "A2"),
    Rule("a2-length", "!!", "R", "Invalid '{param}': {want}", "A2"),
    Rule("a2-unknown-key", "?", "W", "Unknown parameter: '{param}'.", "A2", code="unknown_parameter"),
    Rule("a2-tools-empty", "!", "R", "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array with length 0 instead.", "A2", code="empty_array"),
    Rule("a2-only-with-logprobs", "!!", "R", "Invalid value for '{param}': '{param}' is only allowed when 'logprobs' is enabled.", "A2"),
    Rule("a2-only-with-stream", "!!", "R", "The '{param}' option is only allowed when 'stream' is enabled.", "A2"),
    Rule("a2-only-with-audio", "!!", "R", "Invalid value for '{param}': '{param}' is only allowed when 'modalities' holds 'audio'.", "A2"),
    Rule("a3-content-missing", "!!", "R", "Invalid value for 'content': expected a string, got null.", "A3"),
    Rule("a3-content-null", "?", "W", "Invalid value for 'content': expected a string, got null.", "A3"),
    Rule("a4-arguments-no-json", "?", "W", "Invalid '{param}': the arguments are no JSON object.", "A4"),
    Rule("a4-too-many-calls", "!", "R", "Invalid '{param}': array too long. Expected an array with maximum length 128, but got an array with length {got} instead.", "A4", code="array_above_max_length"),
    Rule("a5-description-long", "?", "W", "Invalid '{param}': string too long. Expected a string with maximum length 1024, but got a string with length {got} instead.", "A5", code="string_above_max_length"),
    Rule("a5-strict-schema", "!", "R", "Invalid schema for {what} '{name}': In context=({context}), {reason}", "A5", code="invalid_function_parameters"),
    Rule("a6-choice-unknown-tool", "?", "W", "Tool choice '{name}' not found in 'tools' parameter.", "A6"),
    Rule("a9-stop-too-long", "!!", "R", "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length {got} instead.", "A9", code="array_above_max_length"),
    Rule("a9-tool-name", "!!", "R", "Invalid '{param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", "A9", code="invalid_value"),
    Rule("a9-tool-call-id-long", "?", "W", "Invalid '{param}': string too long. Expected a string with maximum length 40, but got a string with length {got} instead.", "A9", code="string_above_max_length"),
    Rule("a9-only-with-tools", "!!", "R", "Invalid value for '{param}': '{param}' is only allowed when 'tools' are specified.", "A9"),
)  # fmt: skip

_TALK = (
    Rule("a9-tool-call-unanswered", "!!", "R", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}", "A9"),
    Rule("a9-orphan-tool-message", "!!", "R", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", "A9"),
    Rule("a9-tool-call-id-unknown", "?", "W", "Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message.", "A9"),
    Rule("a9-json-word", "!!", "R", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.", "A9"),
    Rule("a9-max-tokens-on-reasoning", "!!", "P", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "A9", code="unsupported_parameter"),
)  # fmt: skip

GROUPS = {"request": _REQUEST, "fields": _FIELDS, "talk": _TALK}

RULES = book(rule for group in GROUPS.values() for rule in group)
