//! Acts of the fire drill in which streams fill up or are missing, and in which conversations cannot be stored, read
//! or erased.

use crate::act::{Act, deed};
use crate::crowd::{NORMAL, SILENCE, Wish, agentic};
use crate::fleet::until;
use crate::stand::{Plan, Stand, WHOLE};
use bus::{Bus, CoreMessage, Headers, Publish, PublishError, Stream};
use bus_nats::NatsBus;
use bytes::Bytes;
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

pub(crate) const PLAN: Plan = Plan {
    name: "storage",
    set: &[
        "streams.steps_bytes=32MiB",
        "streams.inbox_bytes=4MiB",
        "streams.chunks_bytes=4MiB",
        "streams.conversations_bytes=4MiB",
        "gateway.sweep_every=2s",
        "gateway.backlog_every=1s",
    ],
    ..WHOLE
};

/// The bytes of one message of ballast.
const BALLAST: usize = 64 << 10;
/// The place of the ballast in each stream: a subject that is never read.
const STEPS_BALLAST: &str = "argosy.part.0.ballast.1";
const CHUNKS_BALLAST: &str = "argosy.chunk.ballast.bucket";
/// So much ballast is more than the stream of conversations holds.
const CONVERSATIONS: usize = 80;
/// A conversation to which another writer writes.
const TORN: &str = "torn";
/// How often the store is fed anew: once more than the rule allows.
const REBUILDS: usize = 3;

/// Questions of one conversation.
const IN_ONE: Wish = Wish {
    at_once: 40,
    every: Duration::from_millis(100),
    question: |number| {
        let mut body = agentic(number);
        body["conversation"] = TORN.into();
        body["deadline"] = "5s".into();
        body
    },
};

