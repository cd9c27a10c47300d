"""Every rule of Anthropic's Messages API that can be checked on a request, as data.

Named after the rows of wire-facts B8 (`b8-09-…`) or the section that states them. Not here, because no body
shows them: B8 28 (alternating roles: no longer enforced), 36 and 37 (token counts: scripted), 42 and 43 (whether a
signature or a thinking block is the provider's own).
"""

# ruff: noqa: E501 - one rule a line; the providers' own sentences are not wrapped

from __future__ import annotations

from conformance.providers.violation import Rule, book

_REQUEST = (
    Rule("b1-auth", "!!", "R", "x-api-key header is required", "B1", 401, "authentication_error"),
    Rule("b1-version", "!", "R", "anthropic-version: header is required", "B1"),
    Rule("b1-content-type", "?", "W", "content-type: application/json is required", "B1"),
    Rule("b1-json", "!!", "R", "The request body is not valid JSON: {reason}", "B8 53"),
    Rule("b8-52-body-size", "!!", "R", "Request exceeds the maximum size", "B8 52", 413, "request_too_large"),
    Rule("b8-53-lone-surrogate", "!!", "R", "The request body is not valid JSON: {reason}", "B8 53"),
)

_FIELDS = (
    Rule("b2-missing", "!!", "R", "{path}: Field required", "B2"),
    Rule("b2-type", "!!", "R", "{path}: Input should be a valid {want}", "B2"),
    Rule("b2-choice", "!!", "R", "{path}: Input should be {want}", "B2"),
    Rule("b2-range", "!!", "R", "{path}: Input should be {want}", "B2"),
    Rule("b2-length", "!!", "R", "{path}: {want}", "B2"),
    Rule("b2-tag", "!!", "R", "{path}: Input tag {got} found using 'type' does not match any of the expected tags: {want}", "B2"),
    Rule("b2-max-tokens-zero", "!!", "R", "max_tokens: 0 is not supported together with {with_}", "B2"),
    Rule("b4-block-type", "!!", "R", "{path}: Input tag {got} found using 'type' does not match any of the expected tags: {want}", "B4"),
    Rule("b4-block-place", "!", "R", "{path}: `{block}` blocks can only be in `{role}` messages", "B4"),
    Rule("b4-media-in-assistant", "?", "W", "{path}: `{block}` blocks can only be in `user` messages", "B4"),
    Rule("b4-cache-ttl-order", "!!", "R", "{path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block", "B4"),
    Rule("b8-01-max-tokens-missing", "!!", "R", "max_tokens: Field required", "B8 1"),
    Rule("b8-02-no-messages", "!", "R", "messages: at least one message is required", "B8 2"),
    Rule("b8-03-unknown-key", "!!", "R", "{path}: Extra inputs are not permitted", "B8 3"),
    Rule("b8-04-role", "!", "R", 'messages: Unexpected role {got}. Allowed roles are "user" or "assistant".', "B8 4, B3"),
    Rule("b8-15-id-characters", "!!", "R", "{path}: String should match pattern '{want}'", "B8 15"),
    Rule("b8-16-input-object", "!!", "R", "{path}: Input should be a valid dictionary", "B8 16"),
    Rule("b8-30-temperature", "!", "R", "{reason}", "B8 30"),
    Rule("b8-44-cache-marks", "!!", "R", "A maximum of 4 blocks with cache_control may be provided. Found {found}.", "B8 44"),
    Rule("b8-45-cache-on-empty-text", "!!", "R", "{path}: cache_control cannot be set for empty text blocks", "B8 45"),
    Rule("b8-46-blank-stop", "!!", "R", "stop_sequences: each stop sequence must contain non-whitespace", "B8 46"),
    Rule("b8-56-user-id", "?", "W", "metadata.user_id: {reason}", "B8 56"),
)  # fmt: skip

