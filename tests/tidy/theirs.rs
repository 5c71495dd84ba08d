//! Checks which crates may depend on certain third-party crates, and lists the reasons. *Not* here: the crates of the
//! repository (`dependencies`).

/// Each foreign crate with the crates that may name it, in any kind of dependency, and the reason.
pub(crate) const THEIRS: &[(&str, &[&str], &str)] = &[
    (
        "async-nats",
        &["bus-nats", "bench"],
        "NATS is reached through the bus trait; the bench's floor is bare JetStream",
    ),
    (
        "reqwest",
        &["llm-pool", "telemetry"],
        "models are reached through ChatModel, collectors through Traces",
    ),
    (
        "rustls",
        &["llm-pool", "telemetry"],
        "the TLS provider is chosen where HTTP is",
    ),
    (
        "backoff",
        &["llm-pool"],
        "it is unmaintained and stays in one module",
    ),
    (
        "tantivy",
        &["index", "bench"],
        "an index is reached through search; the bench's floor is bare tantivy",
    ),
    (
        "qdrant-client",
        &["qdrant", "testkit"],
        "an index is reached through search; the fake serves its traits",
    ),
    (
        "tonic",
        &["qdrant", "testkit"],
        "gRPC is spoken with Qdrant only",
    ),
    (
        "prost",
        &["telemetry", "testkit"],
        "spans are put on the wire in one place",
    ),
    (
        "opentelemetry-proto",
        &["telemetry", "testkit"],
        "spans are put on the wire in one place, and read in tests",
    ),
    (
        "tract-core",
        &["static-embed"],
        "a model in this process is an embedder",
    ),
    (
        "sled",
        &["conversation-log"],
        "one owner keeps conversations",
    ),
    (
        "crc32fast",
        &["conversation-log"],
        "what sled returns is checked where sled is named",
    ),
    (
        "axum",
        &["telemetry", "sim-node", "testkit", "argosy", "bench"],
        "only the rim listens",
    ),
    (
        "prometheus",
        &[
            "telemetry",
            "harness",
            "bus-nats",
            "llm-pool",
            "index",
            "conversation",
            "streams",
            "gateway",
            "index-host",
            "argosy",
        ],
        "what decides is not what counts",
    ),
    (
        "tracing-subscriber",
        &["telemetry"],
        "logs are set up in one place",
    ),
    (
        "clap",
        &["argosy", "bench", "eval", "tests"],
        "command lines are the binaries', and are looked at in tests",
    ),
    (
        "owo-colors",
        &["argosy", "bench", "eval"],
        "colour is the command line's; below it there is data",
    ),
    (
        "anstream",
        &["argosy", "bench"],
        "colour is the command line's; below it there is data",
    ),
    (
        "indicatif",
        &["argosy"],
        "progress is shown on a terminal, and told below it",
    ),
    (
        "config",
        &["settings"],
        "configuration is read by one loader",
    ),
    (
        "anyhow",
        &["argosy", "tests"],
        "libraries have typed errors",
    ),
];
