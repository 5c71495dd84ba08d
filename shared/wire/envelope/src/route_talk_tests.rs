//! Tests of the graph for turns of a conversation, and for questions that refer to earlier ones.

use super::tests::{
    agentic, case, generating, header, no_results, recalled, routed, scatter, verdict,
};
use super::*;
use crate::filter::{Condition, ConditionOrigin, Filter, Op};
use crate::history::{Exchange, ExchangePlace};
use crate::hop::FanOut;
use crate::ids::{Bucket, ConversationId, TurnId};
use crate::message::Budget;
use crate::payload::Doubt;
use crate::read_mark::ReadMark;
use crate::role::Role;
use crate::terminal::{CLARIFICATION_MS, Outcome};
use crate::{AnswerForm, Citation, DocId};

fn talking() -> Header {
    let conversation = ConversationId::new("c1").ok();
    Header {
        conversation,
        ..header()
    }
}

#[test]
fn a_turn_of_a_conversation_begins_by_reading_what_was_said() {
    let recall = Recall {
        exchanges: vec![ExchangePlace {
            opened: 4,
            ended: 7,
        }],
        ..Recall::default()
    };
    let begun = routed(&talking(), &agentic(), Event::Begun(recall.clone()));
    assert_eq!(begun.next, step(recall));
    assert_eq!(
        (begun.header.hop, begun.header.role),
        (0, Role::Conversation)
    );
    let nothing = routed(&begun.header, &begun.case, recalled(Vec::new(), None));
    // Its first question is given a route, too: a user in a dialogue can be asked back.
    let history = History::default();
    assert_eq!(nothing.next, step(PlanTask::FollowUp { history }));
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
    let next = routed(&talking(), &agentic(), broken);
    let history = History::default();
    assert_eq!(next.next, step(PlanTask::FollowUp { history }));
    assert_eq!(next.fallbacks, [Fallback::NoHistory]);
    let place = ExchangePlace {
        opened: 4,
        ended: 7,
    };
    let reply = Recall {
        exchanges: vec![place],
        answers: Some(place),
        ..Recall::default()
    };
    let broken = Event::Broken(Task::bare(reply), "log_away");
    let Next::End(terminal) = routed(&talking(), &agentic(), broken).next else {
        panic!("a reply alone is no question")
    };
    assert_eq!(terminal.outcome, Outcome::Failed);
}

