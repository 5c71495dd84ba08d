//! Has a model judge a draft that the rules let pass: builds the prompt, reads the reply, and applies it to the
//! verdict.
//!
//! The judgement can only lower the verdict of the rules. An objection of the rules remains whatever the model says,
//! and nothing in its reply removes a mark from a sentence. If the call fails, or the reply says nothing, the verdict
//! of the rules remains unchanged, and the trail records it. *Not* here: the rules ([`verdict`](crate::verdict)).

use crate::evidence::Evidence;
use crate::options::Options;
use crate::verdict::Judged;
use envelope::limits::REASON_CHARS_MAX;
use envelope::{Classify, Fallback, Grounding, Judgement, Profile, Role, Sufficiency, Verdict};
use groundedness::{CONTRADICTED_MAX, UNSUPPORTED_MAX};
use llm::{
    Caller, ChatModel, ChatReply, EmbeddedPrompt, Prompt, PromptCall, Prompts, ReplySchema,
    SetupError, StepPromptError, json,
};
use serde_json::{Value, json};
use stage::StepContext;
use std::sync::Arc;
use text::{line_of, shortened};

/// The longest answer that is judged whole, in characters; of a longer one, the beginning is judged.
const ANSWER_CHARS_MAX: usize = 8_000;
/// The most confidence in an answer that the judging model takes for made up or for beside the question.
const DOUBTED_CONFIDENCE_MAX: f32 = CONTRADICTED_MAX;
/// The most confidence in an answer that leaves something open.
const INSUFFICIENT_CONFIDENCE_MAX: f32 = UNSUPPORTED_MAX;

/// The prompt that asks whether an answer says what the passages say.
pub(crate) const PROMPT: EmbeddedPrompt = EmbeddedPrompt {
    name: "validator",
    text: include_str!("../prompts/validator.md"),
    placeholders: &["question", "passages", "answer"],
};

/// The models that take part in a judgement, by the names that their nodes know them by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeModels {
    /// The model that judges.
    pub judge: String,
    /// The model that writes the answers that are judged, if a question names no other model.
    pub writer: String,
}

/// The model that judges, and how it is asked.
pub(crate) struct Judge {
    model: Arc<dyn ChatModel>,
    prompt: Prompt,
    models: JudgeModels,
}

impl Judge {
    pub(crate) fn new(
        model: Arc<dyn ChatModel>,
        prompts: &Prompts,
        models: JudgeModels,
    ) -> Result<Self, SetupError> {
        Ok(Judge {
            model,
            prompt: prompts.get(&PROMPT)?,
            models,
        })
    }

    /// Has the model judge `judged`, and lowers what the model doubts. `None` where the model was not asked, or could
    /// not be.
    pub(crate) async fn ask(
        &self,
        cx: &StepContext,
        evidence: &Evidence,
        judged: &mut Judged,
        options: &Options,
    ) -> Option<(PromptCall<'_>, ChatReply)> {
        if self.wrote_it(cx) {
            judged.unjudged("same_model");
            return None;
        }
        if let Some(limit) = cx.case.budget.spent() {
            let limit = limit.into();
            judged.fallbacks.push(Fallback::BudgetSpent { limit });
            return None;
        }
        let (passages, count) = shown(&judged.verdict, evidence, options.judge_chars_max);
        let call = match self.call(cx, &judged.verdict, &passages, options) {
            Ok(call) => call,
            // One that a replay brought.
            Err(error) => {
                judged.unjudged(error.code());
                return None;
            }
        };
        if count > 0 {
            judged.fallbacks.push(Fallback::PassagesTrimmed { count });
        }
        let reply = match self.model.chat(&call.request).await {
            Ok(reply) => reply,
            Err(error) => {
                judged.unjudged(error.code());
                return None;
            }
        };
        match read(call.answer(&reply)) {
            Some(judgement) => lower(judged, judgement),
            None => judged.unjudged("unreadable"),
        }
        Some((call, reply))
    }

    /// Whether the judging model wrote the draft: a small model confirms what it just said. A question may name the
    /// model that writes.
    fn wrote_it(&self, cx: &StepContext) -> bool {
        let asked_for = cx.case.overrides.model.as_deref();
        let writer = asked_for.unwrap_or(&self.models.writer);
        cx.case.profile == Profile::Small && writer == self.models.judge
    }

    fn call(
        &self,
        cx: &StepContext,
        verdict: &Verdict,
        passages: &str,
        options: &Options,
    ) -> Result<PromptCall<'_>, StepPromptError> {
        let caller = Caller::new(
            Role::Validator,
            cx,
            options.max_tokens,
            options.call_timeout,
        );
        let inputs = [
            ("question", cx.case.question.best()),
            ("passages", passages),
            ("answer", &shortened(&verdict.answer, ANSWER_CHARS_MAX)),
        ];
        let mut call = caller.call(&self.prompt, &inputs, Some(schema()))?;
        // A question names who writes its answer, not who judges it.
        call.request.model = None;
        Ok(call)
    }
}

