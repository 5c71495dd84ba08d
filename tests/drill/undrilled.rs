//! Lists the alerts that no act of the drill causes, with the reasons. Only `tests/alerts` tests them.

/// Names and reasons.
pub(crate) const UNDRILLED: &[(&str, &str)] = &[
    (
        "ArgosyScalerFailing",
        "asks for series of KEDA's operator, which runs in a cluster",
    ),
    (
        "ArgosyAtMaxReplicas",
        "asks for series of kube-state-metrics about an autoscaler, which runs in a cluster",
    ),
    ("ArgosyDoorFailing", "the fleet of the drill has no door"),
    ("ArgosyDoorFilling", "the fleet of the drill has no door"),
    ("ArgosyDoorMissing", "the fleet of the drill has no door"),
    ("ArgosyWebhookBehind", "the fleet of the drill has no door"),
    (
        "ArgosyWebhooksGivenUp",
        "the fleet of the drill has no door",
    ),
];
