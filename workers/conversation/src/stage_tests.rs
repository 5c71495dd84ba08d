//! Tests of the recall from a log that the test writes.

use super::*;
use conversation_log::{
    EventKind, KeptText, LogEvent, SourceError, State, TurnEnd, TurnOpening, VERSION,
};
use envelope::{
    Case, Clarification, ConversationId, Exchange, ExchangePlace, Outcome, Resume, TurnId, UnixMs,
};
use stage::BoxFuture;
use std::collections::BTreeMap;
use testkit::model::step;

/// Events by sequence; a log that fails when it is empty.
struct Written(BTreeMap<u64, EventKind>);

impl EventSource for Written {
    fn events<'a>(
        &'a self,
        key: &'a ConversationKey,
        sequences: &'a [u64],
    ) -> BoxFuture<'a, Result<Vec<Option<LogEvent>>, SourceError>> {
        assert_eq!(key.to_string(), "default/talk");
        let event = |sequence| {
            let event = self.0.get(sequence)?.clone();
            Some(LogEvent {
                v: VERSION,
                at: UnixMs(1),
                event,
                state: State::default(),
            })
        };
        let events = match self.0.is_empty() {
            true => Err(SourceError::Away("no responders".into())),
            false => Ok(sequences.iter().map(event).collect()),
        };
        Box::pin(std::future::ready(events))
    }
}

fn opened(question: &str) -> EventKind {
    let header = step(Role::Conversation, question).header;
    let mut case = Case::default();
    case.question.original = question.into();
    EventKind::Opened(Box::new(TurnOpening {
        header,
        case,
        inbox: 1,
        answers: None,
    }))
}

fn ended(answer: &str) -> TurnEnd {
    TurnEnd {
        turn: TurnId::new("before").unwrap(),
        outcome: Some(Outcome::Answered),
        at: UnixMs(1),
        answer: Some(KeptText::answer(answer)),
        rewritten: None,
        question: None,
        evidence: vec![format!("{answer}.1")],
        clarification: None,
        resume: None,
        expires: None,
    }
}

fn place(opened: u64, ended: u64) -> ExchangePlace {
    ExchangePlace { opened, ended }
}

async fn recalled(
    events: impl IntoIterator<Item = (u64, EventKind)>,
    recall: Recall,
) -> stage::StepResult<ConversationExit> {
    let mut cx = step(Role::Conversation, "And the lease?");
    cx.header.conversation = Some(ConversationId::new("talk").unwrap());
    let source = Arc::new(Written(events.into_iter().collect()));
    Conversation::new(source).run(&cx, recall).await
}

#[tokio::test]
async fn exchanges_come_in_their_order_with_the_evidence_of_the_last() {
    let rewritten = TurnEnd {
        rewritten: Some("Who signed the lease?".into()),
        ..ended("nobody")
    };
    let events = [
        (1, opened("Who?")),
        (4, EventKind::Ended(Box::new(rewritten))),
        (5, opened("When?")),
        (9, EventKind::Ended(Box::new(ended("never")))),
    ];
    let recall = Recall {
        exchanges: vec![place(1, 4), place(5, 9)],
        answers: None,
        ..Recall::default()
    };
    let done = recalled(events, recall).await.unwrap();
    let ConversationExit::Recalled { history, resumed } = done.out;
    let exchange = |question: &str, answer: &str| Exchange {
        question: question.into(),
        answer: answer.into(),
    };
    assert_eq!(
        history.exchanges,
        [
            exchange("Who signed the lease?", "nobody"),
            exchange("When?", "never")
        ]
    );
    assert_eq!(history.evidence, ["never.1"]);
    assert_eq!(resumed, None);
    assert_eq!(done.decided, "2 exchanges before");
}

#[tokio::test]
async fn a_question_back_leaves_the_evidence_of_the_answer_before_it() {
    let asked_back = TurnEnd {
        outcome: Some(Outcome::Clarification),
        answer: None,
        evidence: Vec::new(),
        clarification: Some(Clarification {
            id: "before".into(),
            kind: "unclear".into(),
            question: "Which?".into(),
            options: Vec::new(),
            widens: None,
            expires: None,
        }),
        ..ended("")
    };
    let events = [
        (1, opened("When?")),
        (4, EventKind::Ended(Box::new(ended("never")))),
        (5, opened("And that?")),
        (9, EventKind::Ended(Box::new(asked_back))),
    ];
    let recall = Recall {
        exchanges: vec![place(1, 4), place(5, 9)],
        ..Recall::default()
    };
    let done = recalled(events, recall).await.unwrap();
    let ConversationExit::Recalled { history, .. } = done.out;
    assert_eq!(history.evidence, ["never.1"]);
}

