//! The setting in which the pool is measured: the nodes, the calls, and the ideal throughput. Pure.
//!
//! Everything, time-outs included, runs several times as fast as in reality, so that seconds stand for the better
//! part of a minute; only the pool's constants run in real time. A call is like that of a mapper: all calls have the
//! same instructions, a question has five passages, and the question comes before the passage, so that its five calls
//! share a prefix.

use crate::cli::{PoolPolicy, Scenario};
use envelope::{Role, TenantId, TurnId};
use llm::{ChatRequest, ReplySchema};
use llm_pool::options::Node;
use serde_json::json;
use settings::{Backoff, TimeSpan};
use sim_node::request::{BLOCK_TOKENS, tokens};
use sim_node::{Behaviour, Lengths, Params};
use std::time::Duration;

/// The world at some speed.
#[derive(Debug, Clone, Copy)]
pub(super) struct World {
    /// How much faster than in reality everything is.
    pub(super) scale: f64,
}

/// The calls in flight for each slot of a healthy node: somewhat more than there is room for.
pub(super) const CALLERS_PER_SLOT: f64 = 1.1;
/// The most calls of the pool at one node, for each of its slots: an operator's generous guess.
const IN_FLIGHT_PER_SLOT: usize = 2;
/// The passages of a question, as in the other measurements.
const CALLS_PER_QUESTION: u64 = 5;
/// The tenants, which ask in turn.
const TENANTS: u64 = 4;
/// The bytes of the parts of a prompt.
const SYSTEM_BYTES: usize = 640;
const QUESTION_BYTES: usize = 640;
const PASSAGE_BYTES: usize = 1_024;
/// The time that a mapper allows a call, in reality.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);
/// The limits of a call, in reality: set, since those that a pool derives do not run faster with the world.
const FIRST_TOKEN: TimeSpan = TimeSpan::from_secs(25);
const IDLE: TimeSpan = TimeSpan::from_secs(5);
const TOTAL: TimeSpan = TimeSpan::from_secs(60);
/// How many tokens a node sends together, so that two cores suffice for all nodes.
const CHUNK_TOKENS: u32 = 16;

impl World {
    /// A time span of reality in this world.
    pub(super) fn span(self, outside: Duration) -> Duration {
        outside.div_f64(self.scale)
    }

    /// What the last node does.
    pub(super) fn behaviour(self, scenario: Scenario) -> Behaviour {
        let span = self.span(Duration::from_secs(5));
        match scenario {
            Scenario::Uniform => Behaviour::Healthy,
            Scenario::Slow => Behaviour::Slow(10.0),
            Scenario::Stuck => Behaviour::Stuck,
            Scenario::Flapping => Behaviour::Flapping(span, span),
        }
    }

    /// The node of this number.
    pub(super) fn node(self, number: usize) -> sim_node::Options {
        sim_node::Options {
            params: Params {
                time_scale: self.scale,
                seed: number as u64,
                ..Params::default()
            },
            chunk_tokens: CHUNK_TOKENS,
            ..sim_node::Options::default()
        }
    }

    /// The tokens per second that so many healthy nodes would write at best: every slot is always taken, and every
    /// prefix is read once and by one node only.
    pub(super) fn ideal_tokens_per_s(self, healthy: usize) -> f64 {
        let answer = Lengths::default().mean();
        let params = self.node(0).params;
        healthy as f64 * answer * params.ideal_calls_per_s(answer, unread_at_best())
    }

