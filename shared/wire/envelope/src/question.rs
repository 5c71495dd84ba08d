//! The ingress message, which asks a question: its fields, and every reason for refusing it.
//!
//! It is parsed by hand, field by field, because the author of a program in another language needs an error that
//! names the field and the fix. The error of a derived parser names a Rust type.

use crate::filter::{ConditionOrigin, Filter};
use crate::history::History;
use crate::ids::{Bucket, ConversationId, TenantId, TurnId, fnv1a_64};
use crate::limits::{
    BUCKETS_MAX, DEADLINE_MS_MAX, INGRESS_BYTES_MAX, MODEL_NAME_BYTES_MAX, QUESTION_CHARS_MAX,
    ROUNDS_MAX, SEARCHES_MAX,
};
use crate::message::{Budget, Profile, RequestedBudget, UnixMs};
use crate::messages;
use crate::mode::ModeChoice;
use crate::principal::{GROUPS_MAX, Groups};
pub use crate::refusal::{Refusal, RefusalCode};
use crate::refusal::{cut, refuse};
use crate::subject::may_reply_to;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The fields of a question. Anything else is refused by name.
pub(crate) const FIELDS: [&str; 20] = [
    "id",
    "question",
    "messages",
    "conversation",
    "when_busy",
    "after",
    "reply_to_clarification",
    "tenant",
    "groups",
    "mode",
    "profile",
    "model",
    "buckets",
    "filters",
    "deadline",
    "budget",
    "score_min",
    "reply_to",
    "stream",
    "min_seq",
];

/// A parsed question.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The id that the publisher chose, if one.
    pub id: Option<TurnId>,
    /// The question.
    pub question: String,
    /// The earlier messages, where the publisher sends them along instead of naming a conversation.
    pub history: History,
    /// The conversation that it belongs to, if it does.
    pub conversation: Option<ConversationId>,
    /// What is done while another question of its conversation runs; absent means the gateway's default.
    pub when_busy: Option<Busy>,
    /// A turn of the same conversation that has to be in its log before this one.
    pub after: Option<TurnId>,
    /// The turn whose question back it answers, if it names one.
    pub clarification: Option<TurnId>,
    /// The tenant whose documents may be read. Default `default`.
    pub tenant: TenantId,
    /// The groups of readers that the asker belongs to. Default none.
    pub groups: Groups,
    /// How much to do; absent means the gateway's default.
    pub mode: Option<ModeChoice>,
    /// The model that its calls ask for, one of those that the fleet offers; absent means those that are configured.
    pub model: Option<String>,
    /// Class of model; absent means the gateway's default.
    pub profile: Option<Profile>,
    /// Parts of the corpus; empty means all.
    pub buckets: Vec<Bucket>,
    /// What must hold for every passage.
    pub filter: Filter,
    /// When to give up; absent means the gateway's default.
    pub deadline: Option<UnixMs>,
    /// The budget; the gateway's default fills in what it leaves open.
    pub budget: RequestedBudget,
    /// Mean score of the passages of a search below which more is looked for, 0 to 1; absent means the gateway's default.
    pub score_min: Option<f32>,
    /// Where to deliver the terminal event.
    pub reply_to: Option<String>,
    /// Whether stage events and drafts are wanted on `argosy.live.<turn>`.
    pub stream: bool,
    /// Sequence of the corpus stream that has to be searched with; 0 for any.
    pub min_seq: u64,
}

/// What happens to a question while another one of its conversation runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Busy {
    /// It waits for the questions before it.
    #[default]
    Enqueue,
    /// It is refused.
    Reject,
    /// The questions before it are cancelled.
    Interrupt,
}

impl Question {
    /// Parses an ingress message that was stored at `stored_at`. A deadline before `now` is refused; a relative one
    /// counts from `stored_at`, so that a redelivery parses the same.
    pub fn parse(bytes: &[u8], stored_at: UnixMs, now: UnixMs) -> Result<Question, Refusal> {
        let object = object(bytes);
        let reply_to = object.as_ref().ok().and_then(|object| {
            let reply_to = object.get("reply_to")?.as_str()?;
            may_reply_to(reply_to).then(|| reply_to.to_owned())
        });
        let size = bytes.len();
        let read = match size > INGRESS_BYTES_MAX {
            // Whoever sent it waits, so it is told where it asked for that. The server bounds what is read here.
            true => refuse(
                RefusalCode::TooLarge,
                format!("the message has {size} bytes, the limit is {INGRESS_BYTES_MAX}"),
            ),
            false => object.and_then(|object| read(&object, stored_at, now)),
        };
        read.map_err(|refusal| Refusal {
            reply_to,
            ..refusal
        })
    }

