//! Parsing an ingress message: the question, its turn, and where the answer goes. Pure.

use bus::StoredMessage;
use envelope::account::of_tenant;
use envelope::question::Question;
use envelope::subject::{is_of_another_account, may_reply_to};
use envelope::{Refusal, RefusalCode, Subject, TenantId, TurnId, WIRE, header, subject};
use std::borrow::Cow;

/// A parsed ingress message.
#[derive(Debug)]
pub struct InboxQuestion {
    /// The turn of the question; the turn of a refused question has an id that no other turn can have.
    pub turn: TurnId,
    /// Where the answer goes.
    pub reply: Option<String>,
    /// The question, or why it is refused.
    pub question: Result<Question, Refusal>,
}

/// Parses an ingress message: its body, and the fields that publishers may put into headers instead. A deadline only
/// has to be later than the time of storing, so that a message parses the same way whenever it is read. If the deadline
/// has passed by then, the turn expires, but the question is not refused.
///
/// A question from the account of a tenant is that tenant's, and its answer goes to that account.
pub fn read(message: &StoredMessage) -> InboxQuestion {
    let derived = TurnId::derived(message.sequence, message.stored_at.0);
    let from = AskedFrom::of(message);
    let mut question = from
        .body(&message.body)
        .and_then(|body| Question::parse(&body, message.stored_at, message.stored_at));
    let mut reply = match &question {
        Ok(question) => question.reply_to.clone(),
        Err(refusal) => refusal.reply_to.clone(),
    };
    let wire = message.headers.get(header::WIRE);
    if let Some(v) = wire.filter(|v| **v != WIRE.to_string()) {
        let text = format!(
            "wire version {v} in the header `{}`; this release reads {WIRE}",
            header::WIRE
        );
        question = refused(RefusalCode::WrongVersion, text);
    }
    reply = reply.map(|reply| from.reply(&reply));
    if let Some(subject) = message.headers.get(header::REPLY) {
        if from.may_reply_to(subject) {
            reply = reply.or_else(|| Some(from.reply(subject)));
        } else if question.is_ok() {
            let text = format!(
                "header `{}`: answers are sent to `_INBOX.>` or `argosy.reply.>` only",
                header::REPLY
            );
            question = refused(RefusalCode::BadReplyTo, text);
        }
    }
    let named = message.headers.get(header::TURN).map(TurnId::new);
    let turn = match (&mut question, named) {
        (Ok(question), None) => question.id.clone(),
        (Ok(question), Some(Ok(id))) if !id.is_derived() => question.id.clone().or(Some(id)),
        (Ok(_), Some(_)) => {
            let text = format!(
                "header `{}`: not an id that may be chosen; want {}",
                header::TURN,
                envelope::ids::ID_RULE
            );
            question = refused(RefusalCode::BadId, text);
            None
        }
        // A refused question takes no id: the id may belong to another turn.
        (Err(_), _) => None,
    };
    InboxQuestion {
        turn: turn.unwrap_or(derived),
        reply,
        question,
    }
}

/// Where a question came from, as its subject says.
enum AskedFrom {
    /// The account of the fleet, or a server without accounts.
    Fleet,
    /// The account of a tenant.
    Account(TenantId),
    /// The account of a tenant, by request and reply.
    Request(TenantId),
    /// Nowhere that a question comes from.
    Nowhere(String),
}

impl AskedFrom {
    fn of(message: &StoredMessage) -> AskedFrom {
        match Subject::parse(&message.subject) {
            _ if message.subject == subject::QUERY => AskedFrom::Fleet,
            Ok(Subject::TenantQuery { tenant }) => AskedFrom::Account(tenant),
            Ok(Subject::TenantAsked { tenant }) => AskedFrom::Request(tenant),
            _ => AskedFrom::Nowhere(message.subject.clone()),
        }
    }

