//! Classifies a rejected call by status **and** body: servers use the same status for a prompt that is too long, a
//! schema that they do not know and a wrong request. Pure and table-driven; the error texts are those of the servers'
//! releases up to late 2026.

use crate::asked::{Asked, Rejected};
use crate::error_body::ErrorBody;
use crate::failure::Failure;
use std::time::Duration;

/// The words of servers, in lower case, under headings for what they mean. The order counts where a number follows.
const PHRASES: &str = include_str!("classify/phrases.txt");

/// The phrases under a heading.
fn phrases(heading: &str) -> impl Iterator<Item = &'static str> {
    let lines = PHRASES
        .lines()
        .skip_while(move |line| *line != heading)
        .skip(1);
    let own = lines.take_while(|line| !line.starts_with('['));
    own.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Classifies the reply of a node with status `status` and body `said` to a call that asked for this.
pub(crate) fn classify(
    status: u16,
    said: ErrorBody,
    retry_after: Option<Duration>,
    asked: Asked,
) -> Failure {
    let about_the_request = matches!(status, 400 | 413 | 422 | 500);
    if status == 413 || (about_the_request && mentions(&said.words, "[overflow]")) {
        return Failure::TooLong {
            limit: said.n_ctx.or_else(|| limit(&said.words)),
        };
    }
    if about_the_request && let Some(rejected) = rejected(&said.words, asked) {
        return Failure::Dialect {
            message: said.message,
            rejected,
        };
    }
    match status {
        429 => Failure::Busy { retry_after },
        // llama.cpp says 503 while it loads a model, others when their queue is full.
        503 | 529 => Failure::Busy { retry_after },
        408 | 425 | 500 | 502 | 504 | 520..=528 => Failure::Down {
            reason: format!("status {status}: {}", said.message),
            retry_after,
        },
        _ => Failure::Refused {
            status,
            message: said.message,
        },
    }
}

/// What of the request the words are about. Probabilities come first: an answer is worth more without them than
/// without its form.
fn rejected(words: &str, asked: Asked) -> Option<Rejected> {
    if asked.likely > 0 && mentions(words, "[likely]") {
        return Some(Rejected::Likely);
    }
    let json = asked.json.filter(|dialect| dialect.weaker().is_some())?;
    mentions(words, "[format]").then_some(Rejected::Json(json))
}

fn mentions(words: &str, heading: &str) -> bool {
    phrases(heading).any(|phrase| words.contains(phrase))
}

/// The size of the context in tokens, where the words name it.
fn limit(words: &str) -> Option<u32> {
    phrases("[limit]").find_map(|phrase| {
        words
            .match_indices(phrase)
            .find_map(|(at, _)| number(&words[at + phrase.len()..]))
    })
}

/// The number that `text` begins with, after a few signs like ` (`: only one that can be a context.
fn number(text: &str) -> Option<u32> {
    let text = text.trim_start_matches([' ', '(', ':', '=', '\'', '"', '`']);
    let digits = text.find(|c: char| !c.is_ascii_digit());
    let number: u32 = text[..digits.unwrap_or(text.len())].parse().ok()?;
    (number >= 128).then_some(number)
}

#[cfg(test)]
#[path = "classify_tests.rs"]
mod tests;