    /// A hash that distinguishes two questions under one id. It leaves out the id, and `reply_to`, `stream` and
    /// `deadline`, in which listeners of one turn may differ (a client that asks again with `"90s"` means the same
    /// question). An absent field counts as its default without any configuration: a message has the same hash
    /// whatever a gateway is configured with.
    pub fn hash(&self) -> String {
        let mut asked = json!([
            self.question,
            self.tenant,
            self.mode.unwrap_or_default(),
            self.profile.unwrap_or_default(),
            self.buckets,
            self.filter,
            self.budget.or(Budget::default()),
        ]);
        // Whatever was added later counts only where it is said: without it, the hash is what it always was.
        let said = (&self.conversation, &self.clarification, &self.when_busy);
        let added = [
            // Of a later corpus it is another question.
            (self.min_seq > 0).then(|| self.min_seq.into()),
            (said != (&None, &None, &None)).then(|| json!(said)),
            // Another model may answer otherwise.
            self.model.as_ref().map(|model| json!({ "model": model })),
            // How much is looked for, too.
            self.score_min.map(|least| json!({ "score_min": least })),
            // The same words after others may mean something else.
            (!self.history.is_empty()).then(|| json!(self.history)),
            // Another reader may be answered otherwise.
            (!self.groups.is_empty()).then(|| json!({ "groups": self.groups })),
        ];
        if let Value::Array(asked) = &mut asked {
            asked.extend(added.into_iter().flatten());
        }
        format!("{:016x}", fnv1a_64(asked.to_string().as_bytes()))
    }
}

/// The object of an ingress message.
fn object(bytes: &[u8]) -> Result<Map<String, Value>, Refusal> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return refuse(
            RefusalCode::NotUtf8,
            "the message is not UTF-8 text; send JSON in UTF-8",
        );
    };
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => refuse(
            RefusalCode::NotJson,
            "the message is JSON but not an object; send {\"question\": \"…\"}",
        ),
        Err(error) => refuse(
            RefusalCode::NotJson,
            format!("the message is not JSON ({error}); send {{\"question\": \"…\"}}"),
        ),
    }
}

fn read(object: &Map<String, Value>, stored_at: UnixMs, now: UnixMs) -> Result<Question, Refusal> {
    if let Some(unknown) = object.keys().find(|k| !FIELDS.contains(&k.as_str())) {
        return refuse(
            RefusalCode::UnknownField,
            format!(
                "unknown field `{}`; the fields are {}",
                cut(unknown),
                FIELDS.join(", ")
            ),
        );
    }
    let id = read_id(object, "id", TurnId::new)?;
    if id.as_ref().is_some_and(TurnId::is_derived) {
        return refuse(
            RefusalCode::BadId,
            "`id`: the form t<digits>-<hex> is for ids that are given, not chosen",
        );
    }
    let conversation = read_id(object, "conversation", ConversationId::new)?;
    let question = Question {
        question: read_question(object)?,
        history: messages::read(object)?,
        id,
        when_busy: read_word(object, "when_busy", "enqueue, reject or interrupt")?,
        after: read_id(object, "after", TurnId::new)?,
        clarification: read_id(object, "reply_to_clarification", TurnId::new)?,
        conversation,
        tenant: read_id(object, "tenant", TenantId::new)?.unwrap_or_else(TenantId::default_tenant),
        groups: read_groups(object)?,
        mode: read_word(object, "mode", "agentic, simple, auto or loop")?,
        model: read_model(object)?,
        profile: read_word(object, "profile", "small or large")?,
        buckets: read_buckets(object)?,
        filter: read_filter(object)?,
        deadline: read_deadline(object, stored_at, now)?,
        budget: read_budget(object)?,
        score_min: read_score_min(object)?,
        reply_to: read_reply_to(object)?,
        stream: read_flag(object, "stream")?.unwrap_or(false),
        min_seq: read_min_seq(object)?,
    };
    if field(object, "messages").is_some()
        && (question.conversation.is_some() || question.clarification.is_some())
    {
        return refuse(
            RefusalCode::BadField,
            "`messages` does not go with `conversation` or `reply_to_clarification`, which bring what was said before; leave one of them out",
        );
    }
    let in_conversation = [
        ("when_busy", question.when_busy.is_some()),
        ("after", question.after.is_some()),
    ];
    for (name, is_said) in in_conversation {
        if is_said && question.conversation.is_none() {
            return refuse(
                RefusalCode::BadField,
                format!("`{name}` goes with `conversation`; name that, too"),
            );
        }
    }
    Ok(question)
}

