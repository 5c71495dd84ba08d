//! The envelope of a step: turn, tenant and times, the question, the remaining budget, and the payload.

use crate::codec::is_default;
use crate::filter::Filter;
use crate::ids::{Bucket, ConversationId, TenantId, TurnId};
use crate::kept_draft::KeptDraft;
use crate::mode::AutoMode;
use crate::overrides::Overrides;
use crate::principal::{Groups, Principal};
use crate::read_mark::ReadMark;
use crate::role::Role;
use crate::trail::{TrailEntry, Usage};
use serde::{Deserialize, Serialize};

/// A time, in milliseconds since the Unix epoch, UTC.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct UnixMs(pub u64);

impl UnixMs {
    /// Milliseconds from `self` to `later`; 0 when that is not later.
    pub fn until(self, later: UnixMs) -> u64 {
        later.0.saturating_sub(self.0)
    }
    /// The time `ms` milliseconds later.
    pub fn plus(self, ms: u64) -> UnixMs {
        UnixMs(self.0.saturating_add(ms))
    }
}

words! {
    /// How much is done for an answer.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Mode {
        /// Every stage.
        #[default]
        Agentic = "agentic",
        /// Retrieve and one call: the linear baseline.
        Simple = "simple",
        /// A large model acts step by step, a search or a look at a document each, until it has enough to answer from.
        Loop = "loop",
    }
}

words! {
    /// Which class of model the defaults are chosen for.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Profile {
        /// A model of about 1B parameters: one thing per call, short lists, no self-verification.
        #[default]
        Small = "small",
        /// A model that keeps longer lists in mind: a plan may have more keywords, conditions and sub-queries, and an answer is
        /// composed from passages.
        Large = "large",
    }
}

impl Profile {
    /// The mean score of a search's passages below which another search is made, where nothing else is configured.
    /// Scores are relative to one search and say little by themselves: a small model is not called again because of
    /// them, and a large one looks at the passages.
    pub const fn score_min(self) -> f32 {
        match self {
            Profile::Small => 0.0,
            Profile::Large => 0.3,
        }
    }
}

/// The message that carries one step. `P` is the payload of its role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope<P> {
    /// Wire version; the first thing a reader looks at.
    pub v: u16,
    /// Turn, tenant and times.
    pub header: Header,
    /// What every stage may read.
    pub case: Case,
    /// The trail of the earlier steps; empty in map steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trail: Vec<TrailEntry>,
    /// The payload, on which the step works.
    pub payload: P,
}

impl<P> Envelope<P> {
    /// The same step with another form of its payload.
    pub fn map<Q>(self, payload: impl FnOnce(P) -> Q) -> Envelope<Q> {
        Envelope {
            v: self.v,
            header: self.header,
            case: self.case,
            trail: self.trail,
            payload: payload(self.payload),
        }
    }
}

/// Identity, place and time of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The turn.
    pub turn: TurnId,
    /// The tenant whose documents may be read.
    pub tenant: TenantId,
    /// The groups of readers that the asker belongs to.
    #[serde(default, skip_serializing_if = "Groups::is_empty")]
    pub groups: Groups,
    /// The shard the turn lives in.
    pub shard: u16,
    /// Grows by one at every transition of a turn. A step is created only if its hop has none.
    pub hop: u16,
    /// Which attempt at an answer this is, from 0.
    pub round: u8,
    /// The role that does the step.
    pub role: Role,
    /// When the question was stored.
    pub asked_at: UnixMs,
    /// When the step was created.
    pub created_at: UnixMs,
    /// When the turn ends at the latest.
    pub deadline: UnixMs,
    /// The conversation that it belongs to, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// The turn that this one continues (a reply to a question back, a retry).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TurnId>,
    /// Hop of the turn's first step. Above 0 the turn continues that step of its parent, and the parent did what
    /// came before.
    #[serde(default, skip_serializing_if = "is_default")]
    pub first_hop: u16,
    /// Where the terminal event is to be delivered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Hash of the question: see [`crate::question::Question::hash`].
    pub question_hash: String,
    /// True when the publisher wants to hear stage events and drafts on `argosy.live.<turn>`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub live: bool,
    /// W3C `traceparent` of the step that created this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// W3C `tracestate` that the question came with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracestate: Option<String>,
}

