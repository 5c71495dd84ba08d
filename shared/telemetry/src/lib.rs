//! Logs, trace context, the metrics registry and the admin endpoints.
