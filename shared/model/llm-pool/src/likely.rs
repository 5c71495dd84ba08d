//! Reads the probabilities of tokens as servers send them, in whole answers and in pieces. Pure.
//!
//! They are an extra: a part that is missing or has another form costs the probabilities and never the answer. Half a
//! list would be worse than none, because its tokens would stand in the wrong places.

use crate::asked::Asked;
use crate::constants::TOKEN_BYTES_MAX;
use llm::TokenProbability;
use serde_json::Value;

/// The least logarithm. Servers write -100, -9999 or something in between for minus infinity, which JSON does not
/// have; a mean over such numbers would tell nothing.
const LOG_MIN: f64 = -100.0;

/// The tokens of an answer that have come so far.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    kept: Vec<TokenProbability>,
    is_odd: bool,
}

impl Tokens {
    /// Takes in the `logprobs` of a choice or of a piece of it.
    pub(crate) fn push(&mut self, logprobs: &Value, asked: Asked) {
        if asked.likely == 0 || logprobs.is_null() {
            return;
        }
        let content = &logprobs["content"];
        let tokens = content.as_array();
        self.is_odd |= tokens.is_none() && !content.is_null();
        for token in tokens.into_iter().flatten() {
            match read(token, usize::from(asked.likely)) {
                Some(token) if self.kept.len() < asked.tokens_max as usize => self.kept.push(token),
                Some(_) => break,
                None => self.is_odd = true,
            }
        }
    }

    /// All of them, once the answer has come; none if a part of them could not be read.
    pub(crate) fn end(mut self) -> Vec<TokenProbability> {
        // llama.cpp also lists the end of a whole answer, as a token without text, but not that of a streamed one.
        while self.kept.last().is_some_and(|token| token.text.is_empty()) {
            self.kept.pop();
        }
        match self.is_odd {
            true => Vec::new(),
            false => self.kept,
        }
    }
}

fn read(token: &Value, likely: usize) -> Option<TokenProbability> {
    let (text, log) = pair(token)?;
    let others = token["top_logprobs"].as_array();
    let mut others: Vec<_> = others.into_iter().flatten().filter_map(pair).collect();
    // vLLM puts the token that was written first, however likely it is.
    others.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    others.truncate(likely);
    Some(TokenProbability { text, log, others })
}

fn pair(token: &Value) -> Option<(String, f32)> {
    let text = token["token"].as_str()?;
    let log = token["logprob"].as_f64()?.clamp(LOG_MIN, 0.0);
    (text.len() <= TOKEN_BYTES_MAX).then(|| (text.to_owned(), log as f32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ASKED: Asked = Asked {
        json: None,
        likely: 2,
        tokens_max: 3,
    };

    fn read_all(parts: &[Value], asked: Asked) -> Vec<TokenProbability> {
        let mut tokens = Tokens::default();
        for part in parts {
            tokens.push(part, asked);
        }
        tokens.end()
    }

    fn token(text: &str, log: f64) -> Value {
        json!({"id": 7, "token": text, "bytes": text.as_bytes(), "logprob": log})
    }

    fn texts(parts: &[Value]) -> String {
        let tokens = read_all(parts, ASKED);
        tokens.into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn the_likeliest_come_first_and_are_no_more_than_asked_for() {
        let mut written = token("Perhaps", -3.0);
        let top = [("Perhaps", -3.0), ("Yes", -0.5), ("No", -1.5)];
        written["top_logprobs"] = top.map(|(text, log)| token(text, log)).into();
        let tokens = read_all(&[json!({"content": [written]})], ASKED);
        let wanted = TokenProbability {
            text: "Perhaps".into(),
            log: -3.0,
            others: vec![("Yes".into(), -0.5), ("No".into(), -1.5)],
        };
        assert_eq!(tokens, [wanted]);
    }

    #[test]
    fn infinity_in_any_form_is_the_least_logarithm() {
        for (sent, read) in [
            (-9999.0, -100.0),
            (-1e300, -100.0),
            (-100.0, -100.0),
            (0.5, 0.0),
        ] {
            let tokens = read_all(&[json!({"content": [token("x", sent)]})], ASKED);
            assert_eq!(tokens[0].log, read);
        }
    }

    #[test]
    fn what_is_missing_or_odd_gives_none() {
        let good = json!({"content": [token("a", -0.1)]});
        let long = "x".repeat(TOKEN_BYTES_MAX + 1);
        for odd in [
            json!({"content": "x"}),
            json!({"content": [null]}),
            json!({"content": [{"token": "b"}]}),
            json!({"content": [{"token": "b", "logprob": null}]}),
            json!({"content": [{"token": ["b"], "logprob": -1}]}),
            json!({"content": [token(&long, -1.0)]}),
            // llama.cpp before it spoke OpenAI's words.
            json!({"content": [{"content": "b", "probs": [{"tok_str": "b", "prob": 0.5}]}]}),
        ] {
            assert_eq!(
                texts(&[good.clone(), odd.clone(), good.clone()]),
                "",
                "{odd}"
            );
        }
        for nothing in [
            json!(null),
            json!("x"),
            json!({}),
            json!({"content": null}),
            json!({"content": []}),
            // llama-cpp-python: what is right for texts that are no chats.
            json!({"tokens": ["b"], "token_logprobs": [-0.5], "top_logprobs": [{"b": -0.5}]}),
        ] {
            assert_eq!(texts(&[nothing.clone(), nothing.clone()]), "");
            assert_eq!(texts(&[nothing, good.clone()]), "a");
        }
    }

    #[test]
    fn no_more_is_kept_than_an_answer_may_have() {
        let piece = json!({"content": [token("a", -0.1), token("b", -0.1)]});
        assert_eq!(texts(&[piece.clone(), piece.clone(), piece.clone()]), "aba");
        let unasked = Asked { likely: 0, ..ASKED };
        assert!(read_all(&[piece], unasked).is_empty());
    }

    #[test]
    fn the_end_of_an_answer_is_no_token_of_it() {
        let whole = json!({"content": [token("a", -0.1), token("", -0.6)]});
        assert_eq!(read_all(&[whole], ASKED).len(), 1);
    }
}
