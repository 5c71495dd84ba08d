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
];
