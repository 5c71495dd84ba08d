//! Tests the exit code, the error code and the hint that the errors of other modules are given.

use super::{CliError, FULL};
use crate::{conversations, kept_conversations, local, model, model_files, roles};
use bus::{BusError, PublishError};
use conversation_log::sled_store::OpenError;
use conversation_log::{EventError, StoreError};
use envelope::{CodecError, Edition, EditionError, Problem, Role, TurnId};
use harness::replay;
use index_host::{editions, search_factory};
use inspect::{dead_letters, position};
use llm_pool::download;
use nats_server::ServerError;
use std::path::PathBuf;
use std::time::Duration;

/// The exit code and the word of a failure.
fn told(error: impl Into<CliError>) -> (u8, &'static str) {
    let fail = error.into();
    (fail.exit, fail.code)
}

/// The hint; empty where there is none.
fn hint(error: impl Into<CliError>) -> String {
    error.into().hint.unwrap_or_default()
}

fn turn() -> TurnId {
    TurnId::new("q-1").unwrap()
}

fn away() -> PublishError {
    PublishError::Unconfirmed("gone".into())
}

const NEGATIVE: (u8, &str) = (1, "failed");
const USAGE: (u8, &str) = (2, "usage");
const NOT_FOUND: (u8, &str) = (3, "not_found");
const NOT_SET_UP: (u8, &str) = (3, "not_set_up");
const CANNOT_CONNECT: (u8, &str) = (4, "cannot_connect");
const DENIED: (u8, &str) = (5, "denied");
const STILL_RUNNING: (u8, &str) = (6, "still_running");

