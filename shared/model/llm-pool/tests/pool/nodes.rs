//! Tests of what the pool learns about nodes from many calls: the circuit breaker, hedged calls, and the limit of calls
//! that a node gets at once. The nodes are simulated, over real HTTP.

use super::*;
use argosy_llm_pool::NodeView;
use testkit::sim_node::{self, Lengths, Params, RetryAfter, SimNode};
use tokio::task::JoinSet;
use tokio::time::sleep;

type Does = sim_node::Behaviour;

/// A node that answers in some 50 ms and has so many slots.
async fn sim(slots: usize) -> SimNode {
    sim_of(slots, Lengths { min: 40, max: 40 }).await
}

/// One whose answers are so long, as far as they may be.
async fn sim_of(slots: usize, lengths: Lengths) -> SimNode {
    let options = sim_node::Options {
        params: Params {
            slots,
            step_base: Duration::from_millis(1),
            per_sequence: Duration::from_micros(10),
            ..Params::default()
        },
        lengths,
        chunk_tokens: 10,
        ..sim_node::Options::default()
    };
    SimNode::start(options).await.unwrap()
}

fn on(nodes: &[&SimNode]) -> Options {
    let nodes = nodes
        .iter()
        .zip(["a", "b"])
        .map(|(node, name)| options::Node {
            name: name.into(),
            base_url: node.base_url(),
            ..options::Node::default()
        });
    Options {
        nodes: nodes.collect(),
        policy: BalancePolicy::Balanced,
        ..options(&[])
    }
}

/// A call of a question of its own, so that no prompt is cached and no node is home to all.
async fn call(pool: &Pool, n: usize) -> Result<ChatReply, Error> {
    let request = ChatRequest {
        turn: TurnId::new(format!("t{n}")).unwrap(),
        user: format!("Who wrote number {n}?"),
        ..request()
    };
    pool.chat(&request).await
}

/// Keeps `at_once` calls in flight until `calls` are done; every one has to be answered.
async fn load(pool: &Arc<Pool>, at_once: usize, calls: usize) {
    let mut working = JoinSet::new();
    for worker in 0..at_once {
        let pool = pool.clone();
        working.spawn(async move {
            for n in (worker..calls).step_by(at_once) {
                call(&pool, n).await.unwrap();
            }
        });
    }
    while let Some(done) = working.join_next().await {
        done.unwrap();
    }
}

fn view(pool: &Pool, name: &str) -> NodeView {
    let mut nodes = pool.nodes().into_iter();
    nodes.find(|node| node.name == name).unwrap()
}

#[tokio::test]
async fn a_node_that_fails_is_left_alone_and_calls_are_held_until_it_is_well() {
    let node = sim(16).await;
    node.behave(Does::Status(500, RetryAfter::Unsaid));
    let mut options = on(&[&node]);
    options.retries = 0;
    options.probe = false;
    let pool = Arc::new(pool(options));
    for n in 0..5 {
        assert!(call(&pool, n).await.is_err());
    }
    assert_eq!(view(&pool, "a").breaker, "open");
    // The next one is not sent; it is held, and then it is the trial.
    let held = tokio::spawn({
        let pool = pool.clone();
        async move { call(&pool, 5).await }
    });
    sleep(Duration::from_millis(100)).await;
    assert_eq!(node.seen().calls, 5, "an open breaker lets nothing through");
    node.behave(Does::Healthy);
    assert!(held.await.unwrap().is_ok());
    assert_eq!(view(&pool, "a").breaker, "closed");
    assert_eq!(node.seen().calls, 6);
}

