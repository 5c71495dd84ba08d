//! Every limit of this crate that is not an option, with its unit.

use settings::TimeSpan;
use std::time::Duration;

/// Longest answer body that is read, in bytes. The longest answer of a step is a few KiB.
pub(crate) const BODY_BYTES_MAX: usize = 1024 * 1024;
/// Longest token whose probability is read, in bytes, and the room that one with its probability takes up in an answer.
pub(crate) const TOKEN_BYTES_MAX: usize = 256;
/// Most bytes by which an answer may be longer because of probabilities.
pub(crate) const TOKENS_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Longest text of a node that an error carries, in characters.
pub(crate) const MESSAGE_CHARS_MAX: usize = 300;
/// Most error text that is searched for a class, in bytes.
pub(crate) const SEARCHED_BYTES_MAX: usize = 8 * 1024;
/// Longest `Retry-After` that is believed: a node that asks for more is asked again after this.
pub(crate) const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);
/// Most nodes of one pool.
pub const NODES_MAX: usize = 64;
/// Most calls in flight that a node may be configured for.
pub(crate) const IN_FLIGHT_MAX: u32 = 4096;
/// Most answers that a cache may be configured to keep: the room to find them in is taken at the start.
pub(crate) const CACHE_ENTRIES_MAX: usize = 1_000_000;
/// How long an idle connection is kept: under the 5 s after which uvicorn (vLLM, SGLang) closes it,
/// so that no call is sent into a closing connection.
pub(crate) const IDLE_CONNECTION_MAX: Duration = Duration::from_secs(4);
/// How long a candidate for a local model has to answer.
pub(crate) const DISCOVER_TIMEOUT: Duration = Duration::from_millis(300);
/// How long a configured node has to say what it serves.
pub(crate) const LOOK_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a download may bring nothing.
pub(crate) const DOWNLOAD_IDLE_MAX: Duration = Duration::from_secs(30);
/// The least time to the first token, and between two, before a call is given up, however fast the node is: others may
/// have queued more than is known.
pub(crate) const FIRST_TOKEN_LEAST: Duration = Duration::from_secs(10);
/// See [`FIRST_TOKEN_LEAST`].
pub(crate) const IDLE_LEAST: Duration = Duration::from_secs(5);
/// How long a node may be silent before anything is measured, and one without another beside it in any case: a prompt of
/// 2,000 tokens takes 25 s on a quiet laptop, and a minute on one that does other things.
pub(crate) const UNMEASURED_MAX: Duration = Duration::from_secs(120);
/// A shorter silence says nothing of a node.
pub(crate) const FAULT_LEAST: Duration = Duration::from_secs(1);
/// The prompt for which the limits of a node are shown, in tokens: that of an answer from some six passages.
pub const SHOWN_PROMPT_TOKENS: u64 = 2_000;
pub(crate) const TIMEOUT_MAX: TimeSpan = TimeSpan::from_hours(1);
/// Blanks in a row after which a streamed answer is over: no JSON is indented by so much.
pub(crate) const BLANKS_MAX: usize = 256;
/// The least time between two pieces for a live listener: some ten pieces a second, however fast the model is.
pub(crate) const PIECE_EVERY: Duration = Duration::from_millis(100);
/// Most calls that wait for a lease in one process; further ones fail as overload at once.
pub(crate) const WAITING_MAX: usize = 1024;
/// How often nodes are asked for their load, and how long one may take to tell.
pub(crate) const PROBE_EVERY: Duration = Duration::from_secs(1);
/// See [`PROBE_EVERY`].
pub(crate) const PROBE_TIMEOUT: Duration = Duration::from_millis(300);
/// How long a name service may take: the loads of all nodes wait for it.
pub(crate) const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);
