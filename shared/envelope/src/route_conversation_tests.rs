//! How a turn of a conversation begins.

use super::*;

#[test]
fn a_turn_of_a_conversation_begins_by_reading_what_was_said() {
    let recall = Recall {
        exchanges: vec![ExchangePlace {
            opened: 4,
            ended: 7,
        }],
        answers: None,
    };
    let begun = routed(&header(), &agentic(), Event::Begun(recall.clone()));
    assert_eq!(begun.next, step(recall));
    assert_eq!(
        (begun.header.hop, begun.header.role),
        (0, Role::Conversation)
    );
    let nothing = routed(&begun.header, &begun.case, recalled(Vec::new(), None));
    assert_eq!(nothing.next, step(PlanTask::First));
    let exchange = Exchange {
        question: "who?".into(),
        answer: "nobody".into(),
    };
    let told = routed(
        &begun.header,
        &begun.case,
        recalled(vec![exchange.clone()], None),
    );
    let history = History::of(vec![exchange], Vec::new());
    assert_eq!(told.next, step(PlanTask::FollowUp { history }));
    assert_eq!((told.header.hop, told.header.role), (1, Role::Planner));
    let simple = case(Mode::Simple, Budget::default());
    let searched = routed(&header(), &simple, recalled(Vec::new(), None));
    assert_eq!(searched.next, generating());
}

#[test]
fn without_the_log_a_question_is_taken_by_itself() {
    let broken = Event::Broken(Task::bare(Recall::default()), "log_away");
    let next = routed(&header(), &agentic(), broken);
    assert_eq!(next.next, step(PlanTask::First));
    assert_eq!(next.fallbacks, [Fallback::NoHistory]);
}

#[test]
fn a_reply_goes_on_with_the_question_that_it_is_about() {
    let condition = |field: &str, value: u16| Condition {
        field: field.into(),
        op: Op::Eq,
        value: value.into(),
        origin: Origin::User,
    };
    let parent = TurnId::new("before").unwrap();
    let resume = Resume {
        question: "which?".into(),
        buckets: vec![Bucket::new("invoices").unwrap()],
        filter: Filter(vec![condition("year", 2022), condition("month", 5)]),
    };
    let mut reply = agentic();
    reply.filter = Filter(vec![condition("year", 2023)]);
    let resumed = || Some((parent.clone(), resume.clone()));
    let next = routed(&header(), &reply, recalled(Vec::new(), resumed()));
    let merged = "which? - User clarified: what?";
    assert_eq!(next.case.question.original, merged);
    assert_eq!(next.header.parent, Some(parent.clone()));
    assert_eq!(next.case.buckets, resume.buckets);
    assert_eq!(
        next.case.filter.0,
        [condition("month", 5), condition("year", 2023)]
    );
    let asked_back = routed(
        &header(),
        &next.case,
        Clarification::template(&parent, &no_results()),
    );
    let Next::End(terminal) = asked_back.next else {
        panic!("no end")
    };
    let again = terminal.resume.unwrap();
    assert_eq!(
        (again.question.as_str(), again.filter),
        (merged, next.case.filter)
    );
    reply.buckets = vec![Bucket::new("contracts").unwrap()];
    let next = routed(&header(), &reply, recalled(Vec::new(), resumed()));
    assert_eq!(next.case.buckets, reply.buckets);
}