#[tokio::test]
async fn a_reply_has_what_the_doubted_answer_stood_on_before_what_the_last_one_does() {
    let asked_back = TurnEnd {
        outcome: Some(Outcome::Clarification),
        answer: None,
        evidence: Vec::new(),
        resume: Some(Resume {
            evidence: vec!["lease.2".into(), "never.1".into()],
            ..Resume::default()
        }),
        ..ended("")
    };
    let events = [
        (1, opened("When?")),
        (4, EventKind::Ended(Box::new(ended("never")))),
        (5, opened("And that?")),
        (9, EventKind::Ended(Box::new(asked_back))),
    ];
    let recall = Recall {
        exchanges: vec![place(1, 4)],
        answers: Some(place(5, 9)),
        ..Recall::default()
    };
    let done = recalled(events, recall).await.unwrap();
    let ConversationExit::Recalled { history, .. } = done.out;
    assert_eq!(history.evidence, ["lease.2", "never.1"]);
}

/// Where the end of an exchange repeats its question, the event that opened it need not be there.
#[tokio::test]
async fn an_end_that_tells_its_question_is_all_that_is_read() {
    let asked = TurnEnd {
        question: Some("Who?".into()),
        ..ended("nobody")
    };
    let events = [
        (4, EventKind::Ended(Box::new(asked))),
        (5, opened("When?")),
        (9, EventKind::Ended(Box::new(ended("never")))),
    ];
    let recall = Recall {
        exchanges: vec![place(1, 4), place(5, 9)],
        ..Recall::default()
    };
    let done = recalled(events, recall).await.unwrap();
    let ConversationExit::Recalled { history, .. } = done.out;
    let questions = history.exchanges.iter().map(|said| &*said.question);
    assert_eq!(questions.collect::<Vec<_>>(), ["Who?", "When?"]);
    assert_eq!(done.fallbacks, []);
}

#[tokio::test]
async fn what_the_log_no_longer_has_is_counted() {
    let events = [(9, EventKind::Ended(Box::new(ended("never"))))];
    let recall = Recall {
        exchanges: vec![place(5, 9)],
        answers: None,
        ..Recall::default()
    };
    let done = recalled(events, recall).await.unwrap();
    assert_eq!(done.decided, "nothing was said before, 1 left out");
    assert_eq!(done.fallbacks, [Fallback::HistoryGone { count: 1 }]);
}

#[tokio::test]
async fn a_conversation_that_is_longer_than_is_kept_is_told_so() {
    let long = Recall {
        turns_kept: Some(16),
        ..Recall::default()
    };
    let told = [Fallback::ConversationTrimmed { turns: 16 }];
    assert_eq!(recalled([], long).await.unwrap().fallbacks, told);
    let short = recalled([], Recall::default()).await.unwrap();
    assert_eq!(short.fallbacks, []);
}

#[tokio::test]
async fn a_reply_knows_what_it_is_about() {
    let resume = Resume {
        question: "Which lease?".into(),
        ..Resume::default()
    };
    let asked = TurnEnd {
        answer: None,
        clarification: Some(Clarification {
            id: "before".into(),
            kind: "no_results".into(),
            question: "Of which year?".into(),
            options: Vec::new(),
            widens: None,
            expires: None,
        }),
        resume: Some(resume.clone()),
        ..ended("")
    };
    let events = [
        (1, opened("Which lease?")),
        (2, EventKind::Ended(Box::new(asked))),
    ];
    let recall = Recall {
        exchanges: vec![place(1, 2)],
        answers: Some(place(1, 2)),
        ..Recall::default()
    };
    let done = recalled(events, recall).await.unwrap();
    let ConversationExit::Recalled { history, resumed } = done.out;
    assert_eq!(history.exchanges[0].answer, "Of which year?");
    assert_eq!(resumed, Some((TurnId::new("before").unwrap(), resume)));
    assert_eq!(done.decided, "1 exchange before, answers a question back");
}

#[tokio::test]
async fn a_reply_to_what_is_no_longer_kept_is_no_question_of_its_own() {
    let events = [(9, EventKind::Ended(Box::new(ended("never"))))];
    let recall = Recall {
        exchanges: Vec::new(),
        answers: Some(place(5, 8)),
        ..Recall::default()
    };
    let error = recalled(events, recall).await.unwrap_err();
    assert_eq!(
        (error.class, error.code),
        (Class::Permanent, "clarification_gone")
    );
}

#[tokio::test]
async fn a_first_turn_reads_nothing_and_a_log_that_is_away_is_waited_for() {
    let done = recalled([], Recall::default()).await.unwrap();
    assert_eq!(done.decided, "nothing was said before");
    let recall = Recall {
        exchanges: vec![place(1, 2)],
        answers: None,
        ..Recall::default()
    };
    let error = recalled([], recall).await.unwrap_err();
    assert_eq!((error.class, error.code), (Class::Transient, "log_away"));
}
