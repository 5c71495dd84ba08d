//! The subject grammar. Every subject of the system is built and parsed here and nowhere else.
//!
//! The subjects of one message are the rows of [`Subject`]; others are the constants and functions of this module. A row
//! lists the tokens of a subject in their order after `argosy`: words in quotes, values in braces, and in brackets a value
//! that may be absent.

use crate::edition::Edition;
use crate::ids::{Bucket, ConversationId, DocId, LoginId, TenantId, TurnId, WebhookName};
use crate::role::Role;
use std::fmt::{self, Display};
use std::slice;
use std::str::FromStr;

/// Ingress.
pub const QUERY: &str = "argosy.query";
/// Ingress from the accounts of tenants; see [`Subject::TenantQuery`] and [`Subject::TenantAsked`].
pub const TENANT_QUERIES: &str = "argosy.query.>";
/// Every question that the inbox holds, however it came.
pub const QUESTIONS: &str = "argosy.>";
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
/// The feedback on all answers.
pub const FEEDBACK: &str = "argosy.feedback.*.*.*";
/// Every document that waits to be indexed.
pub const DOCUMENTS: &str = "argosy.document.*.*";
/// Every document that waits to be indexed for one edition alone.
pub const REINDEX: &str = "argosy.reindex.*.*.*";
/// The corpus, every edition of it.
pub const CHUNKS: &str = "argosy.chunk.>";
/// The record that says which edition answers.
pub const EDITION: &str = "argosy.edition";
/// The rules of who may read which documents.
pub const ACCESS: &str = "argosy.access";
/// The schedule that makes one gateway look for lost turns; no turn id can collide with it.
pub const SWEEP_TIMER: &str = "argosy.sweep.timer";
/// The subject under which that schedule fires.
pub const SWEEP_DUE: &str = "argosy.sweep.due";
/// The notes of erasures that are not finished, one for each conversation.
pub const ERASING: &str = "argosy.sweep.erasing.*.*";
/// Claims on writing a snapshot of an index, one for each kind of index.
pub const SNAPSHOTS: &str = "argosy.snapshot.*";

/// What begins the subjects that reach the accounts of tenants.
const TO_TENANT: &str = "argosy.to.";

/// A text that is not a subject of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a subject of argosy")]
pub struct SubjectError(pub String);