    /// A pool over nodes at these addresses.
    pub(super) fn options(self, policy: PoolPolicy, addresses: &[String]) -> llm_pool::Options {
        let sooner =
            |span: TimeSpan| TimeSpan::from_millis(self.span(span.duration()).as_millis() as u64);
        let usual = llm_pool::Options::default();
        let nodes = addresses.iter().enumerate().map(|(number, url)| Node {
            name: format!("node-{number}"),
            base_url: url.clone(),
            max_in_flight: (IN_FLIGHT_PER_SLOT * Params::default().slots) as u32,
            ..Node::default()
        });
        let wait = usual.backoff;
        let wait = Backoff::new(sooner(wait.first()), wait.factor(), sooner(wait.max()));
        llm_pool::Options {
            model: "sim".into(),
            policy: policy.of_pool(),
            nodes: nodes.collect(),
            first_token_timeout: Some(sooner(FIRST_TOKEN)),
            idle_timeout: Some(sooner(IDLE)),
            total_timeout: Some(sooner(TOTAL)),
            queue_timeout: sooner(usual.queue_timeout),
            backoff: wait.unwrap_or_default(),
            ..usual
        }
    }

    /// The call of this number; five in a row belong to one question.
    pub(super) fn request(self, number: u64) -> ChatRequest {
        let (question, passage) = (number / CALLS_PER_QUESTION, number % CALLS_PER_QUESTION);
        let tenant = question % TENANTS;
        let system = "You read one text at a time and note what it says. ";
        let head = format!("Question {question} of tenant {tenant}: what is the notice period? ");
        let text = format!("Passage {passage}. The notice period is 90 days. ");
        let tenant_id = TenantId::new(format!("tenant-{tenant}"));
        let turn = TurnId::new(format!("bench-{tenant}-{question}"));
        ChatRequest {
            role: Role::Mapper,
            model: None,
            turn: turn.unwrap_or_else(|_| unreachable!("letters and digits make a turn id")),
            tenant: tenant_id.unwrap_or_else(|_| unreachable!("letters and digits make a tenant")),
            system: filled(system, SYSTEM_BYTES),
            user: filled(&head, QUESTION_BYTES) + &filled(&text, PASSAGE_BYTES),
            max_tokens: 256,
            likely: 0,
            schema: Some(ReplySchema {
                name: "findings",
                json: json!({"type": "object", "required": ["relevant", "facts"], "properties": {
                    "relevant": {"type": "boolean"},
                    "facts": {"type": "array", "maxItems": 8, "items": {"type": "string"}}}}),
            }),
            timeout: self.span(CALL_TIMEOUT),
        }
    }
}

/// The mean number of prompt tokens of a call that cannot be cached.
fn unread_at_best() -> f64 {
    let whole = |bytes: usize| f64::from(tokens(bytes) / BLOCK_TOKENS * BLOCK_TOKENS);
    // The two words of the roles and the ends of lines are part of what is sent.
    let system = SYSTEM_BYTES + "system\n\nuser\n".len();
    let all = f64::from(tokens(system + QUESTION_BYTES + PASSAGE_BYTES + 1));
    let calls = CALLS_PER_QUESTION as f64;
    let cached = whole(system) + (calls - 1.0) * whole(system + QUESTION_BYTES);
    all - cached / calls
}

fn filled(text: &str, bytes: usize) -> String {
    let mut filled = text.repeat(bytes.div_ceil(text.len()));
    filled.truncate(bytes);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_calls_share_turn_and_prefix_and_no_two_are_alike() {
        let calls: Vec<_> = (0..10).map(|n| World { scale: 5.0 }.request(n)).collect();
        assert_eq!(calls[0].turn, calls[4].turn);
        assert_ne!(calls[4].turn, calls[5].turn);
        assert_eq!(
            calls[0].user[..QUESTION_BYTES],
            calls[4].user[..QUESTION_BYTES]
        );
        for (n, call) in calls.iter().enumerate() {
            assert!(calls[..n].iter().all(|other| other.user != call.user));
        }
    }

    #[test]
    fn at_best_a_question_is_read_once() {
        let unread = unread_at_best();
        // The passage, a fifth of the question, and what is left of a block.
        assert!((288.0..305.0).contains(&unread), "{unread}");
        let one = World { scale: 5.0 }.ideal_tokens_per_s(1);
        assert!((6_000.0..7_500.0).contains(&one), "{one}");
    }
}