/// Every error of the bus, with its exit code, word and hint.
fn bus_errors() -> [(BusError, (u8, &'static str), &'static str); 7] {
    let different = BusError::Different {
        name: "S".into(),
        what: "w".into(),
    };
    [
        (
            BusError::Missing("S".into()),
            NOT_SET_UP,
            "S does not exist; run `argosy setup`",
        ),
        (
            different,
            NOT_SET_UP,
            "S differs from what this release wants (w); run `argosy setup`",
        ),
        (
            BusError::Away("x".into()),
            CANNOT_CONNECT,
            "NATS cannot be reached: x",
        ),
        (
            BusError::Denied("x".into()),
            DENIED,
            "NATS refuses these credentials: x",
        ),
        (
            BusError::NoJetStream("2.14.0".into()),
            CANNOT_CONNECT,
            "nats-server 2.14.0 runs without JetStream",
        ),
        (
            BusError::NoRoom {
                wanted: 38 << 30,
                offered: Some(3 << 30),
                least: Some(300 << 20),
            },
            (1, "no_room"),
            "the streams need 38 GiB more storage, and the server offers 3 GiB; as small as they can be made, they need 300 MiB",
        ),
        (BusError::Refused("x".into()), NEGATIVE, "NATS: x"),
    ]
}

/// Checks that a module passes on an error of the bus with the same exit code, word and hint.
fn passes_on<E: From<BusError> + Into<CliError>>() {
    for (error, wanted, text) in bus_errors() {
        let fail: CliError = E::from(error).into();
        let told = (fail.exit, fail.code);
        assert_eq!((told, fail.message.as_str()), (wanted, text));
        assert_eq!(fail.hint.is_some(), [4, 5].contains(&fail.exit), "{fail}");
    }
}

#[test]
fn the_bus_is_told_of_in_the_same_words_by_all() {
    passes_on::<BusError>();
    passes_on::<streams::editions::Error>();
    passes_on::<replay::Error>();
    passes_on::<streams::client::Error>();
    passes_on::<corpus_sync::Error>();
    passes_on::<editions::Error>();
    passes_on::<dead_letters::Error>();
    passes_on::<local::Error>();
    passes_on::<streams::client::lookup::Error>();
    passes_on::<position::Error>();
    passes_on::<search_factory::Error>();
    passes_on::<index_host::snapshot::Error>();
}

#[test]
fn a_question_without_an_answer_says_what_became_of_it() {
    use streams::client::Error;
    let late = Error::Late {
        turn: turn(),
        wait: Duration::from_secs(2),
        is_untaken: false,
    };
    let late = CliError::from(late);
    assert_eq!(
        late.to_json(),
        concat!(
            r#"{"error":{"code":"still_running","#,
            r#""message":"no answer within 2 s; the question is still being worked on","#,
            r#""hint":"fetch the answer later with: argosy answer q-1","turn":"q-1"}}"#
        )
    );
    let untaken = CliError::from(Error::Late {
        turn: turn(),
        wait: Duration::from_secs(35),
        is_untaken: true,
    });
    assert_eq!(
        untaken.message,
        "no answer within 35 s; no gateway has taken the question yet: none runs (`argosy run gateway`, `argosy up`), or the \
         streams have no room (`argosy status`)"
    );
    let unended = CliError::from(Error::Unended(turn()));
    assert_eq!((unended.exit, unended.turn.as_deref()), (6, Some("q-1")));
    assert!(hint(Error::Unended(turn())).ends_with("argosy cancel q-1"));
    assert_eq!(told(Error::NoAnswer(turn())), NOT_FOUND);
    assert_eq!(told(Error::NoTurn(turn())), NOT_FOUND);
    assert_eq!(told(Error::Id(TurnId::new("a.b").unwrap_err())), USAGE);
    assert_eq!(told(Error::Away), CANNOT_CONNECT);
    assert_eq!(told(Error::from(PublishError::Full)), NEGATIVE);
    assert_eq!(
        told(Error::from(PublishError::Refused("x".into()))),
        NEGATIVE
    );
    assert_eq!(told(Error::from(away())), CANNOT_CONNECT);
    assert!(hint(Error::from(away())).contains("argosy setup"));
}

#[test]
fn a_look_up_ends_as_the_retriever_says() {
    use streams::client::lookup::Error;
    let refused = |code: &str| {
        let (code, message) = (code.to_owned(), "m".to_owned());
        told(Error::Refused(Problem { code, message }))
    };
    for (code, wanted) in [
        ("not_found", NOT_FOUND),
        ("overloaded", STILL_RUNNING),
        ("timed_out", STILL_RUNNING),
        ("index_failed", NEGATIVE),
        ("panic", NEGATIVE),
        ("bad_field", USAGE),
    ] {
        assert_eq!(refused(code), wanted, "{code}");
    }
    assert_eq!(told(Error::Late), STILL_RUNNING);
    assert!(hint(Error::Unheard).ends_with("argosy run retriever"));
    assert_eq!(told(Error::Empty), NEGATIVE);
}

#[test]
fn a_folder_that_was_not_indexed_says_how_to_go_on() {
    use corpus_sync::Error;
    let stuck = || Error::Stuck {
        patience: Duration::from_secs(9),
        done: 1,
        total: 3,
        waiting: "a, b".into(),
    };
    let text = "no document has been finished for 9 s; 1 of 3 are done, waiting: a, b";
    assert_eq!(CliError::from(stuck()).message, text);
    assert_eq!(told(stuck()), STILL_RUNNING);
    assert!(hint(stuck()).contains("argosy run indexer"));
    // One process has its indexer with it.
    assert_eq!(told(local::Error::from(stuck())), STILL_RUNNING);
    assert!(hint(local::Error::from(stuck())).starts_with("a slow embedder"));
    assert_eq!(told(Error::NoFolder("x".into())), NOT_FOUND);
    assert!(hint(Error::NoFolder("x".into())).contains(".docx"));
    let document = "a.md".into();
    let unpublished = CliError::from(Error::Publish {
        document,
        error: away(),
    });
    let text =
        "`a.md` could not be published: NATS did not confirm that the message is stored: gone";
    assert_eq!((unpublished.exit, unpublished.message.as_str()), (1, text));
    assert!(unpublished.hint.unwrap().contains("argosy setup"));
    let unknown = EditionError::Unknown(Edition::new("x").unwrap());
    let unknown = streams::editions::Error::from(unknown);
    assert_eq!(told(Error::from(unknown)), NOT_FOUND);
}

#[test]
fn what_is_too_large_is_no_server_that_is_away() {
    let large = || CodecError::TooLarge { bytes: 2, max: 1 };
    let fail = CliError::from(replay::Error::Outbox(large().into()));
    assert_eq!(
        (fail.exit, fail.message.contains("over the limit")),
        (1, true)
    );
    assert_eq!(CliError::from(replay::Error::Publish(away())).exit, 4);
    assert_eq!(CliError::from(replay::Error::Outbox(away().into())).exit, 4);
    let full = CliError::from(replay::Error::Publish(PublishError::Full));
    assert_eq!((full.exit, full.code), (1, FULL));
    assert_eq!(
        told(dead_letters::Error::NotStored(PublishError::Full)).1,
        FULL
    );
}

#[test]
fn what_is_not_there_is_named_with_where_to_look() {
    assert_eq!(told(dead_letters::Error::NotThere(9)), NOT_FOUND);
    assert!(hint(dead_letters::Error::NotThere(9)).ends_with("argosy dead ls"));
    assert_eq!(told(dead_letters::Error::Away), CANNOT_CONNECT);
    let unknown = CliError::from(position::Error::Unknown(turn()));
    assert_eq!((unknown.exit, unknown.turn.as_deref()), (3, Some("q-1")));
    assert!(unknown.hint.unwrap().contains("copied in full"));
    assert_eq!(told(ServerError::NotFound), NOT_FOUND);
    assert!(hint(ServerError::NotFound).contains("--fetch-server"));
    assert_eq!(told(model_files::Error::NoSource("x".into())), NOT_FOUND);
    assert_eq!(told(model::Error::Unserved("x".into())), NOT_FOUND);
    assert!(hint(model::Error::Unserved("x".into())).contains(model::OFFLINE));
}

#[test]
fn what_is_configured_wrong_is_a_wrong_call() {
    let unnamed = model::Error::Unnamed {
        role: Role::Mapper,
        name: "x".into(),
    };
    assert_eq!(told(unnamed), USAGE);
    assert_eq!(told(roles::Error::NoStage(Role::Gateway)), USAGE);
    assert_eq!(told(local::Error::Qdrant), USAGE);
    assert!(hint(local::Error::Qdrant).contains("retrieval.vectors=embedded"));
    assert_eq!(told(search_factory::Error::NoEncoder), USAGE);
    assert!(hint(search_factory::Error::NoEncoder).contains("--features minilm"));
    let file = llm::embed::Error::Model {
        name: "x".into(),
        text: "y".into(),
    };
    assert!(hint(search_factory::Error::Encoder(file)).contains("`argosy models pull minilm`"));
}

#[test]
fn a_download_says_whether_it_goes_on() {
    let lost = download::Error::Refused {
        url: "u".into(),
        status: 404,
    };
    assert!(hint(model_files::Error::Download(lost)).contains("goes on where it stopped"));
    assert!(hint(model_files::Error::Pip("x".into())).contains("Python"));
    let other = model_files::Error::Other {
        name: "n",
        from: "f".into(),
        found: "1".into(),
        wanted: "2",
    };
    assert!(hint(other).contains("--from"));
}

#[test]
fn an_index_that_is_held_says_by_whom_it_may_be() {
    let index = || index::Error::from(search::Error::Index("x".into()));
    let dir = || PathBuf::from("d");
    let held = local::Error::Held {
        dir: dir(),
        error: index(),
    };
    assert!(hint(held).contains("data_dir=DIR"));
    let retriever = editions::Error::Index {
        dir: dir(),
        error: index(),
    };
    assert_eq!(
        CliError::from(retriever).message,
        "the index in `d`: the index failed: x"
    );
    assert_eq!(told(editions::Error::Stopped), NEGATIVE);
}

#[test]
fn a_store_of_conversations_says_what_it_needs() {
    let opened = |source| OpenError::Store {
        folder: PathBuf::from("chats"),
        source,
    };
    let full = || StoreError::Full("no space left".into());
    let disk = || StoreError::Disk("read-only".into());
    let newer = || EventError::Newer(7);
    for (told, wanted) in [
        (
            hint(kept_conversations::Error::Open(opened(full()))),
            "make room",
        ),
        (
            hint(conversations::Error::Open(opened(full()))),
            "make room",
        ),
        (hint(kept_conversations::Error::Store(disk())), "writable"),
        (hint(conversations::Error::Store(disk())), "writable"),
        (
            hint(kept_conversations::Error::Event(newer())),
            "use that release",
        ),
        (
            hint(conversations::Error::Event(newer())),
            "use that release",
        ),
        (
            hint(conversations::Error::Store(StoreError::Event(newer()))),
            "use that release",
        ),
    ] {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
}
