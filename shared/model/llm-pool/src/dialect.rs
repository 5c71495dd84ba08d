//! The ways to ask a node for JSON, and the way that is known to work for each node.
//!
//! Each node is first asked for JSON in the strongest way. When it rejects that, all later calls of this node use the
//! next weaker way; a setting can fix the way. The process forgets what it learned when it ends. In every dialect the
//! caller still checks the reply.

use llm::ReplySchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU8, Ordering};

/// A way to ask for JSON, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonDialect {
    /// `response_format` of type `json_schema`: OpenAI, vLLM, SGLang, llama.cpp, Ollama.
    JsonSchema,
    /// `response_format` of type `json_object` with the schema beside it: llama-cpp-python and
    /// older llama.cpp. Servers that know no schema there ignore it.
    JsonObject,
    /// Nothing: only the prompt asks for JSON.
    Plain,
}

impl JsonDialect {
    const ALL: [JsonDialect; 3] = [
        JsonDialect::JsonSchema,
        JsonDialect::JsonObject,
        JsonDialect::Plain,
    ];

    /// The next weaker way, if there is one.
    pub(crate) fn weaker(self) -> Option<JsonDialect> {
        JsonDialect::ALL.get(self as usize + 1).copied()
    }

    /// The word for logs.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            JsonDialect::JsonSchema => "json_schema",
            JsonDialect::JsonObject => "json_object",
            JsonDialect::Plain => "plain",
        }
    }

    pub(crate) fn response_format(self, schema: &ReplySchema) -> Option<Value> {
        match self {
            JsonDialect::JsonSchema => Some(json!({
                "type": "json_schema",
                "json_schema": {"name": schema.name, "schema": schema.json, "strict": true},
            })),
            JsonDialect::JsonObject => Some(json!({"type": "json_object", "schema": schema.json})),
            JsonDialect::Plain => None,
        }
    }
}

/// The dialect of one node, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Learned(AtomicU8);

impl Learned {
    /// Starts with the strongest dialect, or with the pinned one. Even from a pinned one a weaker one follows when
    /// the node rejects it, because an answer is worth more than its form.
    pub(crate) fn new(pinned: Option<JsonDialect>) -> Learned {
        Learned(AtomicU8::new(
            pinned.unwrap_or(JsonDialect::JsonSchema) as u8
        ))
    }

    pub(crate) fn get(&self) -> JsonDialect {
        let step = usize::from(self.0.load(Ordering::Relaxed));
        JsonDialect::ALL
            .get(step)
            .copied()
            .unwrap_or(JsonDialect::Plain)
    }

    /// Remembers that `asked` was rejected. Returns the next dialect when this call was the first to find out;
    /// another call that was made at the same time learns nothing new.
    pub(crate) fn reject(&self, asked: JsonDialect) -> Option<JsonDialect> {
        let weaker = asked.weaker()?;
        self.0
            .compare_exchange(
                asked as u8,
                weaker as u8,
                Ordering::Relaxed,
                Ordering::Relaxed,
            )
            .ok()
            .map(|_| weaker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_down_once_for_calls_that_asked_at_the_same_time() {
        let node = Learned::default();
        assert_eq!(
            node.reject(JsonDialect::JsonSchema),
            Some(JsonDialect::JsonObject)
        );
        assert_eq!(node.reject(JsonDialect::JsonSchema), None);
        assert_eq!(node.get(), JsonDialect::JsonObject);
        assert_eq!(
            node.reject(JsonDialect::JsonObject),
            Some(JsonDialect::Plain)
        );
        assert_eq!(node.reject(JsonDialect::Plain), None);
        assert_eq!(node.get(), JsonDialect::Plain);
    }

    #[test]
    fn response_format_carries_the_schema_in_each_dialect() {
        let schema = ReplySchema {
            name: "plan",
            json: json!({"type": "object"}),
        };
        let format = |dialect: JsonDialect| dialect.response_format(&schema);
        let strong = format(JsonDialect::JsonSchema).unwrap();
        assert_eq!(strong["json_schema"]["name"], "plan");
        assert_eq!(strong["json_schema"]["schema"], schema.json);
        let weak = format(JsonDialect::JsonObject).unwrap();
        assert_eq!(weak["type"], "json_object");
        assert_eq!(weak["schema"], schema.json);
        assert_eq!(format(JsonDialect::Plain), None);
    }
}
