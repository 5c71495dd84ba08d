//! Asks each configured node of a model once, without a pool: whether it is reachable, whether it has the model, how
//! long the context is, and how many calls it runs at once. This is for people who look for the cause of a problem; it
//! is *not* a health check that anything depends on.

use crate::constants::{BODY_BYTES_MAX, LOOK_TIMEOUT};
use crate::error::Error;
use crate::http;
use crate::options;
use futures_util::future::join_all;
use reqwest::{Client, Url};
use serde_json::Value;
use tokio::time::timeout;

/// The report of one look at a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeReport {
    /// Its configured name.
    pub name: String,
    /// Host and port.
    pub address: String,
    /// What the node reported, or why it reported nothing.
    pub told: Result<NodeInfo, String>,
}

/// What a node reports about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeInfo {
    /// The models that it serves, in its order.
    pub models: Vec<String>,
    /// Context of the wanted model in tokens, if the node reports it (vLLM, SGLang, llama.cpp, LM Studio).
    pub context: Option<u32>,
    /// Calls that the node runs at once, over all its clients, if it reports that (llama.cpp).
    pub admits: Option<u32>,
}

/// Asks all `nodes` at once which models they serve, within 3 s each; the result is in their order.
pub async fn look(model: &str, nodes: &[options::Node]) -> Vec<NodeReport> {
    join_all(nodes.iter().map(|node| one(model, node))).await
}

async fn one(model: &str, node: &options::Node) -> NodeReport {
    let address = Url::parse(&node.base_url).ok().map_or_else(
        || node.base_url.clone(),
        |url| {
            let host = url.host_str().unwrap_or_default().to_owned();
            format!("{host}:{}", url.port_or_known_default().unwrap_or_default())
        },
    );
    let told = match timeout(LOOK_TIMEOUT, ask(model, node)).await {
        Ok(told) => told,
        Err(_) => Err(format!("no answer within {} s", LOOK_TIMEOUT.as_secs())),
    };
    NodeReport {
        name: node.name.clone(),
        address,
        told,
    }
}

async fn ask(model: &str, node: &options::Node) -> Result<NodeInfo, String> {
    let client = http::client(LOOK_TIMEOUT, None).map_err(|e| Error::Client(e).to_string())?;
    let url = http::endpoint(&node.base_url, "models")?;
    let listed = get(&client, url, node).await?;
    let mut told =
        models(&listed, model).ok_or("it answers, but not with a list of models".to_owned())?;
    // Of llama.cpp alone; others do not know the page, which is as good.
    let mut url = http::endpoint(&node.base_url, "")?;
    url.set_path(&http::at(url.path(), "/props"));
    if let Ok(props) = get(&client, url, node).await {
        properties(&props, &mut told);
    }
    Ok(told)
}

async fn get(client: &Client, url: Url, node: &options::Node) -> Result<Vec<u8>, String> {
    let request = match node.api_key.expose() {
        "" => client.get(url),
        key => client.get(url).bearer_auth(key),
    };
    let response = request.send().await.map_err(http::reason)?;
    let status = response.status();
    if status != 200 {
        return Err(format!("it answers with status {}", status.as_u16()));
    }
    let body = http::body(response, LOOK_TIMEOUT, BODY_BYTES_MAX).await;
    body.map_err(|_| "its answer broke off".to_owned())
}

/// Reads a list of models; what else a server says of them goes by different names.
fn models(body: &[u8], model: &str) -> Option<NodeInfo> {
    let json: Value = serde_json::from_slice(body).ok()?;
    let listed = json.get("data")?.as_array()?;
    let id = |one: &Value| one.get("id").and_then(Value::as_str).map(str::to_owned);
    let ours = listed.iter().find(|one| id(one).as_deref() == Some(model));
    let context = ours.and_then(|one| {
        ["max_model_len", "max_context_length", "context_length"]
            .iter()
            .find_map(|name| one.get(name)?.as_u64())
    });
    Some(NodeInfo {
        models: listed.iter().filter_map(id).collect(),
        context: context.and_then(|n| u32::try_from(n).ok()),
        admits: None,
    })
}

/// Reads `/props` of llama.cpp: what one slot holds, and how many slots there are.
fn properties(body: &[u8], told: &mut NodeInfo) {
    let Ok(json) = serde_json::from_slice::<Value>(body) else {
        return;
    };
    let number = |value: Option<&Value>| value?.as_u64().and_then(|n| u32::try_from(n).ok());
    told.admits = number(json.get("total_slots")).or(told.admits);
    told.context = number(json.pointer("/default_generation_settings/n_ctx")).or(told.context);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_servers_say_of_a_model() {
        let vllm =
            br#"{"data":[{"id":"other","max_model_len":1},{"id":"m","max_model_len":32768}]}"#;
        let told = models(vllm, "m").unwrap();
        assert_eq!((told.context, told.admits), (Some(32768), None));
        assert_eq!(told.models, ["other", "m"]);
        let llama = br#"{"data":[{"id":"m","meta":{"n_ctx_train":131072}}]}"#;
        let mut told = models(llama, "m").unwrap();
        assert_eq!(told.context, None);
        let props = br#"{"default_generation_settings":{"n_ctx":4096},"total_slots":4}"#;
        properties(props, &mut told);
        assert_eq!((told.context, told.admits), (Some(4096), Some(4)));
        assert_eq!(models(b"<html>", "m"), None);
        assert_eq!(models(br#"{"data":[]}"#, "m").unwrap().context, None);
    }

    #[tokio::test]
    async fn a_node_that_is_not_there_says_why() {
        let node = |base_url: &str| options::Node {
            name: "a".into(),
            base_url: base_url.into(),
            ..options::Node::default()
        };
        let looked = look("m", &[node("http://127.0.0.1:1"), node("nowhere")]).await;
        assert_eq!(looked[0].address, "127.0.0.1:1");
        assert!(looked.iter().all(|one| one.told.is_err()), "{looked:?}");
    }

    #[tokio::test]
    async fn a_node_that_is_there_tells() {
        let fake = testkit::node::FakeNode::start(|_| String::new())
            .await
            .unwrap();
        let node = options::Node {
            name: "a".into(),
            base_url: fake.base_url(),
            ..options::Node::default()
        };
        let looked = look("fake", &[node]).await;
        assert_eq!(looked[0].told.as_ref().unwrap().models, ["fake"]);
    }

    #[tokio::test]
    async fn a_node_under_a_path_tells_there() {
        let fake = testkit::node::FakeNode::saying("x").await.unwrap();
        fake.page("/one/v1/models", r#"{"data":[{"id":"m"}]}"#);
        let props = r#"{"default_generation_settings":{"n_ctx":4096},"total_slots":4}"#;
        fake.page("/one/props", props);
        let node = options::Node {
            name: "a".into(),
            base_url: format!("{}/one/v1", fake.base_url()),
            ..options::Node::default()
        };
        let looked = look("m", &[node]).await;
        assert_eq!(looked[0].told.as_ref().unwrap().admits, Some(4));
    }
}
