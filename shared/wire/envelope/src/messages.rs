//! Reads the earlier messages that come with a question from a client that keeps its dialogues itself.
//!
//! The list of messages, as chat interfaces have it, becomes a [`History`], so that the rest of the system sees no
//! difference to a conversation. It has no evidence: only a conversation remembers which chunks an answer cited.

use crate::history::{Exchange, History};
use crate::limits::{MESSAGE_CHARS_MAX, MESSAGES_MAX};
use crate::question::read_list;
use crate::refusal::{Refusal, RefusalCode, refuse};
use serde_json::{Map, Value};

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    User,
    Assistant,
}

/// The field `messages`; nothing was said where it is left out.
pub(crate) fn read(object: &Map<String, Value>) -> Result<History, Refusal> {
    let of = ", oldest first and without the question itself";
    let list = read_list(object, "messages", MESSAGES_MAX, of)?;
    let messages: Result<Vec<_>, _> = list.iter().enumerate().map(message).collect();
    Ok(History::of(exchanges(messages?), Vec::new()))
}

fn bad<T>(message: String) -> Result<T, Refusal> {
    refuse(RefusalCode::BadField, message)
}

fn message((n, value): (usize, &Value)) -> Result<(Speaker, &str), Refusal> {
    let text = |name| value.get(name).and_then(Value::as_str);
    let is_whole = value.as_object().is_some_and(|object| object.len() == 2);
    let (Some(role), Some(content), true) = (text("role"), text("content"), is_whole) else {
        return bad(format!(
            "`messages[{n}]` must be {{\"role\": …, \"content\": …}}, two texts and nothing else"
        ));
    };
    let speaker = match role {
        "user" => Speaker::User,
        "assistant" => Speaker::Assistant,
        _ => return bad(format!("`messages[{n}].role` must be user or assistant")),
    };
    let chars = content.chars().count();
    if chars > MESSAGE_CHARS_MAX {
        return bad(format!(
            "`messages[{n}].content` has {chars} characters, the limit is {MESSAGE_CHARS_MAX}; send its beginning"
        ));
    }
    Ok((speaker, content.trim()))
}

/// Questions with their answers. Messages of one speaker in a row are one; what the assistant said before any
/// question answers none.
fn exchanges(messages: Vec<(Speaker, &str)>) -> Vec<Exchange> {
    let mut exchanges: Vec<Exchange> = Vec::new();
    let mut last = Speaker::Assistant;
    for (speaker, content) in messages.into_iter().filter(|(_, text)| !text.is_empty()) {
        let begins = speaker == Speaker::User && last == Speaker::Assistant;
        if begins {
            exchanges.push(Exchange::default());
        }
        last = speaker;
        let Some(exchange) = exchanges.last_mut() else {
            continue;
        };
        let text = match speaker {
            Speaker::User => &mut exchange.question,
            Speaker::Assistant => &mut exchange.answer,
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(content);
    }
    exchanges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::UnixMs;
    use crate::question::Question;
    use proptest::prelude::*;
    use serde_json::json;

    fn parse(rest: &Value) -> Result<Question, Refusal> {
        let mut question = json!({"question": "And in June?"});
        let fields = rest.as_object().into_iter().flatten();
        for (name, value) in fields {
            question[name] = value.clone();
        }
        Question::parse(question.to_string().as_bytes(), UnixMs(1), UnixMs(1))
    }

    fn said(list: &[(&str, &str)]) -> Value {
        let message = |(role, content): &(&str, &str)| json!({"role": role, "content": content});
        json!({"messages": list.iter().map(message).collect::<Vec<_>>()})
    }

    #[test]
    fn they_become_exchanges() {
        let question = parse(&said(&[
            ("assistant", "Hello!"),
            ("user", "Good morning."),
            ("user", "What failed in May?"),
            ("assistant", " Two lamps [1]. "),
            ("assistant", "And a pump."),
            ("user", "Which pump?"),
        ]))
        .unwrap();
        let exchange = |question: &str, answer: &str| Exchange {
            question: question.into(),
            answer: answer.into(),
        };
        let all = vec![
            exchange(
                "Good morning.\nWhat failed in May?",
                "Two lamps [1].\nAnd a pump.",
            ),
            exchange("Which pump?", ""),
        ];
        assert_eq!(question.history, History::of(all, Vec::new()));
    }

    #[test]
    fn it_is_another_question_after_other_words() {
        let hash = |rest: &Value| parse(rest).unwrap().hash();
        let (may, july) = (said(&[("user", "In May?")]), said(&[("user", "In July?")]));
        assert_ne!(hash(&may), hash(&july));
        assert_ne!(hash(&may), hash(&json!({})));
        for nothing in [
            json!({"messages": null}),
            said(&[]),
            said(&[("assistant", "Hi")]),
        ] {
            assert_eq!(hash(&nothing), hash(&json!({})));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let long = "x".repeat(MESSAGE_CHARS_MAX + 1);
        let many = vec![("user", "q"); MESSAGES_MAX + 1];
        for (wrong, named) in [
            (json!({"messages": "hello"}), "`messages` must be a list"),
            (said(&many), "at most 64"),
            (json!({"messages": ["hello"]}), "`messages[0]` must be"),
            (
                json!({"messages": [{"role": "user"}]}),
                "`messages[0]` must be",
            ),
            (
                json!({"messages": [{"role": "user", "content": "q", "name": "me"}]}),
                "nothing else",
            ),
            (
                said(&[("user", "q"), ("system", "be nice")]),
                "`messages[1].role` must be user or assistant",
            ),
            (said(&[("user", &long)]), "`messages[0].content` has 8001"),
            (
                json!({"conversation": "c1", "messages": []}),
                "does not go with `conversation`",
            ),
        ] {
            let refusal = parse(&wrong).unwrap_err();
            assert_eq!(refusal.code, RefusalCode::BadField);
            assert!(refusal.message.contains(named), "{}", refusal.message);
        }
    }

    proptest! {
        #[test]
        fn a_question_comes_first_in_every_exchange(turns in prop::collection::vec((any::<bool>(), "[ a-c]{0,4}"), 0..20)) {
            let speaker = |is_user: bool| if is_user { Speaker::User } else { Speaker::Assistant };
            let messages: Vec<_> = turns.iter().map(|(user, text)| (speaker(*user), text.trim())).collect();
            let exchanges = exchanges(messages);
            prop_assert!(exchanges.iter().all(|exchange| !exchange.question.is_empty()));
            let open = exchanges.iter().rev().skip(1).any(|exchange| exchange.answer.is_empty());
            prop_assert!(!open);
        }
    }
}
