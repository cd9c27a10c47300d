"""What helps whoever has to put a failure right: what the provider would say, and two ways to repeat it."""

from __future__ import annotations

import shlex
from typing import Final

from conformance.observation import Call
from conformance.options import Options

#: Longer bodies are named, not shown.
_LONGEST: Final = 2000

_PROVIDERS: Final = {
    "anthropic": ("https://api.anthropic.com/v1/messages", "x-api-key: $ANTHROPIC_API_KEY"),
    "openai": ("https://api.openai.com/v1/chat/completions", "authorization: Bearer $OPENAI_API_KEY"),
}

#: Headers that change what a provider says.
_KEPT: Final = ("anthropic-version", "anthropic-beta", "content-type")


def provider_says(style: str, call: Call | None) -> str:
    """What the provider would answer to the request as sent; "" where it breaks no rule we know."""
    if call is None:
        return ""
    from conformance import providers  # the rules are many, and only failures need them

    return providers.explain(style, call.body, call.header) or ""


def again(options: Options, case: str) -> str:
    """The command that runs this case again, with every option that is not the default."""
    words = ["pytest", "--toolnexus-conformance", *options.arguments(), "--toolnexus-case", case]
    return shlex.join(words)


def by_hand(style: str, call: Call | None, key: str) -> str:
    """The curl command that sends the port's request to the real provider; "" where there was none."""
    if call is None:
        return ""
    url, secret = _PROVIDERS[style]
    headers = "".join(f" -H {shlex.quote(f'{name}: {call.header[name]}')}" for name in _KEPT if name in call.header)
    return f'curl {url} -H "{secret}"{headers} --data-binary {_body(call.body, key)}'


def _body(body: bytes, key: str) -> str:
    try:
        text = body.decode("utf-8").replace(key, "{key}")
    except UnicodeDecodeError:
        return f"@body  # {len(body)} bytes, no UTF-8"
    return shlex.quote(text) if len(text) <= _LONGEST else f"@body.json  # {len(body)} bytes"
