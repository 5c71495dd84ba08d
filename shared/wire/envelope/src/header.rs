//! The names of the message headers that Argosy reads or writes.

/// The turn; a publisher may choose the id with it instead of the field `id`.
pub const TURN: &str = "Argosy-Turn";
/// The deadline in Unix milliseconds, readable without decoding the body.
pub const DEADLINE: &str = "Argosy-Deadline";
/// The wire version of the body, readable without decoding it.
pub const WIRE: &str = "Argosy-Wire";
/// Where the terminal event is to be delivered.
pub const REPLY: &str = "Argosy-Reply";
/// The conversation of the turn, on its terminal event, which then also has the header of the tenant.
pub const CONVERSATION: &str = "Argosy-Conversation";
/// Hash of the question, on hop 0 and on the terminal event: distinguishes the same question, asked again, from
/// another one under the same id.
pub const QUESTION: &str = "Argosy-Question";
/// On the timer of a turn: the W3C trace context that its question came with, which is the parent of the
/// question's own.
pub const ASKED_UNDER: &str = "Argosy-Asked-Under";
/// W3C trace context.
pub const TRACEPARENT: &str = "traceparent";
/// W3C trace context: the vendors' own part, which is passed on unchanged.
pub const TRACESTATE: &str = "tracestate";
/// On a terminal event: it replaces one that was erased, and is delivered to no client.
pub const ERASED: &str = "Argosy-Erased";
/// Dead letters: the reason, as a code.
pub const DEAD_REASON: &str = "Argosy-Dead-Reason";
/// Dead letters: the error in words.
pub const DEAD_ERROR: &str = "Argosy-Dead-Error";
/// Dead letters: the subject the message was read from.
pub const DEAD_SUBJECT: &str = "Argosy-Dead-Subject";
/// Dead letters: stream and sequence of the original, `STREAM/123`.
pub const DEAD_ORIGIN: &str = "Argosy-Dead-Origin";
/// Dead letters: how often it had been delivered.
pub const DEAD_DELIVERED: &str = "Argosy-Dead-Delivered";
/// Dead letters: how many bytes the message had. Of a large one only the head is kept.
pub const DEAD_BYTES: &str = "Argosy-Dead-Bytes";
/// Documents, and chunk 0 of the corpus: SHA-256 of the document's bytes, in hex.
pub const DOC_HASH: &str = "Argosy-Doc-Hash";
/// Documents: the path inside the corpus.
pub const SOURCE: &str = "Argosy-Source";
/// Documents, and terminal events of conversations: the tenant.
pub const TENANT: &str = "Argosy-Tenant";
/// Documents: `true` when it is no more.
pub(crate) const DELETED: &str = "Argosy-Deleted";
/// Documents: `true` to index it anew although nothing has changed.
pub(crate) const FORCE: &str = "Argosy-Force";
/// Documents: what the bytes are, `file` or `document`.
pub const FORM: &str = "Argosy-Form";
/// Documents: a JSON object of metadata, in addition to the metadata in the document.
pub const METADATA: &str = "Argosy-Metadata";
/// Documents: the object that holds the bytes, where they are too many for a message.
pub const OBJECT: &str = "Argosy-Object";
/// Documents: how many chunks the publisher knows to be indexed of an earlier version.
pub const CHUNKS: &str = "Argosy-Chunks";
