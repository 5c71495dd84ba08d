//! Made-up probabilities of the tokens of an answer, in the form in which servers send them. Pure.
//!
//! They say nothing: each token has the probability 1/2, and the others in its place, which no answer has (`~1`, `~2`
//! and so on), have 1/4, 1/8 and so on.

use crate::reply;
use serde_json::{Value, json};

/// The `logprobs` of the tokens of `text` from one count to another, with the `likely` likeliest in the place of each.
pub(crate) fn logprobs(text: &str, from: u32, to: u32, likely: u8) -> Value {
    let tokens = (from..to).map(|n| {
        let token = reply::slice(text, n, n + 1);
        let mut entry = entry(token, 0);
        let others = (1..likely).map(|n| self::entry(&format!("~{n}"), n));
        let top = (likely > 0).then(|| self::entry(token, 0)).into_iter();
        entry["top_logprobs"] = top.chain(others).collect();
        entry
    });
    json!({"content": tokens.collect::<Vec<_>>()})
}

fn entry(token: &str, halved: u8) -> Value {
    let log = -f64::from(halved + 1) * std::f64::consts::LN_2;
    json!({"token": token, "bytes": token.as_bytes(), "logprob": log})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_has_its_own_and_as_many_likely_ones_as_asked_for() {
        let said = logprobs("abcdefghij", 1, 3, 3);
        let content = said["content"].as_array().unwrap();
        let tokens: Vec<_> = content.iter().map(|token| &token["token"]).collect();
        assert_eq!(tokens, ["efgh", "ij"]);
        let top = content[0]["top_logprobs"].as_array().unwrap();
        let shares = top
            .iter()
            .map(|token| token["logprob"].as_f64().unwrap().exp());
        let shares: Vec<_> = shares.map(|share| (share * 1000.0).round()).collect();
        assert_eq!(shares, [500.0, 250.0, 125.0]);
        assert_eq!(
            logprobs("abcd", 0, 1, 0)["content"][0]["top_logprobs"],
            json!([])
        );
    }
}
