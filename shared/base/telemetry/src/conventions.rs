//! All names of our spans and of their attributes, in one place. *Not* here: which code makes spans.
//!
//! Names and values follow the semantic conventions of OpenTelemetry at the version of `SCHEMA_URL`. The conventions
//! for messaging and for generative AI are not stable at that version, so an upgrade changes this file. Names that the
//! conventions do not have begin with `argosy.`.

/// The version of the semantic conventions, as exporters state it.
pub(crate) const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.37.0";
/// The instrumentation scope, which names the maker of the spans.
pub(crate) const SCOPE: &str = "argosy";

/// Span: a question, from its arrival to its terminal event. It is the root of the trace, unless the publisher sent a
/// trace context.
pub const QUESTION: &str = "question";
/// Span: one delivery of a step. The template of its subject is appended to the name.
pub const PROCESS: &str = "process";
/// Span: storing a message that follows from a step. The template of its subject is appended to the name.
pub const SEND: &str = "send";
/// Span: one search of the corpus. The searched bucket is appended to the name.
pub const RETRIEVAL: &str = "retrieval";

/// The name of the service: `argosy-<role>`.
pub(crate) const SERVICE_NAME: &str = "service.name";
/// What services belong together: `argosy`.
pub(crate) const SERVICE_NAMESPACE: &str = "service.namespace";
/// The release.
pub(crate) const SERVICE_VERSION: &str = "service.version";
/// One process.
pub(crate) const SERVICE_INSTANCE_ID: &str = "service.instance.id";

/// A word for what went wrong, from an enum: never a text.
pub(crate) const ERROR_TYPE: &str = "error.type";
/// The host of the server that was called.
pub const SERVER_ADDRESS: &str = "server.address";
/// The port of that server.
pub const SERVER_PORT: &str = "server.port";

/// `nats`; the conventions have no value for it and allow others.
pub const MESSAGING_SYSTEM: &str = "messaging.system";
/// The operation: `process` or `send`.
pub const MESSAGING_OPERATION_NAME: &str = "messaging.operation.name";
/// The type of the operation: `process` or `send`.
pub const MESSAGING_OPERATION_TYPE: &str = "messaging.operation.type";
/// The subject.
pub const MESSAGING_DESTINATION_NAME: &str = "messaging.destination.name";
/// The subject, without the parts that differ between turns.
pub const MESSAGING_DESTINATION_TEMPLATE: &str = "messaging.destination.template";
/// The sequence of the message in its stream.
pub const MESSAGING_MESSAGE_ID: &str = "messaging.message.id";
/// The turn, which all messages of a question share.
pub const MESSAGING_CONVERSATION_ID: &str = "messaging.message.conversation_id";
/// The durable consumer.
pub const MESSAGING_CONSUMER_GROUP_NAME: &str = "messaging.consumer.group.name";

/// The operation: of a model call `chat`, `embeddings` or `rerank`; of a search `retrieval`; of a question, and of a
/// step whose role calls a chat model, `invoke_agent`.
pub const GEN_AI_OPERATION_NAME: &str = "gen_ai.operation.name";
/// The provider whose protocol is used: `openai`, whatever the server is.
pub const GEN_AI_PROVIDER_NAME: &str = "gen_ai.provider.name";
/// The agent that answers: `argosy`, or the role.
pub const GEN_AI_AGENT_NAME: &str = "gen_ai.agent.name";
/// The turn, which all model calls of a question share.
pub const GEN_AI_CONVERSATION_ID: &str = "gen_ai.conversation.id";
/// What is searched: a bucket, `all`, `several` or `other`.
pub const GEN_AI_DATA_SOURCE_ID: &str = "gen_ai.data_source.id";
/// The model that is asked for.
pub const GEN_AI_REQUEST_MODEL: &str = "gen_ai.request.model";
/// Most tokens of the answer.
pub const GEN_AI_REQUEST_MAX_TOKENS: &str = "gen_ai.request.max_tokens";
/// The model that answered.
pub const GEN_AI_RESPONSE_MODEL: &str = "gen_ai.response.model";
/// The reason why the answer ended, as the node reports it: one word for each answer.
pub const GEN_AI_RESPONSE_FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
/// Tokens read.
pub const GEN_AI_USAGE_INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
/// Tokens written.
pub const GEN_AI_USAGE_OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
/// The request to the model; it is content, which is recorded only when configured.
pub const GEN_AI_INPUT_MESSAGES: &str = "gen_ai.input.messages";
/// The reply of the model; it is content, which is recorded only when configured.
pub const GEN_AI_OUTPUT_MESSAGES: &str = "gen_ai.output.messages";

/// The turn.
pub const TURN: &str = "argosy.turn";
/// The turn that this turn continues.
pub const PARENT_TURN: &str = "argosy.turn.parent";
/// The tenant of the question.
pub const TENANT: &str = "argosy.tenant";
/// The role of the step.
pub const ROLE: &str = "argosy.role";
/// The hop of a step.
pub const HOP: &str = "argosy.hop";
/// The index of a map step in its fan-out.
pub const INDEX: &str = "argosy.index";
/// Which delivery of a step, from 1.
pub const ATTEMPT: &str = "argosy.attempt";
/// The outcome of a step, a call or a turn.
pub const OUTCOME: &str = "argosy.outcome";
/// How long a step waited before it was worked on, in milliseconds.
pub const QUEUED_MS: &str = "argosy.queued_ms";
/// Model calls of a turn.
pub const LLM_CALLS: &str = "argosy.llm.calls";
/// The node that was called.
pub const NODE: &str = "argosy.node";
/// From sending to the first token, in milliseconds.
pub const FIRST_TOKEN_MS: &str = "argosy.first_token_ms";
/// Passages that a search found.
pub const HITS: &str = "argosy.hits";
/// How many spans of this step were left out because there were too many.
pub(crate) const SPANS_LEFT_OUT: &str = "argosy.spans_left_out";
