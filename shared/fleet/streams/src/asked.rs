//! Parsing an ingress message: the question, its turn, and where the answer goes. Pure.

use bus::StoredMessage;
use envelope::question::Question;
use envelope::subject::may_reply_to;
use envelope::{Refusal, RefusalCode, TurnId, WIRE, header};

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
pub fn read(message: &StoredMessage) -> InboxQuestion {
    let derived = TurnId::derived(message.sequence, message.stored_at.0);
    let mut question = Question::parse(&message.body, message.stored_at, message.stored_at);
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
    if let Some(subject) = message.headers.get(header::REPLY) {
        if may_reply_to(subject) {
            reply = reply.or_else(|| Some(subject.to_owned()));
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