impl Header {
    /// The header of a step of which only this is known: of the default tenant, asked for at `now`. Its deadline is `now`
    /// until the caller sets one.
    pub fn of(turn: TurnId, role: Role, hop: u16, now: UnixMs) -> Header {
        Header {
            turn,
            tenant: TenantId::default_tenant(),
            groups: Groups::default(),
            shard: 0,
            hop,
            round: 0,
            role,
            asked_at: now,
            created_at: now,
            deadline: now,
            conversation: None,
            parent: None,
            first_hop: 0,
            reply_to: None,
            question_hash: String::new(),
            live: false,
            traceparent: None,
            tracestate: None,
        }
    }

    /// Whose documents may be read.
    pub fn principal(&self) -> Principal {
        Principal {
            tenant: self.tenant.clone(),
            groups: self.groups.clone(),
        }
    }

    /// Whether the user can be asked back: the turn belongs to a conversation and does not continue another turn.
    pub fn may_ask_back(&self) -> bool {
        self.conversation.is_some() && self.parent.is_none()
    }

    /// Whether another round can be expected to end in time: it takes as long as the rounds before it did on
    /// average, and the answer takes half as long again. A late answer counts as none.
    pub fn has_time_for_round(&self, now: UnixMs) -> bool {
        let rounds = u64::from(self.round) + 1;
        let per_round = self.asked_at.until(now) / rounds;
        now.until(self.deadline) >= per_round + per_round / 2
    }
}

/// What every stage of a turn may read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The question.
    pub question: QuestionText,
    /// How much is done for it.
    #[serde(default)]
    pub mode: Mode,
    /// Which class of model the defaults are for.
    #[serde(default)]
    pub profile: Profile,
    /// Parts of the corpus to search; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<Bucket>,
    /// The publisher's own filter: holds in every search of the turn.
    #[serde(default, skip_serializing_if = "Filter::is_empty")]
    pub filter: Filter,
    /// What may still be spent.
    pub budget: Budget,
    /// Queries that earlier rounds of this turn searched with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
    /// Hops of the scatter records of the rounds so far, the running one included once it has fanned
    /// out: what an answer is composed from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scatters: Vec<u16>,
    /// The marks of the passages that earlier rounds have read. They are present only between the step that asks for
    /// another round and the search of that round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<ReadMark>,
    /// Chunk ids that were cited by a draft that failed its check: the question back is about them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubted: Vec<String>,
    /// The best draft that was checked so far. It is kept in case no later one is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<KeptDraft>,
    /// Sequence of the corpus stream that an index must have taken in before it is searched; 0 for any. It lets a
    /// client find what it has just written.
    #[serde(default, skip_serializing_if = "is_default")]
    pub min_seq: u64,
    /// Whether a model judges the draft: a call is reserved for it. False where none does, or the gateway does not
    /// know of one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub judged: bool,
    /// Mean score of the passages of a search below which more is looked for, 0 to 1; 0 for never.
    #[serde(default, skip_serializing_if = "is_default")]
    pub score_min: f32,
    /// Why the gateway chose the mode, in a word; absent where the question or the configuration named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_reason: Option<String>,
    /// The model and prompts that its calls use instead of those that their process is configured with.
    #[serde(default, skip_serializing_if = "Overrides::is_empty")]
    pub overrides: Overrides,
}

impl Case {
    /// Calls that are reserved for an answer from what was read: one to write it, and one to judge it where a model
    /// does.
    pub fn answer_calls(&self) -> u32 {
        1 + u32::from(self.judged)
    }

    /// What the gateway decided, where the mode was left to it.
    pub fn auto(&self) -> Option<AutoMode> {
        self.mode_reason.clone().map(|reason| AutoMode {
            mode: self.mode,
            reason,
        })
    }

    /// The limit that forbids another round, if one does: a round needs its plan, one passage, and the answer,
    /// because a round that could not read a single passage is useless.
    pub fn round_refused(&self) -> Option<&'static str> {
        let budget = &self.budget;
        if budget.rounds <= 1 {
            Some("rounds")
        } else if budget.searches == 0 {
            Some("searches")
        } else if budget.llm_calls < 2 + self.answer_calls() {
            Some("llm_calls")
        } else {
            budget.spent()
        }
    }
}

/// The question in its two forms: search and grading use the rewritten one where there is one,
/// answering the original.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionText {
    /// As the user wrote it.
    pub original: String,
    /// The self-contained form, when the original refers to earlier messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<String>,
}

