//! Tests of what follows from the attempts of one call. The nodes are fakes over real HTTP.

use super::*;
use testkit::node::{FakeNode, FakeNodeBehaviour, OverflowWording};

const LONG: Duration = Duration::from_secs(20);

fn request() -> ChatRequest {
    testkit::model::request(Role::Planner, "Who is it?")
}

/// A pool over two nodes that are asked in turn.
fn pair(a: &FakeNode, b: &FakeNode) -> Pool {
    let mut options = Options::one_node("tiny", a.base_url());
    options.nodes.push(options::Node {
        name: "node-1".into(),
        base_url: b.base_url(),
        max_in_flight: 1,
        ..options::Node::default()
    });
    options.policy = crate::BalancePolicy::RoundRobin;
    options.hedge = vec![Role::Planner];
    options.hedge_share = 0.5;
    Pool::new(options, &Registry::new()).unwrap()
}

#[tokio::test]
async fn a_node_that_failed_is_not_asked_again_at_once_while_the_other_is_full() {
    let [a, b] = [
        FakeNode::saying("a").await.unwrap(),
        FakeNode::saying("b").await.unwrap(),
    ];
    let pool = pair(&a, &b);
    let (tenant, turn) = (TenantId::default_tenant(), TurnId::new("t1").unwrap());
    let (asked, until) = (request(), Instant::now() + LONG);
    let ask = Ask::new(&tenant, &turn, 1, 1);
    let job = Job::new(Role::Planner, ask, until, Work::Chat(&asked));
    let wait_after = || {
        let failure = Failure::Down {
            reason: "reset".into(),
            retry_after: None,
        };
        let miss = FailedAttempt {
            node: Some(0),
            name: "node-0".into(),
            failure,
        };
        match pool.shared.after(&job, miss, &mut Tried::default()) {
            Step::Again { wait, .. } => wait,
            step => panic!("{step:?}"),
        }
    };
    assert_eq!(wait_after(), Some(Duration::ZERO), "the other has room");
    let elsewhere = Ask {
        tried: &[0],
        ..job.ask
    };
    let grant = pool.shared.balance().take(&elsewhere, Instant::now());
    assert_eq!(grant.unwrap().node.id, 1);
    assert_eq!(wait_after(), None, "as long as the back-off says");
}

#[tokio::test]
async fn what_the_loser_of_a_race_said_is_learned() {
    for refusal in [
        FakeNodeBehaviour::Overflow(OverflowWording::Vllm, 4_096),
        FakeNodeBehaviour::Reject(&["json_schema"], 400),
    ] {
        let [a, b] = [
            FakeNode::saying("{}").await.unwrap(),
            FakeNode::saying("{}").await.unwrap(),
        ];
        a.always(FakeNodeBehaviour::Slow(Duration::from_millis(400)));
        b.always(refusal.clone());
        let pool = pair(&a, &b);
        // Whatever takes longer than a moment is late.
        for _ in 0..20 {
            pool.shared.balance().took(Duration::from_millis(1));
        }
        let schema = llm::ReplySchema {
            name: "facts",
            json: serde_json::json!({"type": "object"}),
        };
        let request = ChatRequest {
            schema: Some(schema),
            ..request()
        };
        assert_eq!(pool.chat(&request).await.unwrap().text, "{}");
        assert_eq!((a.seen().calls, b.seen().calls), (1, 1), "{refusal:?}");
        let nodes = pool.nodes();
        let learned = (nodes[1].context, nodes[1].dialect.as_str());
        let wanted = match refusal {
            FakeNodeBehaviour::Overflow(_, context) => (Some(context), "json_schema"),
            _ => (None, "json_object"),
        };
        assert_eq!(learned, wanted);
    }
}