macro_rules! subjects {
    ($(
        $(#[$about:meta])*
        $name:ident $($word:literal { $($field:ident: $type:ty),* })+ $([$last:ident: $last_type:ty])?;
    )+) => {
        /// A subject with its meaning. `Display` builds, [`Subject::parse`] reads.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the fields are the tokens, which have types")]
        pub enum Subject {
            $($(#[$about])* $name { $($($field: $type,)*)+ $($last: Option<$last_type>,)? },)+
        }

        impl Display for Subject {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("argosy")?;
                match self {
                    $(Subject::$name { $($($field,)*)+ $($last,)? } => {
                        $(
                            f.write_str(concat!(".", $word))?;
                            $(write!(f, ".{}", $field)?;)*
                        )+
                        $(if let Some(last) = $last { write!(f, ".{last}")?; })?
                        Ok(())
                    })+
                }
            }
        }

        /// The first row whose tokens these are. With clones of `str::Split` in place of a slice, rustc 1.95 makes code in
        /// release builds that reads the first row alone.
        fn read(tokens: &[&str]) -> Option<Subject> {
            $(
                let row = |mut tokens: slice::Iter<'_, &str>| {
                    $(
                        tokens.next().filter(|token| **token == $word)?;
                        $(let $field = value(tokens.next()?)?;)*
                    )+
                    $(let $last = match tokens.next() {
                        Some(token) => Some(value(token)?),
                        None => None,
                    };)?
                    let subject = Subject::$name { $($($field,)*)+ $($last,)? };
                    tokens.next().is_none().then_some(subject)
                };
                if let Some(subject) = row(tokens.iter()) {
                    return Some(subject);
                }
            )+
            None
        }
    };
}

subjects! {
    /// A question from the account of a tenant, whose programs cannot publish under another tenant's name.
    TenantQuery "query" { tenant: TenantId };
    /// A question that a gateway was asked for by request and reply, from such an account. Only the fleet publishes there.
    TenantAsked "query" { tenant: TenantId } "ask" {};
    /// What to join. Where a mapper takes all passages of the record in one step, that is its subject: a step of a mapper
    /// without an index.
    Scatter "step" { shard: u16 } "scatter" { turn: TurnId, hop: u16 };
    /// A step to do; the index for map steps only.
    Step "step" { shard: u16, role: Role, turn: TurnId, hop: u16 } [index: u16];
    /// A map result.
    Part "part" { shard: u16, turn: TurnId, hop: u16, index: u16 };
    /// A schedule, which fires as [`Subject::Due`].
    Timer "timer" { turn: TurnId } [hop: u16];
    /// What a schedule fires as.
    Due "due" { turn: TurnId } [hop: u16];
    /// A late listener.
    Listen "listen" { turn: TurnId, n: u64 };
    /// The terminal event.
    Answer "answer" { turn: TurnId };
    /// The reply that continues the question which it asks back about.
    Clarified "clarified" { turn: TurnId };
    /// The log of a conversation.
    Conversation "conversation" { tenant: TenantId, conversation: ConversationId };
    /// What somebody says of an answer.
    Feedback "feedback" { tenant: TenantId, turn: TurnId, login: LoginId };
    /// A document to index; the name is the publisher's.
    Document "document" { bucket: Bucket, name: DocId };
    /// The same for one edition alone.
    Reindex "reindex" { edition: Edition, bucket: Bucket, name: DocId };
    /// A chunk of the corpus.
    Chunk "chunk" { edition: Edition, bucket: Bucket, doc: DocId, n: u32 };
    /// That a document was indexed; core NATS only.
    Indexed "indexed" { bucket: Bucket, doc: DocId };
    /// The dead letter of a document.
    DeadDocument "dead" {} "indexer" { edition: Edition, bucket: Bucket, doc: DocId };
    /// The dead letter of a step.
    Dead "dead" { role: Role, turn: TurnId, hop: u16 } [index: u16];
    /// The dead letter of a webhook: an endpoint was not told of the end of a turn.
    DeadWebhook "dead" {} "webhook" { turn: TurnId, webhook: WebhookName };
    /// That a turn was cancelled; core NATS only.
    Cancel "cancel" { turn: TurnId };
    /// That a fan-out was joined; core NATS only.
    Joined "joined" { turn: TurnId, hop: u16 };
    /// What a turn shows while it runs; core NATS only.
    Live "live" { turn: TurnId };
}

impl Subject {
    /// Reads a subject.
    pub fn parse(text: &str) -> Result<Subject, SubjectError> {
        let tokens = text.strip_prefix("argosy.").map(|rest| rest.split('.'));
        let subject = tokens.and_then(|tokens| read(&tokens.collect::<Vec<_>>()));
        let subject = subject.ok_or_else(|| SubjectError(text.into()))?;
        // The indexer does no steps: it was meant for a document, and one of its names is wrong.
        match &subject {
            Subject::Dead { role, .. } if *role == Role::Indexer => Err(SubjectError(text.into())),
            _ => Ok(subject),
        }
    }

    /// The turn and the hop of a scatter record, in both of its forms.
    pub fn of_scatter(&self) -> Option<(&TurnId, u16)> {
        match self {
            Subject::Scatter { turn, hop, .. } => Some((turn, *hop)),
            Subject::Step {
                role: Role::Mapper,
                turn,
                hop,
                index: None,
                ..
            } => Some((turn, *hop)),
            _ => None,
        }
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

/// A value as `Display` writes it: a number has no sign and no leading zero, so that one step has one subject.
fn value<T: FromStr + Display>(token: &str) -> Option<T> {
    let value: T = token.parse().ok()?;
    (value.to_string() == token).then_some(value)
}

/// The terminal event of a turn.
pub fn answer(turn: &TurnId) -> String {
    Subject::Answer { turn: turn.clone() }.to_string()
}

/// The timer that ends a turn.
pub fn timer(turn: &TurnId) -> String {
    let (turn, hop) = (turn.clone(), None);
    Subject::Timer { turn, hop }.to_string()
}

/// The log of a conversation.
pub fn conversation(tenant: &TenantId, conversation: &ConversationId) -> String {
    Subject::Conversation {
        tenant: tenant.clone(),
        conversation: conversation.clone(),
    }
    .to_string()
}

/// The feedback of a tenant on any answer; of all tenants with `None`.
pub fn feedback(tenant: Option<&TenantId>) -> String {
    let tenant = tenant.map_or("*", TenantId::as_str);
    format!("argosy.feedback.{tenant}.*.*")
}

/// The feedback on the answer of a turn.
pub fn feedback_on(tenant: &TenantId, turn: &TurnId) -> String {
    format!("argosy.feedback.{tenant}.{turn}.*")
}

/// A step of a role; the index for map steps of one passage only.
pub fn step(shard: u16, role: Role, turn: &TurnId, hop: u16, index: Option<u16>) -> String {
    let turn = turn.clone();
    Subject::Step {
        shard,
        role,
        turn,
        hop,
        index,
    }
    .to_string()
}

/// Where a scatter record stands that is a step of a mapper itself.
pub fn batch(shard: u16, turn: &TurnId, hop: u16) -> String {
    step(shard, Role::Mapper, turn, hop, None)
}

/// The scatter record at a hop, where its passages have map steps of their own or are not mapped.
pub fn scatter(shard: u16, turn: &TurnId, hop: u16) -> String {
    let turn = turn.clone();
    Subject::Scatter { shard, turn, hop }.to_string()
}

/// One part of a fan-out.
pub fn part(shard: u16, turn: &TurnId, hop: u16, index: u16) -> String {
    Subject::Part {
        shard,
        turn: turn.clone(),
        hop,
        index,
    }
    .to_string()
}

/// All subjects of one hop of a turn over all roles: the fence of create-once.
pub fn fence(shard: u16, turn: &TurnId, hop: u16) -> String {
    format!("argosy.step.{shard}.*.{turn}.{hop}")
}

/// What the subject of every part begins with.
pub const PARTS: &str = "argosy.part.";

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

/// The steps and scatter records of a turn, without the map steps of single passages.
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
    is_below(subject, &["_INBOX.", "argosy.reply."])
}

/// Whether a request may be answered there, which came from the account of `tenant` if there is one.
pub fn may_answer(reply: &str, tenant: Option<&TenantId>) -> bool {
    match tenant {
        None => may_reply_to(reply),
        Some(_) => is_of_another_account(reply),
    }
}

/// Whether a subject is one that the server makes for each request from another account: what is published there
/// reaches the account that asked. No publisher may name one.
pub fn is_of_another_account(reply: &str) -> bool {
    is_below(reply, &["_R_."])
}

/// Whether a subject without wildcards is below one of these.
fn is_below(subject: &str, prefixes: &[&str]) -> bool {
    let is_literal = |token: &str| {
        !token.is_empty()
            && token
                .bytes()
                .all(|b| b.is_ascii_graphic() && b != b'*' && b != b'>')
    };
    let mut prefixes = prefixes.iter();
    let tail = prefixes.find_map(|prefix| subject.strip_prefix(prefix));
    subject.len() <= 256 && tail.is_some_and(|tail| tail.split('.').all(is_literal))
}

/// What is published there reaches the account of this tenant, and arrives there as `subject`.
pub fn to_tenant(tenant: &TenantId, subject: &str) -> String {
    format!("{TO_TENANT}{tenant}.{subject}")
}

/// The tenant that a subject of [`to_tenant`] reaches, and the subject as which it arrives there.
fn in_account(subject: &str) -> Option<(&str, &str)> {
    subject.strip_prefix(TO_TENANT)?.split_once('.')
}

/// Whether a terminal event may be sent there: to where a publisher may have it sent, in any account.
pub fn may_deliver_to(subject: &str) -> bool {
    let inside = in_account(subject).map_or(subject, |(_, inside)| inside);
    may_reply_to(inside) || is_of_another_account(subject)
}

/// Where is told what a turn does while it runs. `reply` is where its end is delivered, which says in which account
/// the asker listens.
pub fn live(turn: &TurnId, reply: Option<&str>) -> String {
    let live = Subject::Live { turn: turn.clone() }.to_string();
    match reply.and_then(in_account) {
        Some((tenant, _)) => format!("{TO_TENANT}{tenant}.{live}"),
        None => live,
    }
}

/// The request subject `subject` for requests from the accounts of tenants, one token each.
pub fn of_tenants(subject: &str) -> String {
    format!("{subject}.*")
}

/// The tenant in the subject of a request: none of one from within the fleet's own account.
///
/// # Errors
/// When what follows `subject` is no tenant.
pub fn tenant_of(request: &str, subject: &str) -> Result<Option<TenantId>, SubjectError> {
    if request == subject {
        return Ok(None);
    }
    let tail = request.strip_prefix(subject);
    let tenant = tail.and_then(|tail| TenantId::new(tail.strip_prefix('.')?).ok());
    tenant.map(Some).ok_or_else(|| SubjectError(request.into()))
}

#[cfg(test)]
#[path = "subject_tests.rs"]
mod tests;
