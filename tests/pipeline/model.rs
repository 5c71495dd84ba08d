//! A fake model node for a fleet, which counts its calls. It runs in the test's own process, so that the count
//! survives the kill of a worker. It understands nothing and is never an LLM.

use std::time::Duration;
use testkit::node::{FakeNode, FakeNodeBehaviour, ReceivedPrompt};

/// The map steps of a question over the canned search of `--stub-ms`.
pub(crate) const MAPS: usize = 5;
/// The model calls of an undisturbed question: one plan, the maps, one reduction.
pub(crate) const CALLS: usize = MAPS + 2;

/// A node that replies, after a while, with what each stage can read.
pub(crate) async fn node(delay: Duration) -> FakeNode {
    let node = FakeNode::start(says).await.expect("a fake node");
    node.always(FakeNodeBehaviour::Slow(delay));
    node
}

fn says(prompt: &ReceivedPrompt) -> String {
    let format = prompt.body["response_format"].to_string();
    let text = if format.contains("\"keywords\"") {
        r#"{"keywords":["notice","period"],"file_filter":null,"source_hint":null}"#
    } else if format.contains("\"grade\"") {
        r#"{"grade":0.9,"facts":["The notice period is 90 days."]}"#
    } else {
        "The notice period is 90 days [1]."
    };
    text.into()
}

/// The options that make a fleet ask the node.
pub(crate) fn options(node: &FakeNode) -> Vec<String> {
    let url = node.base_url();
    vec![
        "model.model=fake".into(),
        // The questions are alike: calls are counted here, not spared.
        "model.cache.entries=0".into(),
        format!(r#"model.nodes=[{{"name":"fake","base_url":"{url}","max_in_flight":512}}]"#),
    ]
}
