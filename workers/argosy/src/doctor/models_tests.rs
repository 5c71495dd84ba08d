//! Tests the findings on made-up nodes: on what the nodes report, and on what processes report of the nodes.

use super::super::CheckStatus;
use super::*;
use llm_pool::NodeView;

fn looked(told: Result<(&[&str], Option<u32>), &str>) -> NodeReport {
    NodeReport {
        name: "a".into(),
        address: "gpu:8000".into(),
        told: told
            .map(|(models, context)| NodeInfo {
                models: models.iter().map(|m| (*m).to_owned()).collect(),
                context,
                admits: None,
            })
            .map_err(str::to_owned),
    }
}

#[test]
fn a_node_is_judged_by_what_it_tells() {
    let good = looked(Ok((&["m"], Some(8_192))));
    let said = |all: &[NodeReport]| judged(all, "m", Some(4_400));
    assert_eq!(said(std::slice::from_ref(&good)).verdict, CheckStatus::Ok);
    assert_eq!(said(&[looked(Ok((&["m"], None)))]).verdict, CheckStatus::Ok);
    for (bad, part) in [
        (looked(Err("no answer within 3 s")), "no answer"),
        (looked(Ok((&["x", "y"], None))), "but x, y"),
        (looked(Ok((&["m"], Some(2_048)))), "2048 tokens"),
    ] {
        let alone = said(std::slice::from_ref(&bad));
        assert_eq!(alone.verdict, CheckStatus::Fail);
        assert!(alone.text.contains(part), "{alone:?}");
        assert_eq!(said(&[good.clone(), bad]).verdict, CheckStatus::Warn);
    }
}

#[test]
fn the_longest_prompts_are_those_of_the_reducer_and_of_the_validator() {
    let mut config = Config::default();
    let of = |role, config: &Config| prompt_of(role, config);
    assert_eq!(of(Role::Reducer, &config), Some(12_000 / 4 + 1_000 + 400));
    assert_eq!(of(Role::Validator, &config), Some(4_000 + 400 + 160));
    assert_eq!(of(Role::Mapper, &config), None);
    config.reducer.facts_chars_max = 40_000;
    assert_eq!(of(Role::Reducer, &config), Some(11_400));
}

fn process(n: u32, breaker: &str, limit: usize) -> ProcessStatus {
    let node = NodeView {
        model: "m".into(),
        name: "a".into(),
        address: "gpu:8000".into(),
        breaker: breaker.into(),
        in_flight: 0,
        permits: 8,
        limit,
        latency_ms: 0,
        answered: 0,
        failed: 0,
        resting_ms: 0,
        queued: None,
        context: None,
        dialect: "plain".into(),
        reads_per_s: None,
        writes_per_s: None,
        first_token_limit_ms: 120_000,
        idle_limit_ms: 120_000,
    };
    let seen = serde_json::json!({
        "role": "mapper", "process": format!("mapper-{n}"), "model": "m", "nodes": [node],
    });
    serde_json::from_value(seen).unwrap()
}

#[test]
fn the_ceiling_is_that_of_all_processes_together() {
    let seen: Vec<ProcessStatus> = (0..4).map(|n| process(n, "closed", 64)).collect();
    let runs = |n: u32| Admits::from([(("m".to_owned(), "a".to_owned()), n)]);
    assert_eq!(promised(&seen, &runs(256)).verdict, CheckStatus::Ok);
    let said = promised(&seen, &runs(255));
    assert_eq!(said.verdict, CheckStatus::Warn);
    assert!(said.text.contains("256 calls in flight"), "{said:?}");
    assert!(said.fix.unwrap().contains("to 63"), "its share");
    let unknown = promised(&seen, &Admits::new());
    assert_eq!(unknown.verdict, CheckStatus::Ok);
    assert!(unknown.text.contains("not known"), "{unknown:?}");
    assert_eq!(promised(&[], &runs(1)).verdict, CheckStatus::Skip);
}

#[test]
fn a_node_that_is_left_alone_is_named() {
    let well = process(1, "closed", 8);
    let broken = process(2, "open", 8);
    assert_eq!(
        answering(std::slice::from_ref(&well)).verdict,
        CheckStatus::Ok
    );
    let said = answering(&[well, broken.clone()]);
    assert_eq!(said.verdict, CheckStatus::Warn);
    assert!(said.text.contains("mapper-2 leaves `a` alone"), "{said:?}");
    assert_eq!(answering(&[broken]).verdict, CheckStatus::Fail);
}

/// The roles that have a model of their own where one is named for them, except `without`.
fn asking(without: &[Role]) -> Vec<Role> {
    let all = Role::ALL.into_iter().filter(|role| role.asks_model());
    all.filter(|role| !without.contains(role)).collect()
}

/// A configuration with `model` for all roles, and `models.large` with one node that is not there.
fn two_models() -> Config {
    let mut config = Config {
        model: Options::one_node("small", "http://127.0.0.1:1"),
        ..Config::default()
    };
    let large = Options::one_node("qwen-32b", "http://127.0.0.1:1");
    config.models.insert("large".into(), large);
    let unused = Options::one_node("unused", "http://127.0.0.1:1");
    config.models.insert("unused".into(), unused);
    config
}

