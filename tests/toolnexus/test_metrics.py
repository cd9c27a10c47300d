"""The counters as Prometheus text, to the byte (clause `metrics.event`)."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from toolnexus import Client, MetricEvent, TranslateError
from toolnexus.metrics import MOST_MODELS, Metrics

EMPTY = """\
# HELP toolnexus_llm_requests_total LLM calls by model and status.
# TYPE toolnexus_llm_requests_total counter
# HELP toolnexus_llm_tokens_total Tokens by type.
# TYPE toolnexus_llm_tokens_total counter
# HELP toolnexus_llm_request_duration_seconds LLM call duration.
# TYPE toolnexus_llm_request_duration_seconds histogram
"""
GOLDEN = """\
# HELP toolnexus_llm_requests_total LLM calls by model and status.
# TYPE toolnexus_llm_requests_total counter
toolnexus_llm_requests_total{model="a\\"b\\\\c\\nd",status="ok"} 1
toolnexus_llm_requests_total{model="claude-x",status="error"} 1
toolnexus_llm_requests_total{model="claude-x",status="ok"} 2
# HELP toolnexus_llm_tokens_total Tokens by type.
# TYPE toolnexus_llm_tokens_total counter
toolnexus_llm_tokens_total{type="completion"} 6
toolnexus_llm_tokens_total{type="prompt"} 28
# HELP toolnexus_llm_request_duration_seconds LLM call duration.
# TYPE toolnexus_llm_request_duration_seconds histogram
toolnexus_llm_request_duration_seconds_bucket{model="a\\"b\\\\c\\nd",le="0.05"} 0
toolnexus_llm_request_duration_seconds_bucket{model="a\\"b\\\\c\\nd",le="0.1"} 0
toolnexus_llm_request_duration_seconds_bucket{model="a\\"b\\\\c\\nd",le="0.25"} 0
toolnexus_llm_request_duration_seconds_bucket{model="a\\"b\\\\c\\nd",le="0.5"} 0
toolnexus_llm_request_duration_seconds_bucket{model="a\\"b\\\\c\\nd",le="1"} 0
toolnexus_llm_request_duration_seconds_bucket{model="a\\"b\\\\c\\nd",le="2.5"} 0
toolnexus_llm_request_duration_seconds_bucket{model="a\\"b\\\\c\\nd",le="5"} 0
toolnexus_llm_request_duration_seconds_bucket{model="a\\"b\\\\c\\nd",le="10"} 0
toolnexus_llm_request_duration_seconds_bucket{model="a\\"b\\\\c\\nd",le="30"} 0
toolnexus_llm_request_duration_seconds_bucket{model="a\\"b\\\\c\\nd",le="60"} 0
toolnexus_llm_request_duration_seconds_bucket{model="a\\"b\\\\c\\nd",le="+Inf"} 1
toolnexus_llm_request_duration_seconds_sum{model="a\\"b\\\\c\\nd"} 61
toolnexus_llm_request_duration_seconds_count{model="a\\"b\\\\c\\nd"} 1
toolnexus_llm_request_duration_seconds_bucket{model="claude-x",le="0.05"} 1
toolnexus_llm_request_duration_seconds_bucket{model="claude-x",le="0.1"} 1
toolnexus_llm_request_duration_seconds_bucket{model="claude-x",le="0.25"} 1
toolnexus_llm_request_duration_seconds_bucket{model="claude-x",le="0.5"} 1
toolnexus_llm_request_duration_seconds_bucket{model="claude-x",le="1"} 2
toolnexus_llm_request_duration_seconds_bucket{model="claude-x",le="2.5"} 2
toolnexus_llm_request_duration_seconds_bucket{model="claude-x",le="5"} 3
toolnexus_llm_request_duration_seconds_bucket{model="claude-x",le="10"} 3
toolnexus_llm_request_duration_seconds_bucket{model="claude-x",le="30"} 3
toolnexus_llm_request_duration_seconds_bucket{model="claude-x",le="60"} 3
toolnexus_llm_request_duration_seconds_bucket{model="claude-x",le="+Inf"} 3
toolnexus_llm_request_duration_seconds_sum{model="claude-x"} 3.625
toolnexus_llm_request_duration_seconds_count{model="claude-x"} 3
"""


def test_nothing_counted_yet() -> None:
    assert Metrics().render() == EMPTY


def test_the_text_to_the_byte() -> None:
    metrics = Metrics()
    # The upper bound belongs to its bucket.
    metrics.record(MetricEvent("claude-x", "ok", 50 - 25, 9, 2))
    metrics.record(MetricEvent("claude-x", "ok", 600, 19, 4))
    metrics.record(MetricEvent("claude-x", "error", 3000))
    metrics.record(MetricEvent('a"b\\c\nd', "ok", 61_000))
    assert metrics.render() == GOLDEN


@pytest.mark.parametrize(
    ("ms", "first"), [(0, "0.05"), (50, "0.05"), (50.1, "0.1"), (1000, "1"), (60_000, "60"), (60_001, "+Inf")]
)
def test_a_duration_counts_in_the_first_bucket_that_holds_it(ms: float, first: str) -> None:
    metrics = Metrics()
    metrics.record(MetricEvent("m", "ok", ms))
    filled = [
        line.partition('le="')[2].partition('"')[0]
        for line in metrics.render().splitlines()
        if line.endswith("} 1") and "_bucket" in line
    ]
    assert filled[0] == first


def test_models_beyond_the_most_share_one_name() -> None:
    metrics = Metrics()
    for number in range(MOST_MODELS + 50):
        metrics.record(MetricEvent(f"m{number}", "ok", 1))
    text = metrics.render()
    assert 'model="other",status="ok"} 50' in text
    assert text.count("_count{") == MOST_MODELS + 1
    # A known one is still counted by its own name.
    metrics.record(MetricEvent("m0", "ok", 1))
    assert 'model="m0",status="ok"} 2' in metrics.render()


def test_no_count_is_lost_between_threads() -> None:
    metrics = Metrics()

    def count() -> None:
        for _ in range(500):
            metrics.record(MetricEvent("m", "ok", 1, 1, 2))
            metrics.render()

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text = metrics.render()
    assert 'requests_total{model="m",status="ok"} 4000' in text
    assert 'tokens_total{type="completion"} 8000' in text
    assert 'seconds_count{model="m"} 4000' in text


def test_a_client_counts_its_calls_and_tells_of_each(provider: Any) -> None:
    events: list[MetricEvent] = []
    with Client(provider.url, "anthropic", "claude-x", retries=0, on_metric=events.append) as client:
        client.translate([{"role": "user", "content": "hi"}])
        provider.replies(provider.http(400, {"error": {"message": "no"}}))
        with pytest.raises(TranslateError):
            client.translate([{"role": "user", "content": "hi"}])
        with pytest.raises(TranslateError):
            client.translate([])
        text = client.metrics()
    assert [
        (event.event, event.model, event.status, event.prompt_tokens, event.completion_tokens) for event in events
    ] == [
        ("llm", "claude-x", "ok", 9, 2),
        ("llm", "claude-x", "error", 0, 0),
        ("llm", "claude-x", "error", 0, 0),
    ]
    assert all(0 <= event.ms < 60_000 for event in events)
    assert 'toolnexus_llm_requests_total{model="claude-x",status="error"} 2\n' in text
    assert 'toolnexus_llm_requests_total{model="claude-x",status="ok"} 1\n' in text
    assert 'toolnexus_llm_tokens_total{type="prompt"} 9\n' in text
    assert text.endswith("\n")


def test_what_an_onlooker_raises_is_not_swallowed(provider: Any, caplog: pytest.LogCaptureFixture) -> None:
    def on_metric(event: MetricEvent) -> None:
        raise RuntimeError("the meter is broken")

    with Client(provider.url, "anthropic", "claude-x", retries=0, on_metric=on_metric) as client:
        with pytest.raises(RuntimeError, match="the meter is broken"):
            client.translate([{"role": "user", "content": "hi"}])
        assert 'toolnexus_llm_requests_total{model="claude-x",status="ok"} 1\n' in client.metrics()
    assert "meter" not in caplog.text