/// The value of a field; `null` counts as left out.
pub(crate) fn field<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|v| !v.is_null())
}

fn read_question(object: &Map<String, Value>) -> Result<String, Refusal> {
    let Some(question) = field(object, "question")
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|q| !q.is_empty())
    else {
        return refuse(
            RefusalCode::MissingQuestion,
            "`question` is missing or empty; send {\"question\": \"…\"}",
        );
    };
    let chars = question.chars().count();
    if chars > QUESTION_CHARS_MAX {
        return refuse(
            RefusalCode::QuestionTooLong,
            format!("the question has {chars} characters, the limit is {QUESTION_CHARS_MAX}"),
        );
    }
    Ok(question.to_owned())
}

pub(crate) fn read_id<T>(
    object: &Map<String, Value>,
    name: &str,
    build: impl Fn(String) -> Result<T, crate::ids::IdError>,
) -> Result<Option<T>, Refusal> {
    match field(object, name) {
        None => Ok(None),
        Some(Value::String(text)) => match build(text.clone()) {
            Ok(id) => Ok(Some(id)),
            Err(error) => refuse(RefusalCode::BadId, format!("`{name}`: {error}")),
        },
        Some(_) => refuse(RefusalCode::BadId, format!("`{name}` must be a string")),
    }
}

/// The value of a field, where it has one that can be read; the refusal says what the field has to be.
pub(crate) fn read_value<T>(
    object: &Map<String, Value>,
    name: &str,
    parse: impl Fn(&Value) -> Option<T>,
    must: impl Fn(&Value) -> String,
) -> Result<Option<T>, Refusal> {
    let Some(value) = field(object, name) else {
        return Ok(None);
    };
    match parse(value) {
        Some(read) => Ok(Some(read)),
        None => refuse(RefusalCode::BadField, format!("`{name}` {}", must(value))),
    }
}

/// What a field is, cut short, and what it can be.
pub(crate) fn wanted(value: &Value, want: &str) -> String {
    format!("is {}; want {want}", cut(&value.to_string()))
}

pub(crate) fn read_word<T: DeserializeOwned>(
    object: &Map<String, Value>,
    name: &str,
    words: &str,
) -> Result<Option<T>, Refusal> {
    let parse = |value: &Value| serde_json::from_value(value.clone()).ok();
    read_value(object, name, parse, |value| wanted(value, words))
}

pub(crate) fn read_flag(object: &Map<String, Value>, name: &str) -> Result<Option<bool>, Refusal> {
    read_value(object, name, Value::as_bool, |_| {
        "must be true or false".into()
    })
}

/// A list of at most so many values; empty where it is left out.
pub(crate) fn read_list<'a>(
    object: &'a Map<String, Value>,
    name: &str,
    max: usize,
    of: &str,
) -> Result<&'a [Value], Refusal> {
    let Some(value) = field(object, name) else {
        return Ok(&[]);
    };
    match value.as_array().filter(|list| list.len() <= max) {
        Some(list) => Ok(list),
        None => refuse(
            RefusalCode::BadField,
            format!("`{name}` must be a list of at most {max}{of}"),
        ),
    }
}

pub(crate) fn read_buckets(object: &Map<String, Value>) -> Result<Vec<Bucket>, Refusal> {
    let names = read_list(object, "buckets", BUCKETS_MAX, " names")?.iter();
    let bucket = |name: &Value| {
        Bucket::new(name.as_str().unwrap_or_default())
            .or_else(|error| refuse(RefusalCode::BadId, format!("`buckets`: {error}")))
    };
    names.map(bucket).collect()
}

/// The groups of the asker; none where they are left out.
pub(crate) fn read_groups(object: &Map<String, Value>) -> Result<Groups, Refusal> {
    let names = read_list(object, "groups", GROUPS_MAX, " names")?.iter();
    let texts = names.map(|name| name.as_str().unwrap_or_default());
    Groups::new(texts).or_else(|error| refuse(RefusalCode::BadField, format!("`groups`: {error}")))
}