#[test]
fn every_model_is_looked_at_that_a_role_asks() {
    let mut config = two_models();
    let of = |config: &Config, indexer| -> Vec<(String, Vec<Role>)> {
        let all = asked(config, indexer).into_iter();
        all.map(|one| (one.options.model.clone(), one.by)).collect()
    };
    let all = |config: &Config| of(config, true);
    // The validator has one only where it is given one.
    let unjudged = asking(&[Role::Validator]);
    assert_eq!(all(&config), [("small".to_owned(), unjudged)]);
    config.model_of.insert(Role::Reducer, "large".into());
    let others = asking(&[Role::Validator, Role::Reducer, Role::Indexer]);
    let wanted = [
        ("small".to_owned(), others),
        ("qwen-32b".to_owned(), vec![Role::Reducer]),
    ];
    assert_eq!(of(&config, false), wanted);
    for role in asking(&[Role::Indexer]) {
        config.model_of.insert(role, "large".into());
    }
    assert_eq!(of(&config, false).len(), 1, "nobody asks `model`");
    assert_eq!(all(&config)[0], ("small".to_owned(), vec![Role::Indexer]));
}

#[tokio::test]
async fn a_model_of_one_role_that_is_down_is_not_overlooked() {
    let fake = testkit::node::FakeNode::start(|_| String::new())
        .await
        .unwrap();
    let mut config = two_models();
    config.model = Options::one_node("fake", fake.base_url());
    let said = async |config: &Config| {
        let ground = Ground {
            config,
            wanted: Default::default(),
            bus: None,
            seen: Vec::new(),
        };
        reachable(&ground).await.unwrap()
    };
    assert_eq!(said(&config).await.verdict, CheckStatus::Ok);
    config.model_of.insert(Role::Reducer, "large".into());
    let down = said(&config).await;
    assert_eq!(down.verdict, CheckStatus::Fail, "{down:?}");
    assert!(down.text.contains("node-0"), "{down:?}");
    assert!(down.fix.unwrap().contains("`qwen-32b`"));

    // Every role has its own: that there is no other is no fault.
    config.models.insert("large".into(), config.model.clone());
    config.model = Options::default();
    let some = said(&config).await;
    assert_eq!(some.verdict, CheckStatus::Warn, "{some:?}");
    let others = asking(&[Role::Validator, Role::Reducer, Role::Indexer]);
    let others: Vec<_> = others.into_iter().map(Role::as_str).collect();
    let named = format!("for {}:", others.join(", "));
    assert!(some.text.contains(&named), "{some:?}");
    for role in asking(&[]) {
        config.model_of.insert(role, "large".into());
    }
    let all = said(&config).await;
    assert_eq!(all.verdict, CheckStatus::Ok, "{all:?}");
}

#[test]
fn a_short_context_is_a_fault_only_where_long_prompts_go() {
    let short = [looked(Ok((&["m"], Some(2_048))))];
    assert_eq!(judged(&short, "m", Some(4_400)).verdict, CheckStatus::Fail);
    assert_eq!(judged(&short, "m", None).verdict, CheckStatus::Ok);
}

#[test]
fn servers_behind_one_name_are_known_by_it() {
    let mut seen: Vec<ProcessStatus> = (0..2).map(|n| process(n, "closed", 64)).collect();
    for one in &mut seen {
        let nodes = ["10.0.0.1:8000", "10.0.0.2:8000"].map(|at| NodeView {
            name: format!("a/{at}"),
            address: at.into(),
            ..one.nodes[0].clone()
        });
        one.nodes = nodes.to_vec();
    }
    let runs = |model: &str, n: u32| Admits::from([((model.to_owned(), "a".to_owned()), n)]);
    let well = promised(&seen, &runs("m", 128));
    assert_eq!(well.verdict, CheckStatus::Ok);
    assert!(!well.text.contains("not known"), "{well:?}");
    let said = promised(&seen, &runs("m", 100));
    assert_eq!(
        said.verdict,
        CheckStatus::Warn,
        "each of them runs 100, not both"
    );
    assert!(said.fix.unwrap().contains("node `a` to 50"));
    // A node of that name of another model is another node.
    let other = promised(&seen, &runs("other", 1));
    assert!(
        other.text.contains("2 of them run at once is not known"),
        "{other:?}"
    );
}

#[test]
fn the_nodes_of_an_embedder_count_for_themselves() {
    let mut both = process(1, "open", 8);
    both.nodes.push(NodeView {
        model: "vectors".into(),
        address: "gpu:9000".into(),
        breaker: "closed".into(),
        ..both.nodes[0].clone()
    });
    let said = answering(std::slice::from_ref(&both));
    assert_eq!(said.verdict, CheckStatus::Fail);
    assert!(said.text.contains("every node of `m`"), "{said:?}");
    let runs = Admits::from([(("m".to_owned(), "a".to_owned()), 8)]);
    let said = promised(&[both], &runs);
    assert!(!said.text.contains("not known"), "{said:?}");
}
