//! The limits of the wire, with their units. A limit that concerns one crate alone is in that crate.

/// Largest encoded envelope, in bytes. Checked before publishing; NATS' own limit is 1 MiB.
pub const ENVELOPE_BYTES_MAX: usize = 256 * 1024;
/// Largest ingress message, in bytes.
pub(crate) const INGRESS_BYTES_MAX: usize = 64 * 1024;
/// Longest question, in characters.
pub const QUESTION_CHARS_MAX: usize = 8_000;
/// Most rounds that a question may be given.
pub const ROUNDS_MAX: u8 = 10;
/// Most searches of one question.
pub const SEARCHES_MAX: u16 = 100;
/// Most actions of a model in mode loop.
pub const LOOP_STEPS_MAX: u16 = 10;
/// Most searches among them.
pub const LOOP_SEARCHES_MAX: u16 = 3;
/// Most passages that an answer is composed from in mode loop: a draft names each of them.
pub const LOOP_PASSAGES_MAX: usize = 6;
/// Most messages that a question may bring along.
pub(crate) const MESSAGES_MAX: usize = 64;
/// Longest of these messages, in characters.
pub const MESSAGE_CHARS_MAX: usize = 8_000;
/// Most exchanges of a conversation that a question carries with their answers; of those before it carries the questions.
pub const HISTORY_EXCHANGES_MAX: usize = 3;
/// Most text of earlier exchanges that a question carries, in characters.
pub(crate) const HISTORY_CHARS_MAX: usize = 6_000;
/// Longest answer of an earlier exchange that it carries, in characters; a longer one is cut.
pub(crate) const HISTORY_ANSWER_CHARS_MAX: usize = 1_200;
/// Most hops of one turn: a safety bound. The budget ends every turn earlier, even one of [`ROUNDS_MAX`] rounds,
/// each of which takes at most six hops.
pub(crate) const HOPS_MAX: u16 = 64;
/// Most map steps of one scatter record.
pub const FANOUT_MAX: usize = 64;
/// Most passage text inside one scatter record, in bytes; the retriever leaves out what is over it.
pub const SCATTER_TEXT_BYTES_MAX: usize = 200 * 1024;
/// Most passage text that a draft carries for its check, in bytes as they are encoded; where there is more, the scatter records are read.
pub const DRAFT_TEXT_BYTES_MAX: usize = 32 * 1024;
/// Deliveries of one step after which it is given up without further work.
pub const DELIVERIES_MAX: u64 = 8;
/// The same limit for a step of a newer wire version, which waits for a newer worker.
pub const DELIVERIES_NEWER_WIRE_MAX: u64 = 32;
/// Longest time from now to a deadline, in milliseconds (one hour).
pub const DEADLINE_MS_MAX: u64 = 60 * 60 * 1000;
/// Most conditions of one filter.
pub const CONDITIONS_MAX: usize = 16;
/// Most buckets a question may name.
pub const BUCKETS_MAX: usize = 16;
/// Largest request to look into the corpus, in bytes.
pub(crate) const LOOKUP_BYTES_MAX: usize = 64 * 1024;
/// Largest reply to one, in bytes; passages that would not fit are left out and counted.
pub const LOOKUP_REPLY_BYTES_MAX: usize = 512 * 1024;
/// Most passages of one search from outside.
pub const TOP_K_MAX: usize = 100;
/// Most fields whose values are counted at once.
pub(crate) const FACETS_MAX: usize = 16;
/// Most values that are returned of each.
pub const FACET_VALUES_MAX: usize = 1_000;
/// How long a window of a passage's text may be, in characters.
pub const CONTEXT_CHARS: std::ops::RangeInclusive<usize> = 80..=100_000;
/// Most frequent values of a column that a catalog shows.
pub const CATALOG_VALUES_MAX: usize = 50;
/// Most buckets of a catalog, those with the most documents.
pub const CATALOG_BUCKETS_MAX: usize = 256;
/// Most columns of a bucket in a catalog, those that the most documents have.
pub const CATALOG_COLUMNS_MAX: usize = 64;
/// Longest name of a model, in bytes.
pub const MODEL_NAME_BYTES_MAX: usize = 256;
/// Most text of all prompts that one turn overrides, in bytes: every step carries them.
pub const PROMPT_BYTES_MAX: usize = 32 * 1024;
/// Most sub-queries of one plan.
pub const SUB_QUERIES_MAX: usize = 4;
/// Longest sub-query, in characters.
pub const SUB_QUERY_CHARS_MAX: usize = 400;
/// Most topics of one plan.
pub const TOPICS_MAX: usize = 8;
/// Longest topic, and longest purpose of a sub-query, in characters.
pub const TOPIC_CHARS_MAX: usize = 80;
/// Longest reason that a planner may give for its route, or a judge for its judgement, in characters.
pub const REASON_CHARS_MAX: usize = 200;
/// Most facts taken from one passage.
pub const FACTS_PER_PASSAGE_MAX: usize = 16;
/// Longest fact, in characters.
pub const FACT_CHARS_MAX: usize = 600;
/// Largest body that a dead letter keeps whole, in bytes.
pub const DEAD_LETTER_BYTES_MAX: usize = 512 * 1024;
/// How much of a larger one is kept, in bytes.
pub const DEAD_LETTER_HEAD_BYTES: usize = 64 * 1024;
/// Largest document, in bytes: a file of PDF or DOCX. Other formats have lower limits of their own.
pub const DOCUMENT_BYTES_MAX: u64 = 128 * 1024 * 1024;
/// Largest document that travels in its message, in bytes; a larger one is put into the object store.
/// NATS' own limit is 1 MiB.
pub const DOCUMENT_INLINE_BYTES_MAX: usize = 512 * 1024;
/// Longest source of a document, in bytes.
pub const SOURCE_BYTES_MAX: usize = 1024;
/// Largest metadata in the header of a document, in bytes.
pub(crate) const METADATA_BYTES_MAX: usize = 8 * 1024;
/// Longest name of an object, in bytes.
pub const OBJECT_NAME_BYTES_MAX: usize = 128;
/// Largest file that a step may make, in bytes.
pub const ATTACHMENT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Most files that one step may make.
pub const ATTACHMENTS_MAX: usize = 8;
/// Longest name of one, in bytes.
pub(crate) const ATTACHMENT_NAME_BYTES_MAX: usize = 32;
/// Most rows of a table that travel in a message; the others are in a file.
pub const TABLE_ROWS_MAX: usize = 50;
/// Most text of all rows of one, in bytes: fewer travel where they are long.
pub const TABLE_BYTES_MAX: usize = 48 * 1024;
/// Longest piece of text that goes to live listeners in one message, in bytes.
pub const LIVE_TEXT_BYTES_MAX: usize = 8 * 1024;