_TOOLS = (
    Rule("b5-all-deferred", "!!", "R", "All tools have defer_loading: true", "B5"),
    Rule("b5-input-example", "!!", "R", "{path}: input example does not match the tool's input_schema: {reason}", "B5"),
    Rule("b5-strict-schema", "!!", "R", "{path}: {reason}", "B5"),
    Rule("b5-strict-limits", "!!", "R", "Schema is too complex for compilation.", "B5"),
    Rule("b8-17-tool-name", "!!", "R", "{path}: String should match pattern '{want}'", "B8 17"),
    Rule("b8-17-tool-name-long", "?", "W", "{path}: String should have at most 64 characters", "B8 17"),
    Rule("b8-18-tool-names-unique", "!!", "R", "tools: Tool names must be unique.", "B8 18"),
    Rule("b8-19-input-schema", "!", "R", "{path}: Field required", "B8 19"),
    Rule("b8-19b-combinator", "!!", "R", "{path}: input_schema does not support oneOf, allOf, or anyOf at the top level", "B8 19b"),
    Rule("b8-19c-invalid-schema", "!!", "R", "{path}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). {reason}", "B8 19c"),
    Rule("b8-19d-tool-tag", "!!", "R", "{path}: Input tag {got} found using 'type' does not match any of the expected tags: {want}", "B8 19d"),
    Rule("b8-20-choice-without-tools", "!", "R", "tool_choice: may only be specified while providing tools", "B8 20"),
    Rule("b8-21-choice-unknown-tool", "!", "R", "tool_choice: Tool '{name}' not found in provided tools", "B8 21"),
    Rule("b8-23-choice-and-thinking", "!!", "R", "Thinking may not be enabled when tool_choice forces tool use.", "B8 23"),
)  # fmt: skip

_TURNS = (
    Rule("b3-system-first", "!", "R", "messages.0: use the top-level 'system' parameter for the initial system prompt", "B3.1"),
    Rule("b3-system-place", "!!", "R", "{path}: role 'system' must directly follow a user turn and be last or be followed by an assistant turn", "B3.1"),
    Rule("b8-05-empty-text", "!!", "R", "{field}: text content blocks must be non-empty", "B8 5"),
    Rule("b8-05-empty-system", "?", "W", "system: text content blocks must be non-empty", "B8 5"),
    Rule("b8-06-blank-text", "!!", "R", "{field}: text content blocks must contain non-whitespace text", "B8 6"),
    Rule("b8-07-empty-user", "!!", "R", "{path}: user messages must have non-empty content", "B8 7"),
    Rule("b8-08-empty-message", "!!", "R", "{path}: all messages must have non-empty content except for the optional final assistant message", "B8 8"),
    Rule("b8-09-unanswered-tool-use", "!!", "R", "{path}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", "B8 9"),
    Rule("b8-10-unexpected-result", "!!", "R", "{path}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", "B8 10"),
    Rule("b8-11-tool-use-id-reused", "!!", "R", "{path}: `tool_use` ids must be unique", "B8 11"),
    Rule("b8-12-two-results", "!!", "R", "{path}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}", "B8 12"),
    Rule("b8-13-empty-error", "!", "R", "{path}.tool_result: content cannot be empty if `is_error` is true", "B8 13"),
    Rule("b8-14-block-in-wrong-role", "!!", "R", "{path}: `{block}` blocks can only be in `{role}` messages", "B8 14"),
    Rule("b8-24-history-without-tools", "!", "P", "Requests which include `tool_use` or `tool_result` blocks must define tools.", "B8 24"),
    Rule("b8-26-trailing-whitespace", "!!", "R", "messages: final assistant content cannot end with trailing whitespace", "B8 26"),
    Rule("b8-27-assistant-first", "?", "W", 'messages: first message must use the "user" role', "B8 27"),
    Rule("results-in-one-turn", "?", "house", "many servers answer 400", "B8 29"),
    Rule("b8-41-thinking-first", "!!", "R", "{path}.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).", "B8 41"),
    Rule("b8-54-unresolved-server-tool", "!!", "R", "`{tool}` tool use with id `{id}` was found without a corresponding `{tool}_tool_result` block", "B8 54"),
    Rule("b8-57-thinking-and-prefill", "!!", "R", "messages: assistant prefill is not supported while thinking is enabled", "B8 57"),
)  # fmt: skip

