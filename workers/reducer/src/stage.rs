//! The step: gather, gate, build the prompt, call, finish the draft. The only place that waits.

use crate::answer::{self, Answer, NO_INFORMATION};
use crate::evidence::Evidence;
use crate::gather::{self, Gathered};
use crate::marks;
use crate::options::Options;
use crate::quote::citations;
use crate::stitch::stitch;
use envelope::route::{ReducerExit, may_refine};
use envelope::{Class, Classed, Draft, Fallback, Matched, Passage, Role};
use llm::{ChatModel, ChatReply, ChatRequest, Prompt, PromptError, Prompts, tokens};
use stage::{BoxFuture, Cx, Done, Reduce, Stage};
use std::sync::Arc;

/// Why there is no reducer, or no prompt for it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Options that cannot be kept to.
    #[error("reducer options: {0}")]
    Options(String),
    /// A prompt that cannot be used.
    #[error(transparent)]
    Prompt(#[from] PromptError),
}

impl Classed for Error {
    fn class(&self) -> Class {
        Class::Bug
    }

    fn code(&self) -> &'static str {
        match self {
            Error::Options(_) => "reducer_options",
            Error::Prompt(_) => "reducer_prompt",
        }
    }
}

/// The reducer.
pub struct Reducer {
    model: Arc<dyn ChatModel>,
    gather: Prompt,
    strict: Prompt,
    generate: Prompt,
    options: Options,
}

/// What is to be written, and what a draft carries on from its task.
struct Brief<'a> {
    prompt: &'a Prompt,
    /// The placeholder that takes the evidence.
    section: &'static str,
    evidence: Evidence,
    scatter: Option<u16>,
    strict: bool,
    matched: Matched,
}

/// What a call came to: words, or the reason why there are none that will pass by waiting.
type Written = Result<ChatReply, Fallback>;

impl Reducer {
    /// A reducer that asks `model` with the prompts `reducer`, `reducer_strict` and
    /// `reducer_generate`; fails when prompts or options are nonsense.
    pub fn new(
        model: Arc<dyn ChatModel>,
        prompts: &Prompts,
        options: Options,
    ) -> Result<Self, Error> {
        options.validate()?;
        let gather = include_str!("../prompts/reducer.md");
        let strict = include_str!("../prompts/reducer_strict.md");
        let generate = include_str!("../prompts/reducer_generate.md");
        Ok(Reducer {
            model,
            gather: prompts.get("reducer", gather, &["question", "facts"])?,
            strict: prompts.get("reducer_strict", strict, &["question", "facts"])?,
            generate: prompts.get("reducer_generate", generate, &["question", "passages"])?,
            options,
        })
    }

    async fn reduce(&self, cx: &Cx, task: Reduce) -> Result<Done<ReducerExit>, stage::Error> {
        match task {
            Reduce::Generate { passages, matched } => self.generate(cx, passages, matched).await,
            Reduce::Gather {
                scatter,
                strict,
                last,
                passages,
                findings,
                missing,
                failed,
                matched,
            } => {
                let mut fallbacks = gather::fallbacks(missing, failed);
                let gathered = Gathered::of(passages, findings);
                let shortfall = gathered.shortfall(self.options.min_relevant);
                if let Some(why) = &shortfall
                    && !last
                    && may_refine(&cx.case.budget)
                    && gather::has_time(&cx.header, cx.started_at)
                {
                    return Ok(too_little(why.clone(), scatter, fallbacks));
                }
                let evidence = Evidence::of_facts(gathered.found, self.options.facts_chars_max);
                if shortfall.is_some() && !evidence.facts.is_empty() {
                    fallbacks.push(Fallback::Caveat);
                }
                let brief = Brief {
                    prompt: if strict { &self.strict } else { &self.gather },
                    section: "facts",
                    evidence,
                    scatter: Some(scatter),
                    strict,
                    matched,
                };
                self.compose(cx, brief, fallbacks).await
            }
        }
    }

    async fn generate(
        &self,
        cx: &Cx,
        passages: Vec<Passage>,
        matched: Matched,
    ) -> Result<Done<ReducerExit>, stage::Error> {
        let (evidence, trimmed) = Evidence::of_passages(passages, self.options.passages_chars_max);
        let trimmed = (trimmed > 0).then_some(Fallback::PassagesTrimmed { count: trimmed });
        let brief = Brief {
            prompt: &self.generate,
            section: "passages",
            evidence,
            scatter: None,
            strict: false,
            matched,
        };
        self.compose(cx, brief, trimmed.into_iter().collect()).await
    }

    async fn compose(
        &self,
        cx: &Cx,
        mut brief: Brief<'_>,
        mut fallbacks: Vec<Fallback>,
    ) -> Result<Done<ReducerExit>, stage::Error> {
        if brief.evidence.facts.is_empty() {
            let mut done = no_information(brief, "no fact to answer from");
            done.fallbacks = fallbacks;
            return Ok(done);
        }
        let mut done = match self.ask(cx, &mut brief, &mut fallbacks).await? {
            Ok(reply) => self.drafted(cx, brief, reply),
            Err(reason) => {
                fallbacks.extend(Some(reason).filter(|r| *r != Fallback::ReduceDefault));
                self.stitched(cx, brief)
            }
        };
        done.fallbacks.splice(0..0, fallbacks);
        Ok(done)
    }

