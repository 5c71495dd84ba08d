//! Tests a second model that judges the drafts of the first one. It has a draft written once more, and while it is
//! away, rules alone check the answer. A configuration in which the judge is also the writer is refused at the start.

use crate::fleet::{Fleet, PATIENCE, connect};
use crate::model::{self, CALLS};
use crate::turns::{publish, question, terminals, wait_for_ends};
use bus::Bus;
use envelope::{Fallback, Grounding, Outcome, Role, Terminal};
use std::time::Duration;
use testkit::node::{FakeNode, FakeNodeBehaviour};

const MADE_UP: &str = r#"{"grounding": "HALLUCINATING", "sufficiency": "SUFFICIENT", "reason": "No passage names days."}"#;
const OPEN: &str =
    r#"{"grounding": "GROUNDED", "sufficiency": "INSUFFICIENT", "reason": "No day is named."}"#;
const GOOD: &str = r#"{"grounding": "GROUNDED", "sufficiency": "SUFFICIENT", "reason": ""}"#;

/// The options that make the validator ask a node for a model of this name.
fn judged_by(node: &FakeNode, model: &str) -> [String; 4] {
    let url = node.base_url();
    [
        format!("models.judge.model={model}"),
        format!(r#"models.judge.nodes=[{{"name":"judge","base_url":"{url}"}}]"#),
        "model_of.validator=judge".into(),
        "validator.call_timeout=2s".into(),
    ]
}

/// How the turn of this id ends, asked now.
async fn asked(bus: &dyn Bus, id: &str) -> Terminal {
    let before = terminals(bus).await.len() as u64;
    publish(bus, vec![question(Some(id.into()), "60s")]).await;
    wait_for_ends(bus, before + 1, PATIENCE).await;
    let ended = terminals(bus).await;
    let own = ended.into_iter().find(|end| end.turn.as_str() == id);
    own.expect("an end")
}

/// The decisions of the turn's validator, step by step.
fn said(terminal: &Terminal) -> Vec<&str> {
    let trail = terminal.trail.iter();
    let own = trail.filter(|entry| entry.role == Role::Validator);
    own.map(|entry| entry.decided.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_model_has_a_draft_written_once_more() {
    let server = testkit::nats::server().await;
    let (writer, judge) = (
        model::node(Duration::ZERO).await,
        FakeNode::saying(GOOD).await,
    );
    let judge = judge.expect("a fake node");
    judge.script([FakeNodeBehaviour::Say(MADE_UP.into())]);
    let mut options = model::options(&writer);
    options.extend(judged_by(&judge, "judge"));
    let mut fleet = Fleet::new(server.url(), options);
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;

    let twice = asked(&*bus, "twice").await;
    assert_eq!(twice.outcome, Outcome::Answered, "{twice:?}");
    let [first, second] = said(&twice)[..] else {
        panic!("{:?}", twice.trail)
    };
    assert!(
        first.ends_with("; judged hallucinating, sufficient"),
        "{first}"
    );
    assert!(
        second.ends_with("; judged grounded, sufficient"),
        "{second}"
    );
    let judgement = twice.judgement.expect("a judgement");
    assert_eq!(judgement.grounding, Grounding::Grounded);
    let fallbacks = twice.trail.iter().flat_map(|entry| &entry.fallbacks);
    assert!(fallbacks.into_iter().any(|one| *one == Fallback::Stricter));
    assert_eq!((writer.seen().calls, judge.seen().calls), (CALLS + 1, 2));
    assert_eq!(
        twice.usage.calls as usize,
        CALLS + 3,
        "all of them are paid"
    );
    let text = fleet.command(&["trace", "twice"]).await;
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        text.contains("a model takes the answer for made up"),
        "{text}"
    );
    let shown = fleet.json(&["answer", "twice"]).await;
    assert_eq!(shown["judgement"]["grounding"], "grounded", "{shown}");

    judge.always(FakeNodeBehaviour::Status(500, "away".into(), None));
    let alone = asked(&*bus, "alone").await;
    assert_eq!(alone.outcome, Outcome::Answered, "{alone:?}");
    assert_eq!((alone.judgement, alone.low_confidence), (None, false));
    let notice = alone.notices.iter().find(|one| one.contains("rules alone"));
    assert!(notice.is_some(), "{:?}", alone.notices);
    let validator = fleet.of(Role::Validator);
    let fallbacks = "argosy_fallbacks_total";
    let unjudged = validator.counter(fallbacks, &["unjudged"]).await;
    let verdicts = "argosy_validations_total";
    let ungrounded = validator.counter(verdicts, &["\"ungrounded\""]).await;
    assert_eq!((unjudged, ungrounded), (1, 1));
    fleet.drain().await;
}

/// The first draft leaves something open, and the judge takes the draft after the next search for made up, twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_better_of_the_drafts_is_answered() {
    let server = testkit::nats::server().await;
    let (writer, judge) = (
        model::node(Duration::ZERO).await,
        FakeNode::saying(MADE_UP).await,
    );
    let judge = judge.expect("a fake node");
    judge.script([FakeNodeBehaviour::Say(OPEN.into())]);
    let mut options = model::options(&writer);
    options.extend(judged_by(&judge, "judge"));
    let mut fleet = Fleet::new(server.url(), options);
    fleet.setup().await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;

    let better = asked(&*bus, "better").await;
    assert_eq!(better.outcome, Outcome::Answered, "{better:?}");
    let checks: Vec<_> = better
        .trail
        .iter()
        .filter(|e| e.role == Role::Validator)
        .collect();
    let [first, _, last] = checks[..] else {
        panic!("{:?}", better.trail)
    };
    let earlier = Fallback::EarlierDraft { hop: first.hop };
    assert!(last.fallbacks.contains(&earlier), "{last:?}");
    // What a judge leaves of one that is incomplete, and of one that it takes for made up.
    assert_eq!(
        (better.confidence, better.low_confidence),
        (Some(0.5), true)
    );
    assert!(last.decided.contains("confidence 0.20"), "{}", last.decided);
    let notice = better
        .notices
        .iter()
        .find(|one| one.contains("better of the drafts"));
    assert!(notice.is_some(), "{:?}", better.notices);
    fleet.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_small_model_is_not_taken_as_its_own_judge() {
    let node = model::node(Duration::ZERO).await;
    let mut options = model::options(&node);
    options.extend(judged_by(&node, "fake"));
    let fleet = Fleet::new("nats://127.0.0.1:9".into(), options);
    let refused = fleet.command(&["setup"]).await;
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    for part in ["`model_of.validator`", "`fake`", "`model.profile`"] {
        assert!(told.contains(part), "{told}");
    }
}
