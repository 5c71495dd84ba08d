//! Checks the servers that searches call over HTTP: the embedder and the reranker of each edition.
//!
//! Such a server need not list its models, so it gets one request like that of a search, within a search's time
//! limit. *Not* a test of the quality of the models.

use super::{CheckStatus, Checked, Ground, Said};
use crate::config::Config;
use futures_util::future::{BoxFuture, join_all};
use index_host::EmbedderChoice;
use llm::{Embedder, Reranker, Side};
use llm_pool::options::{Node, embedding, reranker};
use llm_pool::{HttpEmbedder, HttpReranker};
use telemetry::Registry;

/// The text that is embedded, searched for and ranked.
const TEXT: &str = "doctor";

/// The kinds of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Embedder,
    Reranker,
}

/// How searches go: with the corpus itself, and with each edition that has options of its own.
fn searches(config: &Config) -> impl Iterator<Item = &index_host::Options> {
    std::iter::once(&config.retrieval).chain(config.editions.values())
}

/// Every embedder behind HTTP that indexers and searches ask, each once.
fn embedders(config: &Config) -> Vec<&embedding::Options> {
    let asks = |one: &&index_host::Options| one.embedder == EmbedderChoice::Http;
    each_once(searches(config).filter(asks).map(|one| &one.http))
}

/// Every reranker behind HTTP, each once.
fn rerankers(config: &Config) -> Vec<&reranker::Options> {
    let rerankers = searches(config).map(|one| &one.reranker);
    each_once(rerankers.filter(|one| !one.nodes.is_empty()))
}

fn each_once<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut once = Vec::new();
    for one in all {
        if !once.contains(&one) {
            once.push(one);
        }
    }
    once
}

pub(super) async fn answering(on: &Ground<'_>) -> Checked {
    Ok(asked(on.config).await)
}

async fn asked(config: &Config) -> Said {
    let mut looking: Vec<BoxFuture<'_, Said>> = Vec::new();
    for options in embedders(config) {
        looking.push(Box::pin(async move {
            let tries = options.nodes.iter().map(|node| embeds(options, node));
            let tried = join_all(tries).await;
            judged(Kind::Embedder, &options.model, &options.nodes, &tried)
        }));
    }
    for options in rerankers(config) {
        looking.push(Box::pin(async move {
            let tries = options.nodes.iter().map(|node| ranks(options, node));
            let tried = join_all(tries).await;
            judged(Kind::Reranker, &options.model, &options.nodes, &tried)
        }));
    }
    if looking.is_empty() {
        return Said::ok("searches ask no server: vectors and ranks are made in the processes");
    }
    Said::together(join_all(looking).await)
}

/// Each server of a node by itself. A name that stands for several servers is asked as one of them.
fn alone(node: &Node) -> Vec<Node> {
    vec![Node {
        resolve: false,
        ..node.clone()
    }]
}

async fn embeds(options: &embedding::Options, node: &Node) -> Result<(), String> {
    let options = embedding::Options {
        nodes: alone(node),
        ..options.clone()
    };
    let embedder = HttpEmbedder::new(options, &Registry::new()).map_err(|e| e.to_string())?;
    let made = embedder.embed(&[TEXT], Side::Query).await;
    made.map(drop).map_err(|e| e.to_string())
}

async fn ranks(options: &reranker::Options, node: &Node) -> Result<(), String> {
    let options = reranker::Options {
        nodes: alone(node),
        ..options.clone()
    };
    let reranker = HttpReranker::new(options, &Registry::new()).map_err(|e| e.to_string())?;
    let made = reranker.scores(TEXT, &[TEXT]).await;
    made.map(drop).map_err(|e| e.to_string())
}

