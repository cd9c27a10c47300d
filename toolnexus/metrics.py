"""Counters of a client, as Prometheus text (clause `metrics.event`). No IO; safe to use from many threads."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from threading import Lock

from msgspec import Struct

BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds of the duration histogram, in seconds; `+Inf` follows."""

MOST_MODELS = 100
"""Models counted by name; further ones share the label `other`: a caller's typing errors cannot fill the memory."""


class MetricEvent(Struct, frozen=True):
    """One translation: `status` is `ok` or `error`, `ms` its duration with retries, tokens as the result counts them.

    `first_delta_ms` is set for streams: the time to the first delta.
    """

    model: str
    status: str
    ms: float
    prompt_tokens: int = 0
    completion_tokens: int = 0
    event: str = "llm"
    first_delta_ms: float | None = None


class _Histogram:
    __slots__ = ("buckets", "count", "sum")

    def __init__(self) -> None:
        self.buckets = [0] * (len(BUCKETS) + 1)
        self.count = 0
        self.sum = 0.0


class Metrics:
    """The counters of one client."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._requests: dict[tuple[str, str], int] = {}
        self._tokens: dict[str, int] = {}
        self._durations: OrderedDict[str, _Histogram] = OrderedDict()

    def record(self, event: MetricEvent) -> None:
        """Counts one event."""
        with self._lock:
            model = event.model
            if model not in self._durations and len(self._durations) >= MOST_MODELS:
                model = "other"
            key = (model, event.status)
            self._requests[key] = self._requests.get(key, 0) + 1
            for kind, tokens in (("prompt", event.prompt_tokens), ("completion", event.completion_tokens)):
                if tokens:
                    self._tokens[kind] = self._tokens.get(kind, 0) + tokens
            histogram = self._durations.setdefault(model, _Histogram())
            seconds = event.ms / 1000
            histogram.buckets[bisect_left(BUCKETS, seconds)] += 1
            histogram.count += 1
            histogram.sum += seconds

    def render(self) -> str:
        """Prometheus text, version 0.0.4: series sorted by label text, a newline at the end."""
        with self._lock:
            lines = [
                "# HELP toolnexus_llm_requests_total LLM calls by model and status.",
                "# TYPE toolnexus_llm_requests_total counter",
                *sorted(
                    f'toolnexus_llm_requests_total{{model="{escape(model)}",status="{status}"}} {n}'
                    for (model, status), n in self._requests.items()
                ),
                "# HELP toolnexus_llm_tokens_total Tokens by type.",
                "# TYPE toolnexus_llm_tokens_total counter",
                *sorted(f'toolnexus_llm_tokens_total{{type="{kind}"}} {n}' for kind, n in self._tokens.items()),
                "# HELP toolnexus_llm_request_duration_seconds LLM call duration.",
                "# TYPE toolnexus_llm_request_duration_seconds histogram",
            ]
            for model in sorted(self._durations, key=escape):
                lines += _histogram_lines(escape(model), self._durations[model])
        return "\n".join(lines) + "\n"


def _histogram_lines(model: str, histogram: _Histogram) -> list[str]:
    name = "toolnexus_llm_request_duration_seconds"
    lines, total = [], 0
    for bound, n in zip([*map(_number, BUCKETS), "+Inf"], histogram.buckets, strict=True):
        total += n
        lines.append(f'{name}_bucket{{model="{model}",le="{bound}"}} {total}')
    return [
        *lines,
        f'{name}_sum{{model="{model}"}} {_number(histogram.sum)}',
        f'{name}_count{{model="{model}"}} {histogram.count}',
    ]


def _number(value: float) -> str:
    return repr(int(value)) if value == int(value) else repr(value)


def escape(label: str) -> str:
    """A label value as the text format wants it."""
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