    /// The question with its tenant.
    fn body<'a>(&self, body: &'a [u8]) -> Result<Cow<'a, [u8]>, Refusal> {
        match self {
            AskedFrom::Fleet => Ok(body.into()),
            AskedFrom::Account(tenant) | AskedFrom::Request(tenant) => of_tenant(body, tenant),
            AskedFrom::Nowhere(subject) => Err(Refusal {
                code: RefusalCode::BadId,
                message: format!(
                    "`{subject}` names no tenant; publish to `{}`",
                    subject::QUERY
                ),
                reply_to: None,
            }),
        }
    }

    /// Whether the header may name this subject. That of a request is made by the server, and only gateways store those.
    fn may_reply_to(&self, reply: &str) -> bool {
        matches!(self, AskedFrom::Request(_)) && is_of_another_account(reply) || may_reply_to(reply)
    }

    /// The subject at which the fleet reaches the asker.
    fn reply(&self, reply: &str) -> String {
        match self {
            AskedFrom::Account(tenant) | AskedFrom::Request(tenant) if may_reply_to(reply) => {
                subject::to_tenant(tenant, reply)
            }
            _ => reply.to_owned(),
        }
    }
}

/// The tenant from whose account a question came, whatever the question says.
pub fn tenant_in(message: &StoredMessage) -> Option<TenantId> {
    match AskedFrom::of(message) {
        AskedFrom::Account(tenant) | AskedFrom::Request(tenant) => Some(tenant),
        AskedFrom::Fleet | AskedFrom::Nowhere(_) => None,
    }
}

fn refused(code: RefusalCode, message: String) -> Result<Question, Refusal> {
    Err(Refusal {
        code,
        message,
        reply_to: None,
    })
}

/// The turn that a message of the inbox begins or joins.
pub fn turn_of(message: &StoredMessage) -> TurnId {
    read(message).turn
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Headers;
    use envelope::UnixMs;

    fn asked(subject: &str, body: &str, reply: Option<&str>) -> InboxQuestion {
        let headers = Headers::default();
        read(&StoredMessage {
            subject: subject.into(),
            headers: match reply {
                Some(reply) => headers.with(header::REPLY, reply),
                None => headers,
            },
            body: body.to_owned().into(),
            sequence: 1,
            stored_at: UnixMs(1),
        })
    }

    /// Subject, body, header, then the tenant or the code of the refusal, and where the end is delivered.
    #[test]
    fn the_subject_says_whose_a_question_is_and_where_its_end_goes() {
        const PLAIN: &str = r#"{"question":"q","reply_to":"_INBOX.1"}"#;
        const OTHER: &str = r#"{"question":"q","reply_to":"_INBOX.1","tenant":"bolt"}"#;
        const BARE: &str = r#"{"question":"q"}"#;
        let (fleet, acme, asks) = ("argosy.query", "argosy.query.acme", "argosy.query.acme.ask");
        let to_acme = Some("argosy.to.acme._INBOX.1");
        for (at, body, reply, whose, delivered) in [
            (fleet, PLAIN, None, Ok("default"), Some("_INBOX.1")),
            (fleet, OTHER, None, Ok("bolt"), Some("_INBOX.1")),
            (
                fleet,
                BARE,
                Some("_R_.a.b"),
                Err(RefusalCode::BadReplyTo),
                None,
            ),
            (acme, PLAIN, None, Ok("acme"), to_acme),
            (acme, BARE, Some("_INBOX.1"), Ok("acme"), to_acme),
            (acme, OTHER, None, Err(RefusalCode::OtherTenant), to_acme),
            (
                acme,
                BARE,
                Some("_R_.a.b"),
                Err(RefusalCode::BadReplyTo),
                None,
            ),
            (
                acme,
                BARE,
                Some("argosy.to.bolt._INBOX.1"),
                Err(RefusalCode::BadReplyTo),
                None,
            ),
            (asks, BARE, Some("_R_.a.b"), Ok("acme"), Some("_R_.a.b")),
            (asks, PLAIN, Some("_R_.a.b"), Ok("acme"), to_acme),
            (
                asks,
                OTHER,
                Some("_R_.a.b"),
                Err(RefusalCode::OtherTenant),
                to_acme,
            ),
            (
                "argosy.query.a.b",
                BARE,
                None,
                Err(RefusalCode::BadId),
                None,
            ),
        ] {
            let read = asked(at, body, reply);
            let question = read.question.as_ref();
            let found = question
                .map(|q| q.tenant.as_str())
                .map_err(|refusal| refusal.code);
            assert_eq!(found, whose, "{at} {body} {reply:?}");
            assert_eq!(read.reply.as_deref(), delivered, "{at} {body} {reply:?}");
        }
    }
}