_THINKING = (
    Rule("b8-38-budget-minimum", "!!", "R", "{path}: Input should be greater than or equal to 1024", "B8 38"),
    Rule("b8-38-budget-above-max-tokens", "!!", "R", "`max_tokens` must be greater than `thinking.budget_tokens`.", "B8 38"),
)  # fmt: skip

_MEDIA = (
    Rule("b8-47-image-media-type", "!", "R", "{path}: Input should be {want}", "B8 47"),
    Rule("b8-48-image-type-differs", "!!", "R", "{path}: The image was specified using the {declared} media type, but the image appears to be a {found} image", "B8 48"),
    Rule("b8-49-base64", "!", "R", "{path}: invalid base64 data", "B8 49"),
    Rule("b8-49-unreadable", "?", "W", "{path}: Could not process {what}", "B8 49"),
    Rule("b8-50-image-dimensions", "!!", "R", "{path}: At least one of the image dimensions exceed max allowed size{scope}: {limit} pixels", "B8 50"),
    Rule("b8-51-image-size", "!!", "R", "{path}: image exceeds 10 MB maximum: {size} bytes > 10485760 bytes", "B8 51"),
    Rule("b8-51-image-count", "!!", "R", "messages: too many images: {count} > 600", "B8 51"),
)  # fmt: skip

_MODELS = (
    Rule("b3-system-role-refused", "!", "P", "{path}: role 'system' is not supported on this model", "B3.1"),
    Rule("b7-sampling-with-thinking", "!!", "P", "`{name}` {reason} when thinking is enabled", "B7"),
    Rule("b8-22-forced-choice", "!!", "P", 'tool_choice: type "tool" and "any" are not supported for this model.', "B8 22"),
    Rule("b8-25-prefill", "!!", "P", "This model does not support assistant message prefill. The conversation must end with a user message.", "B8 25"),
    Rule("b8-31-both-samplers", "!!", "P", "`temperature` and `top_p` cannot both be specified for this model. Please use only one.", "B8 31"),
    Rule("b8-32-sampling-refused", "!!", "P", "`{name}` is deprecated for this model.", "B8 32"),
    Rule("b8-33-sampling-gone", "!!", "P", "{path}: Extra inputs are not permitted", "B8 33"),
    Rule("b8-34-temperature-with-thinking", "!", "P", "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.", "B8 34"),
    Rule("b8-35-max-tokens-limit", "!!", "P", "max_tokens: {asked} > {limit}, which is the maximum allowed number of output tokens for {model}", "B8 35"),
    Rule("b8-39-thinking-enabled", "!!", "P", '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.', "B8 39, B9"),
    Rule("b8-39-thinking-disabled", "!!", "P", '"thinking.type.disabled" is not supported for this model. Thinking defaults to adaptive mode when not specified; use "thinking.type.enabled" with "budget_tokens" for extended thinking.', "B8 39, B9"),
    Rule("b8-39-thinking-adaptive", "!!", "P", "adaptive thinking is not supported on this model", "B8 39, B9"),
    Rule("b8-40-effort-level", "!", "P", "This model does not support effort level '{level}'. Supported levels: {levels}.", "B8 40"),
    Rule("b8-40-effort", "!", "P", "This model does not support the effort parameter.", "B8 40"),
    Rule("b8-55-document-in-assistant", "!!", "P", "{path}: `document` blocks are not permitted in `assistant` messages", "B8 55, B1"),
    Rule("b8-55-user-citations", "!!", "P", "{path}: citations are not permitted in `user` messages", "B8 55, B1"),
)  # fmt: skip

GROUPS = {
    "request": _REQUEST,
    "fields": _FIELDS,
    "tools": _TOOLS,
    "turns": _TURNS,
    "thinking": _THINKING,
    "media": _MEDIA,
    "models": _MODELS,
}

RULES = book(rule for group in GROUPS.values() for rule in group)