#[test]
fn a_reply_goes_on_with_the_question_that_it_is_about() {
    let condition =
        |field: &str, value: u16| Condition::new(field, Op::Eq, value, ConditionOrigin::User);
    let parent = TurnId::new("before").unwrap();
    let resume = Resume {
        question: "which?".into(),
        buckets: vec![Bucket::new("invoices").unwrap()],
        filter: Filter(vec![condition("year", 2022), condition("month", 5)]),
        evidence: Vec::new(),
        widens: Some("Search without year = 2022".into()),
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
    let mut widened = agentic();
    widened.question.original = "Search without year = 2022 ".into();
    let next = routed(&header(), &widened, recalled(Vec::new(), resumed()));
    assert_eq!(next.case.question.original, "which?");
    assert!(next.case.buckets.is_empty() && next.case.filter.is_empty());
    assert_eq!(next.header.parent, Some(parent));
}

#[test]
fn an_answer_says_how_its_question_was_searched_for() {
    let mut case = agentic();
    case.question.rewritten = Some("what is it?".into());
    let end = routed(&header(), &case, ValidatorExit::Grounded(verdict()));
    let Next::End(terminal) = end.next else {
        panic!("no end")
    };
    assert_eq!(terminal.rewritten, case.question.rewritten);
}

#[test]
fn what_was_said_may_come_along_with_the_question() {
    let exchange = Exchange {
        question: "who?".into(),
        answer: "nobody".into(),
    };
    let history = History::of(vec![exchange], Vec::new());
    let begun = routed(&header(), &agentic(), Event::Accepted(history.clone()));
    assert_eq!(begun.next, step(PlanTask::FollowUp { history }));
    assert_eq!((begun.header.hop, begun.header.role), (0, Role::Planner));
}

fn leaning() -> Plan {
    Plan {
        query: "what is the pump?".into(),
        rewritten: Some("what is the pump?".into()),
        context: "which pumps are there?".into(),
        ..Plan::default()
    }
}

#[test]
fn a_rewriting_is_known_to_every_later_step() {
    let next = routed(&header(), &agentic(), PlannerExit::Planned(leaning()));
    assert_eq!(next.case.question.best(), "what is the pump?");
    assert_eq!(next.case.question.original, "what?");
    let Next::Step(Payload::Retriever(search)) = next.next else {
        panic!("no search")
    };
    // It stands in one place.
    assert_eq!(search.plan.rewritten, None);
    assert_eq!(search.plan.context, "which pumps are there?");
    let refined = PlannerExit::Planned(Plan::default());
    let later = routed(&header(), &next.case, refined);
    assert_eq!(later.case.question, next.case.question);
}

#[test]
fn known_chunks_are_looked_at_and_answer_in_one_call() {
    let chunks = vec!["d.1".to_owned()];
    let known = PlannerExit::Known {
        plan: leaning(),
        chunks: chunks.clone(),
    };
    let next = routed(&header(), &agentic(), known);
    assert_eq!(next.case.question.best(), "what is the pump?");
    let Next::Step(Payload::Retriever(search)) = next.next else {
        panic!("no search")
    };
    assert_eq!((search.fetch, search.then), (chunks, After::Map));
    let mut found = scatter(1, After::Generate);
    found.plan.form = AnswerForm::Table;
    let found = RetrieverExit::Found(Box::new(found));
    let next = routed(&header(), &next.case, found);
    let Next::Step(Payload::Reducer(ReduceTask::Generate { form, .. })) = next.next else {
        panic!("no answer")
    };
    assert_eq!(form, AnswerForm::Table, "the reducer knows it");
}

#[test]
fn a_planner_that_cannot_tell_asks_the_user() {
    let doubt = Doubt::Unclear {
        query: "and that?".into(),
        reason: "nothing was said before.".into(),
    };
    let next = routed(&header(), &agentic(), PlannerExit::Ask(doubt.clone()));
    assert_eq!(next.next, step(doubt.clone()));
    let question = Clarification::template(&header().turn, &doubt);
    assert_eq!(
        (question.kind.as_str(), question.question.as_str()),
        (
            "unclear",
            "I am not sure what you mean by \"and that?\" (nothing was said before). \
             Could you ask it again with the names in it?"
        )
    );
}

#[test]
fn a_place_is_searched_for_and_answered_from_the_passages() {
    let next = routed(&header(), &agentic(), PlannerExit::Read(leaning()));
    assert_eq!(next.case.question.best(), "what is the pump?");
    let Next::Step(Payload::Retriever(search)) = next.next else {
        panic!("no search")
    };
    assert_eq!(search.then, After::Generate);
}

/// What follows when no draft of this turn stands up to its validator.
fn after_the_last_draft(header: &Header, mode: Mode, stricter_from: &[u16], rounds: u8) -> Next {
    let budget = Budget {
        rounds,
        ..Budget::default()
    };
    let exit = ValidatorExit::Ungrounded {
        verdict: verdict(),
        stricter_from: stricter_from.to_vec(),
        reason: "no citation".into(),
    };
    routed(header, &case(mode, budget), exit).next
}

#[test]
fn a_conversation_is_asked_when_no_draft_stands_up() {
    let asked = step(Doubt::Ungrounded {
        query: "what?".into(),
        reason: "no citation".into(),
    });
    // The stricter draft failed, there was nothing to make one from, or no round is left for it.
    assert_eq!(
        after_the_last_draft(&talking(), Mode::Agentic, &[], 3),
        asked
    );
    assert_eq!(
        after_the_last_draft(&talking(), Mode::Agentic, &[2], 1),
        asked
    );
    let stricter = after_the_last_draft(&talking(), Mode::Agentic, &[2], 3);
    assert!(matches!(
        stricter,
        Next::Step(Payload::Reducer(ReduceTask::Gather { strict: true, .. }))
    ));
}

#[test]
fn a_question_back_takes_along_what_the_last_draft_cites() {
    let cited = Citation {
        page_name: None,
        n: 1,
        doc_id: DocId::new("lease").unwrap(),
        chunk_id: "lease.2".into(),
        title: "Lease".into(),
        source: "lease.md".into(),
        page: None,
        line: 1,
        score: 1.0,
        quote: "It ends.".into(),
    };
    let exit = ValidatorExit::Ungrounded {
        verdict: Verdict {
            citations: vec![cited],
            ..verdict()
        },
        stricter_from: Vec::new(),
        reason: "no citation".into(),
    };
    let doubted = routed(&talking(), &agentic(), exit);
    let question = Clarification::template(&header().turn, &no_results());
    let asked = routed(&doubted.header, &doubted.case, question);
    let Next::End(terminal) = asked.next else {
        panic!("no end")
    };
    assert_eq!(terminal.resume.unwrap().evidence, ["lease.2"]);
    let a_day_later = terminal.ended_at.plus(CLARIFICATION_MS);
    let question = terminal.clarification.unwrap();
    assert_eq!(question.expires, Some(a_day_later));
    let an_hour = 3_600_000;
    let expires = question.expires(terminal.ended_at, an_hour);
    assert_eq!(expires, terminal.ended_at.plus(an_hour));
}

#[test]
fn who_cannot_be_asked_gets_the_best_there_is() {
    let replied = Header {
        parent: TurnId::new("before").ok(),
        ..talking()
    };
    for (header, mode) in [
        (header(), Mode::Agentic),
        (talking(), Mode::Simple),
        (replied, Mode::Agentic),
    ] {
        let Next::End(end) = after_the_last_draft(&header, mode, &[], 3) else {
            panic!("no end")
        };
        assert_eq!((end.outcome, end.low_confidence), (Outcome::Answered, true));
    }
}

#[test]
fn a_question_back_says_what_the_last_draft_failed() {
    let doubt = |reason: &str| Doubt::Ungrounded {
        query: "what do both cost?".into(),
        reason: reason.into(),
    };
    let question = Clarification::template(&header().turn, &doubt("not in the facts: 310"));
    assert_eq!(question.kind, "ungrounded");
    assert_eq!(
        question.question,
        "I could not answer \"what do both cost?\" in a way that the documents bear out (not in the facts: 310). \
         Could you ask for one part of it, or name a document?"
    );
    let bare = Clarification::template(&header().turn, &doubt(""));
    assert!(
        bare.question.contains("bear out. Could"),
        "{}",
        bare.question
    );
}

pub(super) fn insufficient() -> Exit {
    ValidatorExit::Insufficient {
        verdict: verdict(),
        reason: "no price".into(),
        read: ReadMark::of_all(&[]),
    }
    .into()
}

#[test]
fn what_a_draft_leaves_out_is_searched_for_while_there_is_a_round_left() {
    let read = Case {
        scatters: vec![2],
        ..agentic()
    };
    let after = routed(&header(), &read, insufficient());
    let why = "no price".into();
    assert_eq!(after.next, step(PlanTask::Refine { why }));
    assert_eq!((after.case.budget.rounds, after.header.round), (2, 1));
    assert_eq!(after.case.scatters, [2], "the answer is from all of them");

    let flagged = |header: &Header, case: &Case| {
        let after = routed(header, case, insufficient());
        let Next::End(end) = after.next else {
            panic!("no end: {:?}", after.next)
        };
        assert!(end.low_confidence && end.answer.as_deref() == Some("a"));
        after.fallbacks
    };
    let spent = |limit: &str| {
        let limit = limit.into();
        vec![Fallback::BudgetSpent { limit }]
    };
    assert_eq!(flagged(&header(), &agentic()), [], "nobody read by itself");
    let mut last = read.clone();
    last.budget.rounds = 1;
    assert_eq!(flagged(&header(), &last), spent("rounds"));
    let late = Header {
        asked_at: UnixMs(0),
        deadline: UnixMs(2_400),
        ..header()
    };
    assert_eq!(flagged(&late, &read), spent("time"));

    let asked = routed(&talking(), &last, insufficient());
    let doubt = Doubt::Ungrounded {
        query: "what?".into(),
        reason: "no price".into(),
    };
    assert_eq!(asked.next, step(doubt));
}

#[test]
fn a_call_is_kept_back_for_who_judges() {
    let mut judged = agentic();
    judged.judged = true;
    judged.budget.llm_calls = 4;
    let found = RetrieverExit::Found(Box::new(scatter(5, After::Map)));
    let after = routed(&header(), &judged, Exit::from(found));
    let Next::Scatter(found) = after.next else {
        panic!("no scatter")
    };
    assert_eq!((found.passages.len(), after.case.budget.llm_calls), (2, 2));
    judged.budget.llm_calls = 3;
    assert_eq!(judged.round_refused(), Some("llm_calls"));
}

#[test]
fn what_was_read_reaches_the_next_search_and_no_map_step() {
    let fan_out = FanOut {
        hop: 2,
        scatter: scatter(3, After::Map),
        results: Vec::new(),
    };
    let read = ReadMark::of_all(&[fan_out.clone(), fan_out]);
    assert_eq!(read.len(), 3, "each once");
    let case = Case {
        scatters: vec![2],
        ..agentic()
    };
    let why = || "little".to_owned();
    let little = ReducerExit::TooLittle {
        why: why(),
        read: read.clone(),
    };
    let refine = routed(&header(), &case, Exit::from(little));
    assert_eq!(refine.case.read, read);
    let planned = Exit::from(PlannerExit::Planned(Plan::default()));
    let task = Task::bare(PlanTask::Refine { why: why() });
    // A planner that is broken for good does not end it: the question itself reads on.
    for event in [Event::Exit(planned), Event::Broken(task, "bug")] {
        let search = routed(&refine.header, &refine.case, event);
        assert_eq!((&search.case.read, search.header.round), (&read, 1));
        assert_eq!(search.header.role, Role::Retriever);
        let found = RetrieverExit::Found(Box::new(scatter(3, After::Map)));
        let mapped = routed(&search.header, &search.case, Exit::from(found));
        assert!(mapped.case.read.is_empty() && mapped.case.scatters.len() == 2);
    }
}
