"""Reads the metrics that a receiver of OTLP over HTTP got."""

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest


def metrics(bodies):
    """Yield every metric that was sent, and its data."""
    for body in bodies:
        for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    yield metric, getattr(metric, metric.WhichOneof("data"))


def points(bodies):
    """Yield name, attributes and point of everything that was sent."""
    for metric, data in metrics(bodies):
        assert data.aggregation_temporality == 1, "deltas"
        for point in data.data_points:
            yield metric.name, {one.key: one.value.string_value for one in point.attributes}, point
