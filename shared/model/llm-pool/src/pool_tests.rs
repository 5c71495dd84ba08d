//! Tests of nodes that appear and disappear with the addresses of their name. The tests pass in the answers of the
//! name service; the nodes are real listeners on addresses of this machine.

use super::*;
use settings::TimeSpan;
use std::net::Ipv4Addr;
use testkit::node::{FakeNode, FakeNodeBehaviour};
use tokio::time::{sleep, timeout};

const LONG: Duration = Duration::from_secs(20);

/// A node at `127.0.0.<last>`, which says its last number.
async fn pod(last: u8, port: u16) -> FakeNode {
    let at = SocketAddr::from((Ipv4Addr::new(127, 0, 0, last), port));
    let node = FakeNode::start_at(at, move |_| last.to_string()).await;
    node.unwrap()
}

fn address(node: &FakeNode) -> SocketAddr {
    let url = node.base_url();
    url.trim_start_matches("http://").parse().unwrap()
}

/// A pool over a name that does not resolve.
fn pool(port: u16) -> Pool {
    counted(port, &Registry::new())
}

fn counted(port: u16, registry: &Registry) -> Pool {
    let mut options = Options::one_node("tiny", format!("http://pods.invalid:{port}"));
    options.nodes[0].resolve = true;
    options.resolve_every = TimeSpan::from_hours(1);
    options.policy = crate::BalancePolicy::RoundRobin;
    Pool::new(options, registry).unwrap()
}

fn follow(pool: &Pool, nodes: &[&FakeNode]) {
    let found = nodes.iter().map(|node| address(node)).collect();
    pool.shared.follow(&pool.shared.options.nodes[0], &found);
}

async fn said(pool: &Pool) -> Result<String, Error> {
    let request = testkit::model::request(Role::Planner, "Who is it?");
    pool.chat(&request).await.map(|reply| reply.text)
}

async fn all_said(pool: &Pool, calls: usize) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for _ in 0..calls {
        all.insert(said(pool).await.unwrap());
    }
    all
}

#[tokio::test]
async fn calls_wait_for_the_first_address_and_then_use_all() {
    let one = pod(1, 0).await;
    let port = address(&one).port();
    let two = pod(2, port).await;
    let pool = Arc::new(pool(port));
    let early = tokio::spawn({
        let pool = pool.clone();
        async move { said(&pool).await }
    });
    sleep(Duration::from_millis(50)).await;
    assert!(!early.is_finished(), "there is nobody to ask");
    follow(&pool, &[&one, &two]);
    let early = timeout(LONG / 2, early).await.unwrap();
    assert!(early.unwrap().is_ok());
    assert_eq!(
        all_said(&pool, 4).await,
        ["1", "2"].map(String::from).into()
    );
    let names: Vec<_> = pool.nodes().into_iter().map(|node| node.name).collect();
    let wanted = [&one, &two].map(|node| format!("node-0/{}", address(node)));
    assert_eq!(names, wanted);
}

#[tokio::test]
async fn an_address_that_goes_gets_nothing_new_and_its_calls_end_well() {
    let one = pod(1, 0).await;
    let port = address(&one).port();
    let two = pod(2, port).await;
    let pool = Arc::new(pool(port));
    follow(&pool, &[&one]);
    one.script([FakeNodeBehaviour::Hold]);
    let under_way = tokio::spawn({
        let pool = pool.clone();
        async move { said(&pool).await }
    });
    one.until(|seen| seen.in_flight == 1).await;
    follow(&pool, &[&two]);
    assert_eq!(all_said(&pool, 4).await, ["2".to_owned()].into());
    one.release(1);
    assert_eq!(under_way.await.unwrap().unwrap(), "1");
    assert_eq!(one.seen().calls, 1);
    // It comes back, as a node of which nothing is known.
    follow(&pool, &[&one, &two]);
    assert_eq!(
        all_said(&pool, 4).await,
        ["1", "2"].map(String::from).into()
    );
    let back = pool
        .nodes()
        .into_iter()
        .find(|n| n.address == address(&one).to_string());
    assert_eq!(back.unwrap().answered, 2);
}

