"""Defaults of parameters, as far as JSON can show them."""

from __future__ import annotations

from typing import Any

import msgspec

from toolnexus.errors import InvalidRequest
from toolnexus.wire.clean import Cleaner


def with_default(schema: dict[str, Any], default: object) -> dict[str, Any]:
    """`schema` with a `default`, where JSON can hold it; a parameter without one shown stays optional all the same.

    Enum members show their value, dates their ISO form, dataclasses an object; sets are sorted, so that two runs
    declare the same bytes.
    """
    try:
        value = msgspec.to_builtins(default, order="deterministic")
        shown = Cleaner().value(value, "/default", 0)
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError, InvalidRequest):
        return schema
    return {**schema, "default": shown}