/// The passages that the answer stands on, numbered as it cites them, within so many characters, and the number of
/// those that were cut for that.
fn shown(verdict: &Verdict, evidence: &Evidence, chars_max: usize) -> (String, u16) {
    let texts = evidence.texts(&verdict.citations);
    let whole: usize = texts.iter().map(|text| text.chars().count()).sum();
    let share = match whole > chars_max {
        true => chars_max / texts.len().max(1),
        false => usize::MAX,
    };
    let count = texts.iter().filter(|text| text.chars().count() > share);
    let count = u16::try_from(count.count()).unwrap_or(u16::MAX);
    let numbered = texts.iter().zip(1..);
    let numbered =
        numbered.map(|(text, n): (_, usize)| format!("[{n}] {}", shortened(text, share)));
    (numbered.collect::<Vec<_>>().join("\n\n"), count)
}

/// Reads a judgement out of a reply. A missing field counts as no objection where the other one is there. A word that
/// is none of those asked for is not guessed at.
pub(crate) fn read(reply: &str) -> Option<Judgement> {
    // What is cut off is the reason, which comes last.
    let cut_off = || json::read_object(&format!("{reply}\""));
    let (object, _) = json::read_object(reply).or_else(cut_off)?;
    let field = |name: &str| object.get(name).filter(|value| !value.is_null());
    let (grounding, sufficiency) = (field("grounding"), field("sufficiency"));
    if grounding.is_none() && sufficiency.is_none() {
        return None;
    }
    let reason = field("reason").and_then(Value::as_str).unwrap_or_default();
    Some(Judgement {
        grounding: match grounding {
            Some(said) => grounding_of(said)?,
            None => Grounding::Grounded,
        },
        sufficiency: match sufficiency {
            Some(said) => sufficiency_of(said)?,
            None => Sufficiency::Sufficient,
        },
        reason: line_of(reason, REASON_CHARS_MAX),
    })
}

fn grounding_of(said: &Value) -> Option<Grounding> {
    Some(match word(said)?.as_str() {
        "grounded" | "true" => Grounding::Grounded,
        "hallucinating" | "hallucinated" | "hallucination" | "ungrounded" | "not_grounded"
        | "false" => Grounding::Hallucinating,
        "off_topic" | "offtopic" => Grounding::OffTopic,
        _ => return None,
    })
}

fn sufficiency_of(said: &Value) -> Option<Sufficiency> {
    Some(match word(said)?.as_str() {
        "sufficient" | "true" => Sufficiency::Sufficient,
        "insufficient" | "not_sufficient" | "false" => Sufficiency::Insufficient,
        _ => return None,
    })
}

/// A word in the form in which it is compared: in small letters, with one kind of gap.
fn word(said: &Value) -> Option<String> {
    match said {
        Value::String(text) => Some(text.trim().to_lowercase().replace(['-', ' '], "_")),
        Value::Bool(said) => Some(said.to_string()),
        _ => None,
    }
}

/// Lowers what rules found of a draft by the model's objections.
pub(crate) fn lower(judged: &mut Judged, judgement: Judgement) {
    let why = match judgement.reason.trim_end_matches('.') {
        "" => String::new(),
        reason => format!(": {reason}"),
    };
    let (doubt, most) = match (judgement.grounding, judgement.sufficiency) {
        (Grounding::Hallucinating, _) => (
            Some(format!("a model takes the answer for made up{why}")),
            DOUBTED_CONFIDENCE_MAX,
        ),
        (Grounding::OffTopic, _) => (
            Some(format!(
                "a model takes the answer to be beside the question{why}"
            )),
            DOUBTED_CONFIDENCE_MAX,
        ),
        (Grounding::Grounded, Sufficiency::Insufficient) => (
            Some(format!(
                "a model takes the question not to be answered in full{why}"
            )),
            INSUFFICIENT_CONFIDENCE_MAX,
        ),
        (Grounding::Grounded, Sufficiency::Sufficient) => (None, 1.0),
    };
    let verdict = &mut judged.verdict;
    verdict.confidence = verdict.confidence.min(most);
    if let Some(doubt) = doubt {
        verdict.low_confidence = true;
        verdict.notices.push(sentence(&doubt));
        if judgement.grounding == Grounding::Hallucinating {
            judged.failed.push(doubt.clone());
        }
        let is_lacking = judgement.grounding == Grounding::OffTopic
            || judgement.sufficiency == Sufficiency::Insufficient;
        judged.lacking = is_lacking.then_some(doubt);
    }
    verdict.judgement = Some(judgement);
}

fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).chain(['.']).collect()
}

fn schema() -> ReplySchema {
    let properties = json!({
        "grounding": {"type": "string", "enum": ["GROUNDED", "HALLUCINATING", "OFF_TOPIC"]},
        "sufficiency": {"type": "string", "enum": ["SUFFICIENT", "INSUFFICIENT"]},
        "reason": {"type": "string"}
    });
    ReplySchema::new("judgement", properties)
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
