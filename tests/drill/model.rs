//! The simulated model nodes of a drill. They have the timing of real nodes and give replies that each stage can
//! parse. They understand nothing and are never an LLM.

use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use testkit::sim_node::{Options, Params, PromptText, SimNode};

/// The kind of replies.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(u8)]
pub(crate) enum Mood {
    /// Plans, facts and answers that stand in the passages.
    Well,
    /// Other text where JSON is asked for.
    Babbling,
    /// Answers that stand in no passage.
    Lying,
    /// An empty reply every other time.
    Faltering,
}

/// The mood of all nodes of a stand.
#[derive(Clone)]
pub(crate) struct Mind {
    mood: Arc<AtomicU8>,
    asked: Arc<AtomicU8>,
}

impl Mind {
    pub(crate) fn new() -> Mind {
        Mind {
            mood: Arc::new(AtomicU8::new(Mood::Well as u8)),
            asked: Arc::default(),
        }
    }

    /// Replies in this way from now on.
    pub(crate) fn set(&self, mood: Mood) {
        self.mood.store(mood as u8, Ordering::Relaxed);
    }

    fn is(&self, mood: Mood) -> bool {
        self.mood.load(Ordering::Relaxed) == mood as u8
    }

    fn says(&self, prompt: &PromptText) -> String {
        let user = &prompt.user;
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        if self.is(Mood::Faltering) && number.is_multiple_of(2) {
            return String::new();
        }
        let wants_json = user.contains("\"keywords\"") || user.contains("\"grade\"");
        if wants_json && self.is(Mood::Babbling) {
            return "I would rather talk about the weather, which is fine today.".into();
        }
        if user.contains("\"keywords\"") {
            let question = line_with(user, "<question>", "?");
            return json!({
                "question": question, "route": "retrieve", "reason": "a document says it",
                "keywords": ["lease", "depot"], "sub_queries": [], "file_filter": null, "source_hint": null,
            })
            .to_string();
        }
        if user.contains("\"grade\"") {
            let fact = line_with(user, "<text>", "ends on");
            return json!({ "grade": fact.is_some(), "facts": fact }).to_string();
        }
        if self.is(Mood::Lying) {
            return "The moon was sold to Helvion for 4711 crowns in 1893 [1].".into();
        }
        let fact =
            line_with(user, "<facts>", "ends on").unwrap_or("No relevant information found.");
        let fact = fact.split_once("] ").map_or(fact, |(_, fact)| fact);
        format!("{} [1].", fact.trim_end_matches('.'))
    }
}

/// The first line behind `from` that holds `words`.
fn line_with<'a>(text: &'a str, from: &str, words: &str) -> Option<&'a str> {
    let (_, after) = text.rsplit_once(from)?;
    after
        .lines()
        .find(|line| line.contains(words))
        .map(str::trim)
}

/// A node that writes a token in 2 ms.
pub(crate) async fn node(mind: &Mind) -> SimNode {
    let options = Options {
        params: Params {
            slots: 64,
            step_base: Duration::from_millis(2),
            per_sequence: Duration::from_micros(20),
            per_prefill_token: Duration::from_micros(2),
            ..Params::default()
        },
        chunk_tokens: 8,
        ..Options::default()
    };
    let mind = mind.clone();
    let node = SimNode::answering(options, move |prompt| mind.says(prompt)).await;
    node.expect("a simulated node")
}

/// The options that make a fleet ask these nodes.
pub(crate) fn options(nodes: &[SimNode]) -> Vec<String> {
    let listed = nodes.iter().enumerate().map(|(n, node)| {
        json!({ "name": format!("node-{n}"), "base_url": node.base_url(), "first_in_flight": 64, "max_in_flight": 256 })
    });
    let listed: Vec<_> = listed.collect();
    vec![
        "model.model=sim".into(),
        // The questions are alike: calls are to be made, not spared, so fewer are kept than lie between two alike.
        "model.cache.entries=8".into(),
        format!("model.nodes={}", json!(listed)),
    ]
}