pub(crate) const ACTS: &[Act] = &[
    Act {
        fault: "the streams of steps, of questions and of the corpus fill",
        alerts: &[
            "ArgosyStreamFilling",
            "ArgosyRoomShort",
            "ArgosyPublishFailing",
            "ArgosyInboxFull",
            "ArgosyCorpusFull",
        ],
        begin: deed!(stand => {
            // Turns that run when there is no room any more.
            stand.behave(testkit::sim_node::Behaviour::Slow(40.0));
            until("steps of the mapper", async || {
                let maps = stand.value(r#"argosy_inflight_messages{role="mapper"}"#).await;
                maps.filter(|&maps| maps > 4.0)
            })
            .await;
            fill(&stand.bus, STEPS_BALLAST).await;
            fill(&stand.bus, CHUNKS_BALLAST).await;
            fill(&stand.bus, envelope::subject::QUERY).await;
        }),
        mend: deed!(stand => {
            stand.behave(testkit::sim_node::Behaviour::Healthy);
            purge(stand, Stream::Steps(0), &format!("{STEPS_BALLAST}.>")).await;
            purge(stand, Stream::Chunks, &format!("{CHUNKS_BALLAST}.>")).await;
            purge(stand, Stream::Inbox, envelope::subject::QUERY).await;
        }),
    },
    Act {
        fault: "the stream of conversations is too small for what is said",
        alerts: &[
            "ArgosyConversationLogShort",
            "ArgosyConversationLogLosingTurns",
        ],
        begin: deed!(stand => {
            for number in 0..CONVERSATIONS {
                let subject = format!("argosy.conversation.ballast.talk-{number}");
                let ballast = Publish::new(subject, Bytes::from(vec![b'x'; BALLAST]));
                stand.bus.publish(ballast).await.expect("it is stored");
            }
        }),
        mend: deed!(stand => purge(stand, Stream::Conversations, "argosy.conversation.ballast.*").await),
    },
    Act {
        // The store takes a log that contradicts itself for a mistake of its own, and begins anew.
        fault: "somebody else writes to the log of a conversation",
        alerts: &[
            "ArgosyConversationAppendConflicts",
            "ArgosyConversationStoreLag",
        ],
        begin: deed!(stand => {
            spoil(stand, TORN).await;
            stand.crowd.asks(IN_ONE);
        }),
        mend: deed!(stand => {
            stand.crowd.asks(NORMAL);
            mend(stand, TORN).await;
        }),
    },
    Act {
        fault: "somebody else writes to logs again and again",
        alerts: &["ArgosyConversationStoreRebuilt"],
        begin: deed!(stand => {
            for number in 0..REBUILDS {
                rebuild(stand, &format!("torn-{number}")).await;
            }
        }),
        mend: deed!(_stand => {}),
    },
    Act {
        fault: "the stream of answers is gone while a conversation is erased",
        alerts: &[
            "ArgosyConversationErasureUnfinished",
            "ArgosyBacklogUnknown",
        ],
        begin: deed!(stand => {
            // Gateways look after it until no step of its turns can come any more, which takes minutes.
            ask(stand, "gone").await;
            stand.fleet.json(&["conversation", "rm", "gone", "--yes"]).await;
            stand.crowd.asks(SILENCE);
            delete(stand, Stream::Answers).await;
        }),
        mend: deed!(stand => {
            stand.fleet.setup().await;
            stand.crowd.asks(NORMAL);
        }),
    },
];

/// Publishes below a subject until its stream is full.
async fn fill(bus: &NatsBus, subject: &str) {
    for number in 0.. {
        let subject = match subject {
            envelope::subject::QUERY => subject.to_owned(),
            _ => format!("{subject}.{number}"),
        };
        let ballast = Publish::new(subject, Bytes::from(vec![b'x'; BALLAST]));
        match bus.publish(ballast).await {
            Ok(_) => {}
            Err(PublishError::Full) => return,
            Err(error) => panic!("ballast: {error}"),
        }
    }
}

async fn purge(stand: &Stand, stream: Stream, filter: &str) {
    stand.bus.purge(stream, filter).await.expect("a purge");
}

/// Deletes a stream, as an operator may do by mistake.
async fn delete(stand: &Stand, stream: Stream) {
    let message = CoreMessage {
        subject: format!("$JS.API.STREAM.DELETE.{}", stream.name()),
        headers: Headers::default(),
        body: Bytes::new(),
        reply: None,
    };
    stand.bus.broadcast(message).await.expect("a message");
    until("the stream to be gone", async || {
        stand.bus.state(stream).await.err()
    })
    .await;
}

/// Appends the last event of a log to it, again and again, without reading the log.
async fn write_too(bus: Arc<NatsBus>, log: String, enough: CancellationToken) {
    let last = bus.last(Stream::Conversations, &log).await.expect("a look");
    let body = last.expect("an event").body;
    while !enough.is_cancelled() {
        let again = || bus.publish(Publish::new(&log, body.clone()));
        join_all((0..16).map(|_| again())).await;
    }
}

/// Spoils the log of a conversation, and removes it once the store has found that, so that the store is fed anew.
async fn rebuild(stand: &mut Stand, conversation: &str) {
    let rebuilds = r#"argosy_conversation_store_recovery_seconds_count{how="rebuild"}"#;
    let before = stand.value(rebuilds).await.unwrap_or_default();
    let begun = begun_anew(stand);
    spoil(stand, conversation).await;
    until("the store to begin anew", async || {
        (begun_anew(stand) > begun).then_some(())
    })
    .await;
    mend(stand, conversation).await;
    // It is as far as the stream was when another event comes.
    ask(stand, &format!("after-{conversation}")).await;
    until("the store to be fed anew", async || {
        stand.value(rebuilds).await.filter(|&now| now > before)
    })
    .await;
}

/// How often the store reported that it begins anew.
fn begun_anew(stand: &Stand) -> usize {
    let log = stand.fleet.dir().join("logs/001/conversation.log");
    let log = std::fs::read_to_string(log).expect("the log of the first process");
    log.matches("is fed anew").count()
}

/// Asks a question of a conversation and waits for the answer.
async fn ask(stand: &Stand, conversation: &str) {
    let question = "When does the lease of the Tarnow depot end?";
    let talk = ["ask", question, "--conversation", conversation];
    stand.fleet.json(&talk).await;
}

/// Asks a question of a conversation, and writes to its log as no process of the fleet does.
async fn spoil(stand: &mut Stand, conversation: &str) {
    ask(stand, conversation).await;
    let (bus, enough) = (stand.bus.clone(), stand.enough.clone());
    stand
        .helpers
        .spawn(write_too(bus, log_of(conversation), enough));
}

async fn mend(stand: &mut Stand, conversation: &str) {
    stand.enough().await;
    purge(stand, Stream::Conversations, &log_of(conversation)).await;
}

fn log_of(conversation: &str) -> String {
    format!("argosy.conversation.default.{conversation}")
}
