//! The subject grammar. Every subject of the system is built and parsed here and nowhere else.
//!
//! ```text
//! argosy.query                                  ingress
//! argosy.ask                                    ingress by request and reply (core NATS)
//! argosy.search, argosy.count, argosy.metadata  looking into the corpus by request and reply (core NATS)
//! argosy.step.<shard>.<role>.<turn>.<hop>[.<i>] a step to do; <i> for map steps only
//! argosy.step.<shard>.scatter.<turn>.<hop>      what to join
//! argosy.part.<shard>.<turn>.<hop>.<i>          a map result
//! argosy.timer.<turn>[.<hop>]                   a schedule; fires as argosy.due.<turn>[.<hop>]
//! argosy.listen.<turn>.<n>                      a late listener
//! argosy.answer.<turn>                          the terminal event
//! argosy.clarified.<turn>                       the reply that continues the question which it asks back about
//! argosy.conversation.<tenant>.<conversation>   the log of a conversation
//! argosy.document.<bucket>.<name>               a document to index; the name is the publisher's
//! argosy.reindex.<edition>.<bucket>.<name>      the same for one edition alone
//! argosy.chunk.<edition>.<bucket>.<doc>.<n>     corpus
//! argosy.edition                                which edition of the corpus answers
//! argosy.dead.<role>.<turn>.<hop>[.<i>]         dead letters
//! argosy.dead.indexer.<edition>.<bucket>.<doc>  the same of a document
//! argosy.cancel.<turn>, argosy.joined.<turn>.<hop>, argosy.live.<turn>,
//! argosy.indexed.<bucket>.<doc>                 core NATS only
//! ```

use crate::edition::Edition;
use crate::ids::{Bucket, ConversationId, DocId, TenantId, TurnId};
use crate::role::Role;
use std::fmt;

/// Ingress.
pub const QUERY: &str = "argosy.query";
/// Ingress by request and reply.
pub const ASK: &str = "argosy.ask";
/// Searching by request and reply, see [`lookup`](crate::lookup).
pub const SEARCH: &str = "argosy.search";
/// Counting documents by request and reply.
pub const COUNT: &str = "argosy.count";
/// The metadata of one document, by request and reply.
pub const METADATA: &str = "argosy.metadata";
/// The catalog of a tenant's documents, bucket by bucket, by request and reply.
pub const CATALOG: &str = "argosy.catalog";
/// The logs of all conversations.
pub const CONVERSATIONS: &str = "argosy.conversation.*.*";
/// Every document that waits to be indexed.
pub const DOCUMENTS: &str = "argosy.document.*.*";
/// Every document that waits to be indexed for one edition alone.
pub const REINDEX: &str = "argosy.reindex.*.*.*";
/// The corpus, every edition of it.
pub const CHUNKS: &str = "argosy.chunk.>";
/// The record that says which edition answers.
pub const EDITION: &str = "argosy.edition";
/// The schedule that makes one gateway look for lost turns; no turn id can collide with it.
pub const SWEEP_TIMER: &str = "argosy.sweep.timer";
/// The subject under which that schedule fires.
pub const SWEEP_DUE: &str = "argosy.sweep.due";
/// The notes of erasures that are not finished, one for each conversation.
pub const ERASING: &str = "argosy.sweep.erasing.*.*";
/// Claims on writing a snapshot of an index, one for each kind of index.
pub const SNAPSHOTS: &str = "argosy.snapshot.*";