#[tokio::test]
async fn all_who_were_held_through_an_outage_are_answered_after_it() {
    let node = sim(16).await;
    node.behave(Does::Status(500, RetryAfter::Unsaid));
    let mut options = on(&[&node]);
    options.probe = false;
    options.retries = 5;
    options.queue_timeout = TimeSpan::from_millis(1_200);
    let pool = Arc::new(pool(options));
    let mut held = JoinSet::new();
    for n in 0..16 {
        let pool = pool.clone();
        held.spawn(async move { call(&pool, n).await });
    }
    // Until the first trial has failed. The next one comes when all have been held for longer than they
    // are patient.
    sleep(Duration::from_millis(1_000)).await;
    assert_eq!(view(&pool, "a").breaker, "open");
    node.behave(Does::Healthy);
    // The breaker closes with a place or two, and the others wait for one.
    while let Some(came) = held.join_next().await {
        came.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_node_that_is_gone_for_a_while_costs_no_call() {
    let [a, b] = [sim(16).await, sim(16).await];
    let pool = Arc::new(pool(on(&[&a, &b])));
    load(&pool, 4, 40).await;
    a.restart(Duration::from_millis(600));
    load(&pool, 4, 200).await;
    sleep(Duration::from_millis(700)).await;
    let before = a.seen().finished;
    load(&pool, 4, 200).await;
    assert!(
        a.seen().finished > before,
        "it is asked again: {:?}",
        pool.nodes()
    );
    assert_eq!(view(&pool, "a").breaker, "closed");
}

#[tokio::test]
async fn a_late_call_is_made_again_elsewhere_and_the_loser_is_hung_up_on() {
    let [a, b] = [sim(16).await, sim(16).await];
    let registry = Registry::new();
    let mut options = on(&[&a, &b]);
    options.hedge_share = 0.5;
    let pool = Arc::new(Pool::new(options, &registry).unwrap());
    let won = || {
        let line = r#"argosy_llm_hedges_total{model="tiny",result="won"}"#;
        let shown = registry.encode();
        let value = shown.lines().find_map(|shown| shown.strip_prefix(line));
        value.unwrap().trim().parse::<u64>().unwrap()
    };
    // Until it is known what late is.
    load(&pool, 4, 60).await;
    a.behave(Does::Stuck);
    let (before, won_before) = (a.seen(), won());
    let began = Instant::now();
    load(&pool, 4, 24).await;
    // Without a second try each call at the stuck node would take the 25 s of a first token.
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    let sent = a.seen().calls - before.calls;
    assert!(
        sent > 0 && won() > won_before,
        "the stuck node was asked and outrun"
    );
    // The client does not wait for replies that never come.
    a.until(LONG, |seen| seen.abandoned - before.abandoned == sent)
        .await
        .unwrap();
    assert_eq!(view(&pool, "a").in_flight, 0);
}

#[tokio::test]
async fn roles_that_are_not_hedged_are_asked_once() {
    let [a, b] = [sim(16).await, sim(16).await];
    let mut options = on(&[&a, &b]);
    options.hedge.clear();
    options.first_token_timeout = Some(TimeSpan::from_millis(300));
    let pool = Arc::new(pool(options));
    load(&pool, 4, 60).await;
    a.behave(Does::Stuck);
    let began = Instant::now();
    while a.seen().abandoned == 0 {
        call(&pool, 1_000 + b.seen().calls as usize).await.unwrap();
        assert!(began.elapsed() < LONG, "the stuck node was never asked");
    }
    assert!(began.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn how_many_calls_a_node_takes_is_found_out_in_both_directions() {
    let [narrow, wide] = [sim(2).await, sim(64).await];
    let limit = async |node: &SimNode, calls| {
        let mut options = on(&[node]);
        options.queue_timeout = TimeSpan::from_secs(20);
        let pool = Arc::new(pool(options));
        load(&pool, 32, calls).await;
        view(&pool, "a").permits
    };
    let (narrow, wide) = (limit(&narrow, 150).await, limit(&wide, 300).await);
    println!("permits of 2 slots: {narrow}, of 64 slots: {wide}");
    assert!(narrow < 8, "of 2 slots it is given {narrow} at once");
    assert!(wide > 12, "of 64 slots it is given only {wide} at once");
}

/// Of ten calls to two nodes, at one of which others queue: how many that one is given.
async fn given_beside_others(probe: bool) -> u64 {
    let [a, b] = [sim(1).await, sim(16).await];
    let mut both = on(&[&a, &b]);
    both.probe = probe;
    both.hedge.clear();
    // The only one that goes by nothing else.
    both.policy = BalancePolicy::LeastInFlight;
    let ours = pool(both);
    let mut others = JoinSet::new();
    for _ in 0..12 {
        let other = pool(on(&[&a]));
        others.spawn(async move {
            for n in 0.. {
                let _ = call(&other, n).await;
            }
        });
    }
    let begun = Instant::now();
    let told = || !probe || view(&ours, "a").queued >= Some(8);
    while !(a.load().waiting >= 8 && told()) {
        assert!(begun.elapsed() < LONG, "{:?}", a.load());
        sleep(Duration::from_millis(20)).await;
    }
    for n in 0..10 {
        call(&ours, 1_000 + n).await.unwrap();
    }
    view(&ours, "a").answered
}

#[tokio::test]
async fn a_node_at_which_others_queue_is_left_alone_because_it_says_so() {
    assert_eq!(given_beside_others(false).await, 5, "turn and turn about");
    let given = given_beside_others(true).await;
    assert!(given < 2, "{given} of ten calls went to the end of a queue");
}

#[tokio::test]
async fn a_node_that_does_not_stream_is_not_given_more_and_more() {
    let narrow = sim(2).await;
    let mut options = on(&[&narrow]);
    options.stream = false;
    options.queue_timeout = TimeSpan::from_secs(20);
    let pool = Arc::new(pool(options));
    load(&pool, 64, 400).await;
    let permits = view(&pool, "a").permits;
    println!("permits of 2 slots, unstreamed: {permits}");
    assert!(permits < 24, "of 2 slots it is given {permits} at once");
}

#[tokio::test]
async fn a_node_with_a_long_answer_in_hand_is_given_short_ones_beside_it() {
    let long = Lengths {
        min: 20_000,
        max: 20_000,
    };
    let [a, b] = [sim_of(8, long).await, sim_of(8, long).await];
    let mut both = on(&[&a, &b]);
    for node in &mut both.nodes {
        node.max_in_flight = 8;
    }
    both.hedge.clear();
    both.queue_timeout = TimeSpan::from_secs(20);
    let pool = Arc::new(pool(both));
    load(&pool, 16, 100).await;
    let answer = tokio::spawn({
        let pool = pool.clone();
        let request = ChatRequest {
            max_tokens: 20_000,
            ..request()
        };
        async move { pool.chat(&request).await }
    });
    sleep(Duration::from_millis(600)).await;
    // A busy machine sets a node back for a stretch; one that is shunned is shunned in all of them.
    let mut given = [0, 0];
    for _ in 0..3 {
        let before = [a.seen().finished, b.seen().finished];
        let begun = Instant::now();
        load(&pool, 16, 400).await;
        let took = begun.elapsed();
        given = [a.seen().finished - before[0], b.seen().finished - before[1]];
        println!("{given:?} in {took:?}, long done: {}", answer.is_finished());
        assert!(!answer.is_finished(), "it is in hand all the time");
        if given.iter().all(|n| *n > 100) {
            break;
        }
    }
    assert!(given.iter().all(|n| *n > 100), "{given:?}");
    answer.abort();
}