impl QuestionText {
    /// The form to search and grade with.
    pub fn best(&self) -> &str {
        self.rewritten.as_deref().unwrap_or(&self.original)
    }
}

/// What a turn may still spend. The limit that runs out first ends it, and is named in the trail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Attempts at an answer that are left, the running one included. Default 3.
    pub rounds: u8,
    /// Searches that are left: the first of each round, and those that follow one that found nothing. Default 4.
    pub searches: u16,
    /// Model calls that are left. Default 40: three rounds of 2 + 5 calls, each doubled by a retry.
    pub llm_calls: u32,
    /// Tokens that are left, in and out. Default 200,000.
    pub tokens: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            rounds: 3,
            searches: 4,
            llm_calls: 40,
            tokens: 200_000,
        }
    }
}

/// The budget that a question asks for; the gateway fills in what it leaves open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestedBudget {
    /// See [`Budget::rounds`].
    pub rounds: Option<u8>,
    /// See [`Budget::searches`].
    pub searches: Option<u16>,
    /// See [`Budget::llm_calls`].
    pub llm_calls: Option<u32>,
    /// See [`Budget::tokens`].
    pub tokens: Option<u64>,
}

impl RequestedBudget {
    /// The budget with the limits of `default` where the question leaves one open.
    pub fn or(self, default: Budget) -> Budget {
        Budget {
            rounds: self.rounds.unwrap_or(default.rounds),
            searches: self.searches.unwrap_or(default.searches),
            llm_calls: self.llm_calls.unwrap_or(default.llm_calls),
            tokens: self.tokens.unwrap_or(default.tokens),
        }
    }
}

impl Budget {
    /// The budget after `usage` was spent.
    pub fn after(mut self, usage: &Usage) -> Budget {
        self.llm_calls = self.llm_calls.saturating_sub(usage.calls);
        self.searches = self.searches.saturating_sub(usage.searches);
        self.tokens = self
            .tokens
            .saturating_sub(usage.tokens_in + usage.tokens_out);
        self
    }

    /// The limit that forbids another draft from what was read, if one does: a draft counts as a round, and is one
    /// call.
    pub(crate) fn draft_refused(&self) -> Option<&'static str> {
        if self.rounds <= 1 {
            Some("rounds")
        } else {
            self.spent()
        }
    }

    /// Which limit forbids another model call, if one does.
    pub fn spent(&self) -> Option<&'static str> {
        if self.llm_calls == 0 {
            Some("llm_calls")
        } else if self.tokens == 0 {
            Some("tokens")
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_refused(budget: Budget) -> Option<&'static str> {
        let case = Case {
            budget,
            ..Case::default()
        };
        case.round_refused()
    }

    #[test]
    fn the_first_limit_to_run_out_is_named() {
        let budget = Budget {
            rounds: 1,
            searches: 1,
            llm_calls: 4,
            tokens: 10,
        };
        let spent = Usage {
            calls: 1,
            tokens_in: 6,
            tokens_out: 5,
            ..Usage::default()
        };
        assert_eq!(budget.spent(), None);
        assert_eq!(round_refused(budget), Some("rounds"));
        let rounds = Budget {
            rounds: 2,
            ..budget
        };
        assert_eq!(
            (round_refused(rounds), rounds.draft_refused()),
            (None, None)
        );
        assert_eq!(budget.draft_refused(), Some("rounds"));
        let no_search = Budget {
            searches: 0,
            ..rounds
        };
        assert_eq!(round_refused(no_search), Some("searches"));
        assert_eq!(round_refused(rounds.after(&spent)), Some("tokens"));
        assert_eq!(budget.after(&spent).spent(), Some("tokens"));
        let all = Usage { calls: 4, ..spent };
        assert_eq!(budget.after(&all).spent(), Some("llm_calls"));
    }

    #[test]
    fn a_round_wants_calls_for_its_plan_a_passage_and_the_answer() {
        for (llm_calls, round, draft) in [
            (3, None, None),
            (2, Some("llm_calls"), None),
            (0, Some("llm_calls"), Some("llm_calls")),
        ] {
            let budget = Budget {
                llm_calls,
                ..Budget::default()
            };
            assert_eq!(
                (round_refused(budget), budget.draft_refused()),
                (round, draft)
            );
        }
    }
}
