//! How a node is asked for JSON, and what was learned about it.
//!
//! Every node starts with the strongest way. One that rejects it is asked in the next weaker way
//! from then on, by every call; a setting can pin it. What a node learned is forgotten with the process. Whatever the
//! dialect, what comes back is still checked by the caller.

use llm::Schema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU8, Ordering};

/// A way to ask for JSON, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// `response_format` of type `json_schema`: OpenAI, vLLM, SGLang, llama.cpp, Ollama.
    JsonSchema,
    /// `response_format` of type `json_object` with the schema beside it: llama-cpp-python and
    /// older llama.cpp. Servers that know no schema there ignore it.
    JsonObject,
    /// Nothing: only the prompt asks for JSON.
    Plain,
}

impl Dialect {
    const ALL: [Dialect; 3] = [Dialect::JsonSchema, Dialect::JsonObject, Dialect::Plain];

    /// The next weaker way, if there is one.
    pub(crate) fn weaker(self) -> Option<Dialect> {
        Dialect::ALL.get(self as usize + 1).copied()
    }

    /// The word for logs.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Dialect::JsonSchema => "json_schema",
            Dialect::JsonObject => "json_object",
            Dialect::Plain => "plain",
        }
    }

    /// The `response_format` of a request.
    pub(crate) fn response_format(self, schema: &Schema) -> Option<Value> {
        match self {
            Dialect::JsonSchema => Some(json!({
                "type": "json_schema",
                "json_schema": {"name": schema.name, "schema": schema.json, "strict": true},
            })),
            Dialect::JsonObject => Some(json!({"type": "json_object", "schema": schema.json})),
            Dialect::Plain => None,
        }
    }
}

/// The dialect of one node, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Learned(AtomicU8);

impl Learned {
    /// Starts with the strongest, or with the one that was pinned: a weaker one is taken all the same
    /// when the node rejects it, because an answer is worth more than its form.
    pub(crate) fn new(pinned: Option<Dialect>) -> Learned {
        Learned(AtomicU8::new(pinned.unwrap_or(Dialect::JsonSchema) as u8))
    }

    /// The dialect to ask in.
    pub(crate) fn get(&self) -> Dialect {
        let step = usize::from(self.0.load(Ordering::Relaxed));
        Dialect::ALL.get(step).copied().unwrap_or(Dialect::Plain)
    }

    /// Remembers that `asked` was rejected. Returns the dialect to go on with when this call was
    /// the first to find out; another one that asked at the same time learns nothing new.
    pub(crate) fn reject(&self, asked: Dialect) -> Option<Dialect> {
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
        assert_eq!(node.reject(Dialect::JsonSchema), Some(Dialect::JsonObject));
        assert_eq!(node.reject(Dialect::JsonSchema), None);
        assert_eq!(node.get(), Dialect::JsonObject);
        assert_eq!(node.reject(Dialect::JsonObject), Some(Dialect::Plain));
        assert_eq!(node.reject(Dialect::Plain), None);
        assert_eq!(node.get(), Dialect::Plain);
    }

    #[test]
    fn carries_the_schema_where_each_server_looks_for_it() {
        let schema = Schema {
            name: "plan",
            json: json!({"type": "object"}),
        };
        let format = |dialect: Dialect| dialect.response_format(&schema);
        let strong = format(Dialect::JsonSchema).unwrap();
        assert_eq!(strong["json_schema"]["name"], "plan");
        assert_eq!(strong["json_schema"]["schema"], schema.json);
        let weak = format(Dialect::JsonObject).unwrap();
        assert_eq!(weak["type"], "json_object");
        assert_eq!(weak["schema"], schema.json);
        assert_eq!(format(Dialect::Plain), None);
    }
}
