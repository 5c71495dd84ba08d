//! Reads a request body as the simulated engine needs it: as tokens, and as blocks of the prefix cache. The module is
//! pure.
//!
//! There is no tokenizer: four bytes count as a token, and sixteen tokens are a block.

use serde::Deserialize;

/// Bytes of text that count as one token.
pub(crate) const TOKEN_BYTES: usize = 4;
/// Tokens of a block, the unit of the prefix cache; as in vLLM.
pub const BLOCK_TOKENS: u32 = 16;
/// Tokens of an answer when the request sets no limit.
const MAX_TOKENS_DEFAULT: u32 = 256;

/// The parts of a request for a chat completion that matter to a simulated node. Other fields of the body are accepted
/// and ignored.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct CompletionRequest {
    /// The model's name; echoed.
    #[serde(default)]
    pub model: String,
    messages: Vec<Message>,
    #[serde(default)]
    max_tokens: Option<u32>,
    #[serde(default)]
    max_completion_tokens: Option<u32>,
    /// Whether the answer is to be streamed.
    #[serde(default)]
    pub stream: bool,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    #[serde(default)]
    logprobs: Option<bool>,
    #[serde(default)]
    top_logprobs: Option<u8>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    content: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

/// A prompt as the closure of a node sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptText {
    /// The system message; empty when there was none.
    pub system: String,
    /// The last user message.
    pub user: String,
    /// Its length in tokens.
    pub tokens: u32,
    /// The hash of the whole prompt: it is the same for the same prompt at every node.
    pub hash: u64,
}

/// A request for embeddings.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct EmbeddingRequest {
    /// The model's name; echoed.
    #[serde(default)]
    pub(crate) model: String,
    /// The texts.
    pub(crate) input: Vec<String>,
}

impl CompletionRequest {
    /// Reads a body.
    ///
    /// # Errors
    /// What is wrong with it, as serde says it.
    pub fn read(body: &[u8]) -> Result<CompletionRequest, serde_json::Error> {
        serde_json::from_slice(body)
    }

    /// Most tokens that the answer may have.
    pub fn max_tokens(&self) -> u32 {
        let given = self.max_completion_tokens.or(self.max_tokens);
        given.unwrap_or(MAX_TOKENS_DEFAULT).max(1)
    }

    /// Whether a stream is to end with what it cost.
    pub(crate) fn wants_usage(&self) -> bool {
        let options = self.stream_options.as_ref();
        options.is_some_and(|options| options.include_usage)
    }

    /// How many of the likeliest tokens are to be named for each token; none if no probabilities are asked for.
    pub(crate) fn likely(&self) -> Option<u8> {
        let wanted = self.logprobs.unwrap_or_default();
        wanted.then(|| self.top_logprobs.unwrap_or_default())
    }

    /// The prompt, and the hashes of its blocks.
    pub fn prompt(&self) -> (PromptText, Vec<u64>) {
        let last = |role: &str| {
            let mut messages = self.messages.iter().rev();
            let found = messages.find(|message| message.role == role);
            found.and_then(|message| message.content.clone())
        };
        let mut text = Vec::new();
        for message in &self.messages {
            text.extend_from_slice(message.role.as_bytes());
            text.push(b'\n');
            text.extend_from_slice(message.content.as_deref().unwrap_or_default().as_bytes());
            text.push(b'\n');
        }
        let (blocks, hash) = blocks(&text);
        let prompt = PromptText {
            system: last("system").unwrap_or_default(),
            user: last("user").unwrap_or_default(),
            tokens: tokens(text.len()),
            hash,
        };
        (prompt, blocks)
    }
}

/// The number of tokens in this many bytes.
pub fn tokens(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(TOKEN_BYTES)).unwrap_or(u32::MAX)
}

/// The hash of every whole block together with everything before it, and the hash of the whole text.
pub fn blocks(text: &[u8]) -> (Vec<u64>, u64) {
    let size = TOKEN_BYTES * BLOCK_TOKENS as usize;
    let mut hash = FNV_OFFSET;
    let mut blocks = Vec::with_capacity(text.len() / size);
    for block in text.chunks(size) {
        hash = hashed(hash, block);
        if block.len() == size {
            blocks.push(hash);
        }
    }
    (blocks, hash)
}

/// FNV-1a: the same on every machine and in every version, unlike the hasher of the standard library.
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

fn hashed(from: u64, bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME);
    bytes.iter().fold(from, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(system: &str, user: &str) -> CompletionRequest {
        let body = json!({"model": "m", "temperature": 0, "response_format": {"type": "json_object"},
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}]});
        CompletionRequest::read(body.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn prompts_that_begin_alike_share_blocks() {
        let shared = "s".repeat(640);
        let (one, blocks_one) = request(&shared, "first").prompt();
        let (two, blocks_two) = request(&shared, "second").prompt();
        assert_eq!(blocks_one[..10], blocks_two[..10]);
        assert_ne!(one.hash, two.hash);
        assert_eq!((one.user.as_str(), one.tokens), ("first", tokens(659)));
        let (_, other) = request("x", "first").prompt();
        assert_ne!(other.first(), blocks_one.first());
    }

    #[test]
    fn reads_limits_and_what_a_stream_ends_with() {
        let read = |body: serde_json::Value| CompletionRequest::read(body.to_string().as_bytes());
        let plain = read(json!({"messages": []})).unwrap();
        assert_eq!((plain.max_tokens(), plain.wants_usage()), (256, false));
        let full = read(json!({"messages": [], "max_tokens": 9, "stream": true,
            "stream_options": {"include_usage": true}}));
        let full = full.unwrap();
        assert_eq!((full.max_tokens(), full.wants_usage()), (9, true));
        assert!(read(json!({"max_tokens": 9})).is_err());
        let likely = |fields: &str| {
            let body = format!(r#"{{"messages": [], {fields}}}"#);
            CompletionRequest::read(body.as_bytes()).unwrap().likely()
        };
        assert_eq!(likely(r#""logprobs": true, "top_logprobs": 5"#), Some(5));
        assert_eq!(likely(r#""logprobs": true"#), Some(0));
        assert_eq!(likely(r#""logprobs": null, "top_logprobs": 5"#), None);
    }
}