#[tokio::test]
async fn a_node_moved_to_another_address_is_found_by_the_calls_that_wait() {
    let one = pod(1, 0).await;
    let port = address(&one).port();
    let pool = Arc::new(pool(port));
    follow(&pool, &[&one]);
    assert_eq!(said(&pool).await.unwrap(), "1");
    follow(&pool, &[]);
    let waiting = tokio::spawn({
        let pool = pool.clone();
        async move { said(&pool).await }
    });
    sleep(Duration::from_millis(50)).await;
    let two = pod(2, port).await;
    follow(&pool, &[&two]);
    let came = timeout(LONG / 2, waiting).await.unwrap().unwrap();
    assert_eq!(came.unwrap(), "2");
}

#[tokio::test]
async fn addresses_where_nobody_listens_cost_no_call() {
    let one = pod(1, 0).await;
    let port = address(&one).port();
    let gone = pod(2, port).await;
    let pool = pool(port);
    follow(&pool, &[&gone, &one]);
    gone.stop().await;
    assert_eq!(all_said(&pool, 8).await, ["1".to_owned()].into());
}

#[tokio::test]
async fn a_name_is_looked_up_before_anybody_asks_for_it() {
    let one = pod(1, 0).await;
    let mut options = Options::one_node("tiny", one.base_url().replace("127.0.0.1", "localhost"));
    options.nodes[0].resolve = true;
    let pool = Pool::new(options, &Registry::new()).unwrap();
    assert_eq!(said(&pool).await.unwrap(), "1");
    assert!(
        pool.nodes()
            .iter()
            .any(|n| n.address == address(&one).to_string())
    );
}

#[tokio::test]
async fn the_last_calls_of_an_address_leave_no_series() {
    let one = pod(1, 0).await;
    let port = address(&one).port();
    let two = pod(2, port).await;
    let registry = Registry::new();
    let pool = Arc::new(counted(port, &registry));
    let series = |node: &FakeNode| {
        let label = format!("node-0/{}", address(node));
        registry.encode().matches(&label).count()
    };
    follow(&pool, &[&one]);
    // One that is answered, and one that breaks off and is tried again elsewhere.
    let broken = vec![(Duration::from_millis(300), "nothing".to_owned())];
    one.script([FakeNodeBehaviour::Hold, FakeNodeBehaviour::Stream(broken)]);
    let calls: Vec<_> = [(); 2]
        .map(|()| {
            let pool = pool.clone();
            tokio::spawn(async move { said(&pool).await })
        })
        .into();
    one.until(|seen| seen.in_flight == 2).await;
    assert!(series(&one) > 0);
    follow(&pool, &[&two]);
    one.release(1);
    for call in calls {
        assert!(call.await.unwrap().is_ok());
    }
    assert_eq!(series(&one), 0, "{}", registry.encode());
    assert!(series(&two) > 0);
}

#[tokio::test]
async fn retries_of_an_address_stand_at_0_from_the_start() {
    let one = pod(1, 0).await;
    let registry = Registry::new();
    let pool = counted(address(&one).port(), &registry);
    follow(&pool, &[&one]);
    let shown = registry.encode();
    for reason in ["busy", "too_long", "refused"] {
        let labels = format!(r#"node="node-0/{}",reason="{reason}""#, address(&one));
        let line = format!(r#"argosy_llm_retries_total{{model="tiny",{labels}}} 0"#);
        assert!(shown.contains(&line), "{line} is not in\n{shown}");
    }
}

#[tokio::test]
async fn an_address_that_comes_back_while_a_call_of_it_ends_keeps_its_series() {
    let one = pod(1, 0).await;
    let registry = Registry::new();
    let pool = counted(address(&one).port(), &registry);
    let back = pool
        .shared
        .node(&pool.shared.options.nodes[0], Some(address(&one)));
    let back = back.unwrap();
    // The last call of before ends between the two.
    pool.shared.forget_if_gone(&back.name);
    pool.shared.admit(back.clone()).unwrap();
    pool.shared.forget_if_gone(&back.name);
    let line = format!(
        r#"argosy_llm_inflight_requests{{model="tiny",node="{}"}} "#,
        back.name
    );
    assert!(registry.encode().contains(&line), "{}", registry.encode());
}
