"""What the service demands of single fields beyond their type (wire-facts B8 30, 46, 56)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.providers.anthropic.conversation import Conversation
from conformance.providers.anthropic.rules import RULES
from conformance.providers.at import BODY
from conformance.providers.violation import Violation

LONGEST_USER_ID = 256
_PERSONAL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+|\+?\d[\d ()/-]{6,}\d")


def stops_are_visible(talk: Conversation) -> Iterator[Violation]:
    """B8 46: a stop sequence holds something other than whitespace."""
    stops = talk.body.get("stop_sequences")
    for index, stop in enumerate(stops if isinstance(stops, list) else []):
        if isinstance(stop, str) and not stop.strip():
            yield RULES["b8-46-blank-stop"].broken(BODY / "stop_sequences" / index)


def the_temperature_is_in_range(talk: Conversation) -> Iterator[Violation]:
    """B8 30: a number from 0 to 1."""
    if "temperature" not in talk.body:
        return
    value = talk.body["temperature"]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        reason = "temperature: Input should be a valid number"
    elif value == -1:
        reason = "`temperature` cannot be set to -1 for this model"
    elif not 0 <= value <= 1:
        reason = "temperature: range: 0..1"
    else:
        return
    yield RULES["b8-30-temperature"].broken(BODY / "temperature", reason=reason)


def the_user_is_anonymous(talk: Conversation) -> Iterator[Violation]:
    """B8 56: no long user id, and none that tells who the user is."""
    metadata = talk.body.get("metadata")
    user = metadata.get("user_id") if isinstance(metadata, dict) else None
    if not isinstance(user, str):
        return
    at = BODY / "metadata" / "user_id"
    if len(user) > LONGEST_USER_ID:
        yield RULES["b8-56-user-id"].broken(at, reason="String should have at most 256 characters")
    elif _PERSONAL.fullmatch(user):
        yield RULES["b8-56-user-id"].broken(at, reason="must not hold personal data")


CHECKS = (the_temperature_is_in_range, stops_are_visible, the_user_is_anonymous)
