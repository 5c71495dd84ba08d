//! Names of the message headers that Argosy reads or writes, and nothing else.

/// The turn; a publisher may choose the id with it instead of the field `id`.
pub const TURN: &str = "Argosy-Turn";
/// The deadline in Unix milliseconds, readable without decoding the body.
pub const DEADLINE: &str = "Argosy-Deadline";
/// The wire version of the body, readable without decoding it.
pub const WIRE: &str = "Argosy-Wire";
/// Where the terminal event is to be delivered.
pub const REPLY: &str = "Argosy-Reply";
/// Hash of the question, on hop 0 and on the terminal: tells a second listener from a stranger.
pub const QUESTION: &str = "Argosy-Question";
/// W3C trace context.
pub const TRACEPARENT: &str = "traceparent";
/// Dead letters: why.
pub const DEAD_REASON: &str = "Argosy-Dead-Reason";
/// Dead letters: the error in words.
pub const DEAD_ERROR: &str = "Argosy-Dead-Error";
/// Dead letters: the subject the message was read from.
pub const DEAD_SUBJECT: &str = "Argosy-Dead-Subject";
/// Dead letters: stream and sequence of the original, `STREAM/123`.
pub const DEAD_ORIGIN: &str = "Argosy-Dead-Origin";
/// Dead letters: how often it had been delivered.
pub const DEAD_DELIVERED: &str = "Argosy-Dead-Delivered";
/// Corpus: SHA-256 of the document's bytes, on chunk 0.
pub const DOC_HASH: &str = "Argosy-Doc-Hash";
