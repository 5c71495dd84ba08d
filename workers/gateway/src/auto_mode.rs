//! Decides the mode of a question that leaves it open (mode `auto`). Pure.
//!
//! The rules are those of [`text::question::scope`], which the planner uses as a fallback, too; no model is called.
//! The mode is decided once, before hop 0, so every later step knows two modes only. *Not* here: the steps of each
//! mode, which the graph decides.

use envelope::{Case, Mode, Question};
use text::question::{QuestionScope, scope};

/// The reason for a reply to a question back, which needs the question that it answers.
const REPLY: &str = "reply";

/// The mode of `question`, and the reason.
pub(crate) fn decide(question: &Question) -> (Mode, &'static str) {
    if question.clarification.is_some() {
        return (Mode::Agentic, REPLY);
    }
    let follows = question.conversation.is_some() || !question.history.is_empty();
    let scope = scope(&question.question, follows);
    let mode = match scope {
        QuestionScope::OneSearch => Mode::Simple,
        QuestionScope::Comparison
        | QuestionScope::Steps
        | QuestionScope::Timeline
        | QuestionScope::Documents
        | QuestionScope::Summary
        | QuestionScope::FollowUp
        | QuestionScope::Unread => Mode::Agentic,
    };
    (mode, scope.as_str())
}

/// The case of a turn that turns out to answer a question back of its conversation.
pub(crate) fn of_reply(case: Case) -> Case {
    match case.mode_reason {
        None => case,
        Some(_) => Case {
            mode: Mode::Agentic,
            mode_reason: Some(REPLY.to_owned()),
            ..case
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::UnixMs;

    fn decided(json: serde_json::Value) -> (Mode, &'static str) {
        let bytes = json.to_string();
        let question = Question::parse(bytes.as_bytes(), UnixMs(1), UnixMs(1)).unwrap();
        decide(&question)
    }

    #[test]
    fn one_search_is_simple_and_everything_else_is_agentic() {
        for (question, wanted) in [
            ("Who signed the lease?", (Mode::Simple, "one_search")),
            (
                "Compare the leases of Orsted and Vale",
                (Mode::Agentic, "comparison"),
            ),
            ("How many leases are there?", (Mode::Agentic, "documents")),
            (
                "Wer hat den Mietvertrag unterschrieben?",
                (Mode::Agentic, "unread"),
            ),
        ] {
            assert_eq!(
                decided(serde_json::json!({"question": question})),
                wanted,
                "{question}"
            );
        }
    }

    #[test]
    fn what_was_said_before_makes_a_question_agentic_that_leans_on_it() {
        let asked = |question: &str, also: &str| {
            let mut json = serde_json::json!({"question": question});
            json[also] = match also {
                "messages" => serde_json::json!([{"role": "user", "content": "Is there a lease?"}]),
                _ => "c-1".into(),
            };
            decided(json)
        };
        for also in ["messages", "conversation"] {
            assert_eq!(
                asked("When does it end?", also),
                (Mode::Agentic, "follow_up")
            );
            let alone = asked("When does the lease of Orsted end?", also);
            assert_eq!(alone, (Mode::Simple, "one_search"));
        }
        let reply = asked("Who signed the lease of Orsted?", "reply_to_clarification");
        assert_eq!(reply, (Mode::Agentic, "reply"));
    }

    #[test]
    fn a_reply_changes_no_mode_that_was_named() {
        let named = Case {
            mode: Mode::Simple,
            ..Case::default()
        };
        assert_eq!(of_reply(named.clone()), named);
        let auto = Case {
            mode_reason: Some("one_search".into()),
            ..named
        };
        let reply = of_reply(auto).auto().unwrap();
        assert_eq!(
            (reply.mode, reply.reason.as_str()),
            (Mode::Agentic, "reply")
        );
    }
}
