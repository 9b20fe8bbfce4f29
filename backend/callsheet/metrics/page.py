"""The metrics of this process in Prometheus's text form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from callsheet.metrics.sums import Sums

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4


class MetricsPage:
    """What a scraper reads. Each process has its own; a scraper adds them up."""

    def __init__(self, metrics: Iterable[Sums]) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Counters(tuple(metrics)))
        ProcessCollector(registry=self._registry)

    @property
    def content_type(self) -> str:
        """The type and version of the form."""
        return CONTENT_TYPE

    def text(self) -> bytes:
        """Every metric as it stands now."""
        return generate_latest(self._registry)


class _Counters(Collector):
    def __init__(self, metrics: tuple[Sums, ...]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        for metric in self._metrics:
            family = CounterMetricFamily(metric.name, metric.meaning, labels=metric.labels)
            for labels, value in metric:
                # The form knows floats alone; what is exact is in the ledger.
                family.add_metric(labels, float(value))
            yield family