pub(crate) fn read_filter(object: &Map<String, Value>) -> Result<Filter, Refusal> {
    match field(object, "filters") {
        None => Ok(Filter::default()),
        Some(value) => Filter::parse(value, ConditionOrigin::User)
            .or_else(|error| refuse(RefusalCode::BadFilter, format!("`filters`: {error}"))),
    }
}

/// A number is Unix milliseconds; a text is a duration from now, such as `"90s"` or `"5m"`.
fn read_deadline(
    object: &Map<String, Value>,
    stored_at: UnixMs,
    now: UnixMs,
) -> Result<Option<UnixMs>, Refusal> {
    let Some(value) = field(object, "deadline") else {
        return Ok(None);
    };
    let at = match value {
        Value::Number(n) => n.as_u64().map(UnixMs),
        Value::String(text) => relative_ms(text).map(|ms| stored_at.plus(ms)),
        _ => None,
    };
    let Some(at) = at else {
        return refuse(
            RefusalCode::BadDeadline,
            "`deadline` must be Unix milliseconds (a number) or a duration such as \"90s\" or \"5m\"",
        );
    };
    if at <= now {
        return refuse(
            RefusalCode::BadDeadline,
            format!(
                "the deadline {} is not in the future (now is {})",
                at.0, now.0
            ),
        );
    }
    if now.until(at) > DEADLINE_MS_MAX {
        return refuse(
            RefusalCode::BadDeadline,
            format!(
                "the deadline is {} s away, the limit is {} s",
                now.until(at) / 1000,
                DEADLINE_MS_MAX / 1000
            ),
        );
    }
    Ok(Some(at))
}

fn relative_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let n: u64 = digits.parse().ok()?;
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    n.checked_mul(factor)
}

fn read_budget(object: &Map<String, Value>) -> Result<RequestedBudget, Refusal> {
    let mut budget = RequestedBudget::default();
    let Some(value) = field(object, "budget") else {
        return Ok(budget);
    };
    let bad = || {
        refuse(
            RefusalCode::BadField,
            format!(
                "`budget` must be an object of whole numbers >= 1: rounds (at most {ROUNDS_MAX}), searches (at most {SEARCHES_MAX}), llm_calls, tokens"
            ),
        )
    };
    let Some(limits) = value.as_object() else {
        return bad();
    };
    for (name, limit) in limits {
        let Some(n) = limit.as_u64().filter(|n| *n > 0) else {
            return bad();
        };
        match name.as_str() {
            "rounds" if n <= u64::from(ROUNDS_MAX) => budget.rounds = Some(n as u8),
            "searches" if n <= u64::from(SEARCHES_MAX) => budget.searches = Some(n as u16),
            "llm_calls" if n <= 10_000 => budget.llm_calls = Some(n as u32),
            "tokens" if n <= 100_000_000 => budget.tokens = Some(n),
            _ => return bad(),
        }
    }
    Ok(budget)
}

fn read_score_min(object: &Map<String, Value>) -> Result<Option<f32>, Refusal> {
    let score = |value: &Value| value.as_f64().filter(|least| (0.0..=1.0).contains(least));
    let read = read_value(object, "score_min", score, |value| {
        wanted(value, "a number from 0 to 1")
    })?;
    Ok(read.map(|least| least as f32))
}

fn read_reply_to(object: &Map<String, Value>) -> Result<Option<String>, Refusal> {
    match field(object, "reply_to") {
        None => Ok(None),
        Some(Value::String(subject)) if may_reply_to(subject) => Ok(Some(subject.clone())),
        Some(other) => refuse(
            RefusalCode::BadReplyTo,
            format!(
                "`reply_to` is {}; answers are sent to `_INBOX.>` or `argosy.reply.>` only",
                cut(&other.to_string())
            ),
        ),
    }
}

fn read_model(object: &Map<String, Value>) -> Result<Option<String>, Refusal> {
    let name = |value: &Value| {
        let name = value.as_str().map(str::trim);
        let fits = |name: &&str| (1..=MODEL_NAME_BYTES_MAX).contains(&name.len());
        name.filter(fits).map(str::to_owned)
    };
    read_value(object, "model", name, |_| {
        format!("must be the name of a model, of 1 to {MODEL_NAME_BYTES_MAX} bytes")
    })
}

fn read_min_seq(object: &Map<String, Value>) -> Result<u64, Refusal> {
    let sequence = read_value(object, "min_seq", Value::as_u64, |_| {
        "must be a whole number: a sequence of the corpus stream, as `argosy index` says it".into()
    })?;
    Ok(sequence.unwrap_or(0))
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