/// A subject with its meaning. `Display` builds, [`Subject::parse`] reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "the fields are the tokens of the grammar in the module's head"
)]
pub enum Subject {
    Step {
        shard: u16,
        role: Role,
        turn: TurnId,
        hop: u16,
        index: Option<u16>,
    },
    Scatter {
        shard: u16,
        turn: TurnId,
        hop: u16,
    },
    Part {
        shard: u16,
        turn: TurnId,
        hop: u16,
        index: u16,
    },
    Timer {
        turn: TurnId,
        hop: Option<u16>,
    },
    Due {
        turn: TurnId,
        hop: Option<u16>,
    },
    Listen {
        turn: TurnId,
        n: u64,
    },
    Answer {
        turn: TurnId,
    },
    Clarified {
        turn: TurnId,
    },
    Conversation {
        tenant: TenantId,
        conversation: ConversationId,
    },
    Document {
        bucket: Bucket,
        name: DocId,
    },
    Reindex {
        edition: Edition,
        bucket: Bucket,
        name: DocId,
    },
    Chunk {
        edition: Edition,
        bucket: Bucket,
        doc: DocId,
        n: u32,
    },
    Indexed {
        bucket: Bucket,
        doc: DocId,
    },
    Dead {
        role: Role,
        turn: TurnId,
        hop: u16,
        index: Option<u16>,
    },
    DeadDocument {
        edition: Edition,
        bucket: Bucket,
        doc: DocId,
    },
    Cancel {
        turn: TurnId,
    },
    Joined {
        turn: TurnId,
        hop: u16,
    },
    Live {
        turn: TurnId,
    },
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Step {
                shard,
                role,
                turn,
                hop,
                index: None,
            } => {
                write!(f, "argosy.step.{shard}.{role}.{turn}.{hop}")
            }
            Subject::Step {
                shard,
                role,
                turn,
                hop,
                index: Some(i),
            } => {
                write!(f, "argosy.step.{shard}.{role}.{turn}.{hop}.{i}")
            }
            Subject::Scatter { shard, turn, hop } => {
                write!(f, "argosy.step.{shard}.scatter.{turn}.{hop}")
            }
            Subject::Part {
                shard,
                turn,
                hop,
                index,
            } => write!(f, "argosy.part.{shard}.{turn}.{hop}.{index}"),
            Subject::Timer { turn, hop: None } => write!(f, "argosy.timer.{turn}"),
            Subject::Timer {
                turn,
                hop: Some(hop),
            } => write!(f, "argosy.timer.{turn}.{hop}"),
            Subject::Due { turn, hop: None } => write!(f, "argosy.due.{turn}"),
            Subject::Due {
                turn,
                hop: Some(hop),
            } => write!(f, "argosy.due.{turn}.{hop}"),
            Subject::Listen { turn, n } => write!(f, "argosy.listen.{turn}.{n}"),
            Subject::Answer { turn } => write!(f, "argosy.answer.{turn}"),
            Subject::Clarified { turn } => write!(f, "argosy.clarified.{turn}"),
            Subject::Conversation {
                tenant,
                conversation,
            } => write!(f, "argosy.conversation.{tenant}.{conversation}"),
            Subject::Document { bucket, name } => write!(f, "argosy.document.{bucket}.{name}"),
            Subject::Reindex {
                edition,
                bucket,
                name,
            } => write!(f, "argosy.reindex.{edition}.{bucket}.{name}"),
            Subject::Indexed { bucket, doc } => write!(f, "argosy.indexed.{bucket}.{doc}"),
            Subject::DeadDocument {
                edition,
                bucket,
                doc,
            } => write!(f, "argosy.dead.indexer.{edition}.{bucket}.{doc}"),
            Subject::Chunk {
                edition,
                bucket,
                doc,
                n,
            } => write!(f, "argosy.chunk.{edition}.{bucket}.{doc}.{n}"),
            Subject::Dead {
                role,
                turn,
                hop,
                index: None,
            } => write!(f, "argosy.dead.{role}.{turn}.{hop}"),
            Subject::Dead {
                role,
                turn,
                hop,
                index: Some(i),
            } => {
                write!(f, "argosy.dead.{role}.{turn}.{hop}.{i}")
            }
            Subject::Cancel { turn } => write!(f, "argosy.cancel.{turn}"),
            Subject::Joined { turn, hop } => write!(f, "argosy.joined.{turn}.{hop}"),
            Subject::Live { turn } => write!(f, "argosy.live.{turn}"),
        }
    }
}

/// A text that is not a subject of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a subject of argosy")]
pub struct SubjectError(pub String);

impl Subject {
    /// Reads a subject.
    pub fn parse(text: &str) -> Result<Subject, SubjectError> {
        read(text).ok_or_else(|| SubjectError(text.into()))
    }

    /// The shard token of a subject that has one.
    pub fn shard(&self) -> Option<u16> {
        match self {
            Subject::Step { shard, .. }
            | Subject::Scatter { shard, .. }
            | Subject::Part { shard, .. } => Some(*shard),
            _ => None,
        }
    }
}

fn read(text: &str) -> Option<Subject> {
    let mut tokens = text.split('.');
    if tokens.next()? != "argosy" {
        return None;
    }
    let rest: Vec<&str> = tokens.collect();
    let turn = |t: &str| TurnId::new(t).ok();
    let optional = |t: Option<&&str>| match t {
        None => Some(None),
        Some(token) => number(token).map(Some),
    };
    Some(match rest.as_slice() {
        ["step", shard, "scatter", t, hop] => Subject::Scatter {
            shard: number(shard)?,
            turn: turn(t)?,
            hop: number(hop)?,
        },
        ["step", shard, role, t, hop, tail @ ..] if tail.len() < 2 => Subject::Step {
            shard: number(shard)?,
            role: role.parse().ok()?,
            turn: turn(t)?,
            hop: number(hop)?,
            index: optional(tail.first())?,
        },
        ["part", shard, t, hop, i] => Subject::Part {
            shard: number(shard)?,
            turn: turn(t)?,
            hop: number(hop)?,
            index: number(i)?,
        },
        ["timer", t, tail @ ..] if tail.len() < 2 => Subject::Timer {
            turn: turn(t)?,
            hop: optional(tail.first())?,
        },
        ["due", t, tail @ ..] if tail.len() < 2 => Subject::Due {
            turn: turn(t)?,
            hop: optional(tail.first())?,
        },
        ["listen", t, n] => Subject::Listen {
            turn: turn(t)?,
            n: number(n)?,
        },
        ["answer", t] => Subject::Answer { turn: turn(t)? },
        ["clarified", t] => Subject::Clarified { turn: turn(t)? },
        ["chunk", edition, bucket, doc, n] => Subject::Chunk {
            edition: Edition::new(*edition).ok()?,
            bucket: Bucket::new(*bucket).ok()?,
            doc: DocId::new(*doc).ok()?,
            n: number(n)?,
        },
        ["conversation", tenant, conversation] => Subject::Conversation {
            tenant: TenantId::new(*tenant).ok()?,
            conversation: ConversationId::new(*conversation).ok()?,
        },
        ["document", bucket, name] => Subject::Document {
            bucket: Bucket::new(*bucket).ok()?,
            name: DocId::new(*name).ok()?,
        },
        ["reindex", edition, bucket, name] => Subject::Reindex {
            edition: Edition::new(*edition).ok()?,
            bucket: Bucket::new(*bucket).ok()?,
            name: DocId::new(*name).ok()?,
        },
        ["indexed", bucket, doc] => Subject::Indexed {
            bucket: Bucket::new(*bucket).ok()?,
            doc: DocId::new(*doc).ok()?,
        },
        ["dead", "indexer", edition, bucket, doc] => Subject::DeadDocument {
            edition: Edition::new(*edition).ok()?,
            bucket: Bucket::new(*bucket).ok()?,
            doc: DocId::new(*doc).ok()?,
        },
        ["dead", role, t, hop, tail @ ..] if tail.len() < 2 => Subject::Dead {
            role: role.parse().ok()?,
            turn: turn(t)?,
            hop: number(hop)?,
            index: optional(tail.first())?,
        },
        ["cancel", t] => Subject::Cancel { turn: turn(t)? },
        ["joined", t, hop] => Subject::Joined {
            turn: turn(t)?,
            hop: number(hop)?,
        },
        ["live", t] => Subject::Live { turn: turn(t)? },
        _ => return None,
    })
}