    /// One call that is answered. A prompt that is too long is sent again with fewer sources. What
    /// waiting cannot cure is no error here: the facts are there, and they are an answer. Everything
    /// else is left to the harness.
    async fn ask(
        &self,
        cx: &Cx,
        brief: &mut Brief<'_>,
        fallbacks: &mut Vec<Fallback>,
    ) -> Result<Written, stage::Error> {
        if let Some(limit) = cx.case.budget.spent() {
            let limit = limit.into();
            return Ok(Err(Fallback::BudgetSpent { limit }));
        }
        let whole = brief.evidence.clone();
        let mut dropped = 0;
        let written = loop {
            let request = self.request(cx, brief)?;
            match self.model.chat(&request).await {
                Ok(reply) => break Ok(reply),
                // Ends: each time at least one source less.
                Err(llm::Error::TooLong { limit }) if brief.evidence.sources.len() > 1 => {
                    dropped += brief.evidence.shrink(share(limit, &request));
                }
                Err(error) if matches!(error.class(), Class::Permanent | Class::TooLarge) => {
                    break Err(Fallback::ReduceDefault);
                }
                Err(error) => return Err(error.into()),
            }
        };
        if written.is_err() {
            // What needs no model has room for all of it.
            brief.evidence = whole;
        } else if dropped > 0 {
            fallbacks.push(Fallback::PassagesTrimmed { count: dropped });
        }
        Ok(written)
    }

    fn request(&self, cx: &Cx, brief: &Brief<'_>) -> Result<ChatRequest, Error> {
        let prompt = brief.prompt.or(&cx.case.overrides.prompts)?.render(&[
            ("question", &cx.case.question.original),
            (brief.section, &brief.evidence.section()),
        ])?;
        Ok(ChatRequest {
            role: Role::Reducer,
            model: cx.case.overrides.model.clone(),
            turn: cx.header.turn.clone(),
            tenant: cx.header.tenant.clone(),
            system: prompt.system,
            user: prompt.user,
            max_tokens: self.options.max_tokens,
            schema: None,
            timeout: self.options.call_timeout.duration().min(cx.time_left()),
        })
    }

    /// The draft that a model wrote.
    fn drafted(&self, cx: &Cx, brief: Brief<'_>, reply: ChatReply) -> Done<ReducerExit> {
        let done = match answer::read(&reply.text) {
            Answer::Text(text) => {
                let text = marks::normal(&text);
                let facts = &brief.evidence.facts;
                let text = marks::added(&text, facts, self.options.cite_overlap_min);
                composed(brief, text, "composed")
            }
            Answer::NoInformation => no_information(brief, "the facts do not answer"),
            Answer::Nothing => self.stitched(cx, brief),
        };
        done.with_model(reply.model, reply.usage)
    }

    /// The draft that no model wrote.
    fn stitched(&self, cx: &Cx, brief: Brief<'_>) -> Done<ReducerExit> {
        let question = cx.case.question.best();
        let text = stitch(question, &brief.evidence.facts, self.options.stitched_max);
        composed(brief, text, "stitched").with_fallback(Fallback::ReduceDefault)
    }
}

impl Stage for Reducer {
    type In = Reduce;
    type Out = ReducerExit;
    const ROLE: Role = Role::Reducer;

    fn run<'a>(
        &'a self,
        cx: &'a Cx,
        task: Reduce,
    ) -> BoxFuture<'a, Result<Done<ReducerExit>, stage::Error>> {
        Box::pin(self.reduce(cx, task))
    }
}

/// What share of the evidence fits a context: half of it where the context is not known.
fn share(context: Option<u32>, request: &ChatRequest) -> f64 {
    let prompt = tokens::estimate(&request.system) + tokens::estimate(&request.user);
    let room = context.map(|context| context.saturating_sub(request.max_tokens));
    let share = room.map_or(0.5, |room| f64::from(room) / f64::from(prompt.max(1)));
    // Below a tenth a wrong number would throw everything away; above, it was too long all the same.
    share.clamp(0.1, 0.9)
}

fn too_little(why: String, scatter: u16, fallbacks: Vec<Fallback>) -> Done<ReducerExit> {
    let decided = format!("too little: {why}");
    let mut done = Done::new(ReducerExit::TooLittle { why, scatter }, decided);
    done.fallbacks = fallbacks;
    done
}

fn composed(brief: Brief<'_>, text: String, how: &str) -> Done<ReducerExit> {
    let Evidence { facts, sources, .. } = &brief.evidence;
    let count = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    let (facts, sources) = (count(facts.len(), "fact"), count(sources.len(), "source"));
    let decided = format!("{how} from {facts} of {sources}");
    Done::new(draft(brief, text, false), decided)
}

fn no_information(brief: Brief<'_>, decided: &str) -> Done<ReducerExit> {
    Done::new(draft(brief, NO_INFORMATION.into(), true), decided)
}

fn draft(brief: Brief<'_>, text: String, no_information: bool) -> ReducerExit {
    ReducerExit::Composed(Draft {
        sources: citations(&brief.evidence, &text),
        facts: brief.evidence.facts,
        text,
        scatter: brief.scatter,
        strict: brief.strict,
        no_information,
        matched: brief.matched,
    })
}

#[cfg(test)]
#[path = "stage_tests.rs"]
mod tests;