fn judged(kind: Kind, model: &str, nodes: &[Node], tried: &[Result<(), String>]) -> Said {
    let wrong = nodes.iter().zip(tried).filter_map(|(node, tried)| {
        let why = tried.as_ref().err()?;
        Some(format!("`{}` at {}: {why}", node.name, node.base_url))
    });
    let wrong: Vec<String> = wrong.collect();
    let (what, without, verdict) = match kind {
        Kind::Embedder => (
            "embedder",
            "searches go by words alone, and documents wait",
            CheckStatus::Fail,
        ),
        Kind::Reranker => (
            "reranker",
            "the built-in one looks again instead",
            CheckStatus::Warn,
        ),
    };
    if wrong.is_empty() {
        let n = nodes.len();
        let plural = if n == 1 { "" } else { "s" };
        return Said::ok(format!("{what} `{model}` answers on {n} node{plural}"));
    }
    let fix = format!(
        "look whether that server runs and serves `{model}`, and at address and key of the node in \
         section `retrieval` or `editions`"
    );
    match wrong.len() == nodes.len() {
        true => Said {
            verdict,
            ..Said::warn(
                format!("no {what}, so {without}: {}", wrong.join("; ")),
                fix,
            )
        },
        false => Said::warn(format!("{what}: {}", wrong.join("; ")), fix),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use index_host::Options;
    use testkit::node::{DIMS, FakeNode, FakeNodeBehaviour};

    fn node(name: &str, base_url: &str) -> Node {
        Node {
            name: name.into(),
            base_url: base_url.into(),
            ..Node::default()
        }
    }

    fn config(nodes: Vec<Node>) -> Config {
        let retrieval = Options {
            embedder: EmbedderChoice::Http,
            http: embedding::Options {
                model: "e".into(),
                dims: DIMS as u32,
                nodes: nodes.clone(),
                ..embedding::Options::default()
            },
            reranker: reranker::Options {
                model: "r".into(),
                nodes,
                ..reranker::Options::default()
            },
            ..Options::default()
        };
        Config {
            retrieval,
            ..Config::default()
        }
    }

    #[tokio::test]
    async fn servers_of_searches_are_asked_what_a_search_asks() {
        let said = asked(&Config::default()).await;
        assert_eq!(said.verdict, CheckStatus::Ok, "{said:?}");

        let fake = FakeNode::start(|_| String::new()).await.unwrap();
        let here = node("here", &fake.base_url());
        let well = config(vec![here.clone()]);
        let said = asked(&well).await;
        assert_eq!(said.verdict, CheckStatus::Ok, "{said:?}");
        for part in ["embedder `e` answers on 1 node", "reranker `r` answers"] {
            assert!(said.text.contains(part), "{said:?}");
        }

        // Vectors of another length are no vectors of this model.
        let mut other = well.clone();
        other.retrieval.http.dims += 1;
        let said = asked(&other).await;
        assert_eq!(said.verdict, CheckStatus::Fail, "{said:?}");

        let gone = node("gone", "http://127.0.0.1:1");
        let said = asked(&config(vec![here, gone.clone()])).await;
        assert_eq!(said.verdict, CheckStatus::Warn, "{said:?}");
        assert!(
            said.text.contains("`gone` at http://127.0.0.1:1"),
            "{said:?}"
        );

        let mut no_reranker = well.clone();
        no_reranker.retrieval.reranker.nodes = vec![gone.clone()];
        let said = asked(&no_reranker).await;
        assert_eq!(
            said.verdict,
            CheckStatus::Warn,
            "the built-in one: {said:?}"
        );

        // Of an edition that has its own, too.
        let mut edition = well;
        let small = envelope::Edition::new("small").unwrap();
        edition.editions.insert(small, config(vec![gone]).retrieval);
        let said = asked(&edition).await;
        assert_eq!(said.verdict, CheckStatus::Fail, "{said:?}");
        assert!(said.text.contains("no embedder, so searches go by words"));

        fake.always(FakeNodeBehaviour::Status(401, "{}".into(), None));
        let said = asked(&config(vec![node("here", &fake.base_url())])).await;
        assert_eq!(said.verdict, CheckStatus::Fail, "{said:?}");
    }

    #[test]
    fn what_several_editions_share_is_asked_once() {
        let mut config = config(vec![node("a", "http://a:1")]);
        let same = config.retrieval.clone();
        let mut other = same.clone();
        other.http.model = "other".into();
        for (name, own) in [("same", same), ("other", other)] {
            let edition = envelope::Edition::new(name).unwrap();
            config.editions.insert(edition, own);
        }
        assert_eq!(embedders(&config).len(), 2);
        assert_eq!(rerankers(&config).len(), 1);
        config.retrieval.embedder = EmbedderChoice::Static;
        config.editions.clear();
        assert!(embedders(&config).is_empty());
    }
}