/// A number as `Display` writes it: no sign, no leading zero, so that one step has one subject.
fn number<N: std::str::FromStr + ToString>(token: &str) -> Option<N> {
    let n: N = token.parse().ok()?;
    (n.to_string() == token).then_some(n)
}

/// All subjects of one hop of a turn over all roles: the fence of create-once.
pub fn fence(shard: u16, turn: &TurnId, hop: u16) -> String {
    format!("argosy.step.{shard}.*.{turn}.{hop}")
}

/// The parts of one fan-out.
pub fn parts(shard: u16, turn: &TurnId, hop: u16) -> String {
    format!("argosy.part.{shard}.{turn}.{hop}.*")
}

/// The filter for all dead letters of a role.
pub fn dead_of(role: Role) -> String {
    format!("argosy.dead.{role}.>")
}

/// The map steps of one fan-out.
pub fn map_steps(shard: u16, turn: &TurnId, hop: u16) -> String {
    format!("argosy.step.{shard}.{}.{turn}.{hop}.*", Role::Mapper)
}

/// The steps and scatter records of a turn, without its map steps.
pub fn path(shard: u16, turn: &TurnId) -> String {
    format!("argosy.step.{shard}.*.{turn}.*")
}

/// The dead letters of a turn.
pub fn letters(turn: &TurnId) -> String {
    format!("argosy.dead.*.{turn}.>")
}

/// The filter of the durable consumer of a role.
pub fn steps_of(shard: u16, role: Role) -> String {
    format!("argosy.step.{shard}.{role}.>")
}

/// Everything that is stored of a document in an edition.
pub fn chunks(edition: &Edition, bucket: &Bucket, doc: &DocId) -> String {
    format!("argosy.chunk.{edition}.{bucket}.{doc}.*")
}

/// Everything that is stored of an edition.
pub fn edition(edition: &Edition) -> String {
    format!("argosy.chunk.{edition}.>")
}

/// The heads of the documents of an edition; of every edition with `*`.
pub fn heads(edition: &str) -> String {
    format!("argosy.chunk.{edition}.*.*.0")
}

/// The documents that are meant for an edition alone.
pub fn reindex(edition: &Edition) -> String {
    format!("argosy.reindex.{edition}.*.*")
}

/// The note that the erasure of a conversation is not over.
pub fn erasing(tenant: &TenantId, conversation: &ConversationId) -> String {
    format!("argosy.sweep.erasing.{tenant}.{conversation}")
}

/// All steps, map steps and scatter records of a turn, and its parts, in any shard.
pub fn of_turn(turn: &TurnId) -> [String; 2] {
    [
        format!("argosy.step.*.*.{turn}.>"),
        format!("argosy.part.*.{turn}.>"),
    ]
}

/// The late listeners of a turn.
pub fn listeners(turn: &TurnId) -> String {
    format!("argosy.listen.{turn}.*")
}

/// Whether a publisher may have answers sent there: an inbox, or a subject set aside for replies.
pub fn may_reply_to(subject: &str) -> bool {
    let tail = subject
        .strip_prefix("_INBOX.")
        .or_else(|| subject.strip_prefix("argosy.reply."));
    subject.len() <= 256
        && tail.is_some_and(|tail| {
            tail.split('.').all(|token| {
                !token.is_empty()
                    && token
                        .bytes()
                        .all(|b| b.is_ascii_graphic() && b != b'*' && b != b'>')
            })
        })
}

#[cfg(test)]
#[path = "subject_tests.rs"]
mod tests;
