"""Reasoning effort as Anthropic's thinking (SPEC section 2, "Thinking"; wire-facts B7, D7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolnexus.errors import InvalidRequest
from toolnexus.wire.anthropic.models import ADAPTIVE, DISABLED, Model
from toolnexus.wire.anthropic.params import Params
from toolnexus.wire.anthropic.turns import History
from toolnexus.wire.exact import plain
from toolnexus.wire.fields import Fields
from toolnexus.wire.log import Log

_PARAM = "reasoning_effort"
_BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 24576, "xhigh": 32768, "max": 32768}
_EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh", "max": "max"}
_SMALLEST_BUDGET = 1024
# What a thinking model still takes (B8 34).
_SAMPLING: dict[str, Callable[[Any], bool]] = {
    "temperature": lambda value: bool(value == 1),
    "top_p": lambda value: bool(value >= 0.95),
}


class Effort:
    """What one request asks of thinking, and what can be sent of it: `thinking` and `effort`, None where nothing is."""

    __slots__ = ("_log", "_place", "effort", "thinking")

    def __init__(self, fields: Fields, model: Model, history: History, limit: int, forced: bool, log: Log) -> None:
        self._log = log
        self._place = fields.place(_PARAM)
        self.thinking: dict[str, Any] | None = None
        self.effort: str | None = None
        raw = fields.params.get(_PARAM)
        if raw is None:
            return
        asked = plain(raw)
        if asked == "none":
            self._none(model)
        elif not isinstance(asked, str) or asked not in _EFFORTS:
            raise InvalidRequest("reasoning_effort is none that OpenAI knows", self._place)
        elif ADAPTIVE in model.refuses:
            self._manual(asked, history, limit, forced)
        else:
            self._adaptive(asked, model, history)

    def _none(self, model: Model) -> None:
        if ADAPTIVE in model.refuses:
            return
        if DISABLED in model.refuses:
            self._log.warn("param-dropped", self._place, "this model cannot stop thinking")
        else:
            self.thinking = {"type": "disabled"}

    def _adaptive(self, asked: str, model: Model, history: History) -> None:
        self.effort = _EFFORTS[asked]
        if self.effort not in model.efforts:
            self._log.warn("param-clamped", self._place, f"this model offers no effort {self.effort!r}; high was sent")
            self.effort = "high"
        if model.thinks:
            return
        if history.ends_with_assistant:
            self._leave_out("a final assistant turn and thinking exclude each other")
        else:
            self.thinking = {"type": "adaptive"}

    def _manual(self, asked: str, history: History, limit: int, forced: bool) -> None:
        if forced:
            self._leave_out("thinking and a forced tool choice exclude each other")
        elif history.ends_with_assistant:
            self._leave_out("a final assistant turn and thinking exclude each other")
        elif not history.running_turn_is_signed():
            self._leave_out("the running tool turn came without its signed thinking block")
        elif limit - _SMALLEST_BUDGET < _SMALLEST_BUDGET:
            self._leave_out("the token limit leaves no room for the smallest thinking budget")
        else:
            budget = min(_BUDGETS[asked], limit - _SMALLEST_BUDGET)
            self.thinking = {"type": "enabled", "budget_tokens": budget}

    def _leave_out(self, reason: str) -> None:
        self._log.warn("thinking-dropped", self._place, reason)

    def settle_sampling(self, model: Model, params: Params) -> None:
        """Drops the sampling that a thinking model refuses (B7, B8 34)."""
        if self.thinking is None or self.thinking["type"] == "disabled" or not model.known:
            return
        for name, holds in _SAMPLING.items():
            value = params.body.get(name)
            if value is not None and not holds(value if isinstance(value, int) else plain(value)):
                del params.body[name]
                params.drop(name, f"this model takes no such {name} while it thinks")
